// The exact cut by bisection over the bottleneck with realisable bounds, after Pinar and Aykanat,
// "Fast optimal load balancing algorithms for 1D partitioning", J. Parallel Distrib. Comput. 64
// (2004): a trial that succeeds lowers the upper bound to the greatest load that it made; one that
// fails raises the lower bound to the least load that it refused. Both bounds also fence in where
// the greedy cuts of later trials can lie, so that their searches become short.
//
// All that is asked of sums and loads is that they are monotone, which rounding keeps: a prefix
// never falls, and the load of a part as computed never falls when the part grows.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/chain.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace evenkeel {

namespace {

[[noreturn]] void refuse(std::string what, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{"core/chain"}, std::move(what), std::move(remedy));
}

std::size_t index_of(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

// --- Prefix sums ---------------------------------------------------------------------------------

// Sums are kept for every 16th item and completed while searching: two cache lines of weights are
// no more to read than the end of a search in all sums would be, and writing those costs more than
// everything else.
constexpr std::int64_t block = 16;
// What is kept to find heavy items again: one maximum of so many items.
constexpr std::int64_t chunk = 64 * block;

// The sums of `Source`, which says what stands before item k * block and extends it item by item.
template <class Source>
class Sums : public Source {
 public:
  using Number = typename Source::Number;
  using Running = typename Source::Running;
  using Source::Source;

  // The first place where a property of the prefix holds, and the prefix there and one before.
  struct Place {
    std::int64_t at;
    Running below;
    Number above;
    bool run;  // whether the prefix one before may be that of places yet before
  };

  Running before(std::int64_t item) const noexcept {
    auto running = this->before_block(item / block);
    for (std::int64_t i = item - item % block; i < item; ++i) this->extend(running, i);
    return running;
  }
  Number at(std::int64_t item) const noexcept { return before(item).value(); }

  // The least place in [low, high] that is beyond, high + 1 when none is. `beyond` asks the prefix;
  // from where it is true it stays so. At `low` itself nothing is said about one before.
  template <class Beyond>
  Place first(std::int64_t low, std::int64_t high, std::int64_t guess,
              const Beyond& beyond) const noexcept {
    std::int64_t near = low / block, far = high / block + 1;
    const std::int64_t start = std::clamp(guess / block, near, far - 1);
    const auto is_beyond = [&](std::int64_t k) { return beyond(this->block_sum(k)); };
    std::int64_t step = 1;
    if (start > near && is_beyond(start)) {
      far = start;
      for (; far - step > near && is_beyond(far - step); step *= 2) far -= step;
      near = std::max(near, far - step);
    } else {
      near = start;
      for (; near + step < far && !is_beyond(near + step); step *= 2) near += step;
      far = std::min(far, near + step);
    }
    while (near + 1 < far) {
      const std::int64_t middle = near + (far - near) / 2;
      (is_beyond(middle) ? far : near) = middle;
    }
    low = std::max(low, near * block);
    const Running running = before(low);
    if (beyond(running.value())) return {low, running, running.value(), true};
    return first_after(low, running, high, beyond);
  }

  // The same item by item, in (low, high]; `running` is what is before `low`, which is not beyond.
  template <class Beyond>
  Place first_after(std::int64_t low, Running running, std::int64_t high,
                    const Beyond& beyond) const noexcept {
    bool run = true;
    for (std::int64_t i = low; i < high; ++i) {
      const Running below = running;
      if (i % block == 0) running = this->before_block(i / block);
      this->extend(running, i);
      if (beyond(running.value())) return {i + 1, below, running.value(), run};
      run = !(below.value() < running.value());
    }
    return {high + 1, running, running.value(), run};
  }
};

// Weights and the sums of their blocks. Within a block weights are summed from 0 and then added to
// what is before, so that blocks are summed side by side; the order is the same on every machine.
template <class Number_>
class FromWeights {
 public:
  using Number = Number_;
  // Unsigned, an integer that grows beyond its type shows it in the sign and is not undefined.
  using Sum = std::conditional_t<std::is_integral_v<Number>, std::uint64_t, double>;

  struct Running {
    Sum before, inside;
    Number value() const noexcept { return static_cast<Number>(before + inside); }
  };

  explicit FromWeights(std::span<const Number> weights)
      : weights_(weights), sums_(weights.size() / block + 1) {
    maxima_.reserve(weights.size() / chunk + 1);
    for (std::int64_t begin = 0; begin < items(); begin += chunk)
      add_chunk(begin, std::min(begin + chunk, items()));
    if (wrong_ != 0 || !std::isfinite(static_cast<double>(total_))) find_what_is_wrong();
  }

  std::int64_t items() const noexcept { return std::ssize(weights_); }
  Number total() const noexcept { return total_; }
  Number weight(std::int64_t item) const noexcept { return weights_[index_of(item)]; }
  std::span<const Number> maxima() const noexcept { return maxima_; }

 protected:
  Number block_sum(std::int64_t k) const noexcept { return sums_[index_of(k)]; }
  Running before_block(std::int64_t k) const noexcept {
    return {static_cast<Sum>(block_sum(k)), Sum{0}};
  }
  void extend(Running& running, std::int64_t item) const noexcept {
    running.inside += static_cast<Sum>(weight(item));
  }

 private:
  // Reads the weights once, in independent lanes where the order does not matter.
  void add_chunk(std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t lanes = 4;
    std::array<Number, lanes> most = {};
    std::array<std::uint64_t, lanes> wrong = {};
    std::int64_t i = begin;
    for (; i + block <= end; i += block) {
      const Number* const weights = weights_.data() + i;
      sums_[index_of(i / block)] = total_;
      Sum inside = 0;
      for (std::int64_t j = 0; j < block; ++j) {
        inside += static_cast<Sum>(weights[j]);
        if constexpr (std::is_integral_v<Number>) wrong[0] |= inside >> 63U;
      }
      for (std::int64_t j = 0; j < block; j += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          Number& of_lane = most[index_of(lane)];
          of_lane = weights[j + lane] > of_lane ? weights[j + lane] : of_lane;
          wrong[index_of(lane)] |= weights[j + lane] >= 0 ? 0U : 1U;
        }
      add_to_total(inside);
    }
    if (i < end || end == items()) add_rest(i, end, most[0], wrong[0]);
    for (const std::uint64_t lane : wrong) wrong_ |= lane;
    maxima_.push_back(*std::max_element(most.begin(), most.end()));
  }

  // The block at the end that is not full.
  void add_rest(std::int64_t begin, std::int64_t end, Number& most, std::uint64_t& wrong) {
    sums_[index_of(begin / block)] = total_;
    Sum inside = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      inside += static_cast<Sum>(weight(i));
      if constexpr (std::is_integral_v<Number>) wrong |= inside >> 63U;
      most = std::max(most, weight(i));
      wrong |= weight(i) >= 0 ? 0U : 1U;
    }
    add_to_total(inside);
  }

  void add_to_total(Sum inside) noexcept {
    const Sum sum = static_cast<Sum>(total_) + inside;
    if constexpr (std::is_integral_v<Number>) wrong_ |= sum >> 63U;
    total_ = static_cast<Number>(sum);
  }

  [[noreturn]] void find_what_is_wrong() const {
    for (std::int64_t i = 0; i < items(); ++i)
      if (!(weight(i) >= 0) || !std::isfinite(static_cast<double>(weight(i))))
        refuse("The weight of item " + std::to_string(i) + " is negative, NaN or infinite.",
               "Weights are finite and not negative.");
    refuse("The sum of the weights overflows.", "Divide all weights by a common factor.");
  }

  std::span<const Number> weights_;
  std::vector<Number> sums_, maxima_;
  Number total_ = 0;
  std::uint64_t wrong_ = 0;  // a weight that is none, or an integer that overflowed
};

