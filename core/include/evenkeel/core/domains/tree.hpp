#pragma once

// Domains that are the boxes of recursive bisection, as a value that finds the owner of a point on
// every rank. Free of Kokkos; part_of_point.hpp is for kernels.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Divides a box: what is below `border` along `axis` belongs to the parts before `middle`, the rest
// to those from it on.
struct Bisection {
  double border = 0;
  int axis = 0;
  int middle = 0;  // the first part above the border
  friend bool operator==(const Bisection&, const Bisection&) = default;
};

// The same division for walks down the tree: next[0] leads below the border and next[1] above it,
// to another fork or, as ~part, to a part.
struct Fork {
  double border = 0;
  int axis = 0;
  int next[2] = {-1, -1};  // plain: device code may not call the members of std::array
};

struct LeafOfPoint;  // core/domains/part_of_point.hpp

// Domains that are the boxes of recursive bisection.
class EVENKEEL_API TreeDomains {
 public:
  // Nobody owns anything yet: no parts, generation 0.
  TreeDomains() = default;
  // Throws an Error for a box, nodes or ranks that make no sense.
  TreeDomains(std::int64_t generation, int dimensions, const Box& box,
              const std::array<bool, 3>& periodic, std::vector<Bisection> nodes,
              std::vector<int> rank_of_part = {});

  std::int64_t generation() const noexcept { return generation_; }
  int parts() const noexcept { return parts_; }
  int dimensions() const noexcept { return dimensions_; }
  const Box& box() const noexcept { return box_; }
  const std::array<bool, 3>& periodic() const noexcept { return periodic_; }
  const std::vector<Bisection>& nodes() const noexcept { return nodes_; }
  const std::vector<Fork>& forks() const noexcept { return forks_; }  // one per node

  // The rank that has a part; all of them, or empty: part p is rank p.
  int rank_of(int part) const {
    return rank_of_part_.empty() ? part : rank_of_part_[static_cast<std::size_t>(part)];
  }
  const std::vector<int>& rank_of_part() const noexcept { return rank_of_part_; }

  // The domain of a part; throws an Error if there is no such part. Along axes beyond the
  // dimensions it is as long as the box.
  Box box_of(int part) const;

  // The rank that owns a point; throws as GridDomains::owner_of does.
  int owner_of(std::span<const double> point) const;

  // For kernels on the host.
  LeafOfPoint leaf_of_point() const noexcept;

 private:
  std::int64_t generation_ = 0;
  int parts_ = 0;
  int dimensions_ = 0;
  Box box_;
  std::array<bool, 3> periodic_ = {};
  std::vector<Bisection> nodes_;
  std::vector<Fork> forks_;
  std::vector<int> rank_of_part_;
};

// As for a GridDomains.
EVENKEEL_API void write_parts(const Space& space, const TreeDomains& tree, const Set& set,
                              int* parts);
EVENKEEL_API std::vector<int> ranks_within(const TreeDomains& tree, const Box& box, double width);

}  // namespace evenkeel
