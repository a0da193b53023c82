#pragma once

// Finds all cuts within a limit on loads, and chooses the one nearest to the shares. For each cut
// between two parts it stores the feasible offsets: those from which the parts on the right can
// hold the remaining items. A least number of items may leave gaps between feasible offsets.

#include "chain/problem.hpp"

namespace evenkeel::chain_search {

// Consecutive offsets, and the prefix sum at the first of them.
template <class Number>
struct OffsetStretch {
  std::int64_t first, last;
  Number sum;
};

// A set of offsets for each cut. A set is a list of stretches that do not touch, from left to
// right.
template <class Number>
class Stretches {
 public:
  void clear(int parts) {
    stretches_.clear();
    ends_.assign(index_of(parts) + 2, 0);
  }
  // Add the cuts from the last to the first, and the stretches of each cut from left to right.
  void begin(int cut) { ends_[index_of(cut)] = stretches_.size(); }
  void add(int cut, const OffsetStretch<Number>& stretch) {
    if (stretches_.size() > ends_[index_of(cut)] && stretches_.back().last + 1 >= stretch.first)
      stretches_.back().last = std::max(stretches_.back().last, stretch.last);
    else
      stretches_.push_back(stretch);
  }
  std::size_t first_of(int cut) const noexcept { return ends_[index_of(cut)]; }
  std::size_t end_of(int cut) const noexcept {
    return cut == 0 ? stretches_.size() : ends_[index_of(cut) - 1];
  }
  // Returns the first stretch of a cut that ends at or after an offset.
  std::size_t first_from(int cut, std::int64_t offset) const noexcept {
    std::size_t low = first_of(cut), high = end_of(cut);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (stretches_[middle].last < offset)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  // Returns a copy, because add() may move all stretches in memory.
  OffsetStretch<Number> operator[](std::size_t i) const noexcept { return stretches_[i]; }

 private:
  std::vector<OffsetStretch<Number>> stretches_;
  std::vector<std::size_t> ends_;
};

template <class Source, class Parts>
class FeasibleCuts {
 public:
  using Number = typename Source::Number;
  using Load = typename Parts::Load;
  using Offsets = typename Problem<Source, Parts>::Offsets;
  using Spot = typename Problem<Source, Parts>::Spot;

  // Refers to the problem.
  explicit FeasibleCuts(const Problem<Source, Parts>& problem) : problem_(problem) {}

  // Finds the feasible offsets of each cut, from the right. Returns false if there is no cut within
  // the limit.
  bool find(Trial<Load>& trial) {
    if (!find_farthest(trial)) return false;
    const int parts = problem_.parts();
    const std::int64_t items = problem_.sums().items();
    feasible_.clear(parts);
    feasible_.begin(parts);
    feasible_.add(parts, {items, items, problem_.sums().total()});
    for (int p = parts - 1; p >= 0; --p) {
      feasible_.begin(p);
      const bool gapless = problem_.is_gapless(p, trial);
      for (std::size_t i = feasible_.first_of(p + 1); i < feasible_.first_of(p); ++i)
        if (gapless)
          add_begins(p, feasible_[i], trial);
        else
          add_begins_between_gaps(p, feasible_[i], trial);
      if (feasible_.first_of(p) == feasible_.end_of(p)) return false;
    }
    return feasible_[feasible_.first_of(0)].first == 0;
  }

  // Call this after find() has succeeded for `limit`. From the left, puts each cut at the feasible
  // offset that is nearest to its share. If the part before the cut would then exceed the limit,
  // uses the nearest feasible offset that this part can reach.
  Offsets nearest_cut(Load limit) const {
    Offsets offsets(index_of(problem_.parts()) + 1, 0);
    Spot from = {0, 0};
    for (int cut = 1; cut < problem_.parts(); ++cut) {
      const auto is_beyond = [&](Number sum) {
        return problem_.load(cut - 1, sum - from.sum) > limit;
      };
      const std::int64_t first = from.at + problem_.min_items();
      Spot spot = nearest_feasible(cut, first, problem_.last_offset(cut));
      if (is_beyond(spot.sum)) {
        const std::int64_t last =
            problem_.sums().first(from.at, spot.at, spot.at, is_beyond).at - 1;
        spot = nearest_feasible(cut, first, last);
      }
      offsets[index_of(cut)] = spot.at;
      from = spot;
    }
    offsets.back() = problem_.sums().items();
    return offsets;
  }