// A prefix sum that somebody else has formed.
template <class Number_>
class FromPrefix {
 public:
  using Number = Number_;

  struct Running {
    Number sum;
    Number value() const noexcept { return sum; }
  };

  explicit FromPrefix(std::span<const Number> prefix) : prefix_(prefix) {
    if (prefix.empty() || prefix.front() != 0)
      refuse("A prefix sum does not begin with 0.", "Give one more value than there are items.");
    maxima_.reserve(prefix.size() / chunk + 1);
    for (std::int64_t begin = 0; begin < items(); begin += chunk)
      add_chunk(begin, std::min(begin + chunk, items()));
    if (!std::isfinite(static_cast<double>(total())))
      refuse("A prefix sum is infinite.", "Divide all weights by a common factor.");
  }

  std::int64_t items() const noexcept { return std::ssize(prefix_) - 1; }
  Number total() const noexcept { return prefix_.back(); }
  Number weight(std::int64_t item) const noexcept {
    return prefix_[index_of(item) + 1] - prefix_[index_of(item)];
  }
  std::span<const Number> maxima() const noexcept { return maxima_; }

 protected:
  Number block_sum(std::int64_t k) const noexcept { return prefix_[index_of(k * block)]; }
  Running before_block(std::int64_t k) const noexcept { return {block_sum(k)}; }
  void extend(Running& running, std::int64_t item) const noexcept {
    running.sum = prefix_[index_of(item) + 1];
  }

