#pragma once

// Domains that are the boxes of a grid, as a value that finds the owner of a point on every rank.
// This header does not include Kokkos; part_of_point.hpp is for kernels.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/field/set.hpp>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

// --- Shapes --------------------------------------------------------------------------------------

// The number of domains along each axis. Domains are numbered as MPI numbers the processes of a
// Cartesian communicator: part (i, j, k) is (i * extents[1] + j) * extents[2] + k. Axes beyond the
// dimensions have extent 1.
struct GridShape {
  int dimensions = 3;  // 1, 2 or 3
  std::array<int, 3> extents = {1, 1, 1};
  friend bool operator==(const GridShape&, const GridShape&) = default;

  int parts() const noexcept { return extents[0] * extents[1] * extents[2]; }
  // From the place (i, j, k) of a domain to its part, and back.
  int part_at(const std::array<int, 3>& at) const noexcept {
    return (at[0] * extents[1] + at[1]) * extents[2] + at[2];
  }
  std::array<int, 3> at(int part) const noexcept {
    return {part / extents[2] / extents[1], part / extents[2] % extents[1], part % extents[2]};
  }
};

// Throws an Error for dimensions other than 1, 2 or 3, extents below 1, extents other than 1 beyond
// the dimensions, and more parts than an int can count.
EVENKEEL_API void check(const GridShape& shape);

// The shape with this number of parts whose domains are nearest to cubes in a box of these sides:
// their faces have the least area in all. If several shapes are equal, the one with the most
// domains along the last axis is chosen, then along the axis before. A side that is 0 or negligible
// beside the longest one is not divided, unless all are 0. Sides beyond the dimensions have no
// meaning. Pure.
EVENKEEL_API GridShape factored(int parts, int dimensions,
                                const std::array<double, 3>& sides = {1, 1, 1});

// The shape with this number of parts and these extents. Extents that are 0 are chosen for this box
// as by factored(). Beyond the dimensions, extents are 0 or 1. Throws an Error if the product of
// the given extents does not divide the number of parts.
EVENKEEL_API GridShape shape_with(const std::array<int, 3>& extents, int parts, int dimensions,
                                  const Box& box);

// A grid of ranks with one domain each.
struct RankGrid {
  GridShape shape;
  std::vector<int> rank_of_part;  // if empty, part p belongs to rank p
};

#if EVENKEEL_HAS_MPI
// The grid of a communicator with a Cartesian topology of 1, 2 or 3 dimensions. Ranks are those of
// `cartesian`. Its periods are ignored, because a decomposition gets them with its box. Local.
EVENKEEL_API RankGrid grid_of(MPI_Comm cartesian);
#endif

// Collective. The grid, from the place of this rank in the application's own process grid. Throws
// the same Error on all ranks unless all give the same extents, and each place is given once.
EVENKEEL_API RankGrid grid_of(const Communicator& communicator, const GridShape& shape,
                              const std::array<int, 3>& mine);

// --- Domains -------------------------------------------------------------------------------------

// The arrangement of the borders of a grid.
enum class GridScheme : std::uint8_t {
  tensor,    // borders along each axis extend through the whole box
  staggered  // planes; each plane has its own columns, and each column its own cells
};
EVENKEEL_API const char* name_of(GridScheme scheme) noexcept;

namespace stages {

// The borders of all domains. Level l divides along axes[l]; level 0 is the outermost. A row is a
// list of extents[axes[l]] + 1 borders that never fall, from the lower to the upper face of the
// box. Level l has one row in a tensor grid, and in a staggered grid a row for each domain of the
// outer levels, of which the innermost runs fastest.
struct GridBorders {
  GridScheme scheme = GridScheme::staggered;
  std::array<int, 3> axes = {2, 1, 0};  // a permutation; axes beyond the dimensions come last
  std::array<std::vector<double>, 3> levels;
  friend bool operator==(const GridBorders&, const GridBorders&) = default;
};

// The axes within the dimensions from the last to the first, then the others.
EVENKEEL_API std::array<int, 3> usual_axes(int dimensions) noexcept;

}  // namespace stages

struct PartOfPoint;  // core/domains/part_of_point.hpp

// Domains that are the boxes of a grid.
class EVENKEEL_API GridDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

  // No domains yet: generation 0, without parts.
  GridDomains() = default;
  // Throws an Error for an invalid shape or box, and for invalid borders or ranks.
  GridDomains(std::int64_t generation, const GridShape& shape, const Box& box,
              const std::array<bool, 3>& periodic, stages::GridBorders borders,
              std::vector<int> rank_of_part = {});

  // Domains of equal size, of generation 1.
  static GridDomains uniform(const GridShape& shape, const Box& box, GridScheme scheme,
                             const std::array<bool, 3>& periodic = {},
                             std::vector<int> rank_of_part = {});

  const GridShape& shape() const noexcept { return shape_; }
  const stages::GridBorders& borders() const noexcept { return borders_; }

  // The domain of a part; throws an Error if there is no such part. Along axes beyond the
  // dimensions it is as long as the box.
  Box box_of(int part) const;
  // The same box; nothing if it has no extent and owns no place.
  std::vector<Box> boxes_of(int part) const;

  // The rank that owns a point. Throws an Error for a point that is not finite or has other
  // dimensions, and if there are no parts.
  int owner_of(std::span<const double> point) const;
  // These two are as for CurveDomains.
  void write_parts(const Space& space, const Set& set, int* parts) const;
  std::vector<int> ranks_within(const Box& box, double width) const;

  // Returns true if both have the same borders.
  bool divides_as(const GridDomains& other) const;

  // For kernels on the host.
  PartOfPoint part_of_point() const noexcept;

  // See decomposition.hpp.
  BoxFrame frame() const;
  OwnerTree owner_tree(const detail::Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  GridShape shape_ = {0, {1, 1, 1}};
  stages::GridBorders borders_;
};

// The ranks whose domains touch that of a part at a face, an edge or a corner, in ascending order
// and without its own; periodic axes wrap around. Local.
EVENKEEL_API std::vector<int> neighbours_of(const GridDomains& decomposition, int part);

// --- Cells of a mesh -----------------------------------------------------------------------------
// Finds the cells of a mesh whose owner changes with the domains, for codes that own boxes of cells
// and move them themselves. It needs no messages, because every rank has both decompositions.

// A regular mesh of cells[axis] cells along each axis, which fills a box. Along axes beyond its
// dimensions it has one.
struct CellMesh {
  Box box;
  std::array<std::int64_t, 3> cells = {1, 1, 1};
};

// The cells of a mesh whose centres a domain owns. Each cell is in exactly one domain of a
// decomposition.
EVENKEEL_API CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part);

// The cells of a rank before and after a change, and the cells that it sends and receives.
struct CellMoves {
  // Cells that go to a rank, or come from one.
  struct Parcel {
    int rank;
    CellRange cells;
  };

  CellRange before, after;                // of this rank
  std::vector<Parcel> leaving, entering;  // by rank; of other ranks only; no parcel is empty
};

// The cells that a rank sends and receives. Throws an Error for a mesh without cells, for a rank
// that owns no part, and for decompositions of other boxes or dimensions. Local.
EVENKEEL_API CellMoves cells_between(const CellMesh& mesh, const GridDomains& from,
                                     const GridDomains& to, int rank);

}  // namespace evenkeel
