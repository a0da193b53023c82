#pragma once

// The decider of the protocol: it keeps the state of the run, and folds the totals of each look
// into it, if possible ahead of time and on another thread.
//
// The constructor allocates all that a look needs.

#include "agree/protocol.hpp"
#include "decide/decision.hpp"

#include <atomic>

namespace evenkeel {

// One look at the load. `before` and the reduced values do not change once the executor has it.
struct Look {
  DecisionState before;
  Totals totals;
  std::optional<LoadPicture> picture;
  Verdict verdict;  // by the executor, valid once `thought` is true; later the final one

  std::atomic<bool> thought = false;
  std::atomic<bool> is_over = false;  // it was decided without waiting for the executor
};

// Performs a task at some time, on any thread, or never.
using Executor = std::function<void(std::function<void()> task)>;

class Looks final : public Decider {
 public:
  Looks(const DecisionState& first, Executor executor);

  const DecisionState& state() const noexcept { return state_; }
  void set_state(const DecisionState& state) noexcept { state_ = state; }

  void receive(const Totals& totals, const std::optional<LoadPicture>& picture) override;
  Fingerprint decide() override;

  // The look that was decided on, which becomes the last one.
  std::shared_ptr<const Look> take();
  const Look* last() const noexcept { return last_.get(); }
  // Returns, and forgets, totals that were received but not decided on.
  std::optional<Totals> take_undecided();

 private:
  std::shared_ptr<Look> own_look() const;
  std::shared_ptr<Look> thought_out(std::shared_ptr<Look> look) const;

  DecisionState state_;
  Executor executor_;
  std::shared_ptr<Look> look_;
  bool is_decided_ = false;
  std::shared_ptr<const Look> last_;
  // Used without memory, or while the executor holds another look: for the look under way, the one
  // decided on, and the last one.
  std::array<std::shared_ptr<Look>, 3> own_;
};

}  // namespace evenkeel
