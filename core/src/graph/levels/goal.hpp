#pragma once

// The goal of a graph cut, the same on all ranks.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace evenkeel::graphs {

inline constexpr int most_constraints = 8;
inline constexpr int no_constraint = -1;
template <class T>
using PerConstraintOf = std::array<T, most_constraints>;
using PerConstraint = PerConstraintOf<std::int64_t>;

// One unit of edge weight is 2^finer_bits finer units. In finer units, edge weights and the worth
// of staying at home are comparable.
inline constexpr int finer_bits = 10;

struct Goal {
  int parts = 1;
  int constraints = 1;
  PerConstraint totals = {};       // total weight of all vertices
  PerConstraint bottlenecks = {};  // no cut has a heaviest part below this weight
  PerConstraint limits = {};       // greatest weight of a part
  PerConstraint floors = {};       // a lighter part loses no vertex to improve the cut
  // If parts differ in speed: the speed of each part / the mean speed; otherwise null. Then
  // `bottlenecks`, `limits` and `floors` are those of a part of the mean speed, and the limit of
  // each part is raised by `raises` above its share of `limits`.
  std::shared_ptr<const std::vector<double>> shares = nullptr;
  PerConstraint raises = {};
  // A vertex of at least the weight `lump` in the first constraint is a lump: no part has room for
  // two. A part with a lump accepts another vertex if the part then weighs at most `beside_lump`.
  // If `lump` is 0, there are no lumps. That is so if parts differ in speed: a fast part may have
  // room for two lumps, and a slow part for no lump.
  std::int64_t lump = 0, beside_lump = 0;

  bool has_equal_parts() const noexcept { return shares == nullptr; }
  std::int64_t limit_of(std::size_t part, std::size_t constraint) const noexcept {
    return has_equal_parts() ? limits[constraint]
                             : scaled(limits[constraint], part) + raises[constraint];
  }
  std::int64_t floor_of(std::size_t part, std::size_t constraint) const noexcept {
    return has_equal_parts() ? floors[constraint] : scaled(floors[constraint], part);
  }
  // The weight of a part in a perfect cut.
  std::int64_t mean_of(std::size_t part, std::size_t constraint) const noexcept {
    return has_equal_parts() ? totals[constraint] / parts
                             : scaled(totals[constraint], part) / parts;
  }
  // The sum of the shares of `count` parts, in parts of the mean speed.
  double share_of(std::size_t first, std::size_t count) const noexcept {
    if (has_equal_parts()) return static_cast<double>(count);
    const auto begin = shares->begin() + static_cast<std::ptrdiff_t>(first);
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0);
  }

 private:
  std::int64_t scaled(std::int64_t weight, std::size_t part) const noexcept {
    constexpr double rounding = 1 + 0x1p-40;
    return static_cast<std::int64_t>(static_cast<double>(weight) * (*shares)[part] * rounding);
  }
};

// Clusters that cannot be divided, and their weights in one constraint.
struct ClusterWeights {
  std::int64_t count = 0, total = 0, heaviest = 0;
  std::vector<std::int64_t> heavy;  // the weights of the heaviest clusters, if known; descending

  bool are_equal() const {
    return heaviest > 0 && total % heaviest == 0 && total / heaviest == count;
  }
};

// Returns a weight that the heaviest part has at least.
inline std::int64_t least_bottleneck(const ClusterWeights& clusters, int parts) {
  const auto share_of = [&](std::int64_t all) { return all / parts + (all % parts != 0 ? 1 : 0); };
  if (clusters.are_equal()) return share_of(clusters.count) * clusters.heaviest;
  std::int64_t least = std::max(share_of(clusters.total), clusters.heaviest);
  // Some part has i + 1 of the i * parts + 1 heaviest clusters. These i + 1 weigh at least as much
  // as the i + 1 lightest of them all. If i is large, this bound is hardly above the average.
  constexpr std::int64_t most_in_part = 64;
  const auto count = static_cast<std::int64_t>(clusters.heavy.size());
  for (std::int64_t i = 1; i < most_in_part && i * parts < count; ++i) {
    std::int64_t together = 0;
    for (std::int64_t k = i * parts - i; k <= i * parts; ++k)
      together += clusters.heavy[static_cast<std::size_t>(k)];
    least = std::max(least, together);
  }
  return least;
}

// The same for parts of different speeds, in weights of a part of the mean speed. `shares` are
// those of Goal.
inline std::int64_t least_bottleneck(const ClusterWeights& clusters,
                                     const std::vector<double>& shares) {
  const auto parts = static_cast<double>(shares.size());
  const auto heaviest = static_cast<double>(clusters.heaviest);
  double least = std::max(static_cast<double>(clusters.total) / parts,
                          heaviest / *std::max_element(shares.begin(), shares.end()));
  if (!clusters.are_equal()) return static_cast<std::int64_t>(std::ceil(least));
  // A part holds whole clusters: looks for the least weight at which all parts together have room.
  const auto clusters_within = [&](double weight) {
    double count = 0;
    for (const double share : shares) count += std::floor(weight * share / heaviest + 1e-9);
    return count;
  };
  double enough = least + heaviest / *std::min_element(shares.begin(), shares.end());
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (least + enough) / 2;
    (clusters_within(middle) < static_cast<double>(clusters.count) ? least : enough) = middle;
  }
  return static_cast<std::int64_t>(std::ceil(enough));
}

// Decides when the refinement of a level ends.
struct Patience {
  double gain = 0.002;  // a share of the cut; a smaller improvement does not count as a gain
  // Refinement ends after `iterations` iterations without a gain. It may continue up to
  // `most_iterations` without a gain, as long as these together move less than the share `cheap` of
  // all vertices.
  int iterations = 4;
  int most_iterations = 16;
  double cheap = 0.05;
  // If it is not set, the search for fewer cut edges tolerates large losses only, and also takes
  // weight from heavy parts in states that it will not keep. With homes, fewer vertices then move;
  // and with nets, borders that cut few edges would cut more nets.
  bool cools = true;
};

}  // namespace evenkeel::graphs
