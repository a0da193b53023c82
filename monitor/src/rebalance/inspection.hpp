#pragma once

// Checks the sets of this rank at looks, long before a rebalance needs them. Finds the problems for
// which a rebalance would refuse the sets: an aliased View, a wrong length, a NaN, an object
// outside a given box, an invalid weight or size.

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

class Inspection {
 public:
  // Returns false if no step can move objects.
  static bool is_needed(const Options& options);

  // The properties to check. Sets that are only read need not be movable. If no box is given,
  // objects may be anywhere.
  struct Demands {
    bool movable = true;
    std::optional<Box> box = std::nullopt;
    std::array<bool, 3> periodic = {false, false, false};
    bool deterministic = false;  // if true, inspects at every look, whatever the cost
  };
  static Demands demands_of(const Options& options);

  // Local. Inspects all objects at three kinds of looks: the first look of each generation, a look
  // after a refusal, and a look at which the last inspection took at most a thousandth of the time
  // since then. At other looks it does nothing.
  Status inspect(std::span<const Set> sets, const Demands& demands, std::int64_t generation);

 private:
  bool is_due(bool deterministic, std::int64_t generation) const noexcept;

  std::int64_t generation_ = -1;  // at the last inspection, or -1
  std::int64_t ended_at_ = 0, took_ = 0;
  bool has_refused_ = false;
};

}  // namespace evenkeel
