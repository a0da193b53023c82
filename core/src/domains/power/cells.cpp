#include "domains/power/cells.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace evenkeel {

namespace {

// The last cell along each axis.
std::array<double, 3> last_cell(const Lattice& lattice) {
  std::array<double, 3> last = {};
  for (int axis = 0; axis < lattice.dimensions(); ++axis)
    last[static_cast<std::size_t>(axis)] = lattice.last_coordinate(axis);
  return last;
}

// Calls visit(image) for each image of a site. `periods` is 0 for an axis that does not wrap.
template <class Visit>
void for_each_image(const PowerSite& site, const std::array<double, 3>& periods,
                    const Visit& visit) {
  std::array<double, 3> image = {};
  const auto along = [&](const auto& self, std::size_t d) -> void {
    if (d == 3) return visit(image);
    const int turns = periods[d] > 0 ? 1 : 0;
    for (int turn = -turns; turn <= turns; ++turn) {
      image[d] = site.anchor[d] + turn * periods[d];
      self(self, d + 1);
    }
  };
  along(along, 0);
}

}  // namespace

std::vector<PowerRival> rivals_of(const Lattice& lattice, std::span<const PowerSite> sites) {
  std::array<double, 3> periods = {};
  for (int axis = 0; axis < lattice.dimensions(); ++axis)
    if (lattice.wraps(axis))
      periods[static_cast<std::size_t>(axis)] = lattice.last_coordinate(axis) + 1.0;
  std::vector<PowerRival> rivals;
  for (std::size_t part = 0; part < sites.size(); ++part)
    for_each_image(sites[part], periods, [&](const std::array<double, 3>& at) {
      PowerRival& rival = rivals.emplace_back();
      rival.part = static_cast<int>(part);
      rival.constant = -static_cast<double>(sites[part].weight);
      for (std::size_t d = 0; d < 3; ++d) {
        rival.twice[d] = 2 * at[d];
        rival.constant += at[d] * at[d];
      }
    });
  return rivals;
}

PowerCells::PowerCells(const Lattice& lattice, std::span<const PowerSite> sites)
    : rivals_(rivals_of(lattice, sites)),
      octree_(lattice.dimensions(), power_levels, last_cell(lattice)) {
  octree_.divide(
      rivals_.size(), 2048 + 32 * rivals_.size(),
      [&](const LatticeBox& box, const std::vector<int>& near) {
        std::vector<int> kept;
        keep_nearest(box, rivals_, near, 0, kept);
        return kept;
      },
      [&](const LatticeBox& box, const std::vector<int>& near) { return not_losing(box, near); });
}

// The rivals that lose to no other one.
std::vector<int> PowerCells::not_losing(const LatticeBox& box, const std::vector<int>& near) const {
  std::vector<int> kept;
  std::copy_if(near.begin(), near.end(), std::back_inserter(kept), [&](int one) {
    const PowerRival& rival = rivals_[static_cast<std::size_t>(one)];
    return std::none_of(near.begin(), near.end(), [&](int other) {
      return other != one && rival.loses_to(rivals_[static_cast<std::size_t>(other)],
                                            box.first.data(), box.last.data());
    });
  });
  return kept;
}

void keep_nearest(const LatticeBox& box, std::span<const PowerRival> rivals,
                  std::span<const int> near, double slab, std::vector<int>& kept) {
  std::array<double, 3> middle = {}, half = {};
  for (std::size_t d = 0; d < 3; ++d) {
    middle[d] = (box.first[d] + box.last[d]) / 2;
    half[d] = (box.last[d] - box.first[d]) / 2;
  }
  kept.assign(near.begin(), near.end());
  int best = near.front();
  double least = std::numeric_limits<double>::infinity();
  for (const int next : near) {
    const double cost = rivals[static_cast<std::size_t>(next)].cost(middle.data());
    best = cost < least ? next : best;
    least = cost < least ? cost : least;
  }
  const PowerRival& owner = rivals[static_cast<std::size_t>(best)];
  std::size_t count = 0;
  for (const int next : near) {
    const PowerRival& rival = rivals[static_cast<std::size_t>(next)];
    double lead = rival.cost(middle.data()) - least, square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double slope = owner.twice[d] - rival.twice[d];
      lead -= std::abs(slope) * half[d];
      square += slope * slope;
    }
    const double allowed = slab * square / 4;
    const bool is_near = lead < allowed || (lead == allowed && next <= best);
    kept[count] = next;
    count += is_near ? 1 : 0;
  }
  kept.resize(count);
}

}  // namespace evenkeel
