#include "domains/checks.hpp"
#include "domains/frame.hpp"
#include "domains/home/home_test.hpp"
#include "domains/stage.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

template <int n>
CurveKey key_of(const Lattice& lattice, std::span<const double> point) {
  Cell<n> cell;
  for (int d = 0; d < n; ++d)
    cell.at[d] = lattice.coordinate(d, point[static_cast<std::size_t>(d)]);
  return lattice.key(cell);
}

}  // namespace

int stages::owner_of(const Splitters& splitters, CurveKey key) {
  EVENKEEL_ASSERT(splitters.size() >= 2 && key < splitters.back(), "Every key has an owner");
  // The owner has the last splitter that is not above the key. A part before it with the same
  // splitter is empty.
  const auto above = std::upper_bound(splitters.begin(), splitters.end() - 1, key);
  return static_cast<int>(above - splitters.begin()) - 1;
}

CurveDomains::CurveDomains(std::int64_t generation, int dimensions, const Box& box,
                           const std::array<bool, 3>& periodic, Splitters splitters,
                           const CurveOptions& curve, std::vector<int> rank_of_part)
    : Decomposition(generation, static_cast<int>(splitters.size()) - 1, dimensions, box, periodic,
                    std::move(rank_of_part)),
      splitters_(std::move(splitters)),
      curve_(curve) {
  if (dimensions != 2 && dimensions != 3)
    refuse("A decomposition in " + std::to_string(dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
  if (splitters_.size() < 2 || splitters_.front() != CurveKey{0} ||
      splitters_.back() != end_of_curve(dimensions) ||
      !std::is_sorted(splitters_.begin(), splitters_.end()))
    refuse("The splitters do not cut the whole curve into ranges.",
           "Give splitters that begin with 0, end with end_of_curve(), and never fall.");
  check_ranks(stage_name, parts(), this->rank_of_part());
  static_cast<void>(lattice_of(*this));  // throws if levels are out of range
}

int CurveDomains::owner_of(std::span<const double> point) const {
  check_point(stage_name, *this, point);
  const Lattice lattice = lattice_of(*this);
  const CurveKey key = dimensions() == 3 ? key_of<3>(lattice, point) : key_of<2>(lattice, point);
  return rank_of(stages::owner_of(splitters_, key));
}

bool CurveDomains::divides_as(const CurveDomains& other) const {
  return curve_ == other.curve_ && splitters_ == other.splitters_;
}

CellFrame CurveDomains::frame() const { return CellFrame(lattice_of(*this), box()); }

std::unique_ptr<HomeTest> CurveDomains::home_test(const Space& space, int part,
                                                  std::int64_t objects) const {
  if (curve_.kind == CurveKind::snake) return nullptr;
  const Lattice lattice = lattice_of(*this);
  const auto p = static_cast<std::size_t>(part);
  auto table = finest_table(space, lattice, splitters_[p], splitters_[p + 1], objects);
  if (!table) return nullptr;
  const Box inner = inner_box(*table, lattice, box(), boxes_of(part));
  return home_in_cells(lattice, std::move(*table), inner);
}

void CurveDomains::write_parts(const Space& space, const Set& set, int* parts) const {
  check_has_parts(stage_name, this->parts());
  const exec::Array<CurveKey> keys(space, "evenkeel::domains::keys", set.count());
  write_keys(space, lattice_of(*this), set, keys.data());
  write_owners(space, splitters_, keys.data(), keys.size(), parts);
}

Lattice stages::lattice_of(const CurveDomains& decomposition) {
  return Lattice(decomposition.dimensions(), decomposition.box(), decomposition.periodic(),
                 decomposition.curve().kind, decomposition.curve().levels);
}

}  // namespace evenkeel
