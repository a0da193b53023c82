#pragma once

// The mesh of example 05: a base grid of 16 x 8 cells on a periodic box of 2 x 1, and up to four
// levels of patches on it, each twice as fine as the one below. A patch is within one patch of the
// coarser level, its parent, and no patch of the same level overlaps it.
//
// All ranks know all patches and all values. A real code would exchange only the ghost cells of its
// patches; this example is not about messages.

#include <evenkeel/evenkeel.hpp>
#include <evenkeel/extras/patches/patch_model.hpp>
#include <evenkeel/stages.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace refined {

namespace ek = evenkeel;

constexpr int levels = 5, ratio = 2, finest = levels - 1;
constexpr std::int64_t width_of(int level) { return std::int64_t{16} << level; }
constexpr std::int64_t height_of(int level) { return std::int64_t{8} << level; }
constexpr double cell_size(int level) { return 1.0 / static_cast<double>(height_of(level)); }

// A number for each cell of all levels, even for cells that are in no patch.
template <class T>
class OnLevels {
 public:
  OnLevels() : values_(static_cast<std::size_t>(offset(levels))) {}
  T& at(int level, std::int64_t i, std::int64_t j) { return values_[index(level, i, j)]; }
  const T& at(int level, std::int64_t i, std::int64_t j) const {
    return values_[index(level, i, j)];
  }
  T& operator[](std::size_t index) { return values_[index]; }
  const T& operator[](std::size_t index) const { return values_[index]; }
  std::vector<T>& values() { return values_; }
  void clear() { std::fill(values_.begin(), values_.end(), T{}); }

  // Wraps i and j, since the box is periodic. Its extents are powers of two.
  static std::size_t index(int level, std::int64_t i, std::int64_t j) {
    const std::int64_t width = width_of(level);
    return static_cast<std::size_t>(offset(level) + (j & (height_of(level) - 1)) * width +
                                    (i & (width - 1)));
  }

 private:
  static constexpr std::int64_t offset(int level) {
    return (width_of(level) * height_of(level) - width_of(0) * height_of(0)) / 3;
  }
  std::vector<T> values_;
};

template <class Function>
void for_each_cell(const ek::CellRange& cells, const Function& function) {
  for (std::int64_t j = cells.begin[1]; j < cells.end[1]; ++j)
    for (std::int64_t i = cells.begin[0]; i < cells.end[0]; ++i) function(i, j);
}
inline ek::CellRange whole(int level) {
  return {{0, 0, 0}, {width_of(level), height_of(level), 1}};
}
inline ek::PatchSize size_of(const ek::CellRange& cells) {
  return {cells.end[0] - cells.begin[0], cells.end[1] - cells.begin[1], 1};
}

struct Patch {
  int level = 0;
  ek::CellRange cells;                // of its level
  std::vector<std::size_t> children;  // in the order of the Hilbert curve

  // The cells of the parent's level that the patch covers.
  ek::CellRange covered() const {
    ek::CellRange coarse = cells;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      coarse.begin[axis] /= ratio;
      coarse.end[axis] /= ratio;
    }
    return coarse;
  }
  std::uint64_t place_on_curve() const {
    ek::stages::Cell<2> centre;
    for (std::size_t axis = 0; axis < 2; ++axis)
      centre.at[axis] =
          static_cast<std::uint32_t>((cells.begin[axis] + cells.end[axis]) << (finest - level));
    return ek::stages::HilbertCurve<2>{}(centre).value;
  }
};
using Patches = std::vector<Patch>;  // the base grid first, and parents before their children

using Field = OnLevels<double>;
using Mask = OnLevels<char>;

inline Mask covered_by(const Patches& patches) {
  Mask covered;
  for (const Patch& patch : patches)
    for_each_cell(patch.cells, [&](auto i, auto j) { covered.at(patch.level, i, j) = 1; });
  return covered;
}

// Covers the cells of `wanted` with boxes that are full enough. Cuts boxes along empty rows if
// there are any (after Berger and Rigoutsos, IEEE Trans. Syst. Man Cybern. 21, 1991). A box has
// only cells of `allowed`, so `allowed` must have all cells of `wanted`.
class Clustering {
 public:
  Clustering(const Mask& wanted, const Mask& allowed, int level)
      : wanted_(wanted), allowed_(allowed), level_(level) {}

  std::vector<ek::CellRange> boxes_in(const ek::CellRange& range) const {
    std::vector<ek::CellRange> boxes;
    add(range, boxes);
    return boxes;
  }

 private:
  static constexpr double least_full = 0.75;
  static constexpr std::int64_t most_cells = 16;

  void add(ek::CellRange range, std::vector<ek::CellRange>& boxes) const {
    std::array<std::vector<std::int64_t>, 2> rows;
    std::int64_t found = 0;
    bool possible = true;
    for (std::size_t axis = 0; axis < 2; ++axis)
      rows[axis].resize(static_cast<std::size_t>(range.end[axis] - range.begin[axis]));
    const auto count = [&](std::size_t axis, std::int64_t at) -> std::int64_t& {
      return rows[axis][static_cast<std::size_t>(at - range.begin[axis])];
    };
    for_each_cell(range, [&](auto i, auto j) {
      if (!wanted_.at(level_, i, j)) return;
      ++count(0, i);
      ++count(1, j);
      ++found;
    });
    if (found == 0) return;
    ek::CellRange tight = range;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      while (count(axis, tight.begin[axis]) == 0) ++tight.begin[axis];
      while (count(axis, tight.end[axis] - 1) == 0) --tight.end[axis];
    }
    for_each_cell(tight, [&](auto i, auto j) { possible = possible && allowed_.at(level_, i, j); });
    const std::int64_t x = tight.end[0] - tight.begin[0], y = tight.end[1] - tight.begin[1];
    const std::size_t longer = x >= y ? 0 : 1;
    const std::int64_t longest = std::max(x, y);
    const bool full = static_cast<double>(found) >= least_full * static_cast<double>(x * y);
    if (possible && longest <= most_cells && (full || longest <= 4)) {
      boxes.push_back(tight);
      return;
    }
    std::int64_t cut = tight.begin[longer] + longest / 2;
    for (std::int64_t off = 0; off < longest / 2; ++off) {
      const std::int64_t middle = tight.begin[longer] + longest / 2;
      if (count(longer, middle - off) == 0)
        cut = middle - off;
      else if (count(longer, middle + off) == 0)
        cut = middle + off;
      else
        continue;
      break;
    }
    ek::CellRange first = tight, second = tight;
    first.end[longer] = second.begin[longer] = cut;
    add(first, boxes);
    add(second, boxes);
  }

  const Mask& wanted_;
  const Mask& allowed_;
  int level_;
};

