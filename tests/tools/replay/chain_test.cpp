
#include "chains.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

namespace evenkeel::tool::chain_test {
namespace {

using test::Costs;
using test::error_of;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

std::string refusal_of(std::vector<double> costs, std::uint64_t bins) {
  return error_of([&] { CostChain(std::move(costs), bins, "some.npy"); });
}

std::string refusal(const std::string& text) { return "evenkeel: tools/replay: " + text; }

// --- The oracle: all cuts there are --------------------------------------------------------------

// Implements the contract literally for whole costs. Compares distances as fractions.
class Oracle {
 public:
  Oracle(const Costs& costs, std::int64_t step, int ranks) : ranks_(ranks), prefix_(1, 0) {
    prefix_.reserve(static_cast<std::size_t>(costs.bins) + 1);
    for (std::int64_t bin = 0; bin < costs.bins; ++bin)
      prefix_.push_back(prefix_.back() + static_cast<std::int64_t>(costs.at(step, bin)));
    std::vector<std::int32_t> offsets = {0};
    visit(offsets, 0);
    choose();
  }

  // The ranges of all ranks except those that own nothing.
  Ranges ranges() const {
    Ranges ranges = chosen_;
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    return ranges;
  }

 private:
  std::int64_t before(std::int32_t offset) const {
    return prefix_[static_cast<std::size_t>(offset)];
  }

  void visit(std::vector<std::int32_t>& offsets, std::int64_t bottleneck) {
    const auto bins = static_cast<std::int32_t>(prefix_.size() - 1);
    const bool is_last = std::ssize(offsets) == ranks_;
    for (std::int32_t end = is_last ? bins : offsets.back(); end <= bins; ++end) {
      const std::int64_t load = before(end) - before(offsets.back());
      offsets.push_back(end);
      if (is_last)
        cuts_.emplace_back(std::max(bottleneck, load), offsets);
      else
        visit(offsets, std::max(bottleneck, load));
      offsets.pop_back();
    }
  }

  // Decides from the left to the right: keeps the cuts whose next border is nearest to its share
  // and, among those, the cuts with the leftmost border.
  void choose() {
    const std::int64_t least = std::ranges::min_element(cuts_)->first;
    std::erase_if(cuts_, [&](const auto& cut) { return cut.first > least; });
    for (std::size_t p = 1; p < static_cast<std::size_t>(ranks_); ++p) {
      const auto rank_of = [&](const auto& cut) {
        const std::int64_t share = static_cast<std::int64_t>(p) * prefix_.back();
        return std::pair(std::abs(ranks_ * before(cut.second[p]) - share), cut.second[p]);
      };
      const auto best = rank_of(*std::ranges::min_element(cuts_, {}, rank_of));
      std::erase_if(cuts_, [&](const auto& cut) { return rank_of(cut) != best; });
    }
    chosen_ = cuts_.front().second;
  }

