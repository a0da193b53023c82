#pragma once

// Chooses the border of a box of the tree, if borders must be between cells. Then no border may be
// where each half has its share of the work. So several borders are tried, along several axes, with
// several numbers of parts in the lower half, and the best one is taken. Its cost is the greatest
// work per speed in a half, divided by that in the whole box.

#include "boxes/from_objects/capacity.hpp"

#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

struct Halving {
  int axis = 0;
  int below = 0;  // the number of parts in the lower half
  double at = 0;  // the place of the border in the room
  friend bool operator==(const Halving&, const Halving&) = default;
};

class HalvingSearch {
 public:
  struct Terms {
    Box box;                              // in the room
    std::span<const double> speed_below;  // the speed of all parts before each part, and of all
    std::vector<int> axes;                // to try, in this order
    int wanted = 1;                       // parts in the lower half, unless others are better
    double enough = 1;                    // costs below this are equally good
    bool is_in_turn = false;              // another axis is tried only if there is no room
    std::optional<Halving> earlier = {};  // of an earlier tree
  };

  // Refers to the room and the speeds.
  HalvingSearch(const BoxRoom& room, Terms terms) : room_(room), terms_(std::move(terms)) {}

  // Returns true if a border along the nth axis in the order may be the best.
  bool tries(std::size_t nth) const noexcept;
  int axis(std::size_t nth) const noexcept { return terms_.axes[nth]; }
  // The share of the work that the lower half should have.
  double wanted_share() const noexcept { return speed_share(terms_.wanted); }
  // Appends the coordinates in the room of borders to try along an axis, in ascending order. There
  // are at most 6, so those of all branches are fewer than Sections can weigh. `near` is the place
  // in the box where the lower half has its wanted share of the work.
  void add_places(std::size_t nth, double near, std::vector<double>& places) const;
  // The share of the room below one of these borders. It replaces the share of the work if no
  // object has weight.
  double room_share(std::size_t nth, double at) const noexcept;
  // Takes note of the share of the work below one of these borders.
  void judge(std::size_t nth, double at, double share_below) noexcept;

  // The best border so far; nothing if no border leaves room for all parts.
  const std::optional<Halving>& best() const noexcept { return best_; }

 private:
  int parts() const noexcept { return static_cast<int>(std::ssize(terms_.speed_below)) - 1; }
  double speed_share(int below) const noexcept;
  double score(std::size_t nth, const Halving& halving, double share_below) const noexcept;

  const BoxRoom& room_;
  Terms terms_;
  std::optional<Halving> best_;
  double least_score_ = 0;
};

}  // namespace evenkeel