 private:
  void add_chunk(std::int64_t begin, std::int64_t end) {
    const Number* const prefix = prefix_.data();
    std::uint64_t wrong = 0;
    for (std::int64_t i = begin; i < end; ++i) wrong |= prefix[i + 1] >= prefix[i] ? 0U : 1U;
    if (wrong != 0)
      refuse("A prefix sum falls, or is NaN.", "Weights are finite and not negative.");
    Number most = 0;
    for (std::int64_t i = begin; i < end; ++i) most = std::max(most, weight(i));
    maxima_.push_back(most);
  }

  std::span<const Number> prefix_;
  std::vector<Number> maxima_;
};

// --- Parts: their loads and shares ---------------------------------------------------------------

// p * total / parts in integers: the share itself may lie between two.
struct IntegerShare {
  std::int64_t whole, up;  // rounded down and up
  std::int64_t twice;      // twice the fraction, rounded up
};

// The share of whom `before` of `all` go before. The product comes first where it can: so it is
// exact for integers.
double share_of(double total, double before, double all) noexcept {
  const double product = total * before;
  return std::isnormal(product) ? product / all : total * (before / all);
}

bool reached(double share, double prefix) noexcept { return prefix >= share; }
bool reached(const IntegerShare& share, std::int64_t prefix) noexcept { return prefix >= share.up; }

// Of two prefixes, one below the share and one not: whether the lower is at least as near.
bool lower_is_nearer(double share, double below, double above) noexcept {
  return share - below <= above - share;
}
bool lower_is_nearer(const IntegerShare& share, std::int64_t below, std::int64_t above) noexcept {
  return (above - share.whole) - (share.whole - below) >= share.twice;
}

// Parts of the same speed: loads are weights.
template <class Number>
class Alike {
 public:
  using Load = Number;
  static constexpr bool alike = true;

  explicit Alike(const ChainOptions& options) : parts_(options.parts) {}

  int parts() const noexcept { return parts_; }
  static Load load(int, Number weight) noexcept { return weight; }
  double speed() const noexcept { return parts_; }
  static double fastest() noexcept { return 1; }

  // The least load that the heaviest part may have, rounded as loads are: never above what a cut
  // can reach.
  Load least_bottleneck(Number total, Number heaviest) const noexcept {
    Load average = total / static_cast<Number>(parts_);
    if constexpr (std::is_integral_v<Number>) average += total % parts_ != 0 ? 1 : 0;
    return std::max(average, heaviest);
  }

  auto share(int p, Number total) const noexcept {
    if constexpr (std::is_integral_v<Number>) {
      const std::int64_t rest = p * (total % parts_), fraction = rest % parts_;
      const std::int64_t whole = p * (total / parts_) + rest / parts_;
      return IntegerShare{whole, whole + (fraction != 0 ? 1 : 0),
                          (2 * fraction + parts_ - 1) / parts_};
    } else {
      return share_of(total, p, parts_);
    }
  }

 private:
  int parts_;
};

// Parts that differ: loads are seconds, as it were.
template <class Number>
class BySpeed {
 public:
  using Load = double;
  static constexpr bool alike = false;

  explicit BySpeed(const ChainOptions& options) : speeds_(options.speeds), before_(1, 0.0) {
    before_.reserve(speeds_.size() + 1);
    for (const double speed : speeds_) before_.push_back(before_.back() + speed);
    const auto [slowest, fastest] = std::minmax_element(speeds_.begin(), speeds_.end());
    slowest_ = *slowest;
    fastest_ = *fastest;
  }

  int parts() const noexcept { return static_cast<int>(speeds_.size()); }
  Load load(int p, Number weight) const noexcept {
    return static_cast<double>(weight) / speeds_[index_of(p)];
  }
  double speed() const noexcept { return before_.back(); }
  double slowest() const noexcept { return slowest_; }
  double fastest() const noexcept { return fastest_; }

  // The sum of speeds is rounded, so the average keeps off by as much.
  Load least_bottleneck(Number total, Number heaviest) const noexcept {
    const double rounding = (parts() + 4.0) * std::numeric_limits<double>::epsilon();
    return std::max(static_cast<double>(total) / speed() * (1 - rounding),
                    static_cast<double>(heaviest) / fastest_);
  }

