#include "support/harness.hpp"

#include <evenkeel/core/chain.hpp>

namespace evenkeel::chain_test {
namespace {

using Offsets = std::vector<std::int64_t>;
using Integers = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Number>
Chain chain_of(const std::vector<Number>& weights, const ChainOptions& options) {
  return cut_chain(std::span<const Number>(weights), options);
}

template <class Number>
std::vector<Number> prefix_of(const std::vector<Number>& weights) {
  std::vector<Number> prefix(weights.size() + 1);
  std::partial_sum(weights.begin(), weights.end(), prefix.begin() + 1);
  return prefix;
}

Doubles as_doubles(const Integers& weights) { return {weights.begin(), weights.end()}; }

// --- The oracle: all cuts there are --------------------------------------------------------------

// Implements the definition literally for integer weights and speeds. Compares loads and distances
// as fractions.
class Oracle {
 public:
  Oracle(const Integers& weights, const Integers& speeds, std::int64_t min_items)
      : prefix_(prefix_of(weights)), speeds_(speeds), min_items_(min_items) {
    Offsets offsets = {0};
    visit(offsets);
  }

  const Offsets& offsets() const { return best_; }
  double bottleneck() const { return bottleneck_; }

 private:
  std::int64_t items() const { return std::ssize(prefix_) - 1; }
  std::int64_t before(std::int64_t offset) const {
    return prefix_[static_cast<std::size_t>(offset)];
  }

  void visit(Offsets& offsets) {
    const std::size_t part = offsets.size() - 1;
    if (part + 1 == speeds_.size()) {
      if (items() - offsets.back() < min_items_) return;
      offsets.push_back(items());
      compare(offsets);
      offsets.pop_back();
      return;
    }
    for (std::int64_t next = offsets.back() + min_items_; next <= items(); ++next) {
      offsets.push_back(next);
      visit(offsets);
      offsets.pop_back();
    }
  }

  // Returns the distance of a cut from its share. It is multiplied by the sum of speeds.
  std::int64_t distance(const Offsets& offsets, std::size_t cut) const {
    const auto speed_before = std::accumulate(
        speeds_.begin(), speeds_.begin() + static_cast<std::ptrdiff_t>(cut), std::int64_t{0});
    const auto speed = std::accumulate(speeds_.begin(), speeds_.end(), std::int64_t{0});
    return std::abs(speed * before(offsets[cut]) - speed_before * prefix_.back());
  }

  void compare(const Offsets& offsets) {
    double bottleneck = 0;
    for (std::size_t p = 0; p < speeds_.size(); ++p)
      bottleneck =
          std::max(bottleneck, static_cast<double>(before(offsets[p + 1]) - before(offsets[p])) /
                                   static_cast<double>(speeds_[p]));
    if (best_.empty() || bottleneck < bottleneck_ ||
        (!(bottleneck_ < bottleneck) && is_before(offsets))) {
      best_ = offsets;
      bottleneck_ = bottleneck;
    }
  }

  // Compares cuts from the left to the right. A cut wins if it is nearer to its share. If it is
  // equally near, it wins if it is further to the left.
  bool is_before(const Offsets& offsets) const {
    for (std::size_t cut = 1; cut < speeds_.size(); ++cut) {
      const std::int64_t mine = distance(offsets, cut), best = distance(best_, cut);
      if (mine != best) return mine < best;
      if (offsets[cut] != best_[cut]) return offsets[cut] < best_[cut];
    }
    return false;
  }

