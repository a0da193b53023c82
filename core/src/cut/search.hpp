#pragma once

// Finds places on the curve so that given weights are before them, over all ranks. The first
// histogram covers the whole interval that contains keys. Each further histogram covers only the
// bins that contain a place. One reduction sums a histogram for all places at once. When few
// objects are left, all ranks get these objects and finish without communication. A histogram is a
// sum over all ranks, so all ranks find the same places.

#include "cut/narrowing.hpp"
#include "cut/reductions.hpp"

#include <functional>

namespace evenkeel {

class Search {
 public:
  using Place = CurvePlace;

  // run() may be called for up to `most_sought` places. `most_objects` is an upper bound of the
  // number of objects on all ranks, or 0 if it is unknown.
  Search(const Communicator& communicator, CutObjects& objects, std::int64_t most_sought,
         std::int64_t most_objects = 0);
  static std::int64_t most_bins(std::int64_t most_sought, std::int64_t most_objects = 0) noexcept;

  static std::int64_t bins_for(std::int64_t objects) noexcept;

  // Collective. Returns the weight of all objects. There must be at least one. Call it before
  // run().
  std::int64_t weigh(const Census& all);

  // Collective. Returns a place for each wanted weight. Wanted weights must be ascending, above 0,
  // at most the weight of all objects, and the same on all ranks.
  std::span<const Place> run(const WantedPlaces& wanted);

  // Collective. weigh_by_sample() and run_by_sample() replace weigh() and run() if objects are
  // nearly sorted on each rank, as suits_sample() tests. A sample of the keys shows where splitters
  // may be, and one histogram suffices.
  static bool suits_sample(const Census& all, std::int64_t sought) noexcept;
  std::int64_t weigh_by_sample(const Census& all);
  std::span<const Place> run_by_sample(std::span<const std::int64_t> sought);

  const CountedReductions& reductions() const noexcept { return reductions_; }
  // Collective. Sums values over all ranks, and counts the reduction.
  void reduce(std::span<std::int64_t> values) { reductions_.sum(values); }

 private:
  // A histogram of one interval that contains all keys, or of the intervals between sampled keys.
  struct FirstHistogram {
    std::uint64_t base = 0;
    CutObjects::Division division{};
    std::vector<CurveKey> sample;
    std::vector<std::int64_t> weights;  // by bin
    std::int64_t total = 0;             // weight of all objects
    double objects = 0;                 // number of objects on all ranks
  };

  CutObjects::Division next_division(int width, std::int64_t intervals) const noexcept;
  bool few_are_kept();
  std::span<const Place> finish_with_all(
      const std::function<std::vector<CutObjects::Item>()>& mine);

  CountedReductions reductions_;
  CutObjects& objects_;
  std::int64_t most_sought_, most_bins_;
  bool on_device_ = false;  // true if a rank has objects on a device
  // number of bins of a histogram, limited by the number of objects
  std::int64_t bins_ = 0;
  FirstHistogram first_;
  Narrowing narrowing_;
};

}  // namespace evenkeel
