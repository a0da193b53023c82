#pragma once

// Domains that are the boxes of a grid, as a value. Each rank can find the owner of any point. This
// header does not include Kokkos; part_of_point.hpp is for kernels.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/domains/grid_shape.hpp>
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

// Throws an Error unless there are 1, 2 or 3 dimensions, each extent is at least 1, extents beyond
// the dimensions are 1, and an int can count the parts.
EVENKEEL_API void check(const GridShape& shape);

// Returns the shape with this number of parts whose domains are nearest to cubes in a box with
// these sides: the faces of its domains have the least total area. If several shapes have this
// area, prefers more domains along the last axis, then along the axis before it. A side that is 0,
// or negligible compared to the longest side, is not divided, unless all sides are 0. Sides beyond
// the dimensions have no meaning. Pure.
EVENKEEL_API GridShape factored(int parts, int dimensions,
                                const std::array<double, 3>& sides = {1, 1, 1});

// Returns the shape with this number of parts and these extents. An extent of 0 is replaced as
// factored() would choose it for this box. Beyond the dimensions, extents must be 0 or 1. Throws an
// Error unless the number of parts is a multiple of the product of the given extents.
EVENKEEL_API GridShape shape_with(const std::array<int, 3>& extents, int parts, int dimensions,
                                  const Box& box);

// A grid of ranks with one domain each.
struct RankGrid {
  GridShape shape;
  std::vector<int> rank_of_part;  // if empty, part p belongs to rank p
};

#if EVENKEEL_HAS_MPI
// Returns the grid of a communicator with a Cartesian topology of 1, 2 or 3 dimensions. Ranks are
// those of `cartesian`. Its periods are ignored, because a decomposition gets periods with its box.
// Local.
EVENKEEL_API RankGrid grid_of(MPI_Comm cartesian);
#endif

// Collective. Returns the application's own process grid. `mine` is the place of this rank in it.
// Throws the same Error on all ranks unless all ranks give the same extents, and each place is
// given once.
EVENKEEL_API RankGrid grid_of(const Communicator& communicator, const GridShape& shape,
                              const std::array<int, 3>& mine);

// --- Domains -------------------------------------------------------------------------------------

// The arrangement of the borders of a grid.
enum class GridScheme : std::uint8_t {
  tensor,    // borders along each axis extend through the whole box
  staggered  // the box is divided into planes, each plane into its own columns, each column into
             // cells
};
EVENKEEL_API const char* name_of(GridScheme scheme) noexcept;

namespace stages {

// The borders of all domains. Level l divides along axes[l]; level 0 is the outermost. A row is a
// list of extents[axes[l]] + 1 borders that never fall, from the lower to the upper face of the
// box. In a tensor grid, level l has one row. In a staggered grid, level l has a row for each
// domain of the levels before it. These rows are in the order of the domains: the index along level
// l - 1 changes fastest.
struct GridBorders {
  GridScheme scheme = GridScheme::staggered;
  std::array<int, 3> axes = {2, 1, 0};  // a permutation; axes beyond the dimensions come last
  std::array<std::vector<double>, 3> levels;
  friend bool operator==(const GridBorders&, const GridBorders&) = default;
};

// Returns the axes within the dimensions from the last to the first, then the other axes.
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

  // Makes domains of equal size. Their generation is 1.
  static GridDomains uniform(const GridShape& shape, const Box& box, GridScheme scheme,
                             const std::array<bool, 3>& periodic = {},
                             std::vector<int> rank_of_part = {});

  const GridShape& shape() const noexcept { return shape_; }
  const stages::GridBorders& borders() const noexcept { return borders_; }

  // The domain of a part; throws an Error if there is no such part. Along axes beyond the
  // dimensions it is as long as the box.
  Box box_of(int part) const;
  // The same box in a list, which is empty if the box has no extent and so owns no place.
  std::vector<Box> boxes_of(int part) const;

  // The rank that owns a point. Throws an Error if the point is not finite or has other dimensions,
  // or if there are no parts.
  int owner_of(std::span<const double> point) const;
  // CurveDomains explains these two.
  void write_parts(const Space& space, const Set& set, int* parts) const;
  std::vector<int> ranks_within(const Box& box, double width) const;

  // Returns true if the other domains have the same borders.
  bool divides_as(const GridDomains& other) const;

  // A function object that finds the part of a point, for kernels on the host.
  PartOfPoint part_of_point() const noexcept;

  // See decomposition.hpp.
  BoxFrame frame() const;
  OwnerTree owner_tree(const detail::Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  GridShape shape_ = {0, {1, 1, 1}};
  stages::GridBorders borders_;
};

// The ranks whose domains touch that of a part at a face, an edge or a corner, in ascending order;
// the rank of the part itself is not among them. Periodic axes wrap around. Local.
EVENKEEL_API std::vector<int> neighbours_of(const GridDomains& decomposition, int part);

// --- Cells of a mesh -----------------------------------------------------------------------------
// Finds the cells of a mesh whose owner changes with the domains. This is for codes that own boxes
// of cells and move them themselves. It needs no messages, because every rank holds both
// decompositions.

// A regular mesh that fills a box, with cells[axis] cells along each axis, and one cell along axes
// beyond its dimensions.
struct CellMesh {
  Box box;
  std::array<std::int64_t, 3> cells = {1, 1, 1};
};

// Returns the cells of a mesh whose centres a domain owns. So each cell is in exactly one domain.
EVENKEEL_API CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part);

// The cells of a rank before and after a change, and the cells that it sends and receives.
struct CellMoves {
  // Cells that go to a rank, or come from it.
  struct Parcel {
    int rank;
    CellRange cells;
  };

  CellRange before, after;                // of this rank
  std::vector<Parcel> leaving, entering;  // by rank; of other ranks only; no parcel is empty
  std::vector<CellRange> staying;         // the cells of this rank before and after
};

// Returns the cells that a rank sends and receives. Throws an Error if the mesh has no cells, if
// the rank owns no part, or if a decomposition has another box or other dimensions. Local.
EVENKEEL_API CellMoves cells_between(const CellMesh& mesh, const GridDomains& from,
                                     const GridDomains& to, int rank);

}  // namespace evenkeel