  Integers prefix_, speeds_;
  std::int64_t min_items_;
  Offsets best_;
  double bottleneck_ = 0;
};

std::string text_of(const Integers& values) {
  std::string text = "{";
  for (const std::int64_t value : values) text.append(" ").append(std::to_string(value));
  return text + " }";
}

// Compares all forms of input with the oracle. If all speeds are 1, also leaves them out.
void expect_optimal(const Integers& weights, const Integers& speeds, std::int64_t min_items) {
  SCOPED_TRACE("weights " + text_of(weights) + ", speeds " + text_of(speeds) + ", min_items " +
               std::to_string(min_items));
  const Oracle oracle(weights, speeds, min_items);
  const Doubles doubles = as_doubles(weights), speed = as_doubles(speeds);
  const auto integer_prefix = prefix_of(weights);
  const auto double_prefix = prefix_of(doubles);
  const bool alike = std::ranges::count(speeds, 1) == std::ssize(speeds);
  for (const bool with_speeds : {true, false}) {
    if (!with_speeds && !alike) continue;
    const ChainOptions options = {.parts = static_cast<int>(speeds.size()),
                                  .speeds = with_speeds ? speed : std::span<const double>(),
                                  .min_items = min_items};
    for (const Chain& chain :
         {chain_of(weights, options), chain_of(doubles, options),
          cut_prefix(integer_prefix, options), cut_prefix(double_prefix, options)}) {
      ASSERT_EQ(chain.offsets, oracle.offsets());
      ASSERT_EQ(chain.bottleneck, oracle.bottleneck());
    }
  }
}

// Draws weights of a few kinds, so that ties, runs of zeros and heavy items are frequent.
Integers random_weights(std::mt19937_64& random, std::int64_t count) {
  const std::uint64_t kind = random() % 5;
  Integers weights(static_cast<std::size_t>(count));
  for (std::int64_t& weight : weights) {
    const auto number = static_cast<std::int64_t>(random() % 1000);
    weight = kind == 0   ? number % 3
             : kind == 1 ? number
             : kind == 2 ? (number % 4 == 0 ? 100 + number % 7 : number % 2)
             : kind == 3 ? (number % 3 == 0 ? 1 : 0)
                         : 1;
  }
  return weights;
}

void expect_random_optimal(int cases, std::uint64_t greatest_speed) {
  std::mt19937_64 random(greatest_speed);
  for (int i = 0; i < cases && !testing::Test::HasFatalFailure(); ++i) {
    const auto count = static_cast<std::int64_t>(random() % 10);
    Integers speeds(1 + random() % 5);
    for (std::int64_t& speed : speeds)
      speed = 1 + static_cast<std::int64_t>(random() % greatest_speed);
    const std::int64_t most_items = count / std::ssize(speeds);
    const auto min_items =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most_items + 1));
    const Integers weights = random_weights(random, count);
    expect_optimal(weights, speeds, min_items);
  }
}

TEST(Chain, IsTheBestOfAllCuts) { expect_random_optimal(4000, 1); }

TEST(Chain, IsTheBestOfAllCutsForPartsThatDiffer) {
  for (const std::uint64_t greatest : {2U, 5U, 64U}) expect_random_optimal(2000, greatest);
}

// --- By hand -------------------------------------------------------------------------------------

TEST(Chain, ByHand) {
  const auto offsets_of = [](const Integers& weights, int parts) {
    return chain_of(weights, {.parts = parts}).offsets;
  };
  EXPECT_EQ(offsets_of({1, 1, 1, 1}, 1), (Offsets{0, 4}));
  EXPECT_EQ(offsets_of({1, 1, 1, 1}, 2), (Offsets{0, 2, 4}));
  EXPECT_EQ(offsets_of({1, 1, 1}, 2), (Offsets{0, 1, 3})) << "a tie goes to the left";
  EXPECT_EQ(offsets_of({1, 1, 1, 1}, 3), (Offsets{0, 1, 3, 4})) << "4/3 is near 1, 8/3 near 3";
  EXPECT_EQ(offsets_of({1, 6, 1}, 2), (Offsets{0, 1, 3})) << "7 whichever way";
  EXPECT_EQ(offsets_of({2, 0, 0, 2}, 2), (Offsets{0, 1, 4})) << "items of no weight go right";
  EXPECT_EQ(offsets_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3), (Offsets{0, 5, 7, 9}));
}

// Greedy parts would take three items, and leave { 5 5 }, which weighs too much.
TEST(Chain, LeavesItemsForPartsThatNeedThem) {
  const Chain chain = chain_of(Integers{1, 1, 1, 5, 5, 1, 1}, {.parts = 3, .min_items = 2});
  EXPECT_EQ(chain.offsets, (Offsets{0, 2, 4, 7}));
  EXPECT_EQ(chain.bottleneck, 7);
}

