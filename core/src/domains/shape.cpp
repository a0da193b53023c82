#include "domains/stage.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/domains/grid.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

[[noreturn]] void refuse_shape(const std::string& problem, const std::string& remedy,
                               ErrorKind kind = ErrorKind::bad_input) {
  throw Error(kind, Where{stage_name}, problem, remedy);
}

void check_dimensions(int dimensions) {
  if (dimensions < 1 || dimensions > 3)
    refuse_shape("A grid of " + std::to_string(dimensions) + " dimensions was asked for.",
                 "Use 1, 2 or 3 dimensions.");
}

std::string times(const std::array<int, 3>& numbers) {
  return std::to_string(numbers[0]) + " x " + std::to_string(numbers[1]) + " x " +
         std::to_string(numbers[2]);
}

}  // namespace

void check(const GridShape& shape) {
  check_dimensions(shape.dimensions);
  std::int64_t parts = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const int extent = shape.extents[d];
    if (extent < 1)
      refuse_shape("A grid of " + times(shape.extents) + " domains was asked for.",
                   "Give each axis one domain or more.");
    if (extent > 1 && d >= static_cast<std::size_t>(shape.dimensions))
      refuse_shape("A grid of " + std::to_string(shape.dimensions) + " dimensions has " +
                       std::to_string(extent) + " domains along axis " + std::to_string(d) + '.',
                   "An axis beyond the dimensions must have 1 domain.");
    parts *= extent;
    if (parts > std::numeric_limits<int>::max())
      refuse_shape("A grid of " + times(shape.extents) + " domains has more than can be counted.",
                   "Use at most 2147483647 parts.");
  }
}

// --- factored ------------------------------------------------------------------------------------

namespace {

// The divisors of a number, in descending order.
std::vector<int> divisors_of(int number) {
  std::vector<int> divisors;
  for (int divisor = 1; divisor <= number / divisor; ++divisor)
    if (number % divisor == 0) {
      divisors.push_back(divisor);
      if (divisor != number / divisor) divisors.push_back(number / divisor);
    }
  std::sort(divisors.rbegin(), divisors.rend());
  return divisors;
}

// Returns the cost of one more domain along each axis: the area of a face across that axis, in
// units of a face across the longest side. The cost is infinite for a side of length 0, which must
// not be divided.
std::array<double, 3> costs_of(int dimensions, const std::array<double, 3>& sides) {
  const auto used = sides.begin() + dimensions;
  for (auto side = sides.begin(); side != used; ++side)
    if (!std::isfinite(*side) || *side < 0)
      refuse_shape("A box with a side of " + text_of(*side) + " was to be divided.",
                   "Sides are finite and not negative.");
  const double longest = *std::max_element(sides.begin(), used);
  std::array<double, 3> costs = {1, 1, 1};
  if (longest > 0)
    std::transform(sides.begin(), used, costs.begin(), [&](double s) { return longest / s; });
  return costs;
}

double cost_of(const GridShape& shape, const std::array<double, 3>& costs) {
  double cost = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (shape.extents[d] > 1) cost += (shape.extents[d] - 1) * costs[d];
  return cost;
}

// Calls visit(shape) for all shapes that have `parts` parts along the axes up to `axis`. Shapes
// with the most domains along the last axis come first.
template <class Visit>
void for_each_shape(const std::vector<int>& divisors, int parts, std::size_t axis, GridShape& shape,
                    const Visit& visit) {
  if (axis == 0) {
    shape.extents[0] = parts;
    return visit(shape);
  }
  for (const int domains : divisors)
    if (parts % domains == 0) {
      shape.extents[axis] = domains;
      for_each_shape(divisors, parts / domains, axis - 1, shape, visit);
    }
}

}  // namespace

GridShape factored(int parts, int dimensions, const std::array<double, 3>& sides) {
  check_dimensions(dimensions);
  if (parts < 1)
    refuse_shape("A grid of " + std::to_string(parts) + " domains was asked for.",
                 "Ask for 1 or more.");
  // costs that differ by less count as equal; then the first shape is chosen
  constexpr double rounding = 1e-12;
  const std::array<double, 3> costs = costs_of(dimensions, sides);
  GridShape tried{dimensions, {1, 1, 1}}, best;
  double least = std::numeric_limits<double>::infinity();
  for_each_shape(divisors_of(parts), parts, static_cast<std::size_t>(dimensions) - 1, tried,
                 [&](const GridShape& shape) {
                   const double cost = cost_of(shape, costs);
                   if (!(cost < least * (1 - rounding))) return;
                   least = cost;
                   best = shape;
                 });
  return best;
}

GridShape shape_with(const std::array<int, 3>& extents, int parts, int dimensions, const Box& box) {
  check_dimensions(dimensions);
  GridShape shape{dimensions, {1, 1, 1}};
  // A quarter of the side of each axis that is to be chosen; the whole side may not be finite.
  std::array<double, 3> sides = {};
  std::array<std::size_t, 3> chosen = {};
  int free = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_free = extents[axis] == 0 && axis < static_cast<std::size_t>(dimensions);
    if (!is_free) shape.extents[axis] = extents[axis] == 0 ? 1 : extents[axis];
    if (!is_free) continue;
    sides[static_cast<std::size_t>(free)] = box.upper[axis] * 0.25 - box.lower[axis] * 0.25;
    chosen[static_cast<std::size_t>(free++)] = axis;
  }
  check(shape);
  const int given = shape.parts();
  if (parts < 1 || parts % given != 0 || (free == 0 && parts != given))
    refuse_shape("A grid of " + times(extents) + " domains was asked for, but there are " +
                     std::to_string(parts) + " parts.",
                 free == 0 ? "Ask for as many domains as parts, or leave the grid out."
                           : "Give extents whose product divides the number of parts, and 0 for an "
                             "extent that evenkeel is to choose.");
  if (free == 0) return shape;
  const GridShape rest = factored(parts / given, free, sides);
  for (std::size_t i = 0; i < static_cast<std::size_t>(free); ++i)
    shape.extents[chosen[i]] = rest.extents[i];
  return shape;
}

