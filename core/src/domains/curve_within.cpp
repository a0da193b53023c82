// Finds the owners of a part of a box: walks the curve from one key inside the box to the next that
// another part owns. Each step looks only at the cubes of cells on the way, so the time grows with
// the number of parts found and of levels, not with the number of cells.

#include "domains/checks.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/curve.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace evenkeel {

namespace {

// Coordinates of cells along one axis, both inside.
struct Stretch {
  std::uint32_t first, last;
};
template <int n>
using CellBox = std::array<Stretch, static_cast<std::size_t>(n)>;

// --- The next key in a box -----------------------------------------------------------------------
// Keys are counted in cells here: without the bits that a lattice of fewer levels leaves unused.

// For curves that fill cubes one after the other.
template <int n>
class NextInCubes {
 public:
  NextInCubes(const Lattice& lattice, const CellBox<n>& box) : lattice_(lattice), box_(box) {}

  // The least key in the box that is not below `from`.
  std::optional<std::uint64_t> operator()(std::uint64_t from) const {
    return in_cube(0, lattice_.levels(), from);
  }

 private:
  // The same within the cube of 2^level cells a side whose first key is `first`.
  std::optional<std::uint64_t> in_cube(std::uint64_t first, int level, std::uint64_t from) const {
    const std::uint64_t size = std::uint64_t{1} << (n * level);
    if (first + size <= from) return std::nullopt;
    const Cell<n> inside = lattice_.template cell<n>({first << lattice_.unused_bits()});
    bool all = true;
    for (int axis = 0; axis < n; ++axis) {
      const std::uint32_t begin = inside.at[axis] >> level << level;
      const auto last = static_cast<std::uint32_t>(begin + (std::uint64_t{1} << level) - 1);
      const Stretch& along = box_[static_cast<std::size_t>(axis)];
      if (last < along.first || begin > along.last) return std::nullopt;
      all = all && begin >= along.first && last <= along.last;
    }
    if (all) return std::max(first, from);
    const std::uint64_t part = size >> n;
    for (std::uint64_t child = first; child < first + size; child += part)
      if (const auto found = in_cube(child, level - 1, from)) return found;
    return std::nullopt;
  }

  const Lattice& lattice_;
  const CellBox<n>& box_;
};

// For the snake: a key is a number whose digits are the last axis, then the one before, ..., each
// counted backwards if the digit before is odd.
template <int n>
class NextOnSnake {
 public:
  NextOnSnake(const Lattice& lattice, const CellBox<n>& box) : lattice_(lattice), box_(box) {}

  std::optional<std::uint64_t> operator()(std::uint64_t from) const {
    return below(n - 1, 0, from, true);
  }

 private:
  // Searches the keys that begin with `digits`. While `follows`, these digits are those of `from`.
  std::optional<std::uint64_t> below(int axis, std::uint64_t digits, std::uint64_t from,
                                     bool follows) const {
    const std::uint64_t count = std::uint64_t{1} << lattice_.levels();
    const Stretch& along = box_[static_cast<std::size_t>(axis)];
    const bool backwards = axis + 1 < n && (digits & 1U) != 0;
    const std::uint64_t first = backwards ? count - 1 - along.last : along.first;
    const std::uint64_t last = backwards ? count - 1 - along.first : along.last;
    const std::uint64_t least =
        follows ? (from >> (axis * lattice_.levels())) & (count - 1) : std::uint64_t{0};
    for (std::uint64_t digit = std::max(first, least); digit <= last; ++digit) {
      const std::uint64_t key = digits << lattice_.levels() | digit;
      if (axis == 0) return key;
      if (const auto found = below(axis - 1, key, from, follows && digit == least)) return found;
    }
    return std::nullopt;  // at most the first digit was tried in vain: the others follow no digit
                          // of `from`
  }

  const Lattice& lattice_;
  const CellBox<n>& box_;
};

// --- From places to cells ------------------------------------------------------------------------

// The cells of [lower, upper] along one axis: two stretches where it wraps around.
std::vector<Stretch> stretches_of(const Lattice& lattice, const CurveDomains& decomposition,
                                  int axis, double lower, double upper) {
  const auto a = static_cast<std::size_t>(axis);
  const double begin = decomposition.box().lower[a];
  const double period = decomposition.box().upper[a] - begin;
  const std::uint32_t last = lattice.last_coordinate(axis);
  if (!decomposition.periodic()[a])
    return {{lattice.coordinate(axis, lower), lattice.coordinate(axis, upper)}};
  if (!(upper - lower < period)) return {{0, last}};
  const std::uint32_t from = lattice.coordinate(axis, lower);
  const std::uint32_t to = lattice.coordinate(axis, upper);
  const bool wraps = std::floor((lower - begin) / period) != std::floor((upper - begin) / period);
  if (!wraps && from <= to) return {{from, to}};
  if (to >= from) return {{0, last}};
  return {{0, to}, {from, last}};
}

template <int n>
void add_owners(const Lattice& lattice, const CurveDomains& decomposition, const CellBox<n>& box,
                std::vector<int>& ranks) {
  const Splitters& splitters = decomposition.splitters();
  const int unused = lattice.unused_bits();
  const auto walk = [&](const auto& next) {
    for (auto cell = next(0); cell;) {
      const int part = owner_of(splitters, {*cell << unused});
      ranks.push_back(decomposition.rank_of(part));
      const std::uint64_t end = splitters[static_cast<std::size_t>(part) + 1].value;
      if (end == end_of_curve(n).value) return;
      const std::uint64_t after = (end >> unused) + ((end >> unused << unused) != end ? 1 : 0);
      if (after >> (n * lattice.levels()) != 0) return;  // between the last key and the end
      cell = next(after);
    }
  };
  if (lattice.curve() == CurveKind::snake)
    walk(NextOnSnake<n>(lattice, box));
  else
    walk(NextInCubes<n>(lattice, box));
}

template <int n>
std::vector<int> ranks_within_of(const CurveDomains& decomposition, const Box& box, double width) {
  const Lattice lattice = lattice_of(decomposition);
  std::array<std::vector<Stretch>, static_cast<std::size_t>(n)> along;
  for (int axis = 0; axis < n; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    along[a] =
        stretches_of(lattice, decomposition, axis, box.lower[a] - width, box.upper[a] + width);
  }
  std::vector<int> ranks;
  CellBox<n> cells;
  const auto for_each_box = [&](const auto& self, std::size_t axis) -> void {
    if (axis == along.size()) return add_owners<n>(lattice, decomposition, cells, ranks);
    for (const Stretch& stretch : along[axis]) {
      cells[axis] = stretch;
      self(self, axis + 1);
    }
  };
  for_each_box(for_each_box, 0);
  make_ascending(ranks);
  return ranks;
}

}  // namespace

std::vector<int> ranks_within(const CurveDomains& decomposition, const Box& box, double width) {
  constexpr const char* stage_name = "core/domains";
  check_has_parts(stage_name, decomposition.parts());
  check_halo(stage_name, decomposition.dimensions(), box, width);
  return decomposition.dimensions() == 3 ? ranks_within_of<3>(decomposition, box, width)
                                         : ranks_within_of<2>(decomposition, box, width);
}

}  // namespace evenkeel
