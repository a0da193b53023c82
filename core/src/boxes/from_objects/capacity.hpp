#pragma once

// Computes how many domains fit into a box if domains have a least width and whole cells, and
// halves a box so that each half has room for its domains.

#include <evenkeel/core/box.hpp>

#include <array>
#include <optional>

namespace evenkeel::stages {
struct BisectionOptions;
}

namespace evenkeel {

// The least width of a domain along each axis; 0 allows any width.
struct Capacity {
  std::array<double, 3> width = {};
  int dimensions = 3;
  std::array<bool, 3> is_cut = {true, true, true};  // if false, there is one domain along the axis

  // Returns true if the capacity restricts borders.
  bool matters() const noexcept;
  // along() is the number of domains that fit side by side along an axis, of() the number that fit
  // into the box. The numbers are huge along an axis without a least width.
  double along(const Box& box, int axis) const noexcept;
  double of(const Box& box) const noexcept;
};

// The room of a box. Along an axis with cells, it is counted in whole cells from the lower face;
// the last domain also has the rest of the box. Along other axes, it is counted in the coordinates
// of the box.
class BoxRoom {
 public:
  explicit BoxRoom(const stages::BisectionOptions& options);

  const Capacity& capacity() const noexcept { return capacity_; }
  const Box& of_box() const noexcept { return room_; }  // of the whole box
  bool has_cells(int axis) const noexcept { return cell_[static_cast<std::size_t>(axis)] > 0; }
  bool has_cells() const noexcept { return has_cells(0) || has_cells(1) || has_cells(2); }

  // Converts between the room and the coordinates of the box. place() returns a face of the box
  // exactly.
  double place(int axis, double at) const noexcept;
  double at(int axis, double place) const noexcept;

 private:
  Box box_, room_;
  std::array<double, 3> cell_ = {};
  Capacity capacity_;
};

// The number of parts in the lower half, and the range in which the border must be.
struct Halves {
  int below;
  double least, most;
};

// Halves a box of at least two parts along an axis. The lower half gets `wanted` parts if there is
// room. If there is no room and `exact` is not set, it gets the nearest number of parts for which
// there is room. Otherwise returns nothing.
std::optional<Halves> halves_of(const Capacity& capacity, const Box& box, int axis, int parts,
                                int wanted, bool exact);

// Returns the greatest factor by which the widths can be multiplied so that the box still has room
// for `parts`.
double most_scale(const Capacity& capacity, const Box& box, int parts);

}  // namespace evenkeel