// The cells to refine: cells where the field bends, and cells around those that finer levels
// refine. So a patch is never beside a patch that is two levels coarser.
inline Mask cells_to_refine(const Field& field, const Mask& covered) {
  constexpr double bend = 0.1;        // of the second difference, in cell sizes
  constexpr std::int64_t margin = 1;  // in cells, on all sides
  Mask wanted;
  for (int level = finest - 1; level >= 0; --level) {
    Mask found;
    for_each_cell(whole(level), [&](auto i, auto j) {
      const auto u = [&](auto di, auto dj) { return field.at(level, i + di, j + dj); };
      const double bends =
          std::abs(u(1, 0) - 2 * u(0, 0) + u(-1, 0)) + std::abs(u(0, 1) - 2 * u(0, 0) + u(0, -1));
      const bool known = covered.at(level, i, j) && covered.at(level, i + 1, j) &&
                         covered.at(level, i - 1, j) && covered.at(level, i, j + 1) &&
                         covered.at(level, i, j - 1);
      bool refine = known && bends > bend * cell_size(level);
      for (int k = 0; k < 4 && level + 1 < finest; ++k)
        refine = refine || wanted.at(level + 1, 2 * i + k % 2, 2 * j + k / 2);
      found.at(level, i, j) = refine;
    });
    for_each_cell(whole(level), [&](auto i, auto j) {
      for (auto dj = -margin; dj <= margin; ++dj)
        for (auto di = -margin; di <= margin; ++di)
          if (found.at(level, i + di, j + dj)) wanted.at(level, i, j) = 1;
    });
  }
  return wanted;
}

// Makes new patches where the field needs them. The values of refined cells must be averaged down
// from the finest level.
inline Patches refined_for(const Field& field, const Mask& covered) {
  const Mask wanted = cells_to_refine(field, covered);
  Patches patches = {{0, whole(0), {}}};
  for (std::size_t first = 0, level = 0; level < finest; ++level) {
    const int at = static_cast<int>(level);
    const std::size_t last = patches.size();
    // A box may have a cell only if all its neighbours are in patches of this level, too.
    const Mask here = covered_by(patches);
    Mask allowed;
    for_each_cell(whole(at), [&](auto i, auto j) {
      bool inside = true;
      for (int k = 0; k < 9; ++k) inside = inside && here.at(at, i + k % 3 - 1, j + k / 3 - 1);
      allowed.at(at, i, j) = inside;
    });
    for (std::size_t parent = first; parent < last; ++parent) {
      Patches children;
      for (ek::CellRange cells : Clustering(wanted, allowed, at).boxes_in(patches[parent].cells)) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
          cells.begin[axis] *= ratio;
          cells.end[axis] *= ratio;
        }
        children.push_back({at + 1, cells, {}});
      }
      std::sort(children.begin(), children.end(), [](const Patch& one, const Patch& other) {
        return one.place_on_curve() < other.place_on_curve();
      });
      for (const Patch& child : children) {
        patches[parent].children.push_back(patches.size());
        patches.push_back(child);
      }
    }
    first = last;
  }
  return patches;
}

// Sets each refined cell to the mean of the four cells on it.
inline void average_down(Field& field, const Mask& covered) {
  for (int level = finest; level > 0; --level)
    for_each_cell(whole(level - 1), [&](auto i, auto j) {
      if (!covered.at(level, 2 * i, 2 * j)) return;
      const auto u = [&](auto di, auto dj) { return field.at(level, 2 * i + di, 2 * j + dj); };
      field.at(level - 1, i, j) = 0.25 * ((u(0, 0) + u(1, 0)) + (u(0, 1) + u(1, 1)));
    });
}

// Sets cells that are new on a level to the value of the coarser cell that they refine.
inline void fill_new_cells(Field& field, const Mask& before, const Mask& now) {
  for (int level = 1; level < levels; ++level)
    for_each_cell(whole(level), [&](auto i, auto j) {
      if (now.at(level, i, j) && !before.at(level, i, j))
        field.at(level, i, j) = field.at(level - 1, i / 2, j / 2);
    });
}

inline bool is_refined(const Mask& covered, int level, std::int64_t i, std::int64_t j) {
  return level < finest && covered.at(level + 1, 2 * i, 2 * j);
}

// The integral over the box, from the finest cells at each place.
inline double integral_of(const Field& field, const Mask& covered) {
  double sum = 0;
  for (int level = 0; level < levels; ++level) {
    const double area = cell_size(level) * cell_size(level);
    for_each_cell(whole(level), [&](auto i, auto j) {
      if (covered.at(level, i, j) && !is_refined(covered, level, i, j))
        sum += area * field.at(level, i, j);
    });
  }
  return sum;
}

}  // namespace refined
