#include "partition/work.hpp"

#include "files/refusal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace evenkeel::tool {

WorkCounter::WorkCounter(const Communicator& communicator, const FileObjects& objects)
    : communicator_(communicator), objects_(objects) {
  for (const double weight : objects.weights) heaviest_ = std::max(heaviest_, weight);
  if (objects.weights.empty() && objects.count() > 0) heaviest_ = 1;
  heaviest_ = communicator.all_reduce(heaviest_, Reduction::greatest);
  int above = 0;  // heaviest_ < 2^above
  std::frexp(heaviest_, &above);
  const auto bits = std::bit_width(static_cast<std::uint64_t>(objects.everywhere));
  exponent_ = above + static_cast<int>(bits) - 62;
  first_factor_ = std::ldexp(1.0, -exponent_ / 2);
  second_factor_ = std::ldexp(1.0, -exponent_ - -exponent_ / 2);
}

std::int64_t WorkCounter::units_of(double weight) const {
  return std::llrint(weight * first_factor_ * second_factor_);
}

std::vector<double> WorkCounter::of_parts(const Status& status,
                                          std::span<const std::int32_t> part_of_object,
                                          int parts) const {
  std::vector<std::int64_t> units;
  std::vector<double> work;
  vote(communicator_, attempt(refuse_partition.stage, [&] {
         if (!status.ok()) throw Error(*status.error());
         units.resize(static_cast<std::size_t>(parts));
         work.resize(units.size());
         const std::int64_t one = units_of(1);
         for (std::size_t i = 0; i < part_of_object.size(); ++i)
           units[static_cast<std::size_t>(part_of_object[i])] +=
               objects_.weights.empty() ? one : units_of(objects_.weights[i]);
       }));
  communicator_.all_reduce(std::span<std::int64_t>(units), Reduction::sum);
  std::ranges::transform(units, work.begin(), [&](std::int64_t number) {
    return std::ldexp(static_cast<double>(number), exponent_);
  });
  if (!std::isfinite(std::accumulate(work.begin(), work.end(), 0.0)))
    refuse_partition("The weights add up to more than a number can hold.",
                     "Give smaller ones; only their ratios count.");
  return work;
}

std::vector<WorkRounds::Measured> WorkCounter::of_parts_with_centres(
    const Status& status, std::span<const std::int32_t> part_of_object, int parts,
    const Box& box) const {
  constexpr int digits = 20;  // of a place in the box; other digits of 62 are for units
  constexpr double cells = 1 << digits;
  const std::vector<double> work = of_parts(status, part_of_object, parts);
  const auto dimensions = static_cast<std::size_t>(objects_.dimensions);
  const std::size_t row = dimensions + 1;  // units, then units x place along each axis
  std::vector<std::int64_t> sums;
  std::vector<WorkRounds::Measured> measured;
  vote(communicator_, attempt(refuse_partition.stage, [&] {
         sums.resize(work.size() * row);
         measured.resize(work.size());
         for (std::size_t i = 0; i < part_of_object.size(); ++i) {
           const auto first = static_cast<std::size_t>(part_of_object[i]) * row;
           const std::int64_t units =
               units_of(objects_.weights.empty() ? 1 : objects_.weights[i]) >> digits;
           sums[first] += units;
           for (std::size_t d = 0; d < dimensions; ++d) {
             const std::size_t at = i * dimensions + d;
             const double place =
                 objects_.places.empty() ? objects_.float_places[at] : objects_.places[at];
             const double length = box.upper[d] - box.lower[d];
             const double cell = length > 0 ? (place - box.lower[d]) / length * cells : 0;
             sums[first + 1 + d] += units * static_cast<std::int64_t>(std::min(cell, cells - 1));
           }
         }
       }));
  communicator_.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  for (std::size_t part = 0; part < work.size(); ++part) {
    measured[part].work = work[part];
    const auto units = static_cast<double>(sums[part * row]);
    if (!(units > 0)) continue;
    measured[part].centre.emplace();
    for (std::size_t d = 0; d < dimensions; ++d)
      (*measured[part].centre)[d] =
          box.lower[d] + (static_cast<double>(sums[part * row + 1 + d]) / units / cells) *
                             (box.upper[d] - box.lower[d]);
  }
  return measured;
}

LoadSummary summary_of(std::span<const double> work, std::span<const double> speeds) {
  LoadSummary load = summarise(work);
  if (speeds.empty()) return load;
  const double mean = std::accumulate(speeds.begin(), speeds.end(), 0.0) / load.ranks;
  load.greatest = 0;
  for (std::size_t part = 0; part < work.size(); ++part)
    load.greatest = std::max(load.greatest, work[part] / (speeds[part] / mean));
  return load;
}

}  // namespace evenkeel::tool