  double share(int p, Number total) const noexcept {
    return share_of(static_cast<double>(total), before_[index_of(p)], speed());
  }

 private:
  std::span<const double> speeds_;
  std::vector<double> before_;  // the speeds of the parts before each
  double slowest_ = 1, fastest_ = 1;
};

// --- Items enough for each part ------------------------------------------------------------------

// The weight of every `min_items` items in a row. A place where they outweigh the bottleneck is one
// where a part cannot end, however it begins.
template <class Number>
class Windows {
 public:
  Windows() = default;

  template <class Source>
  Windows(const Sums<Source>& sums, std::int64_t items)
      : items_(items), weights_(index_of(sums.items() - items + 1)) {
    std::vector<Number> prefix(index_of(sums.items()) + 1);
    for (std::int64_t i = 0; i <= sums.items(); ++i) prefix[index_of(i)] = sums.at(i);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] = prefix[i + index_of(items)] - prefix[i];
    for (std::size_t i = 0; i < weights_.size(); i += index_of(chunk)) {
      const auto end = weights_.begin() + std::min(std::ssize(weights_), std::ptrdiff_t(i) + chunk);
      const auto [least, most] = std::minmax_element(weights_.begin() + std::ptrdiff_t(i), end);
      extremes_.emplace_back(*least, *most);
    }
    for (const auto& extremes : extremes_) heaviest_ = std::max(heaviest_, extremes.second);
  }

  bool empty() const noexcept { return weights_.empty(); }
  Number from(std::int64_t item) const noexcept { return weights_[index_of(item)]; }
  Number heaviest() const noexcept { return heaviest_; }

  // The first end in [end, last] of a window that fits, or that does not, by `fitting`; last + 1
  // when there is none. `seen` is told a weight that bounds those passed over from below.
  template <class Fits, class Seen>
  std::int64_t next(std::int64_t end, std::int64_t last, bool fitting, const Fits& fits,
                    const Seen& seen) const {
    for (std::int64_t i = end - items_; i <= last - items_;) {
      if (i % chunk == 0) {
        const auto& [least, most] = extremes_[index_of(i / chunk)];
        if (fits(fitting ? least : most) != fitting) {
          seen(least);
          i += chunk;
          continue;
        }
      }
      if (fits(weights_[index_of(i)]) == fitting) return i + items_;
      seen(weights_[index_of(i++)]);
    }
    return last + 1;
  }

 private:
  std::int64_t items_ = 0;
  std::vector<Number> weights_;
  std::vector<std::pair<Number, Number>> extremes_;  // of every chunk
  Number heaviest_ = 0;
};

// Offsets in a row, and the prefix of the first.
template <class Number>
struct Stretch {
  std::int64_t first, last;
  Number sum;
};

// For each cut the offsets from which the parts after it can be finished.
template <class Number>
class Feasible {
 public:
  void clear(int parts) {
    stretches_.clear();
    ends_.assign(index_of(parts) + 2, 0);
  }
  // Cuts come from the last to the first, stretches of a cut from the left.
  void begin(int cut) { ends_[index_of(cut)] = stretches_.size(); }
  void add(int cut, const Stretch<Number>& stretch) {
    if (stretches_.size() > ends_[index_of(cut)] && stretches_.back().last + 1 >= stretch.first)
      stretches_.back().last = std::max(stretches_.back().last, stretch.last);
    else
      stretches_.push_back(stretch);
  }
  std::size_t first_of(int cut) const noexcept { return ends_[index_of(cut)]; }
  std::size_t end_of(int cut) const noexcept {
    return cut == 0 ? stretches_.size() : ends_[index_of(cut) - 1];
  }
  // A copy: adding more moves them all.
  Stretch<Number> operator[](std::size_t i) const noexcept { return stretches_[i]; }

 private:
  std::vector<Stretch<Number>> stretches_;
  std::vector<std::size_t> ends_;
};

// --- The search ----------------------------------------------------------------------------------

template <class Source, class Parts>
class Search {
 public:
  using Number = typename Source::Number;
  using Load = typename Parts::Load;
  using Offsets = std::vector<std::int64_t>;
  using Place = typename Sums<Source>::Place;

  Search(const Sums<Source>& sums, const Parts& parts, Number heaviest, std::int64_t min_items)
      : sums_(sums),
        parts_(parts),
        min_items_(min_items),
        least_reach_(index_of(parts.parts()) + 1),
        most_reach_(least_reach_.size(), Reach{sums.items(), {}}),
        reach_(least_reach_.size()) {
    // Alike parts of one item or more have a bottleneck that any item fits; all other parts with
    // items to spare may not.
    if (min_items > 0 && !(Parts::alike && min_items == 1))
      windows_ = Windows<Number>(sums, min_items);
    lower_ = parts.least_bottleneck(sums.total(), heaviest);
  }

