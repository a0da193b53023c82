#include "domains/checks.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/vtk.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

void check_work(int parts, std::span<const double> work) {
  if (!work.empty() && std::ssize(work) != parts)
    throw Error(ErrorKind::bad_input, Where{"core/vtk"},
                "The work of " + std::to_string(work.size()) + " parts came with " +
                    std::to_string(parts) + " parts.",
                "Give the work of each part, or none.");
}

template <class AnyDecomposition>
DomainCell cell_without_box(const AnyDecomposition& decomposition, int part,
                            std::span<const double> work) {
  return {{},
          part,
          decomposition.rank_of(part),
          work.empty() ? 0 : work[static_cast<std::size_t>(part)]};
}

// --- On a curve ----------------------------------------------------------------------------------

// Coordinates of cells of the lattice along one axis, both inclusive.
struct Stretch {
  std::uint32_t first, last;
};

template <int n>
class StretchesOfCurve {
 public:
  explicit StretchesOfCurve(const CurveDomains& decomposition)
      : lattice_(lattice_of(decomposition)), box_(decomposition.box()) {
    double longest = 0;
    for (std::size_t axis = 0; axis < n; ++axis)
      longest = std::max(longest, box_.upper[axis] * quarter - box_.lower[axis] * quarter);
    quarter_width_ = longest / static_cast<double>(std::uint64_t{1} << levels());
  }

  // Adds the cells of the keys from one splitter to before another. `cell` lacks its box.
  void add(CurveKey from, CurveKey to, const DomainCell& cell) {
    cell_ = cell;
    const std::uint64_t all = std::uint64_t{1} << (n * levels());
    const std::uint64_t begin = first_from(from), end = std::min(all, first_from(to));
    if (lattice_.curve() == CurveKind::snake)
      add_of_snake(n - 1, begin, end);
    else
      add_cubes(begin, end);
  }

  std::vector<DomainCell> cells;

 private:
  static constexpr double quarter = 0.25;  // of the user's lengths: their differences stay finite

  int levels() const { return lattice_.levels(); }
  Cell<n> cell_at(std::uint64_t key) const {
    return lattice_.template cell<n>({key << lattice_.unused_bits()});
  }

  // The first cell whose key is not below a splitter.
  std::uint64_t first_from(CurveKey splitter) const {
    const int unused = lattice_.unused_bits();
    const std::uint64_t down = splitter.value >> unused;
    return down + (down << unused != splitter.value ? 1 : 0);
  }

  // The keys of a cube of 2^k cells a side are 2^(nk) consecutive keys from a multiple of that
  // number.
  void add_cubes(std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      int k = begin == 0 ? levels() : std::countr_zero(begin) / n;
      while ((std::uint64_t{1} << (n * k)) > end - begin) --k;
      const Cell<n> inside = cell_at(begin);
      std::array<Stretch, n> stretches;
      for (int axis = 0; axis < n; ++axis) {
        const std::uint32_t first = inside.at[axis] >> k << k;
        const auto last = static_cast<std::uint32_t>(first + (std::uint64_t{1} << k) - 1);
        stretches[static_cast<std::size_t>(axis)] = {first, last};
      }
      add_box(stretches);
      begin += std::uint64_t{1} << (n * k);
    }
  }

  // Whole units along `axis` (cells, rows, planes) that stand side by side are a box. What is left
  // before and behind them lies within one unit each; so does everything if no unit is whole.
  void add_of_snake(int axis, std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const int bits = axis * levels();
    const std::uint64_t unit = std::uint64_t{1} << bits;
    const std::uint64_t first = (begin + unit - 1) >> bits, last = end >> bits;
    if (first > last) return add_of_snake(axis - 1, begin, end);
    if (begin < first << bits) add_of_snake(axis - 1, begin, first << bits);
    if (first < last) add_units(axis, cell_at(first << bits), cell_at((last - 1) << bits));
    if (last << bits < end) add_of_snake(axis - 1, last << bits, end);
  }

  // Adds the units from that of one cell to that of another. Either may come first: rows turn.
  void add_units(int axis, const Cell<n>& from, const Cell<n>& to) {
    std::array<Stretch, n> stretches;
    for (int a = 0; a < n; ++a) {
      const auto [low, high] = std::minmax(from.at[a], to.at[a]);
      const auto end = static_cast<std::uint32_t>((std::uint64_t{1} << levels()) - 1);
      stretches[static_cast<std::size_t>(a)] = a < axis ? Stretch{0, end} : Stretch{low, high};
    }
    add_box(stretches);
  }

  // Cells of the lattice beyond the box are left out.
  void add_box(const std::array<Stretch, n>& stretches) {
    cell_.box = {};
    for (int axis = 0; axis < n; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (stretches[a].first > lattice_.last_coordinate(axis)) return;
      cell_.box.lower[a] = edge(axis, stretches[a].first);
      cell_.box.upper[a] = edge(axis, std::uint64_t{stretches[a].last} + 1);
    }
    cells.push_back(cell_);
  }

  // The place of the lower face of a cell, which is the upper face of the cell before.
  double edge(int axis, std::uint64_t cell) const {
    const auto a = static_cast<std::size_t>(axis);
    if (cell == 0) return box_.lower[a];
    if (cell > lattice_.last_coordinate(axis)) return box_.upper[a];
    const double place = box_.lower[a] * quarter + static_cast<double>(cell) * quarter_width_;
    return std::clamp(place / quarter, box_.lower[a], box_.upper[a]);
  }

  const Lattice lattice_;
  const Box& box_;
  double quarter_width_ = 0;  // of a cell of the lattice
  DomainCell cell_;
};

template <int n>
std::vector<DomainCell> domains_along(const CurveDomains& decomposition,
                                      std::span<const double> work) {
  StretchesOfCurve<n> domains(decomposition);
  const Splitters& splitters = decomposition.splitters();
  for (int part = 0; part < decomposition.parts(); ++part) {
    const auto p = static_cast<std::size_t>(part);
    domains.add(splitters[p], splitters[p + 1], cell_without_box(decomposition, part, work));
  }
  return std::move(domains.cells);
}

// --- Boxes ---------------------------------------------------------------------------------------

// A domain that owns any place owns its lower corner.
template <class AnyDecomposition, class PartOf>
std::vector<DomainCell> domains_with_places(const AnyDecomposition& decomposition,
                                            const PartOf& part_of, std::span<const double> work) {
  check_work(decomposition.parts(), work);
  std::vector<DomainCell> cells;
  for (int part = 0; part < decomposition.parts(); ++part) {
    DomainCell cell = cell_without_box(decomposition, part, work);
    cell.box = decomposition.box_of(part);
    if (part_of(cell.box.lower.data()) == part) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::vector<DomainCell> cells_of(const CurveDomains& decomposition, std::span<const double> work) {
  check_work(decomposition.parts(), work);
  if (decomposition.parts() == 0) return {};
  return decomposition.dimensions() == 3 ? domains_along<3>(decomposition, work)
                                         : domains_along<2>(decomposition, work);
}

std::vector<DomainCell> cells_of(const GridDomains& decomposition, std::span<const double> work) {
  return domains_with_places(decomposition, decomposition.part_of_point(), work);
}

std::vector<DomainCell> cells_of(const TreeDomains& tree, std::span<const double> work) {
  return domains_with_places(tree, tree.leaf_of_point(), work);
}

std::vector<DomainCell> cells_of(const GraphDomains&, std::span<const double>) {
  refuse_places("core/vtk");
}

}  // namespace evenkeel
