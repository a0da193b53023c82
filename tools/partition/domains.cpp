#include "partition/domains.hpp"

#include "partition/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/owner.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace evenkeel::tool {

namespace {

// --- Splitters -----------------------------------------------------------------------------------

constexpr std::int64_t beyond_all = std::numeric_limits<std::int64_t>::max();

// Of the keys of each part: the least, and minus the greatest. Where a part has none: beyond all.
struct Extents {
  void make_room(std::size_t parts) { values.assign(2 * parts, beyond_all); }
  void add(std::size_t part, CurveKey key) {
    const auto number = static_cast<std::int64_t>(key.value);
    values[2 * part] = std::min(values[2 * part], number);
    values[2 * part + 1] = std::min(values[2 * part + 1], -number);
  }
  bool has_keys(std::size_t part) const { return values[2 * part] != beyond_all; }
  std::uint64_t least(std::size_t part) const {
    return static_cast<std::uint64_t>(values[2 * part]);
  }
  std::uint64_t greatest(std::size_t part) const {
    return static_cast<std::uint64_t>(-values[2 * part + 1]);
  }
  std::vector<std::int64_t> values;
};

// The number above `low`, at most `high`, that ends in the most zeros.
std::uint64_t roundest(std::uint64_t low, std::uint64_t high) {
  const auto zeros = static_cast<unsigned>(std::bit_width(low ^ high)) - 1;
  return high >> zeros << zeros;
}

// --- Boxes ---------------------------------------------------------------------------------------

// Coordinates of cells along one axis, both inside.
struct Stretch {
  std::uint32_t first, last;
};

template <int n>
class Domains {
 public:
  Domains(const Lattice& lattice, const Box& box) : lattice_(lattice), box_(box) {
    double longest = 0;
    for (std::size_t axis = 0; axis < n; ++axis)
      longest = std::max(longest, box.upper[axis] * quarter - box.lower[axis] * quarter);
    quarter_width_ = longest / static_cast<double>(std::uint64_t{1} << levels());
  }

  // The cells with keys from `begin` to before `end`, in cells.
  void add(std::uint64_t begin, std::uint64_t end, std::int32_t part, double work) {
    part_ = part;
    work_ = work;
    if (lattice_.curve() == CurveKind::snake)
      add_of_snake(n - 1, begin, end);
    else
      add_cubes(begin, end);
  }

  // The first cell whose key is not below a splitter.
  std::uint64_t first_from(CurveKey splitter) const {
    const int unused = lattice_.unused_bits();
    const std::uint64_t down = splitter.value >> unused;
    return down + (down << unused != splitter.value ? 1 : 0);
  }

  std::vector<DomainCell> cells;

 private:
  static constexpr double quarter = 0.25;  // of the user's lengths: their differences stay finite

  int levels() const { return lattice_.levels(); }
  Cell<n> cell_at(std::uint64_t key) const {
    return lattice_.template cell<n>({key << lattice_.unused_bits()});
  }

  // Keys of a cube of 2^k cells a side are the 2^(nk) that follow a multiple of that number.
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

  // Whole units along `axis` (cells, rows, planes) that stand side by side are a box; what is left
  // before and behind them lies within one unit each, and so does all where no unit is whole.
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

  // From the unit of one cell to that of another. Either may come first: rows turn.
  void add_units(int axis, const Cell<n>& from, const Cell<n>& to) {
    std::array<Stretch, n> stretches;
    for (int a = 0; a < n; ++a) {
      const auto [low, high] = std::minmax(from.at[a], to.at[a]);
      const auto end = static_cast<std::uint32_t>((std::uint64_t{1} << levels()) - 1);
      stretches[static_cast<std::size_t>(a)] = a < axis ? Stretch{0, end} : Stretch{low, high};
    }
    add_box(stretches);
  }

  void add_box(const std::array<Stretch, n>& stretches) {
    DomainCell cell{{}, part_, work_};
    for (int axis = 0; axis < n; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (stretches[a].first > lattice_.last_coordinate(axis)) return;
      cell.box.lower[a] = edge(axis, stretches[a].first);
      cell.box.upper[a] = edge(axis, std::uint64_t{stretches[a].last} + 1);
    }
    cells.push_back(cell);
  }

  // The place of the lower face of a cell, or the upper one of the cell before.
  double edge(int axis, std::uint64_t cell) const {
    const auto a = static_cast<std::size_t>(axis);
    if (cell == 0) return box_.lower[a];
    if (cell > lattice_.last_coordinate(axis)) return box_.upper[a];
    const double place = box_.lower[a] * quarter + static_cast<double>(cell) * quarter_width_;
    return std::clamp(place / quarter, box_.lower[a], box_.upper[a]);
  }

  const Lattice& lattice_;
  const Box& box_;
  double quarter_width_ = 0;  // of a cell
  std::int32_t part_ = 0;
  double work_ = 0;
};

template <int n>
std::vector<DomainCell> domains_along(const Splitters& splitters, const Lattice& lattice,
                                      const Box& box, std::span<const double> work) {
  Domains<n> domains(lattice, box);
  const std::uint64_t end = std::uint64_t{1} << (n * lattice.levels());
  for (std::size_t part = 0; part + 1 < splitters.size(); ++part)
    domains.add(domains.first_from(splitters[part]),
                std::min(end, domains.first_from(splitters[part + 1])),
                static_cast<std::int32_t>(part), work[part]);
  return std::move(domains.cells);
}

}  // namespace

Splitters at_round_keys(const Communicator& communicator, std::span<const CurveKey> keys,
                        const Splitters& splitters) {
  const std::size_t parts = splitters.size() - 1;
  Extents extents;
  Splitters round;
  vote(communicator, attempt(partition_stage, [&] {
         extents.make_room(parts);
         const OwnerOf owner_of{splitters.data(), static_cast<int>(parts)};
         for (const CurveKey key : keys) extents.add(static_cast<std::size_t>(owner_of(key)), key);
         round = splitters;
       }));
  communicator.all_reduce(std::span<std::int64_t>(extents.values), Reduction::least);
  // Between two parts with keys all splitters come to stand at the same place.
  std::optional<std::uint64_t> greatest;
  std::size_t first = 1;  // splitter behind the last part with keys
  for (std::size_t part = 0; part < parts; ++part) {
    if (!extents.has_keys(part)) continue;
    const CurveKey place{greatest ? roundest(*greatest, extents.least(part)) : 0};
    for (; first <= part; ++first) round[first] = place;
    greatest = extents.greatest(part);
  }
  if (greatest)
    for (; first < parts; ++first) round[first] = splitters.back();
  return round;
}

std::vector<DomainCell> domains_of(const Splitters& splitters, const CurveOptions& curve,
                                   int dimensions, const Box& box, std::span<const double> work) {
  const Lattice lattice(dimensions, box, {}, curve.kind, curve.levels);
  return dimensions == 3 ? domains_along<3>(splitters, lattice, box, work)
                         : domains_along<2>(splitters, lattice, box, work);
}

}  // namespace evenkeel::tool
