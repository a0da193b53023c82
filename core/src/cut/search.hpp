#pragma once

// Finds the places on the curve before which given weights lie, over all ranks: by a histogram of
// the whole interval that holds keys, then histograms of only those bins that hold a place, for all
// places at once, with one reduction each. When few objects are left, all ranks get them and finish
// alone. The histograms depend only on sums over all ranks, so the result does too.

#include "objects.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// Of the two places around the key at which the weight reaches what is sought, take
enum class Rounding : int { nearest, down, up };  // ties of `nearest` are taken down

class Search {
 public:
  // A place on the curve, and the weight before it.
  struct Place {
    std::uint64_t splitter;
    std::int64_t before;
  };

  // `most_sought`: the most places that a call of run() will seek; `most_objects`: the most objects
  // on all ranks, or 0 if unknown.
  Search(const Communicator& communicator, CutObjects& objects, std::int64_t most_sought,
         std::int64_t most_objects = 0);
  static std::int64_t most_bins(std::int64_t most_sought, std::int64_t most_objects = 0) noexcept;

  static std::int64_t bins_for(std::int64_t objects) noexcept;

  // Collective. The weight of all objects, of which there must be some; call it before run().
  std::int64_t weigh(const Census& all);

  // Collective. Returns a place for each weight sought. The weights sought never fall, lie in (0,
  // all weight], and are the same on all ranks. A place within `tolerance` is accepted.
  std::span<const Place> run(std::span<const std::int64_t> sought, Rounding rounding,
                             std::int64_t tolerance);

  // Collective. The same two functions for objects that are nearly in order on each rank: a sample
  // of their keys shows where to look closely, and one histogram suffices.
  static bool suits_sample(const Census& all, std::int64_t sought) noexcept;
  std::int64_t weigh_by_sample(const Census& all);
  std::span<const Place> run_by_sample(std::span<const std::int64_t> sought);

  int reductions() const noexcept { return reductions_; }
  std::int64_t bytes_reduced() const noexcept { return bytes_reduced_; }
  // Collective; counted.
  void reduce(std::span<std::int64_t> values);

 private:
  struct Interval {
    std::uint64_t first;  // key
    std::int64_t before;  // weight before it
  };

  void begin(std::size_t sought);
  CutObjects::Division next_division() const noexcept;
  void narrow(std::span<const std::int64_t> bins, CutObjects::Division division);
  bool settle(std::size_t place, std::uint64_t first, std::int64_t before, std::int64_t after,
              int width);
  bool few_are_kept();
  std::span<const Place> finish_with_all(
      const std::function<std::vector<CutObjects::Item>()>& mine);

  const Communicator& communicator_;
  CutObjects& objects_;
  std::int64_t most_sought_, most_bins_;
  bool on_device_ = false;  // objects of some rank
  std::int64_t bins_ = 0;   // of each histogram: no more than are useful for this many objects
  int reductions_ = 0;
  std::int64_t bytes_reduced_ = 0;

  // The first histogram: of one interval with all keys, or between the keys of a sample.
  std::uint64_t base_ = 0;
  CutObjects::Division whole_{};
  std::vector<std::int64_t> weight_of_bin_;
  std::vector<CurveKey> sample_;
  std::int64_t total_ = 0;         // weight
  double objects_everywhere_ = 0;  // an estimate

  std::span<const std::int64_t> sought_;
  Rounding rounding_ = Rounding::nearest;
  std::int64_t tolerance_ = 0;

  int width_ = 0;                 // of all intervals, in bits of a key
  std::int64_t open_weight_ = 0;  // in them
  std::vector<Interval> intervals_, next_;
  std::vector<std::int32_t> interval_of_bin_;
  // The places still sought, and the interval that contains each.
  std::vector<std::uint32_t> open_, still_open_;
  std::vector<std::int32_t> interval_of_place_;
  std::vector<Place> places_;
  std::vector<CutObjects::Range> ranges_;  // of keys between those of a sample
};

}  // namespace evenkeel