TEST(Chain, SpeedsAreHonoured) {
  const Doubles speeds = {1, 3};
  const Chain chain = chain_of(Doubles(8, 0.5), {.parts = 2, .speeds = speeds});
  EXPECT_EQ(chain.offsets, (Offsets{0, 2, 8}));
  EXPECT_EQ(chain.bottleneck, 1);
  EXPECT_EQ(chain.lambda, 1);
  const Doubles far_apart = {1, 1e6, 1};
  EXPECT_EQ(chain_of(Doubles(8, 1), {.parts = 3, .speeds = far_apart}).offsets,
            (Offsets{0, 0, 8, 8}));
}

// --- The report ----------------------------------------------------------------------------------

TEST(Chain, TellsOfItemsThatAreTooHeavy) {
  const Chain chain = chain_of(Doubles{1, 1, 8, 1, 1, 8}, {.parts = 4});
  EXPECT_EQ(chain.bottleneck, 8);
  EXPECT_DOUBLE_EQ(chain.lambda, 1.6);
  EXPECT_EQ(chain.heaviest_item, 2) << "the first";
  EXPECT_EQ(chain.heaviest_weight, 8);
  EXPECT_EQ(chain.items_above_average, 2);
  EXPECT_DOUBLE_EQ(chain.lambda_bound, 1.6);

  const Doubles speeds = {1, 1, 1, 7};
  const Chain fast = chain_of(Doubles{1, 1, 1, 7}, {.parts = 4, .speeds = speeds});
  EXPECT_EQ(fast.items_above_average, 0);
  EXPECT_EQ(fast.lambda_bound, 1);
  EXPECT_EQ(fast.lambda, 1);
}

TEST(Chain, RoundingMakesNoItemTooHeavy) {
  for (const int parts : {10, 1000, 3001}) {
    const Chain chain = chain_of(Doubles(static_cast<std::size_t>(parts), 0.1), {.parts = parts});
    EXPECT_EQ(chain.items_above_average, 0);
    EXPECT_LE(chain.lambda_bound, chain.lambda);
    EXPECT_NEAR(chain.lambda, 1, 1e-11);
    for (int p = 0; p <= parts; ++p) ASSERT_EQ(chain.offsets[static_cast<std::size_t>(p)], p);
  }
}

// --- Nothing, or nearly --------------------------------------------------------------------------

TEST(Chain, WithoutItems) {
  for (const Chain& chain :
       {chain_of(Doubles{}, {.parts = 3}), cut_prefix(Doubles{0}, {.parts = 3})}) {
    EXPECT_EQ(chain.offsets, (Offsets{0, 0, 0, 0}));
    EXPECT_EQ(chain.bottleneck, 0);
    EXPECT_EQ(chain.lambda, 1);
    EXPECT_EQ(chain.heaviest_item, -1);
    EXPECT_EQ(chain.items_above_average, 0);
  }
}

TEST(Chain, WithoutWeight) {
  const Chain chain = chain_of(Doubles(7, -0.0), {.parts = 3});
  EXPECT_EQ(chain.offsets, (Offsets{0, 0, 0, 7}));
  EXPECT_EQ(chain.lambda, 1);
  EXPECT_EQ(chain_of(Doubles(7, 0), {.parts = 3, .min_items = 2}).offsets, (Offsets{0, 2, 4, 7}));
}

TEST(Chain, OneItemHasAllTheWeight) {
  Doubles weights(1000, 0);
  weights[700] = 3;
  const Chain chain = chain_of(weights, {.parts = 4});
  EXPECT_EQ(chain.bottleneck, 3);
  EXPECT_EQ(chain.lambda, 4);
  EXPECT_EQ(chain.lambda_bound, 4);
  EXPECT_EQ(chain.heaviest_item, 700);
  EXPECT_EQ(chain.offsets, (Offsets{0, 0, 0, 701, 1000}));
}

TEST(Chain, MorePartsThanItems) {
  const Chain chain = chain_of(Integers{5, 5}, {.parts = 5});
  EXPECT_EQ(chain.bottleneck, 5);
  EXPECT_EQ(chain.offsets, (Offsets{0, 0, 1, 1, 2, 2}));
}

// --- Any magnitude -------------------------------------------------------------------------------

