#pragma once

// Searches for limits on the load of a part in each phase with which a step is short. The comment
// of cut_phases() in <evenkeel/core/chain.hpp> explains the method. The only mathematical function
// that the search calls is the square root. IEEE arithmetic defines it to the last bit, so all
// ranks find the same cut.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace evenkeel::phase_search {

using Limits = std::vector<double>;  // the most load that a part may have, by phase

// A row of places where parts may begin and end. before[phase][place] is the cost of all items
// before a place. It is 0 for the first place and never falls. All phases have the same number of
// places.
struct Row {
  std::span<const std::vector<double>> before;
  int parts = 1;
  // Lower bounds of the greatest loads in any cut, by phase. All are above 0.
  Limits least;
};

struct FoundOffsets {
  std::vector<std::int64_t> offsets;  // parts + 1 places
  Limits greatest;                    // the greatest load of a part, by phase
  double step = std::numeric_limits<double>::infinity();
};

class PhaseSearch {
 public:
  // Refers to the row, which must have at least one phase.
  explicit PhaseSearch(const Row& row);

  // Begins with limits in the ratios of `shape`, which must be above 0.
  FoundOffsets run(const Limits& shape);

 private:
  double before(std::size_t phase, std::int64_t place) const noexcept {
    return row_.before[phase][static_cast<std::size_t>(place)];
  }
  double load(std::size_t phase, std::int64_t begin, std::int64_t end) const noexcept {
    return before(phase, end) - before(phase, begin);
  }
  std::int64_t last() const noexcept { return std::ssize(row_.before.front()) - 1; }
  bool may_go_on() const noexcept { return probes_ < most_probes_ && best_.step > goal_; }

  std::int64_t end_of_part(std::int64_t begin, const Limits& limits) const noexcept;
  std::int64_t begin_of_part(std::int64_t end, const Limits& limits) const noexcept;
  bool probe(Limits limits);
  void weigh(FoundOffsets& cut) const;
  void cut_by_sums();
  bool improve(Limits limits);
  void descend(const Limits& shape);
  void descend_from_many(const Limits& shape);
  void scale(const Limits& shape);
  void balance();
  bool trade(double factor);
  bool trade_pairs(double factor);
  void sweep();
  void spread();
  std::int64_t nearest_to_share(int part, const Limits& units) const noexcept;

  const Row& row_;
  std::size_t phases_;
  double goal_ = 0;  // the search ends if the step is no longer than this
  std::int64_t probes_ = 0, most_probes_;
  FoundOffsets best_, trial_;
};

}  // namespace evenkeel::phase_search
