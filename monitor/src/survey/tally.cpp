#include "survey/tally.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

LoadTally::LoadTally(int ranks, std::span<const double> speeds)
    : ranks_(static_cast<std::size_t>(ranks)),
      speeds_(speeds.begin(), speeds.end()),
      values_(rows * ranks_ + 3) {}

void LoadTally::add(std::size_t row, std::span<const int> ranks, std::span<const double> costs) {
  is_known_[row] = true;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    values_[row * ranks_ + static_cast<std::size_t>(ranks[i])] += std::llround(costs[i]);
}

void LoadTally::add(std::size_t row, std::span<const double> by_rank) {
  is_known_[row] = true;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    values_[row * ranks_ + rank] += std::llround(by_rank[rank]);
}

void LoadTally::add_evenly(std::size_t row, std::span<const double> costs) {
  is_known_[row] = true;
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    values_[row * ranks_ + rank] +=
        std::llround(sum * speed_of(rank) / static_cast<double>(ranks_));
}

void LoadTally::add_weight(int rank, double share) {
  constexpr double parts = 0x1p40;
  is_known_[as_weighed] = true;
  values_[as_weighed * ranks_ + static_cast<std::size_t>(rank)] = std::llround(share * parts);
}

void LoadTally::add_stray(double cost) { values_[rows * ranks_] += std::llround(cost); }

void LoadTally::add_moved(double bytes) { values_[rows * ranks_ + 1] += std::llround(bytes); }

bool LoadTally::reduce(const Communicator& communicator) {
  communicator.all_reduce(std::span<std::int64_t>(values_), Reduction::sum);
  for (std::size_t i = 0; i < rows * ranks_ && !speeds_.empty(); ++i)
    values_[i] = std::llround(static_cast<double>(values_[i]) / speeds_[i % ranks_]);
  return values_.back() == 0;
}

std::int64_t LoadTally::greatest(std::size_t row) const {
  return is_known_[row] ? std::ranges::max(at(row)) : Counterfactual::unknown;
}

std::int64_t LoadTally::of(std::size_t row, int rank) const {
  return is_known_[row] ? at(row)[static_cast<std::size_t>(rank)] : Counterfactual::unknown;
}

std::int64_t LoadTally::greatest_as_weighed() const {
  const double weight = sum_of(as_weighed);
  return is_known_[as_weighed] && weight > 0
             ? std::llround(static_cast<double>(greatest(as_weighed)) / weight * sum_of(fresh))
             : Counterfactual::unknown;
}

double LoadTally::mean() const { return sum_of(fresh) / static_cast<double>(ranks_); }

double LoadTally::share_of_strays() const {
  const double all = sum_of(fresh);
  return all > 0 ? static_cast<double>(values_[rows * ranks_]) / all : 0;
}

std::int64_t LoadTally::moved() const { return values_[rows * ranks_ + 1]; }

double LoadTally::share_in_excess() const {
  const double all = sum_of(present), mean = all / static_cast<double>(ranks_);
  double excess = 0;
  for (const std::int64_t load : at(present))
    excess += std::max(0.0, static_cast<double>(load) - mean);
  return all > 0 ? excess / all : 0;
}

std::span<const std::int64_t> LoadTally::at(std::size_t row) const {
  return std::span(values_).subspan(row * ranks_, ranks_);
}

double LoadTally::sum_of(std::size_t row) const {
  const std::span<const std::int64_t> all = at(row);
  return static_cast<double>(std::accumulate(all.begin(), all.end(), std::int64_t{0}));
}

}  // namespace evenkeel
