#pragma once

// Domains that are parts of a graph: each rank owns objects, not places. Where an object is says
// nothing of its owner, and no question about places has an answer; whoever needs the objects of
// other ranks asks for them by their ids (IdDirectory, Halo::around_ids).

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/graph/report.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Domains that are parts of a graph: they own objects, and no places.
class EVENKEEL_API GraphDomains {
 public:
  // Nobody owns anything yet: no parts, generation 0.
  GraphDomains() = default;
  // Part p is rank p. `division` is another number for each division: domains of one run are the
  // same division if it is the same.
  GraphDomains(std::int64_t generation, std::int64_t division, int dimensions, const Box& box,
               const std::array<bool, 3>& periodic, GraphReport report);

  std::int64_t generation() const noexcept { return generation_; }
  std::int64_t division() const noexcept { return division_; }
  int parts() const noexcept { return report_.parts; }
  int dimensions() const noexcept { return dimensions_; }
  const Box& box() const noexcept { return box_; }  // around the objects
  const std::array<bool, 3>& periodic() const noexcept { return periodic_; }
  const std::vector<int>& rank_of_part() const noexcept { return rank_of_part_; }  // empty

  // Of the cut that has made them: what it cuts, how even it is.
  const GraphReport& report() const noexcept { return report_; }
  // The cut of the last division that was made from nothing: what others are measured by, as they
  // go on from each other. 0: not known.
  double cut_from_nothing() const noexcept { return cut_from_nothing_; }
  void set_cut_from_nothing(double cut) noexcept { cut_from_nothing_ = cut; }

  // Throws an Error: no place has an owner.
  int owner_of(std::span<const double> point) const;

 private:
  std::int64_t generation_ = 0, division_ = 0;
  int dimensions_ = 0;
  Box box_;
  std::array<bool, 3> periodic_ = {};
  std::vector<int> rank_of_part_;
  GraphReport report_;
  double cut_from_nothing_ = 0;
};

// Throws an Error, as owner_of does.
EVENKEEL_API std::vector<int> ranks_within(const GraphDomains& domains, const Box& box,
                                           double width);

}  // namespace evenkeel
