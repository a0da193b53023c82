#include "domains/home/cell_table.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::domains::table";

// --- Making a table ------------------------------------------------------------------------------

template <int n>
struct WriteCells {
  Lattice lattice;
  std::uint64_t first;
  int shift, coarser;
  std::uint32_t* cells;  // first all coordinates along axis 0, then those along axis 1, ...
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::uint64_t key = (first + static_cast<std::uint64_t>(k)) << shift;
    const Cell<n> cell = lattice.template cell<n>({key});
    for (int axis = 0; axis < n; ++axis) cells[axis * count + k] = cell.at[axis] >> coarser;
  }
};

struct MarkCells {
  const std::uint32_t* cells;
  std::int64_t count;
  int dimensions;
  std::uint32_t first[3], extent[3];
  unsigned char* is_own;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t cell = 0;
    for (int axis = dimensions - 1; axis >= 0; --axis)
      cell = cell * extent[axis] + (cells[axis * count + k] - first[axis]);
    is_own[cell] = 1;
  }
};

exec::Array<std::uint32_t> cells_of(const Space& space, const Lattice& lattice, std::uint64_t first,
                                    std::int64_t count, int shift, int coarser) {
  exec::Array<std::uint32_t> cells(space, label, count * lattice.dimensions());
  if (lattice.dimensions() == 3)
    exec::for_each(space, label, count,
                   WriteCells<3>{lattice, first, shift, coarser, cells.data(), count});
  else
    exec::for_each(space, label, count,
                   WriteCells<2>{lattice, first, shift, coarser, cells.data(), count});
  return cells;
}

// The cells of a coarser lattice that are completely in a range of a curve. Their numbers along the
// curve are [first, end).
struct WholeCells {
  std::uint64_t first = 0, end = 0;
  int shift = 0;  // a cell's first key is its number << shift

  WholeCells(const Lattice& lattice, CurveKey begin, CurveKey after, int coarser)
      : shift(lattice.unused_bits() + lattice.dimensions() * coarser) {
    first = (begin.value >> shift) + (begin.value >> shift << shift != begin.value ? 1 : 0);
    end = std::max(first, after.value >> shift);
  }
  std::uint64_t count() const { return end - first; }
};

// Returns nothing if the box around the cells is too large for a table.
std::optional<CellTable> table_of(const Space& space, const Lattice& lattice,
                                  const WholeCells& whole, int coarser) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 21;
  const int n = lattice.dimensions();
  const auto count = static_cast<std::int64_t>(whole.count());
  const exec::Array<std::uint32_t> cells =
      cells_of(space, lattice, whole.first, count, whole.shift, coarser);
  CellTable table;
  table.coarser = coarser;
  MarkCells mark{cells.data(), count, n, {0, 0, 0}, {1, 1, 1}, nullptr};
  std::int64_t volume = 1;
  for (int axis = 0; axis < n; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const auto along = exec::extremes<std::uint32_t>(
        space, count, exec::Values<const std::uint32_t>{cells.data() + axis * count, count});
    mark.first[axis] = table.first[d] = along.least;
    mark.extent[axis] = table.extent[d] = along.greatest - along.least + 1;
    volume = std::min(most_bytes + 1, volume * std::int64_t{table.extent[d]});
  }
  if (volume > most_bytes) return std::nullopt;
  table.is_own = exec::filled<unsigned char>(space, label, volume, 0);
  mark.is_own = table.is_own.data();
  exec::for_each(space, label, count, mark);
  space.fence(label);
  return table;
}

// --- The box inside ------------------------------------------------------------------------------

// Cells of a table on the host.
class HostCells {
 public:
  explicit HostCells(const CellTable& table)
      : is_own_(table.is_own.on_host()), extent_(table.extent) {}