TEST(Chain, TheGreatestIntegers) {
  constexpr std::int64_t quarter = std::int64_t{1} << 60;
  const Chain even = chain_of(Integers(4, quarter), {.parts = 4, .min_items = 1});
  EXPECT_EQ(even.offsets, (Offsets{0, 1, 2, 3, 4}));
  EXPECT_EQ(even.items_above_average, 0);
  // In doubles these two parts would weigh the same.
  const Integers uneven = {quarter + 1, quarter, quarter - 2, quarter};
  EXPECT_EQ(chain_of(uneven, {.parts = 2}).offsets, (Offsets{0, 2, 4}));
  const Integers tie = {quarter, 1, quarter};
  EXPECT_EQ(chain_of(tie, {.parts = 2}).offsets, (Offsets{0, 1, 3}));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(chain_of(Integers{most - 1, 0, 1}, {.parts = 2}).offsets, (Offsets{0, 1, 3}));
  EXPECT_ERROR(chain_of(Integers{most, 1}, {}), "The sum of the weights overflows.");
  EXPECT_ERROR(chain_of(Integers(64, most / 32), {}), "The sum of the weights overflows.");
  EXPECT_ERROR(chain_of(Integers(1000, most), {}), "The sum of the weights overflows.");
}

TEST(Chain, TheSmallestAndGreatestDoubles) {
  for (const double weight : {std::numeric_limits<double>::denorm_min(), 1e-310, 1e-300, 1e306}) {
    const Chain chain = chain_of(Doubles(40, weight), {.parts = 4});
    EXPECT_EQ(chain.offsets, (Offsets{0, 10, 20, 30, 40}));
    EXPECT_DOUBLE_EQ(chain.bottleneck, 10 * weight);
    EXPECT_DOUBLE_EQ(chain.lambda, 1);
  }
}

// --- Many items ----------------------------------------------------------------------------------

struct Parts {
  Doubles speeds;
  std::int64_t min_items;
};

// Returns true if greedy parts take all items and no load exceeds `limit`.
bool reaches_end(const Doubles& prefix, const Parts& parts, double limit) {
  std::size_t from = 0;
  for (const double speed : parts.speeds) {
    std::size_t end = from;
    while (end + 1 < prefix.size() && (prefix[end + 1] - prefix[from]) / speed <= limit) ++end;
    from = end;
  }
  return from + 1 == prefix.size();
}

void expect_optimal_at_large(const Doubles& weights, const Parts& parts) {
  const Doubles prefix = prefix_of(weights);
  const ChainOptions options = {.parts = static_cast<int>(parts.speeds.size()),
                                .speeds = parts.speeds,
                                .min_items = parts.min_items};
  const Chain chain = cut_prefix(prefix, options);
  double bottleneck = 0;
  for (std::size_t p = 0; p < parts.speeds.size(); ++p) {
    const auto begin = static_cast<std::size_t>(chain.offsets[p]);
    const auto end = static_cast<std::size_t>(chain.offsets[p + 1]);
    ASSERT_LE(begin + static_cast<std::size_t>(parts.min_items), end);
    bottleneck = std::max(bottleneck, (prefix[end] - prefix[begin]) / parts.speeds[p]);
  }
  EXPECT_EQ(bottleneck, chain.bottleneck);
  EXPECT_GE(chain.lambda, chain.lambda_bound);
  if (parts.min_items == 0) {
    EXPECT_TRUE(reaches_end(prefix, parts, bottleneck));
    EXPECT_FALSE(reaches_end(prefix, parts, std::nextafter(bottleneck, 0)));
  }
  EXPECT_NEAR(chain_of(weights, options).bottleneck, bottleneck, 1e-9 * bottleneck);
}

