#include "domains/power/starts.hpp"

#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

// Divides points into two halves, until each part has a range of them.
class Bisector {
 public:
  Bisector(const PowerModel& model, std::span<const double> speeds)
      : model_(model), speeds_(speeds), parts_(speeds.size()), points_(model.size()) {
    std::iota(points_.begin(), points_.end(), std::size_t{0});
  }

  std::vector<int> parts() {
    std::vector<int> part_of(points_.size());
    divide(0, points_.size(), 0, parts_, part_of);
    return part_of;
  }

 private:
  // The axis along which the points of a range extend most.
  std::size_t longest_axis(std::size_t begin, std::size_t end) const {
    std::size_t longest = 0;
    double most = -1;
    for (std::size_t d = 0; d < 3; ++d) {
      double least = model_.at(points_[begin], d), greatest = least;
      for (std::size_t i = begin; i < end; ++i) {
        least = std::min(least, model_.at(points_[i], d));
        greatest = std::max(greatest, model_.at(points_[i], d));
      }
      if (greatest - least > most) longest = d;
      most = std::max(most, greatest - least);
    }
    return longest;
  }

  void divide(std::size_t begin, std::size_t end, std::size_t first_part, std::size_t parts,
              std::vector<int>& part_of) {
    if (parts == 1) {
      for (std::size_t i = begin; i < end; ++i) part_of[points_[i]] = static_cast<int>(first_part);
      return;
    }
    const std::size_t axis = longest_axis(begin, end);
    std::sort(points_.begin() + static_cast<std::ptrdiff_t>(begin),
              points_.begin() + static_cast<std::ptrdiff_t>(end),
              [&](std::size_t a, std::size_t b) {
                const double first = model_.at(a, axis), second = model_.at(b, axis);
                return first < second || (first == second && a < b);
              });
    double all = 0, before = 0;
    for (std::size_t i = begin; i < end; ++i) all += model_.mass(points_[i]);
    const std::size_t below = parts / 2;
    const double wanted = all * speed_of(first_part, below) / speed_of(first_part, parts);
    std::size_t middle = begin;
    // Each side keeps a point for each of its parts.
    while (middle < end - (parts - below) &&
           (middle < begin + below || before + model_.mass(points_[middle]) / 2 < wanted))
      before += model_.mass(points_[middle++]);
    divide(begin, middle, first_part, below, part_of);
    divide(middle, end, first_part + below, parts - below, part_of);
  }

  double speed_of(std::size_t first, std::size_t count) const {
    return speeds_[first + count] - speeds_[first];
  }

  const PowerModel& model_;
  SpeedsBefore speeds_;
  std::size_t parts_;
  std::vector<std::size_t> points_;
};

}  // namespace

std::vector<int> parts_along_curve(const PowerModel& model, std::span<const double> speeds) {
  const std::size_t parts = speeds.size();
  const SpeedsBefore speed(speeds);
  std::vector<int> part_of(model.size());
  const double all = model.whole();
  double before = 0;
  std::size_t part = 0, held = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const double end = all * speed[part + 1] / speed.all();
    const bool is_full = held > 0 && before + model.mass(i) / 2 > end;
    const bool is_needed = model.size() - i <= parts - 1 - part;
    if (part + 1 < parts && held > 0 && (is_full || is_needed)) {
      ++part;
      held = 0;
    }
    part_of[i] = static_cast<int>(part);
    before += model.mass(i);
    ++held;
  }
  return part_of;
}

std::vector<int> parts_by_bisection(const PowerModel& model, std::span<const double> speeds) {
  return Bisector(model, speeds).parts();
}

}  // namespace evenkeel
