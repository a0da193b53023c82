#pragma once

// Finds the exact cut by bisection over the bottleneck, with realisable bounds: Pinar and Aykanat,
// "Fast optimal load balancing algorithms for 1D partitioning", J. Parallel Distrib. Comput. 64
// (2004). If a trial succeeds, the upper bound becomes the greatest load in its cut. If a trial
// fails, the lower bound becomes the least load that it refused. The offsets that a trial finds
// also bound the offsets of later trials, so later searches are short.
//
// Sums and loads need only be monotone, and rounding preserves this: a prefix sum never falls from
// item to item, and the computed load of a part never falls when the part grows.

#include "chain/feasible_cuts.hpp"

namespace evenkeel::chain_search {

template <class Source, class Parts>
class BottleneckBisection {
 public:
  using Number = typename Source::Number;
  using Load = typename Parts::Load;
  using Offsets = typename Problem<Source, Parts>::Offsets;

  // Refers to the problem; `heaviest` is the amount that the heaviest item adds to a sum.
  BottleneckBisection(const Problem<Source, Parts>& problem, Number heaviest)
      : problem_(problem),
        lower_(problem.least_bottleneck(heaviest)),
        upper_(problem.greatest_load(problem.even())),
        least_reach_(index_of(problem.parts()) + 1),
        most_reach_(least_reach_.size(), OffsetReach{problem.sums().items(), {}}),
        reach_(least_reach_.size()),
        feasible_(problem) {}

  // Returns the optimal offsets. Then bottleneck() is the greatest load of a part.
  Offsets run() {
    while (lower_ < upper_) {
      Trial<Load> trial = {next_limit(), upper_};
      const GreedyOutcome outcome = try_greedy(trial);
      if (outcome == GreedyOutcome::cut || (outcome == GreedyOutcome::unknown && has_cut(trial)))
        continue;
      lower_ = trial.refused;
    }
    Trial<Load> last = {upper_, upper_};
    static_cast<void>(feasible_.find(last));
    return feasible_.nearest_cut(upper_);
  }

  Load bottleneck() const noexcept { return upper_; }

 private:
  // An offset, and the sum of all items before it.
  struct OffsetReach {
    std::int64_t at = 0;
    typename Source::Running running = {};
  };
  enum class GreedyOutcome { cut, none, unknown };

  // Returns a limit between the bounds. It may be the lower bound itself, but never the upper one.
  Load next_limit() const noexcept {
    const Load limit = lower_ + std::min((upper_ - lower_) / 2, lower_);
    return limit < upper_ ? limit : lower_;
  }

  // Cuts from the left. Each part gets as many items as the limit allows. Then it gives back items
  // until the least number of items fits into the next part. So each offset is the greatest that
  // any cut within the limit can have. If a part has no possible end at which the next part fits,
  // the outcome is unknown.
  GreedyOutcome try_greedy(Trial<Load>& trial) {
    if (!can_begin(0, 0, trial)) return GreedyOutcome::none;
    const auto& sums = problem_.sums();
    const std::int64_t min_items = problem_.min_items();
    OffsetReach from = {};
    Load greatest = 0;
    int p = 0;
    for (; p < problem_.parts() && (from.at < sums.items() || min_items > 0); ++p) {
      const auto cut = index_of(p) + 1;
      // Both ends of this part are known already: its load is below the bounds, and the load with
      // one more item is above them.
      if (is_closed(cut - 1) && is_closed(cut)) {
        from = reach_[cut] = least_reach_[cut];
        continue;
      }
      const Number before = from.running.value();
      // captured by value: the search calls this often, and may not be inlined
      const auto load = [&problem = problem_, p, before](Number sum) {
        return problem.load(p, sum - before);
      };
      const std::int64_t high = std::min(problem_.last_offset(p + 1), most_reach_[cut].at + 1);
      const auto place = greedy_end(
          p, from.at, high, [load, limit = trial.limit](Number sum) { return load(sum) > limit; });
      if (place.at <= high) trial.refuse(load(place.above));
      const std::int64_t least = from.at + min_items;
      if (place.at - 1 < least) return GreedyOutcome::none;
      from = {place.at - 1, place.below};
      while (!can_begin(p + 1, from.at, trial))
        if (from.at-- == least) return GreedyOutcome::unknown;
      if (from.at < place.at - 1) from.running = sums.before(from.at);
      greatest = std::max(greatest, load(from.running.value()));
      reach_[cut] = from;
    }
    std::fill(reach_.begin() + p + 1, reach_.end(), from);
    const bool success = from.at == sums.items();
    (success ? most_reach_ : least_reach_) = reach_;
    if (success) upper_ = greatest;
    return success ? GreedyOutcome::cut : GreedyOutcome::none;
  }

  // Returns true if part p can begin at an offset: the least number of items fits into it.
  bool can_begin(int p, std::int64_t offset, Trial<Load>& trial) const {
    if (problem_.windows().empty() || p == problem_.parts()) return true;
    const Load load = problem_.load(p, problem_.windows().from(offset));
    if (trial.allows(load)) return true;
    trial.refuse(load);
    return false;
  }

  bool is_closed(std::size_t cut) const noexcept {
    return least_reach_[cut].at == most_reach_[cut].at;
  }

  // Returns the first end at which part p exceeds the limit.
  template <class Beyond>
  auto greedy_end(int p, std::int64_t from, std::int64_t high,
                  const Beyond& beyond) const noexcept {
    const OffsetReach& least = least_reach_[index_of(p) + 1];
    if (least.at >= from && high - least.at <= 2 * block)
      return problem_.sums().first_after(least.at, least.running, high, beyond);
    return problem_.sums().first(std::max(from, least.at), high, from + problem_.even_length(p),
                                 beyond);
  }

  // Decides trials whose outcome try_greedy() does not know.
  bool has_cut(Trial<Load>& trial) {
    if (!feasible_.find(trial)) return false;
    upper_ = problem_.greatest_load(feasible_.nearest_cut(trial.limit));
    return true;
  }

  const Problem<Source, Parts>& problem_;
  // No cut has a bottleneck below `lower_`, and some cut has the bottleneck `upper_`.
  Load lower_, upper_;
  // In all later trials, each greedy cut is between its entries in `least_reach_` and
  // `most_reach_`.
  std::vector<OffsetReach> least_reach_, most_reach_, reach_;
  FeasibleCuts<Source, Parts> feasible_;
};

}  // namespace evenkeel::chain_search
