#pragma once

// The decider of the protocol. It keeps the state of the run, and folds the totals of each look
// into the state, if possible ahead of time and on another thread.
//
// The constructor allocates all that a look needs.

#include "agree/protocol.hpp"
#include "decide/decision.hpp"

#include <atomic>

namespace evenkeel {

// One look. `before`, `totals` and `picture` do not change after the executor has got the look.
struct Look {
  DecisionState before;
  Totals totals;
  std::optional<LoadPicture> picture;
  Verdict verdict;  // by the executor (then `thought` is true), or by decide()

  std::atomic<bool> thought = false;
  std::atomic<bool> is_over = false;  // decide() did not wait for the executor
};

// Performs a task later or at once, on any thread, or never.
using Executor = std::function<void(std::function<void()> task)>;

class Looks final : public Decider {
 public:
  Looks(const DecisionState& first, Executor executor);

  const DecisionState& state() const noexcept { return state_; }
  void set_state(const DecisionState& state) noexcept { state_ = state; }

  void receive(const Totals& totals, const std::optional<LoadPicture>& picture) override;
  Fingerprint decide() override;

  // Returns the look that was decided on; last() returns it from then on.
  std::shared_ptr<const Look> take();
  const Look* last() const noexcept { return last_.get(); }
  // Returns totals that were received but not decided on, and forgets them.
  std::optional<Totals> take_undecided();

 private:
  std::shared_ptr<Look> own_look() const;
  std::shared_ptr<Look> thought_out(std::shared_ptr<Look> look) const;

  DecisionState state_;
  Executor executor_;
  std::shared_ptr<Look> look_;
  bool is_decided_ = false;
  std::shared_ptr<const Look> last_;
  // Looks that need no allocation. At most three are in use at a time: the look under way, the one
  // that was decided on, and the last one.
  std::array<std::shared_ptr<Look>, 3> own_;
};

}  // namespace evenkeel
