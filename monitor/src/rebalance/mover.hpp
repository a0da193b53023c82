#pragma once

// Carries out plans: runs the application's hooks around a move, and reports the move to the costs
// of objects and of moves.

#include "costs/moving_costs.hpp"
#include "costs/object_costs.hpp"
#include "rebalance/stage_times.hpp"

namespace evenkeel {

// The call-backs of an application around a move. A hook may add hooks, which run from the next
// move on. They are in a deque, because a deque does not move the running hook in memory.
struct Hooks {
  std::deque<std::function<void()>> before;
  std::deque<std::function<void(const Domains&, const Domains&)>> on_new_domains;
  std::deque<std::function<void(const MoveReport&)>> after;

  bool any_after() const noexcept { return !after.empty() || !on_new_domains.empty(); }
  void run_before() const { run(before); }
  void run_after(const MoveReport& report) const {
    if (report.has_new_domains()) run(on_new_domains, *report.last_domains, *report.domains);
    if (report.moved) run(after, report);
  }

 private:
  template <class Some, class... Arguments>
  static void run(const Some& hooks, const Arguments&... arguments) {
    const std::size_t count = hooks.size();
    for (std::size_t i = 0; i < count; ++i) hooks[i](arguments...);
  }
};

class Mover {
 public:
  Mover(const Communicator& ranks, const Options& options, ObjectCosts& costs)
      : ranks_(ranks), options_(options), costs_(costs) {}

  Hooks& hooks() noexcept { return hooks_; }
  const Hooks& hooks() const noexcept { return hooks_; }

  // Collective. Moves the objects, if any has to move. `before` has the seconds of the stages so
  // far.
  MoveReport carry_out(const Plan& who, std::span<const Set> sets, std::span<const SetShape> shapes,
                       StageSeconds before, std::int64_t step);
  // Collective. Runs the hooks after a move. An exception of a hook becomes the same Error on all
  // ranks.
  void run_after(const MoveReport& report) const;

  const MovingCosts& costs_of_moves() const noexcept { return moving_costs_; }

 private:
  const Communicator& ranks_;
  const Options& options_;
  ObjectCosts& costs_;
  Hooks hooks_;
  MovingCosts moving_costs_;
};

}  // namespace evenkeel
