#include "domains/checks.hpp"
#include "domains/curve_boxes.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/domains/neighbours.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/domains";

void check_rank(const Domains& domains, int rank) {
  check_has_parts(stage_name, parts_of(domains));
  if (rank < 0 || rank >= parts_of(domains))
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The domain of rank " + std::to_string(rank) + " of " +
                    std::to_string(parts_of(domains)) + " was asked for.",
                "Count ranks from 0.");
}

int part_of_rank(const Domains& domains, int rank) {
  const std::vector<int>& ranks = rank_of_part(domains);
  if (ranks.empty()) return rank;
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

const std::array<bool, 3>& periodic_of(const Domains& domains) {
  return std::visit([](const auto& all) -> const std::array<bool, 3>& { return all.periodic(); },
                    domains);
}

// The axes along which places differ.
struct Axes {
  std::array<std::size_t, 3> which = {};
  std::size_t count = 0;
  const std::size_t* begin() const { return which.data(); }
  const std::size_t* end() const { return which.data() + count; }
};

Axes axes_of(const Domains& domains) {
  const Box& whole = box_of(domains);
  Axes axes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
    if (whole.lower[d] < whole.upper[d]) axes.which[axes.count++] = d;
  return axes;
}

// A box can be without extent, and where all domains are flat the first of them owns everything.
// Asks about the lower corner: the middle of two numbers next to each other is one of them.
bool owns_its_box(const Domains& domains, const Box& box, int rank) {
  for (const std::size_t d : axes_of(domains))
    if (!(box.lower[d] < box.upper[d])) return false;
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  return owner_of(domains, std::span(box.lower).first(n)) == rank;
}

// The length of what two boxes share along an axis; below 0: they are apart.
double overlap(const Box& a, const Box& b, std::size_t axis) {
  return std::min(a.upper[axis], b.upper[axis]) - std::max(a.lower[axis], b.lower[axis]);
}

// How often two boxes touch at faces across an axis.
int contacts(const Box& a, const Box& b, const Box& whole, bool wraps, std::size_t axis) {
  const auto meet = [&](const Box& below, const Box& above) {
    const bool around =
        wraps && below.upper[axis] == whole.upper[axis] && above.lower[axis] == whole.lower[axis];
    return below.upper[axis] == above.lower[axis] || around ? 1 : 0;
  };
  return meet(a, b) + meet(b, a);
}

double shared_face(const Domains& domains, const Axes& axes, const Box& a, const Box& b) {
  double area = 0;
  for (const std::size_t across : axes) {
    const int times = contacts(a, b, box_of(domains), periodic_of(domains)[across], across);
    if (times == 0) continue;
    double face = times;
    bool touch = true;  // an area may be more than a number can hold, but nothing is nothing
    for (const std::size_t along : axes) {
      if (along == across) continue;
      const double length = overlap(a, b, along);
      touch = touch && length > 0;
      face *= length;
    }
    if (touch) area += face;
  }
  return area;
}

// So little beyond faces that only domains that touch them are found: more than nothing in the
// smallest of boxes, and finite where a box is longer than a number can tell.
double reach_of(const Box& whole, const Axes& axes) {
  double reach = std::numeric_limits<double>::denorm_min();
  for (const std::size_t d : axes)
    reach = std::max({reach, whole.upper[d] * 0x1p-40 - whole.lower[d] * 0x1p-40,
                      std::abs(whole.lower[d]) * 0x1p-50, std::abs(whole.upper[d]) * 0x1p-50});
  return reach;
}

}  // namespace

std::vector<Box> boxes_of(const Domains& domains, int rank) {
  check_rank(domains, rank);
  if (!own_places(domains)) refuse_places(stage_name);
  const int part = part_of_rank(domains, rank);
  if (const auto* curve = std::get_if<CurveDomains>(&domains)) return boxes_on_curve(*curve, part);
  const auto* grid = std::get_if<GridDomains>(&domains);
  const Box box =
      grid != nullptr ? grid->box_of(part) : std::get<TreeDomains>(domains).box_of(part);
  if (!owns_its_box(domains, box, rank)) return {};
  return {box};
}

Box box_of(const Domains& domains, int rank) {
  const std::vector<Box> boxes = boxes_of(domains, rank);
  if (boxes.empty())
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "Rank " + std::to_string(rank) + " owns no place, so its domain has no box.",
                "Ask boxes_of, which may return none.");
  Box around = boxes.front();
  for (const Box& box : boxes)
    for (std::size_t d = 0; d < 3; ++d) {
      around.lower[d] = std::min(around.lower[d], box.lower[d]);
      around.upper[d] = std::max(around.upper[d], box.upper[d]);
    }
  return around;
}

std::vector<Neighbour> neighbours_of(const Domains& domains, int rank) {
  const std::vector<Box> own = boxes_of(domains, rank);
  const Axes axes = axes_of(domains);
  const double reach = reach_of(box_of(domains), axes);
  std::vector<int> ranks;
  for (const Box& box : own) {
    const std::vector<int> near = ranks_within(domains, box, reach);
    ranks.insert(ranks.end(), near.begin(), near.end());
  }
  make_ascending(ranks);
  std::erase(ranks, rank);
  std::vector<Neighbour> neighbours;
  neighbours.reserve(ranks.size());
  for (const int other : ranks) {
    double area = 0;
    for (const Box& theirs : boxes_of(domains, other))
      for (const Box& box : own) area += shared_face(domains, axes, box, theirs);
    neighbours.push_back({other, area});
  }
  return neighbours;
}

}  // namespace evenkeel
