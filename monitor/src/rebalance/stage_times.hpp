#pragma once

// A region of a rebalance or a migration, which tools show, and the seconds of its stages.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

namespace evenkeel {

using StageSeconds = std::vector<std::pair<std::string, double>>;

// Measures the seconds that this rank spends in each stage, one stage after the other.
class StageTimes {
 public:
  explicit StageTimes(const char* region) : region_(region) {}

  // Sets the names of the stages. The other functions allocate nothing.
  void reserve(std::initializer_list<const char*> stages) {
    seconds_.reserve(stages.size());
    for (const char* stage : stages) seconds_.emplace_back(stage, 0.0);
  }
  // Ends the present stage; the next one begins.
  void end() noexcept { seconds_[ended_++].second = stopwatch_.restart(); }
  StageSeconds take() noexcept { return std::move(seconds_); }

 private:
  exec::Region region_;
  Stopwatch stopwatch_;
  StageSeconds seconds_;
  std::size_t ended_ = 0;
};

// Collective. Sets the seconds of each stage to those of the slowest rank. Allocates nothing.
inline void set_to_slowest(const Communicator& ranks, StageSeconds& seconds) {
  std::array<double, 8> values{};
  const std::size_t count = std::min(values.size(), seconds.size());
  for (std::size_t i = 0; i < count; ++i) values[i] = seconds[i].second;
  ranks.all_reduce(std::span<double>(values), Reduction::greatest);
  for (std::size_t i = 0; i < count; ++i) seconds[i].second = values[i];
}

}  // namespace evenkeel
