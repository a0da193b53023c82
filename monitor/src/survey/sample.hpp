#pragma once

// A sample of this rank's objects of all sets, on the host. It is large enough to estimate the load
// under other domains.

#include "survey/rank_records.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel {

// The statement of each rank about its sample, from which all ranks draw the same conclusions.
struct SampleStatement {
  Bounds bounds;
  int least_dimensions = 3;  // over ranks with objects
  std::int64_t objects = 0;
  // Each of these is greater than 0 if some rank has
  std::int64_t off_record = 0;     // objects without a record,
  std::int64_t first_unknown = 0;  // objects whose first rank is not known,
  std::int64_t off_advice = 0;     // objects without a note of their advised rank,
  std::int64_t unweighed = 0;      // a set without weights.
  double greatest_weight = 0;      // the greatest sum of weights of a rank

  bool can_be_cut() const noexcept { return objects > 0 && least_dimensions == bounds.dimensions; }
  bool is_on_record() const noexcept { return off_record == 0 && first_unknown == 0; }
  // True if at least one first rank in 20 is known. ObjectSample::fill_first_ranks() guesses the
  // others from them. Cells of an adaptive mesh are made and removed where it is fine, but between
  // them some are as old as the run.
  bool is_known_enough() const noexcept {
    return off_record == 0 && 20 * (objects - first_unknown) >= objects;
  }
  // The share of objects whose first rank is not known.
  double share_guessed() const noexcept {
    return off_record > 0 || objects <= 0
               ? 0
               : static_cast<double>(first_unknown) / static_cast<double>(objects);
  }
  bool is_on_advice() const noexcept { return off_advice == 0; }
  static void add(SampleStatement& into, const SampleStatement& from) noexcept;
};

class ObjectSample {
 public:
  explicit ObjectSample(int ranks) noexcept : ranks_(static_cast<std::size_t>(ranks)) {}

  // The data on the objects of a set beside its fields. An array that is null or does not have one
  // value for each object is ignored.
  struct Known {
    const exec::Array<double>* costs = nullptr;
    const exec::Array<std::int64_t>* records = nullptr;  // those of RankRecords
    const exec::Array<int>* advised = nullptr;
  };

  // Samples objects of a set, each with the weight of the objects that it represents. Throws an
  // Error if a weight is invalid, or if sets differ in dimensions.
  void add(const Set& set, const Known& known);
  // Scales the costs so that their sum is `load`: the time of this rank x its speed.
  void scale_to(double load);

  // Throws an Error if a position is not finite.
  SampleStatement statement() const;
  // Gives objects whose first rank is not known the first rank of the nearest object of this sample
  // whose first rank is known. An object that was made during the run would have been made where
  // its neighbours are. Call this after statement().
  void fill_first_ranks();
  // The load of all objects of this rank, not only of the sample, by their first rank and by their
  // rank before the last rebalance. Call these after scale_to() and fill_first_ranks().
  std::span<const double> by_first_rank() const noexcept {
    return std::span(sums_.first).first(ranks_);
  }
  std::span<const double> by_previous_rank() const noexcept { return sums_.previous; }

  std::int64_t count() const noexcept { return std::ssize(costs_); }
  std::span<const double> costs() const noexcept { return costs_; }
  double weight() const noexcept { return weight_; }  // the sum of all given weights on this rank
  // The bytes of the objects that each object of the sample represents, as MoveReport counts them,
  // but without payloads.
  std::span<const double> bytes() const noexcept { return bytes_; }
  // The first rank of each object, and its rank by advice; a list is empty if these ranks are not
  // known.
  std::span<const int> first_ranks() const noexcept { return first_; }
  std::span<const int> advised_ranks() const noexcept { return advised_; }

  // The sample as a set, which refers to this object. `dimensions` must come from all ranks, since
  // a rank without objects does not know the number.
  Set as_set(int dimensions);

 private:
  std::vector<double> places_;  // coordinates, object by object
  std::vector<double> costs_;   // nanoseconds
  std::vector<double> bytes_;
  std::vector<int> first_, previous_, advised_;
  std::size_t ranks_;
  RankRecords::SumsByRank sums_;  // without the load of objects whose first rank is not known
  double weight_ = 0;
  bool is_recorded_ = true, is_noted_ = true, is_weighed_ = true;
  int dimensions_ = 0;
  RawField<double> field_ = {};
};

}  // namespace evenkeel
