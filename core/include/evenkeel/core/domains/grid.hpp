#pragma once

// Domains that are the boxes of a grid, as a value that finds the owner of a point on every rank.
// Free of Kokkos; part_of_point.hpp is for kernels.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/shape.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// How the borders of a grid run.
enum class GridScheme : std::uint8_t {
  tensor,    // borders along each axis go through the whole box
  staggered  // planes; in each of them columns of their own; in each of those cells of their own
};
EVENKEEL_API const char* name_of(GridScheme scheme) noexcept;

// The borders of all domains. Level l divides along axes[l]; level 0 is the outermost. A row is a
// list of extents[axes[l]] + 1 borders that never fall, from the lower to the upper face of the
// box. Level l has one row in a tensor grid, and in a staggered one a row for each domain of the
// levels outside it, the innermost of which runs fastest.
struct GridBorders {
  GridScheme scheme = GridScheme::staggered;
  std::array<int, 3> axes = {2, 1, 0};  // a permutation; those beyond the dimensions come last
  std::array<std::vector<double>, 3> levels;
  friend bool operator==(const GridBorders&, const GridBorders&) = default;
};

// The axes within the dimensions from the last to the first; then the others.
EVENKEEL_API std::array<int, 3> usual_axes(int dimensions) noexcept;

struct PartOfPoint;  // core/domains/part_of_point.hpp

// Domains that are the boxes of a grid.
class EVENKEEL_API GridDomains {
 public:
  // Nobody owns anything yet: no parts, generation 0.
  GridDomains() = default;
  // Throws an Error for a shape, a box, borders or ranks that make no sense.
  GridDomains(std::int64_t generation, const GridShape& shape, const Box& box,
              const std::array<bool, 3>& periodic, GridBorders borders,
              std::vector<int> rank_of_part = {});

  // Domains of equal size, of generation 1.
  static GridDomains uniform(const GridShape& shape, const Box& box, GridScheme scheme,
                             const std::array<bool, 3>& periodic = {},
                             std::vector<int> rank_of_part = {});

  // Grows by one with every change; compare it to see whether data derived from a decomposition is
  // stale.
  std::int64_t generation() const noexcept { return generation_; }
  int parts() const noexcept { return parts_; }
  int dimensions() const noexcept { return shape_.dimensions; }
  const GridShape& shape() const noexcept { return shape_; }
  const Box& box() const noexcept { return box_; }
  const std::array<bool, 3>& periodic() const noexcept { return periodic_; }
  const GridBorders& borders() const noexcept { return borders_; }

  // The rank that has a part; all of them, or empty: part p is rank p.
  int rank_of(int part) const {
    return rank_of_part_.empty() ? part : rank_of_part_[static_cast<std::size_t>(part)];
  }
  const std::vector<int>& rank_of_part() const noexcept { return rank_of_part_; }
  // The part of a rank; throws an Error where it has none.
  int part_of(int rank) const;

  // The domain of a part; throws an Error if there is no such part. Along axes beyond the
  // dimensions it is as long as the box.
  Box box_of(int part) const;

  // The rank that owns a point. Throws an Error for a point that is not finite or has other
  // dimensions, and while there are no parts.
  int owner_of(std::span<const double> point) const;

  // For kernels on the host.
  PartOfPoint part_of_point() const noexcept;

 private:
  std::int64_t generation_ = 0;
  int parts_ = 0;
  GridShape shape_ = {0, {1, 1, 1}};
  Box box_;
  std::array<bool, 3> periodic_ = {};
  GridBorders borders_;
  std::vector<int> rank_of_part_;
};

// Writes the part of each owned object of a set to parts[0] ... `space` must reach the positions
// and `parts`. Positions must be finite, as bounds() ensures. Blocks. Local.
EVENKEEL_API void write_parts(const Space& space, const GridDomains& decomposition, const Set& set,
                              int* parts);

// As for a CurveDomains: exactly the ranks that own a point of the box widened by `width`.
EVENKEEL_API std::vector<int> ranks_within(const GridDomains& decomposition, const Box& box,
                                           double width);

// The ranks whose domains touch that of a part at a face, an edge or a corner, in ascending order
// and without its own; periodic axes wrap around. Local.
EVENKEEL_API std::vector<int> neighbours_of(const GridDomains& decomposition, int part);

}  // namespace evenkeel
