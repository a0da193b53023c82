#include <evenkeel/core/cut.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/cut";

// What decides the unit that weights are counted in.
struct Scale {
  std::int64_t objects = 0;
  double heaviest = 0;
  bool weightless() const noexcept { return !(heaviest > 0); }  // then all weigh the same: 1
};

void combine(Scale& into, const Scale& from) noexcept {
  into.objects += from.objects;
  into.heaviest = std::max(into.heaviest, from.heaviest);
}

Scale scale_of(std::span<const WeightedKeys> sets) {
  Scale scale;
  for (const WeightedKeys& set : sets) {
    if (!set.weights.empty() && set.weights.size() != set.keys.size())
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  std::to_string(set.weights.size()) + " weights came with " +
                      std::to_string(set.keys.size()) + " keys.",
                  "Give one weight per key, or none.");
    scale.objects += std::ssize(set.keys);
    if (set.weights.empty() && !set.keys.empty()) scale.heaviest = std::max(scale.heaviest, 1.0);
    for (const double weight : set.weights) {
      if (!std::isfinite(weight) || weight < 0)
        throw Error(ErrorKind::bad_input, Where{stage_name},
                    "A weight is negative, NaN or infinite.",
                    "Weights are finite and not negative.");
      scale.heaviest = std::max(scale.heaviest, weight);
    }
  }
  return scale;
}

// Powers of two between a weight and its integer, so many that the sum of all stays below 2^62.
int exponent_of(const Scale& scale) {
  constexpr int bits = 62;
  const auto count_bits =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(scale.objects)));
  return bits - count_bits - (std::ilogb(scale.weightless() ? 1.0 : scale.heaviest) + 1);
}

// The weight of this rank's objects before any key, in integers.
class Prefix {
 public:
  explicit Prefix(std::span<const WeightedKeys> sets) {
    for (const WeightedKeys& set : sets) {
      keys_.push_back(set.keys);
      weights_.push_back(set.weights);
      sums_.emplace_back(set.keys.size() + 1);
    }
  }

  void fill(const Scale& scale) noexcept {
    const int exponent = exponent_of(scale);
    for (std::size_t s = 0; s < keys_.size(); ++s)
      for (std::size_t i = 0; i < keys_[s].size(); ++i) {
        const bool one = scale.weightless() || weights_[s].empty();
        const double weight = one ? 1.0 : weights_[s][i];
        sums_[s][i + 1] = sums_[s][i] + std::llround(std::ldexp(weight, exponent));
      }
  }

  std::int64_t before(HilbertKey key) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < keys_.size(); ++s) {
      const auto at = std::lower_bound(keys_[s].begin(), keys_[s].end(), key);
      sum += sums_[s][static_cast<std::size_t>(at - keys_[s].begin())];
    }
    return sum;
  }

 private:
  std::vector<std::span<const HilbertKey>> keys_;
  std::vector<std::span<const double>> weights_;
  std::vector<std::vector<std::int64_t>> sums_;
};

// Finds all splitters at once, a bit of each per reduction. All memory is there from the start: no
// rank can fail halfway and leave the others waiting.
class Search {
 public:
  Search(const Communicator& communicator, const Prefix& prefix, const CutOptions& options)
      : communicator_(communicator),
        prefix_(prefix),
        end_(end_of_curve(options.dimensions)),
        inner_(static_cast<std::size_t>(options.parts) - 1),
        found_(inner_ + 2, end_),
        low_(inner_),
        target_(inner_),
        sums_(2 * inner_ + 1) {
    found_.front() = HilbertKey{0};
  }

  // The weights of the parts that `splitters` make; collective.
  std::span<const std::int64_t> part_weights(const Splitters& splitters) {
    for (std::size_t p = 0; p <= inner_; ++p) sums_[p] = prefix_.before(splitters[p + 1]);
    reduce(inner_ + 1);
    for (std::size_t p = inner_; p > 0; --p) sums_[p] -= sums_[p - 1];
    return std::span(sums_).first(inner_ + 1);
  }

  // Collective.
  const Splitters& run(std::int64_t total) {
    set_targets(total);
    while (narrow()) {
    }
    round_to_nearest();
    return found_;
  }

 private:
  void reduce(std::size_t count) {
    communicator_.all_reduce(std::span(sums_).first(count), Reduction::sum);
  }

  void set_targets(std::int64_t total) {
    const auto parts = static_cast<std::int64_t>(inner_) + 1;
    for (std::size_t p = 0; p < inner_; ++p) {
      const auto share = static_cast<std::int64_t>(p) + 1;
      target_[p] = share * (total / parts) + share * (total % parts) / parts;
    }
  }

