#include "domains/checks.hpp"

#include <evenkeel/backends/assert.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/curve.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/domains";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

template <int n>
CurveKey key_of(const Lattice& lattice, std::span<const double> point) {
  Cell<n> cell;
  for (int d = 0; d < n; ++d)
    cell.at[d] = lattice.coordinate(d, point[static_cast<std::size_t>(d)]);
  return lattice.key(cell);
}

}  // namespace

int owner_of(const Splitters& splitters, CurveKey key) {
  EVENKEEL_ASSERT(splitters.size() >= 2 && key < splitters.back(), "Every key has an owner");
  // The last splitter that is not above the key: an empty part has the same splitter as the next
  // part.
  const auto above = std::upper_bound(splitters.begin(), splitters.end() - 1, key);
  return static_cast<int>(above - splitters.begin()) - 1;
}

CurveDomains::CurveDomains(std::int64_t generation, int dimensions, const Box& box,
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
           "Use 2 or 3 dimensions.");
  if (splitters_.size() < 2 || splitters_.front() != CurveKey{0} ||
      splitters_.back() != end_of_curve(dimensions) ||
      !std::is_sorted(splitters_.begin(), splitters_.end()))
    refuse("The splitters do not cut the whole curve into ranges.",
           "Begin with 0, end with end_of_curve(), and never fall.");
  check_ranks(stage_name, parts(), rank_of_part_);
  static_cast<void>(lattice_of(*this));  // refuses levels out of range
}

int CurveDomains::owner_of(std::span<const double> point) const {
  check_has_parts(stage_name, parts());
  check_point(stage_name, dimensions(), point);
  const Lattice lattice = lattice_of(*this);
  const CurveKey key = dimensions() == 3 ? key_of<3>(lattice, point) : key_of<2>(lattice, point);
  return rank_of(evenkeel::owner_of(splitters_, key));
}

Lattice lattice_of(const CurveDomains& decomposition) {
  return Lattice(decomposition.dimensions(), decomposition.box(), decomposition.periodic(),
                 decomposition.curve().kind, decomposition.curve().levels);
}

}  // namespace evenkeel
