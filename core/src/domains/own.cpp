#include "domains/checks.hpp"
#include "domains/curve_boxes.hpp"
#include "domains/write_parts.hpp"
#include "field/numbers.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/own.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/domains";
constexpr const char* label = "evenkeel::domains::own";
constexpr int nobody = -1;

int part_of_rank(const Domains& domains, int rank) {
  const std::vector<int>& ranks = rank_of_part(domains);
  if (ranks.empty()) return rank >= 0 && rank < parts_of(domains) ? rank : nobody;
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return found == ranks.end() ? nobody : static_cast<int>(found - ranks.begin());
}

// --- What surely is at home ----------------------------------------------------------------------

// A box that tells quickly, and on hosts of several objects together, whether they surely are
// inside: at or above its lower faces, and below the upper ones.
template <class Real, int n>
struct QuickBox {
  static constexpr int together = 16, length = n * together;
  double lower[n], upper[n];
  // Of so many objects with adjacent coordinates: the lower faces, and the last places below the
  // upper ones.
  double lowest[length], highest[length];
  bool is_packed;  // the coordinates of the objects are adjacent doubles

  KOKKOS_FUNCTION bool contains(const Places<Real>& places, std::int64_t i) const {
    bool inside = true;
    for (int axis = 0; axis < n; ++axis) {
      const double place = places.at(i, axis);
      inside = inside & (place >= lower[axis]) & (place < upper[axis]);
    }
    return inside;
  }

  // Whether the objects from `first` on are inside; false may be wrong. Signs of differences tell,
  // and exponents whether a number is finite: such loops become vector instructions.
  bool contains_all(const Places<Real>& places, std::int64_t first) const {
    if (!is_packed) return false;
    constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> 1, least = std::uint64_t{1} << 52;
    const auto* const place =
        reinterpret_cast<const double*>(places.data + first * places.object_stride_bytes);
    std::uint64_t outside = 0;
    for (int k = 0; k < length; ++k) {
      const double above = place[k] - lowest[k], below = highest[k] - place[k];
      outside |= std::bit_cast<std::uint64_t>(above) | std::bit_cast<std::uint64_t>(below) |
                 ((std::bit_cast<std::uint64_t>(place[k]) & magnitude) + least);
    }
    return outside >> 63 == 0;
  }
};

template <class Real, int n>
QuickBox<Real, n> quick(const Box& box, const FieldLayout& at) {
  QuickBox<Real, n> quick;
  for (int axis = 0; axis < n; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    quick.lower[axis] = box.lower[d];
    quick.upper[axis] = box.upper[d];
    const double highest = std::nextafter(box.upper[d], -std::numeric_limits<double>::infinity());
    for (int k = 0; k < quick.together; ++k) {
      quick.lowest[k * n + axis] = box.lower[d];
      quick.highest[k * n + axis] = highest;
    }
  }
  quick.is_packed = std::is_same_v<Real, double> && at.is_packed() && at.components == n;
  return quick;
}

// The word of a predicate with a box, in which most objects are.
template <class Predicate>
std::uint64_t word_by_box(const Predicate& is_suspect, std::int64_t first, int length) {
  constexpr int together = decltype(is_suspect.box)::together;
  std::uint64_t word = 0;
  for (int begin = 0; begin < length; begin += together) {
    const int end = std::min(length, begin + together);
    if (end - begin == together && is_suspect.box.contains_all(is_suspect.places, first + begin))
      continue;
    for (int k = begin; k < end; ++k)
      word |= static_cast<std::uint64_t>(is_suspect(first + k) ? 1 : 0) << k;
  }
  return word;
}

// Whether an object may be outside of a domain that is a box. An object inside is inside the box of
// all domains as well, whose periods do not matter.
template <class Real, int n>
struct IsOutside {
  Places<Real> places;
  QuickBox<Real, n> box;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return !box.contains(places, i); }
  std::uint64_t word(std::int64_t first, int length) const {
    return word_by_box(*this, first, length);
  }
};

// Whether an object may be outside of the cells of a table, or of a box of such cells.
template <class Real, int n>
struct IsOffTable {
  struct Axis {
    double cells_per_length, first, end, period;  // in cells of the table; infinite: no period
    int extent;
  };
  Places<Real> places;
  QuickBox<Real, n> box;
  Lattice lattice;
  Axis axes[n];
  const unsigned char* is_own;