  std::int64_t ranks_;
  std::vector<std::int64_t> prefix_;
  std::vector<std::pair<std::int64_t, std::vector<std::int32_t>>> cuts_;
  std::vector<std::int32_t> chosen_;
};

// --- Costs ---------------------------------------------------------------------------------------

TEST(CostChain, RowsAreSteps) {
  const CostChain chain({1, 2, 3, 4, 5, 6}, 3, "some.npy");
  EXPECT_EQ(chain.steps(), 2);
  EXPECT_EQ(chain.bins(), 3);
  EXPECT_EQ(chain.sum(0), 6);
  EXPECT_EQ(chain.sum(1), 15);
}

TEST(CostChain, CostsThatAreNone) {
  const std::string remedy = " Give finite costs that are not negative and whose sum is finite.";
  for (const auto& [cost, text] : std::vector<std::pair<double, std::string>>{
           {-1, "-1"},
           {-std::numeric_limits<double>::denorm_min(), "-5e-324"},
           {infinity, "inf"},
           {-infinity, "-inf"},
           {std::numeric_limits<double>::quiet_NaN(), "nan"}}) {
    EXPECT_EQ(refusal_of({1, 2, 3, 4, cost, 6}, 3),
              refusal("In 'some.npy', row 1, column 1 is " + text + '.' + remedy));
    EXPECT_EQ(refusal_of({cost}, 1),
              refusal("In 'some.npy', row 0, column 0 is " + text + '.' + remedy));
  }
  EXPECT_EQ(CostChain({0, -0.0}, 2, "some.npy").sum(0), 0);
}

TEST(CostChain, ASumThatOverflows) {
  EXPECT_EQ(
      refusal_of({1, 2, 3, 1e308, 1e308, 4}, 3),
      refusal("In 'some.npy', row 1, column 1 is 1e+308. Give finite costs that are not negative "
              "and whose sum is finite."));
  EXPECT_EQ(CostChain({largest, 0}, 2, "some.npy").sum(0), largest);
}

// A run adds up the costs of all its steps, so sums must not overflow.
TEST(CostChain, ASumOverStepsThatOverflows) {
  EXPECT_ERROR(CostChain({largest, largest}, 1, "some.npy"), "'some.npy'");
}

TEST(CostChain, NoRowsAndNoColumns) {
  const std::string remedy =
      " Give a row for each step and a column for each bin, at least one of each.";
  EXPECT_EQ(refusal_of({}, 3), refusal("'some.npy' has 0 steps of 3 bins." + remedy));
  EXPECT_EQ(refusal_of({}, 0), refusal("'some.npy' has 0 steps of 0 bins." + remedy));
  const test::ScratchDirectory directory;
  const std::string none = directory.with_file("none.npy", test::npy_of<double>({"", 4, {}}));
  EXPECT_EQ(error_of([&] { read_chain(none); }),
            refusal("'" + none + "' has 0 steps of 4 bins." + remedy));
}

TEST(CostChain, Files) {
  const test::ScratchDirectory directory;
  const CostChain chain = read_chain(directory.with_file("chain.csv", "a,b\n1,2\n3,4\n0,6\n"));
  EXPECT_EQ(chain.steps(), 3);
  EXPECT_EQ(chain.bins(), 2);
  EXPECT_EQ(chain.slowest({0, 1, 2}, 2), 6);
  EXPECT_ERROR(read_chain(directory.path_of("missing.csv")), "missing.csv' cannot be read");
  EXPECT_ERROR(read_chain(directory.with_file("bad.csv", "1,2\n3,-4\n")),
               "bad.csv', row 1, column 1 is -4.");
}

// --- Loads ---------------------------------------------------------------------------------------

TEST(CostChain, LoadsAreSumsOfBins) {
  const Costs costs = test::whole_costs(20, 13, 9, 5, 1);
  const CostChain chain = costs.chain();
  std::vector<double> loads = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const Ranges& ranges :
       {Ranges{0, 13}, Ranges{0, 1, 13}, Ranges{0, 4, 5, 12, 13}, Ranges{0, 12, 13}})
    for (std::int64_t step = 0; step < chain.steps(); ++step) {
      chain.loads(ranges, step, loads);
      EXPECT_EQ(loads, test::loads_of(costs, ranges, step));
      EXPECT_EQ(chain.slowest(ranges, step), test::slowest_of(costs, ranges, step));
      EXPECT_EQ(chain.sum(step), test::sum_of(costs, step));
    }
}

// --- Cuts ----------------------------------------------------------------------------------------

TEST(CostChain, EvenCuts) {
  for (const std::int64_t bins : {1, 2, 3, 7, 12, 100})
    for (const int ranks : {1, 2, 3, 5, 7, 12, 99, 100, 101, 1000}) {
      const CostChain chain(std::vector<double>(static_cast<std::size_t>(bins), 1),
                            static_cast<std::uint64_t>(bins), "some.npy");
      Ranges offsets = {0};
      offsets.reserve(static_cast<std::size_t>(ranks) + 1);
      for (std::int64_t p = 1; p <= ranks; ++p)
        offsets.push_back(static_cast<std::int32_t>(p * bins / ranks));
      offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      EXPECT_EQ(chain.even(ranks), offsets) << bins << " bins, " << ranks << " ranks";
    }
  const CostChain seven(std::vector<double>(7, 1), 7, "some.npy");
  EXPECT_EQ(seven.even(3), (Ranges{0, 2, 4, 7}));
  EXPECT_EQ(seven.even(1 << 24), (Ranges{0, 1, 2, 3, 4, 5, 6, 7}));
}

// Small costs cause ties, and zeros cause more of them.
TEST(CostChain, CutsAreThoseOfTheContract) {
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const int most : {1, 3, 20}) {
      const auto bins = static_cast<std::int64_t>(1 + seed % 8);
      const Costs costs = test::whole_costs(3, bins, most, 4, seed);
      const CostChain chain = costs.chain();
      for (const int ranks : {1, 2, 3, 4, 5})
        for (std::int64_t step = 0; step < costs.steps(); ++step)
          ASSERT_EQ(chain.cut(step, ranks), Oracle(costs, step, ranks).ranges())
              << costs.name << ", up to " << most << ", ranks " << ranks << ", step " << step;
    }
}

TEST(CostChain, TiesOfCuts) {
  const auto cut = [](std::vector<double> costs, int ranks) {
    const std::uint64_t bins = costs.size();
    return CostChain(std::move(costs), bins, "some.npy").cut(0, ranks);
  };
  EXPECT_EQ(cut({1, 1, 1}, 2), (Ranges{0, 1, 3})) << "1 and 2 are as near to 1.5";
  EXPECT_EQ(cut({1, 0, 0, 1}, 2), (Ranges{0, 1, 4})) << "left of what costs nothing";
  EXPECT_EQ(cut({0, 0, 1, 1}, 2), (Ranges{0, 3, 4}));
  EXPECT_EQ(cut({5, 1, 1, 1}, 3), (Ranges{0, 1, 4})) << "both cuts are nearest behind the 5";
  EXPECT_EQ(cut({4, 3, 2, 2}, 3), (Ranges{0, 1, 2, 4})) << "at 7 of 11, nearest to 22/3";
  EXPECT_EQ(cut({2, 2, 2, 3, 3}, 2), (Ranges{0, 3, 5}));
}

// All cuts are equally near to the shares, so the leftmost one must be chosen: the last rank owns
// all.
TEST(CostChain, RowsWithoutCost) {
  for (const int ranks : {1, 2, 3, 100}) {
    const CostChain chain({0, 0, 0, 0, 1, 1, 1, 1}, 4, "some.npy");
    EXPECT_EQ(chain.cut(0, ranks), (Ranges{0, 4}));
    EXPECT_EQ(chain.sum(0), 0);
    EXPECT_EQ(chain.slowest(chain.even(ranks), 0), 0);
  }
}

TEST(CostChain, MoreRanksThanBins) {
  const CostChain chain({3, 1, 2}, 3, "some.npy");
  for (const int ranks : {6, 100, 100'000})
    EXPECT_EQ(chain.cut(0, ranks), (Ranges{0, 1, 2, 3})) << ranks;
  EXPECT_EQ(chain.slowest(chain.cut(0, 100'000), 0), 3);
}

}  // namespace
}  // namespace evenkeel::tool::chain_test
