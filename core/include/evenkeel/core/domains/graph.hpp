#pragma once

// Domains that are parts of a graph: each rank owns objects, not places. Where an object is says
// nothing of its owner, and no question about places has an answer; whoever needs the objects of
// other ranks asks for them by their ids (IdDirectory, Halo::around_ids).

#include <evenkeel/core/domains/decomposition.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

// --- The report of a cut -------------------------------------------------------------------------
// What a cut of a graph is like.

// The same on all ranks. An edge counts once.
struct GraphReport {
  int parts = 0;
  std::int64_t vertices = 0, edges = 0;
  std::int64_t isolated = 0;    // vertices without edges
  std::int64_t loops = 0;       // edges of a vertex to itself, which were left out
  std::int64_t duplicates = 0;  // edges that were there more than once, and count together
  double cut = 0;               // weight of the edges between parts
  std::int64_t cut_edges = 0;
  std::int64_t volume = 0;        // for each vertex, the other parts that its neighbours are in
  int most_neighbours = 0;        // other parts that a part shares edges with
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this: vertices cannot be divided
  double moved = 0;               // share of all vertices that change their part
  double moved_weight = 0;        // share of the weight, of the first constraint
  double least_moved_weight = 0;  // what must move at least, for the tolerance
  std::int64_t broken = 0;        // uncuttable edges that are cut: 0
  int empty = 0;                  // parts without a vertex: 0 if there are enough vertices
};

// --- Domains -------------------------------------------------------------------------------------

// Domains that are parts of a graph: they own objects, and no places.
class EVENKEEL_API GraphDomains : public Decomposition {
 public:
  static constexpr bool owns_places = false;

  // Nobody owns anything yet: no parts, generation 0.
  GraphDomains() = default;
  // Part p is rank p; the box is that around the objects. `division` is another number for each
  // division: domains of one run are the same division if it is the same.
  GraphDomains(std::int64_t generation, std::int64_t division, int dimensions, const Box& box,
               const std::array<bool, 3>& periodic, GraphReport report);

  std::int64_t division() const noexcept { return division_; }
  // Whether both are the same division.
  bool divides_as(const GraphDomains& other) const noexcept;

  // Of the cut that has made them: what it cuts, how even it is.
  const GraphReport& report() const noexcept { return report_; }
  // The cut of the last division that was made from nothing: what others are measured by, as they
  // go on from each other. 0: not known.
  double cut_from_nothing() const noexcept { return cut_from_nothing_; }
  void set_cut_from_nothing(double cut) noexcept { cut_from_nothing_ = cut; }

 private:
  std::int64_t division_ = 0;
  GraphReport report_;
  double cut_from_nothing_ = 0;
};

}  // namespace evenkeel
