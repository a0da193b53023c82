#pragma once

// Finds out at looks, long before anything moves, what would make a rebalance refuse the sets of
// this rank: an aliased View, a wrong length, a NaN, an object outside a given box, a weight that
// makes no sense.

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/monitor/options.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace evenkeel {

class Inspection {
 public:
  // Where nothing can move in a step, nothing is inspected.
  static bool is_needed(const Options& options);

  // Sets that are only read need not be movable; without a box objects may be anywhere.
  struct Demands {
    bool movable = true;
    std::optional<Box> box = std::nullopt;
    std::array<bool, 3> periodic = {false, false, false};
    bool deterministic = false;  // at every look, whatever it costs
  };
  static Demands demands_of(const Options& options);

  // Local. Passes over all objects: at the first look, at the first one of each generation, and
  // whenever that has become a thousandth of the time since the last pass.
  Status inspect(std::span<const Set> sets, const Demands& demands, std::int64_t generation);

 private:
  bool is_due(bool deterministic, std::int64_t generation) const noexcept;

  std::int64_t generation_ = -1;  // that was seen last; -1: none
  std::int64_t ended_at_ = 0, took_ = 0;
  bool has_refused_ = false;
};

}  // namespace evenkeel
