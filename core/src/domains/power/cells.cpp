#include "domains/power/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

constexpr std::size_t few = 8;   // rivals of a leaf
constexpr int most_levels = 14;  // below the root
// If the diagram is so unusual that many sites meet everywhere, leaves have more rivals.
constexpr std::size_t most_nodes(std::size_t rivals) { return 2048 + 32 * rivals; }

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
    : dimensions_(lattice.dimensions()), rivals_(rivals_of(lattice, sites)) {
  for (int axis = 0; axis < dimensions_; ++axis)
    last_[static_cast<std::size_t>(axis)] = lattice.last_coordinate(axis);
  std::vector<int> all(rivals_.size());
  std::iota(all.begin(), all.end(), 0);
  divide(all);
  make_starts();
}

// Most walks to a leaf begin at the leaf itself, which spares them a branch for each level.
void PowerCells::make_starts() {
  constexpr int bits = 12, more_bits = 15;  // of the number of starts
  constexpr std::size_t many_nodes = 8192;
  start_levels_ = (nodes_.size() < many_nodes ? bits : more_bits) / dimensions_;
  const auto levels = static_cast<unsigned>(start_levels_), n = static_cast<unsigned>(dimensions_);
  starts_.resize(std::size_t{1} << (levels * n));
  for (std::size_t start = 0; start < starts_.size(); ++start) {
    int node = 0;
    for (unsigned level = levels;
         level-- > 0 && nodes_[static_cast<std::size_t>(node)].children >= 0;) {
      std::size_t child = 0;
      for (unsigned d = 0; d < n; ++d) child |= (start >> (d * levels + level) & 1U) << d;
      node = nodes_[static_cast<std::size_t>(node)].children + static_cast<int>(child);
    }
    starts_[start] = node;
  }
}

LatticeBox PowerCells::whole() const noexcept {
  LatticeBox range;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d)
    range.last[d] = (1 << power_levels) - 1;
  return range;
}

LatticeBox PowerCells::child_of(const LatticeBox& range, int child) const noexcept {
  LatticeBox half = range;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
    const double middle = range.first[d] + (range.last[d] + 1 - range.first[d]) / 2;
    if ((child >> d & 1) != 0)
      half.first[d] = middle;
    else
      half.last[d] = middle - 1;
  }
  return half;
}

// Divides nodes level by level, so that if there are too many nodes, all leaves are equally fine.
void PowerCells::divide(const std::vector<int>& all) {
  struct Open {
    std::size_t node;
    LatticeBox box;
    std::vector<int> near;
  };
  const std::size_t children = std::size_t{1} << static_cast<unsigned>(dimensions_);
  nodes_.emplace_back();
  const auto nearest = [&](const LatticeBox& box, const std::vector<int>& near) {
    std::vector<int> kept;
    keep_nearest(box, rivals_, near, 0, kept);
    return kept;
  };
  std::vector<Open> open = {{0, whole(), nearest(inside(whole()), all)}};
  for (int level = 0; !open.empty(); ++level) {
    std::vector<Open> below;
    for (const Open& here : open) {
      PowerNode& node = nodes_[here.node];
      if (here.near.size() <= few || level == most_levels ||
          nodes_.size() + children > most_nodes(rivals_.size())) {
        make_leaf(node, inside(here.box), here.near);
        continue;
      }
      const std::size_t first = nodes_.size();
      node.children = static_cast<int>(first);
      nodes_.resize(first + children);
      for (std::size_t child = 0; child < children; ++child) {
        const LatticeBox half = child_of(here.box, static_cast<int>(child));
        const LatticeBox its = inside(half);
        bool is_empty = false;
        for (std::size_t d = 0; d < 3; ++d) is_empty = is_empty || its.last[d] < its.first[d];
        if (!is_empty) below.push_back({first + child, half, nearest(its, here.near)});
      }
    }
    open = std::move(below);
  }
}

// A leaf keeps only rivals that lose to no other one.
void PowerCells::make_leaf(PowerNode& node, const LatticeBox& box, const std::vector<int>& near) {
  node.first = static_cast<int>(list_.size());
  for (const int one : near) {
    const PowerRival& rival = rivals_[static_cast<std::size_t>(one)];
    const bool loses = std::any_of(near.begin(), near.end(), [&](int other) {
      return other != one && rival.loses_to(rivals_[static_cast<std::size_t>(other)],
                                            box.first.data(), box.last.data());
    });
    if (!loses) list_.push_back(one);
  }
  node.count = static_cast<int>(list_.size()) - node.first;
}

// The cells of a node that are in the box.
LatticeBox PowerCells::inside(LatticeBox node) const noexcept {
  for (std::size_t d = 0; d < 3; ++d) node.last[d] = std::min(node.last[d], last_[d]);
  return node;
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