  // The optimal offsets, after which bottleneck() is theirs.
  Offsets run() {
    even_ = even_cut();
    lengths_.resize(even_.size() - 1);
    for (std::size_t p = 0; p < lengths_.size(); ++p) lengths_[p] = even_[p + 1] - even_[p];
    upper_ = greatest_load(even_);
    while (lower_ < upper_) {
      const Load step = std::min((upper_ - lower_) / 2, lower_);
      Load limit = lower_ + step;
      if (!(limit < upper_)) limit = lower_;
      refused_ = upper_;
      const Outcome outcome = try_greedy(limit);
      if (outcome == Outcome::cut || (outcome == Outcome::unknown && has_cut(limit))) continue;
      lower_ = refused_;
    }
    static_cast<void>(find_feasible(upper_));
    return nearest_cut(upper_);
  }

  Load bottleneck() const noexcept { return upper_; }

 private:
  // An offset and what is before it, as the sum that it extends and as a number.
  struct Reach {
    std::int64_t at = 0;
    typename Source::Running running = {};
  };
  struct Spot {
    std::int64_t at;
    Number sum;
  };

  std::int64_t last_offset(int cut) const noexcept {
    return sums_.items() - (parts_.parts() - cut) * min_items_;
  }

  // Whether `min_items` items fit everywhere. Then the offsets of a cut that can be reached from
  // the left are all up to the greatest, and those from which the rest can be finished are all from
  // the least on: a part that is forced to the right by its least number of items still fits.
  // Otherwise both have gaps.
  bool is_gapless(Load limit) const noexcept {
    for (int p = 0; p < parts_.parts(); ++p) {
      if (parts_.load(p, windows_.heaviest()) > limit) return false;
      if (Parts::alike) break;
    }
    return true;
  }

  Load greatest_load(const Offsets& offsets) const noexcept {
    Load greatest = 0;
    Number before = 0;
    for (int p = 0; p < parts_.parts(); ++p) {
      const Number prefix = sums_.at(offsets[index_of(p) + 1]);
      greatest = std::max(greatest, parts_.load(p, prefix - before));
      before = prefix;
    }
    return greatest;
  }

  // Each cut nearest to its share, where the number of items allows it.
  Offsets even_cut() const {
    Offsets offsets(index_of(parts_.parts()) + 1, 0);
    const std::int64_t length = sums_.items() / parts_.parts();
    for (int cut = 1; cut < parts_.parts(); ++cut) {
      const std::int64_t before = offsets[index_of(cut) - 1];
      offsets[index_of(cut)] = nearest(parts_.share(cut, sums_.total()), before + min_items_,
                                       last_offset(cut), before + length)
                                   .at;
    }
    offsets.back() = sums_.items();
    return offsets;
  }

  // The offset in a range whose prefix is nearest to a share, the first of several.
  template <class Share>
  Spot nearest(const Share& share, std::int64_t first, std::int64_t last,
               std::int64_t guess) const noexcept {
    const Place place =
        sums_.first(first, last, guess, [&](Number sum) { return reached(share, as_share(sum)); });
    if (place.at == first) return {first, place.above};
    const Number below = place.below.value();
    if (place.at <= last && !lower_is_nearer(share, as_share(below), as_share(place.above)))
      return {place.at, place.above};
    if (!place.run) return {place.at - 1, below};
    const auto as_much = [&](Number sum) { return sum >= below; };
    return {sums_.first(first, place.at - 1, place.at - 1, as_much).at, below};
  }

  // What shares are compared with: integers only where parts are alike.
  static auto as_share(Number prefix) noexcept {
    if constexpr (Parts::alike)
      return prefix;
    else
      return static_cast<double>(prefix);
  }

  enum class Outcome { cut, none, unknown };