  // No sum of floating-point numbers: compilers may round it in several ways.
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    bool inside = true;
    int cell = 0;
    for (int axis = n - 1; axis >= 0; --axis) {
      const Axis& along = axes[axis];
      const double distance = lattice.distance(axis, places.at(i, axis));
      const double at = distance * along.cells_per_length;
      const bool is_inside = (at >= along.first) & (at < along.end) & (distance < along.period);
      inside = inside & is_inside;
      cell = cell * along.extent + static_cast<int>(is_inside ? at : along.first) -
             static_cast<int>(along.first);
    }
    return !inside || is_own[cell] == 0;
  }
  std::uint64_t word(std::int64_t first, int length) const {
    return word_by_box(*this, first, length);
  }
};

struct Everyone {
  KOKKOS_FUNCTION bool operator()(std::int64_t) const { return true; }
};

// --- The owners of a few objects -----------------------------------------------------------------

template <class Real>
struct IsNotFinite {
  Places<Real> places;
  int dimensions;
  const std::int64_t* objects;
  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    bool finite = true;
    for (int axis = 0; axis < dimensions; ++axis) {
      const double place = places.at(objects[k], axis);
      finite = finite & (place - place == 0);
    }
    return !finite;
  }
};

template <int n>
struct PartOnCurve {
  Lattice lattice;
  OwnerOf owner_of;
  KOKKOS_FUNCTION int operator()(const double* point) const {
    Cell<n> cell;
    for (int axis = 0; axis < n; ++axis) cell.at[axis] = lattice.coordinate(axis, point[axis]);
    return owner_of(lattice.template key<n>(cell));
  }
};

template <class Real, class PartOf>
struct OwnerOfListed {
  PartOf part_of;
  Places<Real> places;
  int dimensions;
  const std::int64_t* objects;
  const int* rank_of_part;  // null: part p is rank p
  int* owners;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    double point[3] = {0, 0, 0};
    for (int axis = 0; axis < dimensions; ++axis) point[axis] = places.at(objects[k], axis);
    const int part = part_of(point);
    owners[k] = rank_of_part == nullptr ? part : rank_of_part[part];
  }
};

struct IsElsewhere {
  const int* owners;
  const std::int64_t* pinned;  // by object; null: none
  const std::int64_t* objects;
  int here;
  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    return owners[k] != here && (pinned == nullptr || pinned[objects[k]] == 0);
  }
};

// The borders of a grid where kernels can reach them.
struct BordersReached {
  PartOfPoint part_of;
  std::vector<exec::Reached<double>> rows;

  BordersReached(const Space& space, const GridDomains& grid) : part_of(grid.part_of_point()) {
    rows.reserve(grid.borders().levels.size());
    for (const std::vector<double>& level : grid.borders().levels)
      rows.emplace_back(space, label, level);
    for (std::size_t level = 0; level < rows.size(); ++level)
      part_of.levels[level].borders = rows[level].data();
  }
};

// Calls `function` with the places as they are, float or double.
template <class Function>
auto with_places(const FieldLayout& at, const Function& function) {
  return at.scalar == ScalarType::float32 ? function(Places<float>(at))
                                          : function(Places<double>(at));
}

void require_finite(const Space& space, const FieldLayout& at,
                    const exec::Array<std::int64_t>& objects) {
  const std::int64_t bad = with_places(at, [&]<class Real>(const Places<Real>& places) {
    return exec::first_that(space, objects.size(),
                            IsNotFinite<Real>{places, at.components, objects.data()});
  });
  if (bad == objects.size()) return;
  std::int64_t object = 0;
  objects.fetch(bad, {&object, 1});
  throw Error(ErrorKind::bad_input, Where{stage_name},
              "The position of object " + std::to_string(object) + " is not finite.",
              "Look for what made it so, before objects move.");
}

template <class PartOf>
void write_owners_by(const Space& space, const PartOf& part_of, const FieldLayout& at,
                     const exec::Array<std::int64_t>& objects, const int* ranks,
                     const exec::Array<int>& owners) {
  with_places(at, [&]<class Real>(const Places<Real>& places) {
    exec::for_each(space, label, objects.size(),
                   OwnerOfListed<Real, PartOf>{part_of, places, at.components, objects.data(),
                                               ranks, owners.data()});
  });
  space.fence(label);
}