 private:
  // Finds, from the left, an upper bound of the offset of each cut. If there are gaps, only offsets
  // up to these bounds are searched; near the optimum these are few. Returns false if the last item
  // cannot be reached.
  bool find_farthest(Trial<Load>& trial) {
    farthest_.assign(index_of(problem_.parts()) + 1, 0);
    const bool gapless = problem_.is_gapless(trial);
    Number before = 0;
    for (int p = 0; p < problem_.parts(); ++p) {
      const auto cut = index_of(p) + 1;
      farthest_[cut] = problem_.last_offset(p + 1);
      if (gapless) continue;
      const auto load = [&](Number sum) { return problem_.load(p, sum - before); };
      const std::int64_t from = farthest_[cut - 1], high = farthest_[cut];
      const auto place =
          problem_.sums().first(from, high, from + problem_.even_length(p),
                                [&](Number sum) { return !trial.allows(load(sum)); });
      if (place.at <= high) trial.refuse(load(place.above));
      farthest_[cut] = place.at - 1;
      before = place.below.value();
    }
    return farthest_.back() == problem_.sums().items();
  }

  // Finds the offsets at which part p may begin. `ends` has possible ends of the part. An end is
  // left out if the `min_items` items before it exceed the limit.
  void add_begins_between_gaps(int p, const OffsetStretch<Number>& ends, Trial<Load>& trial) {
    const auto& windows = problem_.windows();
    const auto fits = [&](Number weight) { return trial.allows(problem_.load(p, weight)); };
    const auto refuse_load = [&](Number weight) { trial.refuse(problem_.load(p, weight)); };
    std::int64_t end = ends.first;
    while (end <= ends.last) {
      const std::int64_t first = windows.next(end, ends.last, true, fits, refuse_load);
      end = windows.next(first, ends.last, false, fits, [](Number) {});
      if (first < end) add_begins(p, {first, end - 1, problem_.sums().at(first)}, trial);
    }
  }

  // Finds the offsets at which part p may begin if each of `ends` is a possible end. These offsets
  // are contiguous too: from the least begin for the first end to the greatest begin for the last
  // end.
  void add_begins(int p, const OffsetStretch<Number>& ends, Trial<Load>& trial) {
    const std::int64_t min_items = problem_.min_items(), low = p * min_items;
    const auto load = [&](Number sum) { return problem_.load(p, ends.sum - sum); };
    const auto place =
        problem_.sums().first(low, ends.first - min_items, ends.first - problem_.even_length(p),
                              [&](Number sum) { return trial.allows(load(sum)); });
    if (place.at > low) trial.refuse(load(place.below.value()));
    const std::int64_t last = std::min(ends.last - min_items, farthest_[index_of(p)]);
    if (place.at <= last) feasible_.add(p, {place.at, last, place.above});
  }

  // Returns the feasible offset of a cut that is nearest to its share, within a range. The range
  // must contain a feasible offset.
  Spot nearest_feasible(int cut, std::int64_t first, std::int64_t last) const noexcept {
    const auto share = problem_.share(cut);
    const auto as_share = [](Number sum) { return Problem<Source, Parts>::as_share(sum); };
    Spot best = {-1, 0};
    for (std::size_t i = feasible_.first_from(cut, first); i < feasible_.end_of(cut); ++i) {
      const std::int64_t low = std::max(feasible_[i].first, first);
      const std::int64_t high = std::min(feasible_[i].last, last);
      if (low > high || (best.at >= 0 && reached(share, as_share(best.sum)))) break;
      const Spot spot = problem_.nearest(share, low, high, problem_.even()[index_of(cut)]);
      const bool nearer =
          best.at < 0 || (reached(share, as_share(spot.sum))
                              ? !lower_is_nearer(share, as_share(best.sum), as_share(spot.sum))
                              : best.sum < spot.sum);
      if (nearer) best = spot;
    }
    return best;
  }

  const Problem<Source, Parts>& problem_;
  Offsets farthest_;
  Stretches<Number> feasible_;
};

}  // namespace evenkeel::chain_search