// --- Grids of ranks ------------------------------------------------------------------------------

namespace {

// Returns an empty list if part p is rank p, and otherwise the rank of each part.
std::vector<int> unless_in_order(std::vector<int> rank_of_part) {
  if (std::is_sorted(rank_of_part.begin(), rank_of_part.end())) return {};
  return rank_of_part;
}

}  // namespace

#if EVENKEEL_HAS_MPI

namespace {

void require_success(int code, const char* call) {
  if (code != MPI_SUCCESS)
    refuse_shape(std::string(call) + " failed.", "See the output of MPI.",
                 ErrorKind::communication);
}

// Checks the communicator, because MPI could abort the program if it were not valid.
void require_cartesian(MPI_Comm communicator) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    refuse_shape("MPI is not running.", "Ask for the grid between MPI_Init and MPI_Finalize.");
  if (communicator == MPI_COMM_NULL)
    refuse_shape("The communicator is MPI_COMM_NULL.", "Pass one that this rank belongs to.");
  int topology = MPI_UNDEFINED;
  require_success(MPI_Topo_test(communicator, &topology), "MPI_Topo_test");
  if (topology != MPI_CART)
    refuse_shape("The communicator has no Cartesian topology.",
                 "Pass one from MPI_Cart_create, or give the place of each rank.");
}

}  // namespace

RankGrid grid_of(MPI_Comm cartesian) {
  require_cartesian(cartesian);
  RankGrid grid;
  require_success(MPI_Cartdim_get(cartesian, &grid.shape.dimensions), "MPI_Cartdim_get");
  check_dimensions(grid.shape.dimensions);
  std::array<int, 3> periodic{}, mine{};
  require_success(MPI_Cart_get(cartesian, grid.shape.dimensions, grid.shape.extents.data(),
                               periodic.data(), mine.data()),
                  "MPI_Cart_get");
  check(grid.shape);
  for (int part = 0; part < grid.shape.parts(); ++part) {
    int rank = 0;
    const std::array<int, 3> at = grid.shape.at(part);
    require_success(MPI_Cart_rank(cartesian, at.data(), &rank), "MPI_Cart_rank");
    grid.rank_of_part.push_back(rank);
  }
  grid.rank_of_part = unless_in_order(std::move(grid.rank_of_part));
  return grid;
}

#endif

namespace {

// The place in the grid that a rank claims for itself.
struct GridClaim {
  GridShape shape;
  std::array<int, 3> at;
};

void check_claim(const GridClaim& claim, int ranks) {
  check(claim.shape);
  if (claim.shape.parts() != ranks)
    refuse_shape("A grid of " + times(claim.shape.extents) + " was named for " +
                     std::to_string(ranks) + " ranks.",
                 "Give each rank one domain.");
  for (std::size_t d = 0; d < 3; ++d)
    if (claim.at[d] < 0 || claim.at[d] >= claim.shape.extents[d])
      refuse_shape("Place " + std::to_string(claim.at[d]) + " along axis " + std::to_string(d) +
                       " is not in a grid of " + times(claim.shape.extents) + '.',
                   "Count places from 0; axes beyond the dimensions have only place 0.");
}

}  // namespace

RankGrid grid_of(const Communicator& communicator, const GridShape& shape,
                 const std::array<int, 3>& mine) {
  const GridClaim claim{shape, mine};
  constexpr int nobody = -1;
  std::vector<GridClaim> claims;
  std::vector<int> rank_of_part;
  vote(communicator, attempt(stage_name, [&] {
         check_claim(claim, communicator.size());
         claims.resize(static_cast<std::size_t>(communicator.size()));
         rank_of_part.assign(claims.size(), nobody);
       }));
  communicator.all_gather(claim, std::span(claims));
  // From here on all ranks have the same data, so all throw the same Error.
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const GridClaim& theirs = claims[static_cast<std::size_t>(rank)];
    if (theirs.shape != claims.front().shape)
      refuse_shape("Rank 0 names a grid of " + times(claims.front().shape.extents) + ", rank " +
                       std::to_string(rank) + " one of " + times(theirs.shape.extents) + '.',
                   "Give the same shape on all ranks.", ErrorKind::disagreement);
    int& owner = rank_of_part[static_cast<std::size_t>(theirs.shape.part_at(theirs.at))];
    if (owner != nobody)
      refuse_shape("Ranks " + std::to_string(owner) + " and " + std::to_string(rank) +
                       " name the same place in the grid.",
                   "Give each rank a place of its own.", ErrorKind::disagreement);
    owner = rank;
  }
  return {claims.front().shape, unless_in_order(std::move(rank_of_part))};
}

}  // namespace evenkeel