exec::Array<int> owners_among(const Space& space, const Domains& domains, const FieldLayout& at,
                              const exec::Array<std::int64_t>& objects) {
  exec::Array<int> owners(space, label, objects.size());
  const exec::Reached<int> reached(space, label, rank_of_part(domains));
  const int* const ranks = reached.size() > 0 ? reached.data() : nullptr;
  if (const auto* curve = std::get_if<CurveDomains>(&domains)) {
    const exec::Reached<CurveKey> splitters(space, label, curve->splitters());
    const OwnerOf owner_of{splitters.data(), curve->parts()};
    const Lattice lattice = lattice_of(*curve);
    if (curve->dimensions() == 3)
      write_owners_by(space, PartOnCurve<3>{lattice, owner_of}, at, objects, ranks, owners);
    else
      write_owners_by(space, PartOnCurve<2>{lattice, owner_of}, at, objects, ranks, owners);
  } else if (const auto* grid = std::get_if<GridDomains>(&domains)) {
    const BordersReached borders(space, *grid);
    write_owners_by(space, borders.part_of, at, objects, ranks, owners);
  } else {
    const auto& tree = std::get<TreeDomains>(domains);
    LeafOfPoint leaf_of = tree.leaf_of_point();
    const exec::Reached<Fork> forks(space, label, tree.forks());
    leaf_of.forks = forks.data();
    write_owners_by(space, leaf_of, at, objects, ranks, owners);
  }
  return owners;
}

// --- Cells of a stretch of a curve ---------------------------------------------------------------

template <int n>
struct WriteCells {
  Lattice lattice;
  std::uint64_t first;
  int shift, coarser;
  std::uint32_t* cells;  // axis by axis
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

}  // namespace

// Cells of a table on the host.
class Cells {
 public:
  Cells(std::vector<unsigned char> is_own, const std::array<std::uint32_t, 3>& extent)
      : is_own_(std::move(is_own)), extent_(extent) {}