  // Halves the interval [low, found] of every splitter, of which `found` has at least the target
  // weight before it. False when all have met.
  bool narrow() {
    const auto middle = [&](std::size_t p) {
      return HilbertKey{low_[p].value + (found_[p + 1].value - low_[p].value) / 2};
    };
    bool open = false;
    for (std::size_t p = 0; p < inner_; ++p) {
      open = open || low_[p] < found_[p + 1];
      sums_[p] = prefix_.before(middle(p));
    }
    if (!open) return false;
    reduce(inner_);
    for (std::size_t p = 0; p < inner_; ++p) {
      if (!(low_[p] < found_[p + 1])) continue;
      const HilbertKey key = middle(p);
      if (sums_[p] >= target_[p])
        found_[p + 1] = key;
      else
        low_[p] = HilbertKey{key.value + 1};
    }
    return true;
  }

  // A splitter now is the first with enough before it; the place before it may be nearer.
  void round_to_nearest() {
    const auto one_before = [&](std::size_t p) {
      const HilbertKey key = found_[p + 1];
      return HilbertKey{key.value - (key.value > 0 ? 1 : 0)};
    };
    for (std::size_t p = 0; p < inner_; ++p) {
      sums_[p] = prefix_.before(one_before(p));
      sums_[inner_ + p] = prefix_.before(found_[p + 1]);
    }
    reduce(2 * inner_);
    for (std::size_t p = 0; p < inner_; ++p)
      if (target_[p] - sums_[p] <= sums_[inner_ + p] - target_[p]) found_[p + 1] = one_before(p);
  }

  const Communicator& communicator_;
  const Prefix& prefix_;
  HilbertKey end_;
  std::size_t inner_;  // splitters between two parts
  Splitters found_;
  std::vector<HilbertKey> low_;
  std::vector<std::int64_t> target_, sums_;
};

void check(const CutOptions& options) {
  if (options.parts < 1)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "A cut into " + std::to_string(options.parts) + " parts was asked for.",
                "Ask for 1 or more.");
  if (options.dimensions != 2 && options.dimensions != 3)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "A curve in " + std::to_string(options.dimensions) + " dimensions was asked for.",
                "There are curves in 2 and 3.");
  const auto kept_parts = std::ssize(options.kept) - 1;
  if (kept_parts >= 0 && kept_parts != options.parts)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The splitters to keep make " + std::to_string(kept_parts) + " parts where " +
                    std::to_string(options.parts) + " were asked for.",
                "Keep splitters of as many parts, or none.");
}

std::int64_t greatest(std::span<const std::int64_t> values) {
  return *std::max_element(values.begin(), values.end());
}

}  // namespace

double Cut::lambda() const noexcept {
  double sum = 0, most = 0;
  for (const double weight : weights) {
    sum += weight;
    most = std::max(most, weight);
  }
  return sum > 0 ? most * static_cast<double>(weights.size()) / sum : 1;
}

Cut cut(const Communicator& communicator, const Status& status, std::span<const WeightedKeys> sets,
        const CutOptions& options) {
  Scale mine;
  std::optional<Prefix> prefix;
  std::optional<Search> search;
  Cut result;
  const Status prepared = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    check(options);
    mine = scale_of(sets);
    prefix.emplace(sets);
    search.emplace(communicator, *prefix, options);
    result.weights.resize(static_cast<std::size_t>(options.parts));
    result.splitters = options.kept;
    result.splitters.resize(result.weights.size() + 1);
  });
  const Scale scale = vote<&combine>(communicator, prepared, mine);
  prefix->fill(scale);

  const auto total =
      communicator.all_reduce(prefix->before(end_of_curve(options.dimensions)), Reduction::sum);
  std::span<const std::int64_t> weights;
  if (!options.kept.empty() && options.target_lambda > 0) {
    weights = search->part_weights(options.kept);
    const auto heaviest = static_cast<double>(greatest(weights));
    result.kept = heaviest * options.parts <= options.target_lambda * static_cast<double>(total);
  }
  if (!result.kept) {
    const Splitters& found = search->run(total);
    std::copy(found.begin(), found.end(), result.splitters.begin());
    weights = search->part_weights(result.splitters);
  }
  const int exponent = exponent_of(scale);
  std::transform(weights.begin(), weights.end(), result.weights.begin(), [&](std::int64_t weight) {
    return std::ldexp(static_cast<double>(weight), -exponent);
  });
  return result;
}

}  // namespace evenkeel