  // Gives each part all that it can bear, but for items that the next one needs to begin where its
  // least number of items fits. That is the greatest offset that any cut can reach, unless the next
  // part would have to begin before all ends of this one: then what is possible stays unknown.
  Outcome try_greedy(Load limit) {
    if (!can_begin(0, 0, limit)) return Outcome::none;
    Reach from = {};
    Load greatest = 0;
    int p = 0;
    for (; p < parts_.parts() && (from.at < sums_.items() || min_items_ > 0); ++p) {
      const auto cut = index_of(p) + 1;
      if (is_closed(cut - 1) && is_closed(cut)) {  // loads and refusals are outside the bounds
        from = reach_[cut] = least_reach_[cut];
        continue;
      }
      const Number before = from.running.value();
      const auto load = [&](Number sum) { return parts_.load(p, sum - before); };
      const std::int64_t high = std::min(last_offset(p + 1), most_reach_[cut].at + 1);
      const auto place =
          greedy_end(cut, from.at, high, [&](Number sum) { return load(sum) > limit; });
      if (place.at <= high) refused_ = std::min(refused_, load(place.above));
      const std::int64_t least = from.at + min_items_;
      if (place.at - 1 < least) return Outcome::none;
      from = {place.at - 1, place.below};
      while (!can_begin(p + 1, from.at, limit))
        if (from.at-- == least) return Outcome::unknown;
      if (from.at < place.at - 1) from.running = sums_.before(from.at);
      greatest = std::max(greatest, load(from.running.value()));
      reach_[cut] = from;
    }
    std::fill(reach_.begin() + p + 1, reach_.end(), from);
    const bool success = from.at == sums_.items();
    (success ? most_reach_ : least_reach_) = reach_;
    if (success) upper_ = greatest;
    return success ? Outcome::cut : Outcome::none;
  }

  // Whether the least number of items of part p fits from an offset on.
  bool can_begin(int p, std::int64_t offset, Load limit) {
    if (windows_.empty() || p == parts_.parts()) return true;
    const Load load = parts_.load(p, windows_.from(offset));
    if (load > limit) refused_ = std::min(refused_, load);
    return !(load > limit);
  }

  bool is_closed(std::size_t cut) const noexcept {
    return least_reach_[cut].at == most_reach_[cut].at;
  }

  template <class Beyond>
  Place greedy_end(std::size_t cut, std::int64_t from, std::int64_t high,
                   const Beyond& beyond) const noexcept {
    const Reach& least = least_reach_[cut];
    if (least.at >= from && high - least.at <= 2 * block)
      return sums_.first_after(least.at, least.running, high, beyond);
    return sums_.first(std::max(from, least.at), high, from + lengths_[cut - 1], beyond);
  }

  // The same whatever the gaps.
  bool has_cut(Load limit) {
    if (!find_feasible(limit)) return false;
    upper_ = greatest_load(nearest_cut(limit));
    return true;
  }

  // From the right: the offsets of each cut from which the parts after it can be finished.
  bool find_feasible(Load limit) {
    if (!find_farthest(limit)) return false;
    feasible_.clear(parts_.parts());
    feasible_.begin(parts_.parts());
    feasible_.add(parts_.parts(), {sums_.items(), sums_.items(), sums_.total()});
    for (int p = parts_.parts() - 1; p >= 0; --p) {
      feasible_.begin(p);
      const bool gapless = !(parts_.load(p, windows_.heaviest()) > limit);
      for (std::size_t i = feasible_.first_of(p + 1); i < feasible_.first_of(p); ++i)
        if (gapless)
          add_begins(p, feasible_[i], limit);
        else
          add_begins_between_gaps(p, feasible_[i], limit);
      if (feasible_.first_of(p) == feasible_.end_of(p)) return false;
    }
    return feasible_[feasible_.first_of(0)].first == 0;
  }

  // From the left: what no cut can exceed. With gaps, only what lies before needs to be looked at,
  // which near the optimum is little. False when that is too little for the end.
  bool find_farthest(Load limit) {
    farthest_.assign(even_.size(), 0);
    const bool gapless = is_gapless(limit);
    Number before = 0;
    for (int p = 0; p < parts_.parts(); ++p) {
      const auto cut = index_of(p) + 1;
      farthest_[cut] = last_offset(p + 1);
      if (gapless) continue;
      const auto load = [&](Number sum) { return parts_.load(p, sum - before); };
      const std::int64_t from = farthest_[cut - 1], high = farthest_[cut];
      const auto place = sums_.first(from, high, from + lengths_[cut - 1],
                                     [&](Number sum) { return load(sum) > limit; });
      if (place.at <= high) refused_ = std::min(refused_, load(place.above));
      farthest_[cut] = place.at - 1;
      before = place.below.value();
    }
    return farthest_.back() == sums_.items();
  }

