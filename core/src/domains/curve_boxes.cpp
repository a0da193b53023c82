// Finds the boxes that make up a range of a curve.

#include "domains/checks.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/curve.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

// A block of cells, from the first to the last coordinate along each axis, both included.
struct CellBlock {
  std::array<std::uint32_t, 3> first = {0, 0, 0}, last = {0, 0, 0};
};

// Divides a range of cells into blocks. Keys here are numbers of cells: they lack the bits that a
// lattice with fewer levels leaves unused.
class BlockCollector {
 public:
  BlockCollector(const Lattice& lattice) : lattice_(lattice) {}

  std::vector<CellBlock> of(std::uint64_t begin, std::uint64_t end) {
    if (lattice_.curve() == CurveKind::snake)
      add_rows(lattice_.dimensions() - 1, {}, false, begin, end);
    else
      add_cubes(begin, end);
    return std::move(blocks_);
  }

 private:
  // Leaves out cells beyond the last cell of the box, because they hold no places.
  void add(CellBlock block) {
    for (int axis = 0; axis < lattice_.dimensions(); ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      block.last[d] = std::min(block.last[d], lattice_.last_coordinate(axis));
      if (block.last[d] < block.first[d]) return;
    }
    blocks_.push_back(block);
  }

  // Divides a range into the largest cubes that the curve fills one after the other.
  void add_cubes(std::uint64_t begin, std::uint64_t end) {
    const int n = lattice_.dimensions();
    while (begin < end) {
      int level = 0;
      const auto cells = [&](int levels) { return std::uint64_t{1} << (n * levels); };
      while (level < lattice_.levels() && begin % cells(level + 1) == 0 &&
             end - begin >= cells(level + 1))
        ++level;
      add(n == 3 ? cube<3>(begin, level) : cube<2>(begin, level));
      begin += cells(level);
    }
  }

  template <int n>
  CellBlock cube(std::uint64_t key, int level) const {
    const Cell<n> inside = lattice_.template cell<n>({key << lattice_.unused_bits()});
    CellBlock block;
    for (int axis = 0; axis < n; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      block.first[d] = inside.at[axis] >> level << level;
      block.last[d] = static_cast<std::uint32_t>(block.first[d] + (std::uint64_t{1} << level) - 1);
    }
    return block;
  }

  // Does the same for a snake. Its key is a number whose digits are the coordinates along the last
  // axis, the axis before it, and so on. If a digit is odd, the next digit counts backwards.
  // `block` already has the coordinates along the axes above `axis`.
  void add_rows(int axis, CellBlock block, bool backwards, std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    // number of keys with the same digit
    const std::uint64_t row = std::uint64_t{1} << (axis * lattice_.levels());
    const std::uint64_t first = begin / row, last = end / row;
    if (axis > 0 && first == last)
      return add_part_of_row(axis, block, backwards, first, begin % row, end % row);
    std::uint64_t whole = first;
    if (begin % row != 0) add_part_of_row(axis, block, backwards, whole++, begin % row, row);
    if (whole < last) {
      for (int below = 0; below < axis; ++below)
        block.last[static_cast<std::size_t>(below)] = last_digit();
      set_digits(block, axis, backwards, whole, last - 1);
      add(block);
      for (int below = 0; below < axis; ++below) block.last[static_cast<std::size_t>(below)] = 0;
    }
    if (end % row != 0) add_part_of_row(axis, block, backwards, last, 0, end % row);
  }

  void add_part_of_row(int axis, CellBlock block, bool backwards, std::uint64_t digit,
                       std::uint64_t begin, std::uint64_t end) {
    set_digits(block, axis, backwards, digit, digit);
    add_rows(axis - 1, block, digit % 2 != 0, begin, end);
  }

  void set_digits(CellBlock& block, int axis, bool backwards, std::uint64_t first,
                  std::uint64_t last) const {
    const auto d = static_cast<std::size_t>(axis);
    const std::uint64_t top = last_digit();
    block.first[d] = static_cast<std::uint32_t>(backwards ? top - last : first);
    block.last[d] = static_cast<std::uint32_t>(backwards ? top - first : last);
  }

  std::uint32_t last_digit() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << lattice_.levels()) - 1);
  }

  const Lattice& lattice_;
  std::vector<CellBlock> blocks_;
};

// Returns the face of a cell, or the face of the box if the cell extends beyond it.
double face_of(const Lattice& lattice, const Box& box, std::size_t d, std::uint32_t coordinate) {
  const int axis = static_cast<int>(d);
  if (coordinate == 0) return box.lower[d];
  if (coordinate > lattice.last_coordinate(axis)) return box.upper[d];
  return std::clamp(lattice.face(axis, coordinate), box.lower[d], box.upper[d]);
}

}  // namespace

std::vector<Box> CurveDomains::boxes_of(int part) const {
  check_part("core/domains", parts(), part);
  const Lattice lattice = lattice_of(*this);
  const int unused = lattice.unused_bits();
  const auto first_cell = [&](std::size_t splitter) {
    const std::uint64_t key = splitters_[splitter].value;
    return (key >> unused) + (key >> unused << unused != key ? 1 : 0);
  };
  const auto p = static_cast<std::size_t>(part);
  std::vector<Box> boxes;
  for (const CellBlock& block : BlockCollector(lattice).of(first_cell(p), first_cell(p + 1))) {
    Box& one = boxes.emplace_back(box());
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions()); ++d) {
      one.lower[d] = face_of(lattice, box(), d, block.first[d]);
      one.upper[d] = face_of(lattice, box(), d, block.last[d] + 1);
    }
  }
  return boxes;
}

}  // namespace evenkeel
