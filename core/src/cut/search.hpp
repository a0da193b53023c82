#pragma once

// Finds places on the curve so that given weights are before them, over all ranks. The first
// histogram is of the whole interval that holds keys; the next ones are of only those bins that
// hold a place, for all places at once, with one reduction each. When few objects are left, all
// ranks get them and finish alone. The histograms depend only on sums over all ranks, so the result
// does too.

#include "cut/narrowing.hpp"
#include "cut/reductions.hpp"

#include <functional>

namespace evenkeel {

class Search {
 public:
  using Place = CurvePlace;

  // No call of run() will seek more than `most_sought` places. `most_objects` is an upper bound of
  // the objects on all ranks, or 0 if that is unknown.
  Search(const Communicator& communicator, CutObjects& objects, std::int64_t most_sought,
         std::int64_t most_objects = 0);
  static std::int64_t most_bins(std::int64_t most_sought, std::int64_t most_objects = 0) noexcept;

  static std::int64_t bins_for(std::int64_t objects) noexcept;

  // Collective. The weight of all objects, of which there must be some; call it before run().
  std::int64_t weigh(const Census& all);

  // Collective. Returns a place for each sought weight. The sought weights never fall, are in (0,
  // all weight], and are the same on all ranks. A place within `tolerance` is accepted.
  std::span<const Place> run(const WantedPlaces& wanted);

  // Collective. The same two functions for objects that are nearly in order on each rank: a sample
  // of their keys shows where to look closely, and one histogram suffices.
  static bool suits_sample(const Census& all, std::int64_t sought) noexcept;
  std::int64_t weigh_by_sample(const Census& all);
  std::span<const Place> run_by_sample(std::span<const std::int64_t> sought);

  const CountedReductions& reductions() const noexcept { return reductions_; }
  // Collective; counted.
  void reduce(std::span<std::int64_t> values) { reductions_.sum(values); }

 private:
  // A histogram of one interval with all keys, or of the intervals between the keys of a sample.
  struct FirstHistogram {
    std::uint64_t base = 0;
    CutObjects::Division division{};
    std::vector<CurveKey> sample;
    std::vector<std::int64_t> weights;  // of bins
    std::int64_t total = 0;             // weight
    double objects = 0;                 // on all ranks
  };

  CutObjects::Division next_division(int width, std::int64_t intervals) const noexcept;
  bool few_are_kept();
  std::span<const Place> finish_with_all(
      const std::function<std::vector<CutObjects::Item>()>& mine);

  CountedReductions reductions_;
  CutObjects& objects_;
  std::int64_t most_sought_, most_bins_;
  bool on_device_ = false;  // true if objects of some rank are
  std::int64_t bins_ = 0;   // of each histogram; no more than are useful for this many objects
  FirstHistogram first_;
  Narrowing narrowing_;
};

}  // namespace evenkeel