  // Where part p may begin, of those of its ends where `min_items` items fit.
  void add_begins_between_gaps(int p, const Stretch<Number>& ends, Load limit) {
    const auto fits = [&](Number weight) { return !(parts_.load(p, weight) > limit); };
    const auto refuse_load = [&](Number weight) {
      refused_ = std::min(refused_, parts_.load(p, weight));
    };
    std::int64_t end = ends.first;
    while (end <= ends.last) {
      const std::int64_t first = windows_.next(end, ends.last, true, fits, refuse_load);
      end = windows_.next(first, ends.last, false, fits, [](Number) {});
      if (first < end) add_begins(p, {first, end - 1, sums_.at(first)}, limit);
    }
  }

  // Where part p may begin when all these ends are good: in a row as well, from the least begin for
  // the first end to the greatest begin for the last.
  void add_begins(int p, const Stretch<Number>& ends, Load limit) {
    const std::int64_t low = p * min_items_;
    const auto load = [&](Number sum) { return parts_.load(p, ends.sum - sum); };
    const auto place = sums_.first(low, ends.first - min_items_, ends.first - lengths_[index_of(p)],
                                   [&](Number sum) { return !(load(sum) > limit); });
    if (place.at > low) refused_ = std::min(refused_, load(place.below.value()));
    const std::int64_t last = std::min(ends.last - min_items_, farthest_[index_of(p)]);
    if (place.at <= last) feasible_.add(p, {place.at, last, place.above});
  }

  // From the left: each cut the feasible one nearest to its share. If the nearest of those from
  // which the rest can be finished can also be reached, there is no nearer one.
  Offsets nearest_cut(Load limit) const {
    Offsets offsets(index_of(parts_.parts()) + 1, 0);
    Spot from = {0, 0};
    for (int cut = 1; cut < parts_.parts(); ++cut) {
      const auto is_beyond = [&](Number sum) {
        return parts_.load(cut - 1, sum - from.sum) > limit;
      };
      const std::int64_t first = from.at + min_items_;
      Spot spot = nearest_feasible(cut, first, last_offset(cut));
      if (is_beyond(spot.sum)) {
        const std::int64_t last = sums_.first(from.at, spot.at, spot.at, is_beyond).at - 1;
        spot = nearest_feasible(cut, first, last);
      }
      offsets[index_of(cut)] = spot.at;
      from = spot;
    }
    offsets.back() = sums_.items();
    return offsets;
  }

  // Of the feasible offsets of a cut in a range, of which there is one, the nearest to its share.
  Spot nearest_feasible(int cut, std::int64_t first, std::int64_t last) const noexcept {
    const auto share = parts_.share(cut, sums_.total());
    Spot best = {-1, 0};
    for (std::size_t i = first_stretch(cut, first); i < feasible_.end_of(cut); ++i) {
      const std::int64_t low = std::max(feasible_[i].first, first);
      const std::int64_t high = std::min(feasible_[i].last, last);
      if (low > high || (best.at >= 0 && reached(share, as_share(best.sum)))) break;
      const Spot spot = nearest(share, low, high, even_[index_of(cut)]);
      const bool nearer =
          best.at < 0 || (reached(share, as_share(spot.sum))
                              ? !lower_is_nearer(share, as_share(best.sum), as_share(spot.sum))
                              : best.sum < spot.sum);
      if (nearer) best = spot;
    }
    return best;
  }

