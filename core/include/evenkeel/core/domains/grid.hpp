#pragma once

// Domains that are the boxes of a grid, as a value that finds the owner of a point on every rank.
// Free of Kokkos; part_of_point.hpp is for kernels.

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
// How many domains a grid has along each axis, and which rank has which of them.

// Domains are numbered as MPI numbers the processes of a Cartesian communicator: part (i, j, k) is
// (i * extents[1] + j) * extents[2] + k. Axes beyond the dimensions have extent 1.
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

// Throws an Error for dimensions other than 1, 2 or 3, extents below 1, extents beyond the
// dimensions and more parts than an int counts.
EVENKEEL_API void check(const GridShape& shape);

// The shape with this number of parts whose domains are nearest to cubes in a box of these sides,
// that is, have the least area of all faces. Among equals, the one with the most domains along the
// last axis is chosen, then along the one before. A side that is 0, or negligible beside the
// longest, is not divided unless all are 0. Sides beyond the dimensions have no meaning. Pure.
EVENKEEL_API GridShape factored(int parts, int dimensions,
                                const std::array<double, 3>& sides = {1, 1, 1});

// The shape with this number of parts and these extents, of which those that are 0 are chosen as
// `factored` does for a box. Beyond the dimensions extents are 0 or 1. Throws an Error if the given
// ones do not divide the parts.
EVENKEEL_API GridShape shape_with(const std::array<int, 3>& extents, int parts, int dimensions,
                                  const Box& box);

// A grid of ranks: one domain each.
struct RankGrid {
  GridShape shape;
  std::vector<int> rank_of_part;  // empty: part p is rank p
};

#if EVENKEEL_HAS_MPI
// From a communicator with a Cartesian topology of 1, 2 or 3 dimensions. Ranks are those of
// `cartesian`. Its periods are not read: a decomposition gets them with its box. Local.
EVENKEEL_API RankGrid grid_of(MPI_Comm cartesian);
#endif

// Collective. From the place of this rank in the application's own process grid. Throws the same
// Error on all ranks unless all name the same extents, and each place is named once.
EVENKEEL_API RankGrid grid_of(const Communicator& communicator, const GridShape& shape,
                              const std::array<int, 3>& mine);

// --- Domains -------------------------------------------------------------------------------------

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
class EVENKEEL_API GridDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

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

  const GridShape& shape() const noexcept { return shape_; }
  const GridBorders& borders() const noexcept { return borders_; }

  // The domain of a part; throws an Error if there is no such part. Along axes beyond the
  // dimensions it is as long as the box.
  Box box_of(int part) const;
  // The same, unless it is without extent and owns nothing.
  std::vector<Box> boxes_of(int part) const;

  // The rank that owns a point. Throws an Error for a point that is not finite or has other
  // dimensions, and while there are no parts.
  int owner_of(std::span<const double> point) const;
  // These two are as for CurveDomains.
  void write_parts(const Space& space, const Set& set, int* parts) const;
  std::vector<int> ranks_within(const Box& box, double width) const;

  // Whether both have the same borders.
  bool divides_as(const GridDomains& other) const;

  // For kernels on the host.
  PartOfPoint part_of_point() const noexcept;

  // See decomposition.hpp.
  BoxFrame frame() const;
  OwnerTree owner_tree(const Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  GridShape shape_ = {0, {1, 1, 1}};
  GridBorders borders_;
};

// The ranks whose domains touch that of a part at a face, an edge or a corner, in ascending order
// and without its own; periodic axes wrap around. Local.
EVENKEEL_API std::vector<int> neighbours_of(const GridDomains& decomposition, int part);

// --- Cells of a mesh -----------------------------------------------------------------------------
// Which cells of a mesh change their owner when its domains change, for codes that own boxes of
// cells and move them themselves. Free of messages: every rank knows both decompositions.

// A regular mesh of cells[axis] cells along each axis, which fills a box. Along axes beyond its
// dimensions it has one.
struct CellMesh {
  Box box;
  std::array<std::int64_t, 3> cells = {1, 1, 1};
};

// The cells of a mesh whose centres a domain owns: domains of one decomposition share none and
// leave none out.
EVENKEEL_API CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part);

// Cells that go to a rank, or come from one.
struct CellParcel {
  int rank;
  CellRange cells;
};

// What a rank has before and after, gives away and gets.
struct CellMoves {
  CellRange before, after;                    // of this rank
  std::vector<CellParcel> leaving, entering;  // by rank; other ranks alone, never empty
};

// The cells that a rank gives away and gets. Throws an Error for a mesh without cells, a rank that
// owns no part, and decompositions of other boxes or dimensions. Local.
EVENKEEL_API CellMoves cells_between(const CellMesh& mesh, const GridDomains& from,
                                     const GridDomains& to, int rank);

}  // namespace evenkeel
