#pragma once

// The load of each rank under several domains, in nanoseconds, summed over the samples of all
// ranks. Costs are added up; reduce() turns the costs of a rank into its time.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/monitor/counterfactual.hpp>

namespace evenkeel {

class LoadTally {
 public:
  // Each of these domains has a row. Counterfactual describes them.
  enum LoadRow : std::size_t {
    first,
    previous,
    first_again,
    previous_again,
    fresh,
    advised,
    as_weighed,
    present,  // only for cuts of a graph
    earlier   // the first of the rows of earlier cuts
  };
  static constexpr std::size_t rows = earlier + Counterfactual::earlier_cuts;

  // If ranks differ in speed, `speeds` has the speed of each rank / the mean speed.
  explicit LoadTally(int ranks, std::span<const double> speeds = {});

  // Adds the cost of each object to the rank that would own the object.
  void add(std::size_t row, std::span<const int> ranks, std::span<const double> costs);
  // Adds the costs of objects by the rank that would own them.
  void add(std::size_t row, std::span<const double> by_rank);
  // Adds the cost of this rank's objects, spread over all ranks so that they take the same time.
  void add_evenly(std::size_t row, std::span<const double> costs);
  // Sets the weight of a rank, as a share of the greatest weight of any rank.
  void add_weight(int rank, double share);
  // Adds the bytes of objects that would change their rank.
  void add_moved(double bytes);
  // Adds an object that is not on the rank that owns its place.
  void add_stray(double cost);
  void fail() noexcept { values_.back() = 1; }

  // Collective. Adds up the tallies of all ranks, and divides the costs of each rank by its speed.
  // Returns false if a rank has failed.
  bool reduce(const Communicator& communicator);

  // The greatest load of a rank; Counterfactual::unknown if nothing was added to the row.
  std::int64_t greatest(std::size_t row) const;
  std::int64_t of(std::size_t row, int rank) const;
  // The greatest load of a rank in nanoseconds, if weights were costs.
  std::int64_t greatest_as_weighed() const;
  double mean() const;  // load of a rank
  std::int64_t moved() const;
  double share_of_strays() const;
  // The share of the present load by which ranks exceed the mean load.
  double share_in_excess() const;

 private:
  std::span<const std::int64_t> at(std::size_t row) const;
  double sum_of(std::size_t row) const;

  double speed_of(std::size_t rank) const { return speeds_.empty() ? 1 : speeds_[rank]; }

  std::size_t ranks_;
  std::vector<double> speeds_;
  std::vector<std::int64_t> values_;   // loads by row and rank; then the load of strays, the bytes
                                       // that would move, and failures
  std::array<bool, rows> is_known_{};  // the same on all ranks
};

}  // namespace evenkeel