  // The first stretch of a cut that does not end before an offset.
  std::size_t first_stretch(int cut, std::int64_t offset) const noexcept {
    std::size_t low = feasible_.first_of(cut), high = feasible_.end_of(cut);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (feasible_[middle].last < offset)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  const Sums<Source>& sums_;
  const Parts& parts_;
  std::int64_t min_items_;
  Windows<Number> windows_;
  // No cut has a bottleneck below `lower_`; one has `upper_`.
  Load lower_ = 0, upper_ = 0;
  Load refused_ = 0;  // the least load that the present trial refused
  // The greedy cuts of all trials to come lie between these.
  std::vector<Reach> least_reach_, most_reach_, reach_;
  Offsets even_, lengths_, farthest_;
  Feasible<Number> feasible_;
};

// --- From the options to the report --------------------------------------------------------------

void check(const ChainOptions& options, std::int64_t items) {
  const std::string parts = std::to_string(options.parts);
  if (options.parts < 1)
    refuse("A cut into " + parts + " parts was asked for.", "Ask for 1 or more.");
  if (!options.speeds.empty() && std::ssize(options.speeds) != options.parts)
    refuse(std::to_string(options.speeds.size()) + " speeds came for " + parts + " parts.",
           "Give one speed per part, or none.");
  for (const double speed : options.speeds)
    if (!std::isfinite(speed) || !(speed > 0))
      refuse("A speed is not positive, NaN or infinite.", "Speeds are positive and finite.");
  const std::string least = std::to_string(options.min_items);
  if (options.min_items < 0)
    refuse("Parts of at least " + least + " items were asked for.", "Ask for 0 or more.");
  if (options.min_items > items / options.parts)
    refuse(parts + " parts of at least " + least + " items were asked for, of " +
               std::to_string(items) + " items in all.",
           "Ask for fewer parts, or for fewer items in each.");
}

template <class Number>
void check_range(const BySpeed<Number>& parts, Number total) {
  if (!std::isfinite(parts.speed()))
    refuse("The sum of the speeds overflows.", "Divide all speeds by a common factor.");
  if (!std::isfinite(static_cast<double>(total) / parts.slowest()))
    refuse("Weight over speed overflows.", "Divide all weights by a common factor.");
}

template <class Number>
void check_range(const Alike<Number>&, Number) {}

template <class Source>
std::int64_t heaviest_item(const Sums<Source>& sums) noexcept {
  if (sums.items() == 0) return -1;
  const auto maxima = sums.maxima();
  const auto most = std::max_element(maxima.begin(), maxima.end());
  std::int64_t item = (most - maxima.begin()) * chunk;
  while (sums.weight(item) < *most) ++item;
  return item;
}

// How many items weigh more than `weight`.
template <class Source>
std::int64_t items_above(const Sums<Source>& sums, double weight) noexcept {
  const auto above = [&](auto number) { return static_cast<double>(number) > weight; };
  const auto maxima = sums.maxima();
  std::int64_t count = 0;
  for (std::int64_t c = 0; c < std::ssize(maxima); ++c) {
    if (!above(maxima[index_of(c)])) continue;
    const std::int64_t end = std::min((c + 1) * chunk, sums.items());
    for (std::int64_t i = c * chunk; i < end; ++i) count += above(sums.weight(i)) ? 1 : 0;
  }
  return count;
}

template <class Source, class Parts>
Chain cut(const Sums<Source>& sums, const Parts& parts, std::int64_t min_items) {
  check_range(parts, sums.total());
  Chain chain;
  chain.heaviest_item = heaviest_item(sums);
  const std::int64_t item = chain.heaviest_item;
  // As part of a sum an item weighs what the sum says, which rounding may make less.
  const auto in_sum = item < 0 ? 0 : sums.at(item + 1) - sums.at(item);
  Search<Source, Parts> search(sums, parts, in_sum, min_items);
  chain.offsets = search.run();
  chain.bottleneck = static_cast<double>(search.bottleneck());

  const auto total = static_cast<double>(sums.total());
  if (item >= 0) chain.heaviest_weight = static_cast<double>(sums.weight(item));
  if (!(total > 0)) return chain;
  const auto lambda_of = [&](double load) { return std::max(1.0, load / total * parts.speed()); };
  chain.lambda = lambda_of(chain.bottleneck);
  chain.lambda_bound = std::min(lambda_of(chain.heaviest_weight / parts.fastest()), chain.lambda);
  constexpr double rounding = 1e-9;
  chain.items_above_average =
      items_above(sums, share_of(total, parts.fastest(), parts.speed()) * (1 + rounding));
  return chain;
}

template <class Source>
Chain cut(std::int64_t items, std::span<const typename Source::Number> numbers,
          const ChainOptions& options) {
  check(options, items);
  const Sums<Source> sums(numbers);
  using Number = typename Source::Number;
  if (options.speeds.empty()) return cut(sums, Alike<Number>(options), options.min_items);
  return cut(sums, BySpeed<Number>(options), options.min_items);
}

}  // namespace

Chain cut_chain(std::span<const double> weights, const ChainOptions& options) {
  return cut<FromWeights<double>>(std::ssize(weights), weights, options);
}

Chain cut_chain(std::span<const std::int64_t> weights, const ChainOptions& options) {
  return cut<FromWeights<std::int64_t>>(std::ssize(weights), weights, options);
}

Chain cut_prefix(std::span<const double> prefix, const ChainOptions& options) {
  return cut<FromPrefix<double>>(std::max<std::int64_t>(std::ssize(prefix) - 1, 0), prefix,
                                 options);
}

Chain cut_prefix(std::span<const std::int64_t> prefix, const ChainOptions& options) {
  return cut<FromPrefix<std::int64_t>>(std::max<std::int64_t>(std::ssize(prefix) - 1, 0), prefix,
                                       options);
}

}  // namespace evenkeel
