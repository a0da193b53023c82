#pragma once

// Domains that are parts of a graph: each rank owns objects, not places. The place of an object
// does not determine its owner, so queries about places are an Error. Find objects of other ranks
// by their ids (IdDirectory, Halo::around_ids).

#include <evenkeel/core/domains/decomposition.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

// --- The report of a cut -------------------------------------------------------------------------

// The quality of a cut of a graph; the same on all ranks. An edge counts once.
struct GraphReport {
  int parts = 0;
  std::int64_t vertices = 0, edges = 0;
  std::int64_t isolated = 0;    // vertices without edges
  std::int64_t loops = 0;       // edges of a vertex to itself, which were left out
  std::int64_t duplicates = 0;  // edges that repeat another edge; their weight is added to it
  double cut = 0;               // weight of the edges between parts
  std::int64_t cut_edges = 0;
  std::int64_t volume = 0;        // sum over vertices of the number of other parts in which they
                                  // have neighbours
  int most_neighbours = 0;        // the most parts with which one part shares edges
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this, as vertices cannot be divided
  double moved = 0;               // share of all vertices that leave their present part
  double moved_weight = 0;        // share of the weight that moves, by the first constraint
  double least_moved_weight = 0;  // the share of the weight that any cut within the target must
                                  // move
  std::int64_t broken = 0;        // uncuttable edges that are cut; always 0
  int empty = 0;                  // parts without a vertex; 0 if there are enough vertices
  std::vector<double> bytes;      // of each part; only if memory is limited
};

// --- Domains -------------------------------------------------------------------------------------

// Domains that are parts of a graph: they own objects, and no places.
class EVENKEEL_API GraphDomains : public Decomposition {
 public:
  static constexpr bool owns_places = false;

  // No domains yet: generation 0, without parts.
  GraphDomains() = default;
  // Part p belongs to rank p. `box` is the box around the objects. `division` is the number of the
  // division in a run: domains with the same number assign the objects in the same way.
  GraphDomains(std::int64_t generation, std::int64_t division, int dimensions, const Box& box,
               const std::array<bool, 3>& periodic, GraphReport report);

  std::int64_t division() const noexcept { return division_; }
  // Returns true if both are the same division.
  bool divides_as(const GraphDomains& other) const noexcept;

  // The report of the cut that made these domains.
  const GraphReport& report() const noexcept { return report_; }
  // The cut of the last division that did not begin from present parts, or 0 if it is unknown. Each
  // later division begins from the last division, and its cut is compared with this number.
  double cut_from_nothing() const noexcept { return cut_from_nothing_; }
  void set_cut_from_nothing(double cut) noexcept { cut_from_nothing_ = cut; }

 private:
  std::int64_t division_ = 0;
  GraphReport report_;
  double cut_from_nothing_ = 0;
};

}  // namespace evenkeel