TEST(Chain, NothingLessIsPossibleForManyItems) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::lognormal_distribution<double> skewed(0, 2);
  for (const std::size_t count : {1000U, 100'003U})
    for (const std::size_t parts : {7U, 256U}) {
      Doubles even(count), wild(count), classes(count), speeds(parts), far_apart(parts);
      for (double& weight : even) weight = uniform(random);
      for (double& weight : wild) weight = skewed(random);
      for (double& weight : classes) weight = random() % 10 == 0 ? 100 : 1;
      for (double& speed : speeds) speed = 0.5 + uniform(random);
      for (double& speed : far_apart) speed = std::pow(10, 6 * uniform(random));
      for (const Doubles& weights : {even, wild, classes}) {
        expect_optimal_at_large(weights, {Doubles(parts, 1), 0});
        expect_optimal_at_large(weights, {Doubles(parts, 1), 2});
        expect_optimal_at_large(weights, {speeds, 0});
        expect_optimal_at_large(weights, {far_apart, 0});
      }
    }
}

TEST(Chain, IntegersAndDoublesAgree) {
  std::mt19937_64 random(1);
  for (const std::int64_t count : {15, 16, 17, 1023, 1024, 1025, 5000})
    for (const int parts : {1, 3, 16, 100})
      for (const std::int64_t min_items : {0, 1, 9})
        for (int i = 0; i < 5; ++i) {
          if (parts * min_items > count) continue;
          const Integers weights = random_weights(random, count);
          const ChainOptions options = {.parts = parts, .min_items = min_items};
          const Chain chain = chain_of(weights, options);
          const auto prefix = prefix_of(weights);
          EXPECT_EQ(chain_of(as_doubles(weights), options).offsets, chain.offsets);
          EXPECT_EQ(cut_prefix(prefix, options).offsets, chain.offsets);
          const Doubles ones(static_cast<std::size_t>(parts), 1);
          EXPECT_EQ(
              chain_of(weights, {.parts = parts, .speeds = ones, .min_items = min_items}).offsets,
              chain.offsets);
        }
}

// --- Misuse --------------------------------------------------------------------------------------

TEST(Chain, WeightsThatAreNoneAreErrors) {
  for (const double weight : {-1.0, std::nan(""), infinity, -infinity})
    for (const std::size_t count : {1U, 16U, 2000U}) {
      Doubles weights(count, 1);
      weights[count - 1] = weight;
      EXPECT_ERROR(chain_of(weights, {}), "core/chain: The weight of item " +
                                              std::to_string(count - 1) +
                                              " is negative, NaN or infinite.");
    }
  EXPECT_ERROR(chain_of(Integers{1, -1}, {}), "The weight of item 1 is negative");
  EXPECT_ERROR(chain_of(Doubles(3, 1e308), {}), "The sum of the weights overflows.");
  EXPECT_ERROR(cut_prefix(Doubles{}, {}), "A prefix sum does not begin with 0.");
  EXPECT_ERROR(cut_prefix(Doubles{1, 2}, {}), "A prefix sum does not begin with 0.");
  EXPECT_ERROR(cut_prefix(Doubles{0, 2, 1}, {}), "A prefix sum decreases, or is NaN.");
  EXPECT_ERROR(cut_prefix(Doubles{0, std::nan("")}, {}), "A prefix sum decreases, or is NaN.");
  EXPECT_ERROR(cut_prefix(Doubles{0, infinity}, {}), "A prefix sum is infinite.");
}

TEST(Chain, OptionsThatMakeNoSenseAreErrors) {
  const Doubles four(4, 1);
  for (const int parts : {0, -1})
    EXPECT_ERROR(chain_of(four, {.parts = parts}),
                 "core/chain: A cut into " + std::to_string(parts) + " parts was asked for.");
  const Doubles one = {1};
  EXPECT_ERROR(chain_of(four, {.parts = 2, .speeds = one}), "1 speeds came for 2 parts.");
  for (const double speed : {0.0, -1.0, std::nan(""), infinity}) {
    const Doubles speeds = {1, speed};
    EXPECT_ERROR(chain_of(four, {.parts = 2, .speeds = speeds}),
                 "A speed is zero, negative, NaN or infinite.");
  }
  const Doubles fast(2, 1e308), slow = {1, 1e-308};
  EXPECT_ERROR(chain_of(four, {.parts = 2, .speeds = fast}), "The sum of the speeds overflows.");
  EXPECT_ERROR(chain_of(four, {.parts = 2, .speeds = slow}),
               "A sum of weights, divided by a speed, overflows.");
  EXPECT_ERROR(chain_of(four, {.min_items = -1}), "Parts of at least -1 items were asked for.");
  EXPECT_ERROR(chain_of(four, {.parts = 3, .min_items = 2}),
               "3 parts of at least 2 items were asked for, but there are 4 items in all.");
}

}  // namespace
}  // namespace evenkeel::chain_test
