#include <evenkeel/backends/assert.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/decomposition.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{"core/decomposition"}, problem, remedy);
}

template <int n>
CurveKey key_of(const Lattice& lattice, std::span<const double> point) {
  Cell<n> cell;
  for (int d = 0; d < n; ++d)
    cell.at[d] = lattice.coordinate(d, point[static_cast<std::size_t>(d)]);
  return lattice.key(cell);
}

bool is_permutation_of_parts(const std::vector<int>& ranks, int parts) {
  std::vector<bool> seen(static_cast<std::size_t>(parts));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= parts || seen[static_cast<std::size_t>(rank)]) return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return std::ssize(ranks) == parts;
}

}  // namespace

int owner_of(const Splitters& splitters, CurveKey key) {
  EVENKEEL_ASSERT(splitters.size() >= 2 && key < splitters.back(), "Every key has an owner");
  // The last splitter that is not above the key: parts that own nothing share theirs with the next.
  const auto above = std::upper_bound(splitters.begin(), splitters.end() - 1, key);
  return static_cast<int>(above - splitters.begin()) - 1;
}

Decomposition::Decomposition(std::int64_t generation, int dimensions, const Box& box,
                             const std::array<bool, 3>& periodic, Splitters splitters,
                             const CurveOptions& curve, std::vector<int> rank_of_part)
    : generation_(generation),
      dimensions_(dimensions),
      box_(box),
      periodic_(periodic),
      splitters_(std::move(splitters)),
      curve_(curve),
      rank_of_part_(std::move(rank_of_part)) {
  if (dimensions != 2 && dimensions != 3)
    refuse("A decomposition in " + std::to_string(dimensions) + " dimensions was asked for.",
           "There are curves in 2 and 3.");
  if (splitters_.size() < 2 || splitters_.front() != CurveKey{0} ||
      splitters_.back() != end_of_curve(dimensions) ||
      !std::is_sorted(splitters_.begin(), splitters_.end()))
    refuse("The splitters do not cut the whole curve into ranges.",
           "Begin with 0, end with end_of_curve(), and never fall.");
  if (!rank_of_part_.empty() && !is_permutation_of_parts(rank_of_part_, parts()))
    refuse("The ranks do not own one part each.", "Name each rank once, or none.");
  static_cast<void>(lattice_of(*this));  // refuses levels that there are not
}

int Decomposition::owner_of(std::span<const double> point) const {
  if (parts() == 0) refuse("Nobody owns anything yet.", "Ask after the first rebalance.");
  if (std::ssize(point) != dimensions())
    refuse("A point of " + std::to_string(point.size()) + " coordinates was asked for in " +
               std::to_string(dimensions()) + " dimensions.",
           "Give as many coordinates as the positions have.");
  for (const double place : point)
    if (!std::isfinite(place)) refuse("A coordinate is not finite.", "A NaN has no owner.");
  const Lattice lattice = lattice_of(*this);
  const CurveKey key = dimensions() == 3 ? key_of<3>(lattice, point) : key_of<2>(lattice, point);
  return rank_of(evenkeel::owner_of(splitters_, key));
}

Lattice lattice_of(const Decomposition& decomposition) {
  return Lattice(decomposition.dimensions(), decomposition.box(), decomposition.periodic(),
                 decomposition.curve().kind, decomposition.curve().levels);
}

}  // namespace evenkeel
