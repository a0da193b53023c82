#include "domains/answers.hpp"
#include "domains/boxes.hpp"
#include "domains/stage.hpp"

#include <evenkeel/core/domains.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

void check_rank(const Domains& domains, int rank) {
  check_has_parts(stage_name, parts_of(domains));
  if (rank < 0 || rank >= parts_of(domains))
    refuse("The domain of rank " + std::to_string(rank) + " of " +
               std::to_string(parts_of(domains)) + " was asked for.",
           "Count ranks from 0.");
}

// The axes along which the box of all domains has an extent.
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

// Returns the length that two boxes share along an axis. It is below 0 if there is a gap between
// them.
double overlap(const Box& a, const Box& b, std::size_t axis) {
  return std::min(a.upper[axis], b.upper[axis]) - std::max(a.lower[axis], b.lower[axis]);
}

// Returns how many pairs of faces of two boxes touch across an axis: 0, 1 or, if the axis is
// periodic, 2.
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
    const int times =
        contacts(a, b, box_of(domains), decomposition_of(domains).periodic()[across], across);
    if (times == 0) continue;
    double face = times;
    bool touch = true;  // if a length is 0, `face` may be infinity times 0: do not use it
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

}  // namespace

std::vector<Box> boxes_of(const Domains& domains, int rank) {
  check_rank(domains, rank);
  return ask_places(stage_name, domains,
                    [&](const auto& all) { return all.boxes_of(all.part_of(rank)); });
}

Box box_of_rank(const Domains& domains, int rank) {
  const std::vector<Box> boxes = boxes_of(domains, rank);
  if (boxes.empty())
    refuse("Rank " + std::to_string(rank) + " owns no place, so its domain has no box.",
           "Call boxes_of, which may return an empty list.");
  Box around = boxes.front();
  for (const Box& box : boxes)
    for (std::size_t d = 0; d < 3; ++d) {
      around.lower[d] = std::min(around.lower[d], box.lower[d]);
      around.upper[d] = std::max(around.upper[d], box.upper[d]);
    }
  return around;
}

namespace {

// The neighbours of a domain that is made of boxes.
std::vector<Neighbour> neighbours_by_boxes(const Domains& domains, int rank) {
  const std::vector<Box> own = boxes_of(domains, rank);
  const Axes axes = axes_of(domains);
  const double reach = touching_reach(decomposition_of(domains));
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

}  // namespace

std::vector<Neighbour> neighbours_of(const Domains& domains, int rank) {
  check_rank(domains, rank);
  return ask_places(stage_name, domains, [&](const auto& all) {
    if constexpr (requires { all.touching(0); }) {
      std::vector<Neighbour> neighbours;
      for (const auto& [part, area] : all.touching(all.part_of(rank)))
        neighbours.push_back({all.rank_of(part), area});
      std::sort(neighbours.begin(), neighbours.end(),
                [](const Neighbour& a, const Neighbour& b) { return a.rank < b.rank; });
      return neighbours;
    } else {
      return neighbours_by_boxes(domains, rank);
    }
  });
}

}  // namespace evenkeel