  // A block of own cells that contains a given cell. It grows while a whole layer of cells beside
  // it is own.
  struct OwnBlock {
    std::array<std::uint32_t, 3> first, last;
  };
  bool owns(const std::array<std::uint32_t, 3>& cell) const {
    return is_own_[(std::size_t{cell[2]} * extent_[1] + cell[1]) * extent_[0] + cell[0]] != 0;
  }
  OwnBlock block_around(const std::array<std::uint32_t, 3>& cell) const {
    OwnBlock block = {cell, cell};
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (block.first[axis] > 0 && owns_layer(block, axis, block.first[axis] - 1)) {
          --block.first[axis];
          grows = true;
        }
        if (block.last[axis] + 1 < extent_[axis] && owns_layer(block, axis, block.last[axis] + 1)) {
          ++block.last[axis];
          grows = true;
        }
      }
    }
    return block;
  }

 private:
  bool owns_layer(OwnBlock block, std::size_t axis, std::uint32_t at) const {
    block.first[axis] = block.last[axis] = at;
    for (std::uint32_t z = block.first[2]; z <= block.last[2]; ++z)
      for (std::uint32_t y = block.first[1]; y <= block.last[1]; ++y)
        for (std::uint32_t x = block.first[0]; x <= block.last[0]; ++x)
          if (is_own_[(std::size_t{z} * extent_[1] + y) * extent_[0] + x] == 0) return false;
    return true;
  }

  std::vector<unsigned char> is_own_;
  std::array<std::uint32_t, 3> extent_;
};

const Box& largest_of(const std::vector<Box>& boxes, std::size_t dimensions) {
  const auto volume = [dimensions](const Box& box) {
    double product = 1;
    for (std::size_t d = 0; d < dimensions; ++d) product *= box.upper[d] - box.lower[d];
    return product;
  };
  return *std::max_element(boxes.begin(), boxes.end(),
                           [&](const Box& a, const Box& b) { return volume(a) < volume(b); });
}

}  // namespace

// Even a table of a coarse lattice is useful. A range of the curve touches a number of coarse
// cells, and all but two of them are completely in the range. They fill a large part of the box
// around the range.
std::optional<CellTable> finest_table(const Space& space, const Lattice& lattice, CurveKey begin,
                                      CurveKey end, std::int64_t objects) {
  constexpr std::int64_t most_cells = std::int64_t{1} << 16;
  const auto affordable = static_cast<std::uint64_t>(std::min(most_cells, objects / 2 + 1));
  for (int coarser = 0; coarser < lattice.levels(); ++coarser) {
    const WholeCells whole(lattice, begin, end, coarser);
    if (whole.count() == 0) return std::nullopt;
    if (whole.count() > affordable) continue;
    if (auto table = table_of(space, lattice, whole, coarser)) return table;
  }
  return std::nullopt;
}

Box inner_box(const CellTable& table, const Lattice& lattice, const Box& whole,
              const std::vector<Box>& cubes) {
  constexpr Box none = {{0, 0, 0}, {0, 0, 0}};
  if (cubes.empty()) return none;
  const auto n = static_cast<std::size_t>(lattice.dimensions());
  const Box& largest = largest_of(cubes, n);
  std::array<std::uint32_t, 3> cell = {0, 0, 0};
  for (std::size_t d = 0; d < n; ++d) {
    const double middle = largest.lower[d] / 2 + largest.upper[d] / 2;
    cell[d] = (lattice.coordinate(static_cast<int>(d), middle) >> table.coarser) - table.first[d];
    if (cell[d] >= table.extent[d]) return none;  // the cube is smaller than a cell of the table
  }
  const HostCells cells(table);
  if (!cells.owns(cell)) return none;
  const HostCells::OwnBlock block = cells.block_around(cell);
  Box inner = whole;
  for (std::size_t d = 0; d < n; ++d) {
    const double lower = whole.lower[d], upper = whole.upper[d];
    const double margin =
        std::max((upper - lower) * 0x1p-40, std::max(std::abs(lower), std::abs(upper)) * 0x1p-48);
    const auto face = [&](std::uint32_t of_table) {
      const std::uint64_t fine = std::uint64_t{table.first[d] + of_table} << table.coarser;
      return fine > lattice.last_coordinate(static_cast<int>(d))
                 ? upper
                 : lattice.face(static_cast<int>(d), static_cast<std::uint32_t>(fine));
    };
    inner.lower[d] = face(block.first[d]) + margin;
    inner.upper[d] = face(block.last[d] + 1) - margin;
  }
  return inner;
}

}  // namespace evenkeel