  // A block of own cells around one of them, which grows as long as a whole layer is free.
  struct Block {
    std::array<std::uint32_t, 3> first, last;
  };
  bool owns(const std::array<std::uint32_t, 3>& cell) const {
    return is_own_[(std::size_t{cell[2]} * extent_[1] + cell[1]) * extent_[0] + cell[0]] != 0;
  }
  Block block_around(const std::array<std::uint32_t, 3>& cell) const {
    Block block = {cell, cell};
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
  bool owns_layer(Block block, std::size_t axis, std::uint32_t at) const {
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

// --- OwnDomain -----------------------------------------------------------------------------------

OwnDomain::OwnDomain(const Space& space, const Domains& domains, int rank, std::int64_t objects)
    : space_(space), domains_(domains), rank_(rank) {
  check_has_parts(stage_name, parts_of(domains));
  if (!own_places(domains)) refuse_places(stage_name);
  const int part = part_of_rank(domains, rank);
  if (part == nobody) return;
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    table_ = table_for(*curve, objects);
  else if (const auto* grid = std::get_if<GridDomains>(&domains))
    box_ = grid->box_of(part);
  else
    box_ = std::get<TreeDomains>(domains).box_of(part);
}

// The finest table that is not larger than it is worth. A stretch of the curve fills a fair part of
// the box around it, and all of its cells but two, on coarse levels, belong to it as a whole.
std::optional<OwnDomain::Table> OwnDomain::table_for(const CurveDomains& curve,
                                                     std::int64_t objects) const {
  constexpr std::int64_t most_cells = std::int64_t{1} << 16, most_bytes = std::int64_t{1} << 21;
  if (curve.curve().kind == CurveKind::snake) return std::nullopt;  // visits no cubes
  const auto part = static_cast<std::size_t>(part_of_rank(domains_, rank_));
  const std::uint64_t begin = curve.splitters()[part].value,
                      end = curve.splitters()[part + 1].value;
  const Lattice lattice = lattice_of(curve);
  const int n = curve.dimensions();
  const std::int64_t affordable = std::min(most_cells, objects / 2 + 1);
  for (int coarser = 0; coarser < lattice.levels(); ++coarser) {
    const int shift = lattice.unused_bits() + n * coarser;
    const std::uint64_t last = end >> shift;
    const std::uint64_t first = (begin >> shift) + (begin >> shift << shift != begin ? 1 : 0);
    if (last <= first) return std::nullopt;
    if (last - first > static_cast<std::uint64_t>(affordable)) continue;
    const auto count = static_cast<std::int64_t>(last - first);
    const exec::Array<std::uint32_t> cells =
        cells_of(space_, lattice, first, count, shift, coarser);
    Table table;
    table.coarser = coarser;
    MarkCells mark{cells.data(), count, n, {0, 0, 0}, {1, 1, 1}, nullptr};
    std::int64_t volume = 1;
    for (int axis = 0; axis < n; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const auto along = exec::extremes<std::uint32_t>(
          space_, count, exec::Values<const std::uint32_t>{cells.data() + axis * count, count});
      mark.first[axis] = table.first[d] = along.least;
      mark.extent[axis] = table.extent[d] = along.greatest - along.least + 1;
      volume = std::min(most_bytes + 1, volume * std::int64_t{table.extent[d]});
    }
    if (volume > most_bytes) continue;
    table.is_own = exec::filled<unsigned char>(space_, label, volume, 0);
    mark.is_own = table.is_own.data();
    exec::for_each(space_, label, count, mark);
    space_.fence(label);
    table.inner = inner_box(curve, static_cast<int>(part), table);
    return table;
  }
  return std::nullopt;
}

// As large as layers of own cells around the largest cube make it; a little smaller, since faces
// are rounded.
Box OwnDomain::inner_box(const CurveDomains& curve, int part, const Table& table) {
  const Lattice lattice = lattice_of(curve);
  const std::vector<Box> boxes = boxes_on_curve(curve, part);
  constexpr Box none = {{0, 0, 0}, {0, 0, 0}};
  if (boxes.empty()) return none;
  const auto n = static_cast<std::size_t>(curve.dimensions());
  const Box& largest = largest_of(boxes, n);
  std::array<std::uint32_t, 3> cell = {0, 0, 0};
  for (std::size_t d = 0; d < n; ++d) {
    const double middle = largest.lower[d] / 2 + largest.upper[d] / 2;
    cell[d] = (lattice.coordinate(static_cast<int>(d), middle) >> table.coarser) - table.first[d];
    if (cell[d] >= table.extent[d]) return none;  // smaller than a cell of the table
  }
  const Cells cells(table.is_own.on_host(), table.extent);
  if (!cells.owns(cell)) return none;
  const Cells::Block block = cells.block_around(cell);
  Box inner = curve.box();
  for (std::size_t d = 0; d < n; ++d) {
    const double lower = curve.box().lower[d], upper = curve.box().upper[d];
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

exec::Array<std::int64_t> OwnDomain::suspects_in(const FieldLayout& at) const {
  const auto found = [&](const auto& is_suspect) {
    return exec::numbers_that(space_, label, at.count, is_suspect);
  };
  if (!box_ && !table_) return found(Everyone{});
  const Lattice lattice = table_ ? lattice_of(std::get<CurveDomains>(domains_)) : Lattice();
  const auto among = [&]<class Real, int n>(const Places<Real>& places,
                                            std::integral_constant<int, n>) {
    const QuickBox<Real, n> box = quick<Real, n>(box_ ? *box_ : table_->inner, at);
    if (!table_) return found(IsOutside<Real, n>{places, box});
    IsOffTable<Real, n> is_off{places, box, lattice, {}, table_->is_own.data()};
    for (int axis = 0; axis < n; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const double period = lattice.period(axis);
      // The curve goes on behind the upper face of a box that is no cube.
      const double last = std::ldexp(lattice.last_coordinate(axis) + 1.0, -table_->coarser);
      const double first = table_->first[d], extent = table_->extent[d];
      is_off.axes[axis] = {std::ldexp(lattice.cells_per_length(axis), -table_->coarser), first,
                           std::min(first + extent, last),
                           period > 0 ? period : std::numeric_limits<double>::infinity(),
                           static_cast<int>(table_->extent[d])};
    }
    return found(is_off);
  };
  return with_places(at, [&](const auto& places) {
    return at.components == 3 ? among(places, std::integral_constant<int, 3>())
                              : among(places, std::integral_constant<int, 2>());
  });
}

Strays OwnDomain::strays_of(const Set& set) const {
  if (!has_objects(stage_name, space_, parts_of(domains_), dimensions_of(domains_), set)) return {};
  const FieldLayout at = set.position();
  const exec::Array<std::int64_t> suspects = suspects_in(at);
  if (suspects.empty()) return {};
  require_finite(space_, at, suspects);
  const exec::Array<int> owners = owners_among(space_, domains_, at, suspects);
  exec::Array<std::int64_t> pinned;
  if (set.options().pinned.given())
    pinned = read_integers(space_, set.options().pinned.layout(), at.count);
  const exec::Array<std::int64_t> gone = exec::numbers_that(
      space_, label, suspects.size(),
      IsElsewhere{owners.data(), pinned.empty() ? nullptr : pinned.data(), suspects.data(), rank_});
  return {exec::chosen(space_, label, suspects.data(), gone),
          exec::chosen(space_, label, owners.data(), gone)};
}

}  // namespace evenkeel
