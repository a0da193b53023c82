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
HilbertKey key_of(const Lattice& lattice, std::span<const double> point) {
  std::uint32_t cell[n];
  for (int d = 0; d < n; ++d) cell[d] = lattice.cell(d, point[static_cast<std::size_t>(d)]);
  return hilbert_key(cell);
}

}  // namespace

int owner_of(const Splitters& splitters, HilbertKey key) {
  EVENKEEL_ASSERT(splitters.size() >= 2 && key < splitters.back(), "Every key has an owner");
  // The last splitter that is not above the key: parts that own nothing share theirs with the next.
  const auto above = std::upper_bound(splitters.begin(), splitters.end() - 1, key);
  return static_cast<int>(above - splitters.begin()) - 1;
}

Decomposition::Decomposition(std::int64_t generation, int dimensions, const Box& box,
                             const std::array<bool, 3>& periodic, Splitters splitters)
    : generation_(generation),
      dimensions_(dimensions),
      box_(box),
      periodic_(periodic),
      splitters_(std::move(splitters)) {
  if (dimensions != 2 && dimensions != 3)
    refuse("A decomposition in " + std::to_string(dimensions) + " dimensions was asked for.",
           "There are curves in 2 and 3.");
  if (splitters_.size() < 2 || splitters_.front() != HilbertKey{0} ||
      splitters_.back() != end_of_curve(dimensions) ||
      !std::is_sorted(splitters_.begin(), splitters_.end()))
    refuse("The splitters do not cut the whole curve into ranges.",
           "Begin with 0, end with end_of_curve(), and never fall.");
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
  const HilbertKey key = dimensions() == 3 ? key_of<3>(lattice, point) : key_of<2>(lattice, point);
  return evenkeel::owner_of(splitters_, key);
}

Lattice lattice_of(const Decomposition& decomposition) {
  return Lattice(decomposition.dimensions(), decomposition.box(), decomposition.periodic());
}

}  // namespace evenkeel
