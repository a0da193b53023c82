#pragma once

// The decider of the protocol. It keeps the state of the run, and decides on the totals of each
// look. If possible, another thread does this before the decision is due.
//
// The constructor allocates all memory that a look needs.

#include "agree/protocol.hpp"
#include "decide/decision.hpp"

#include <atomic>

namespace evenkeel {

// One look. `before`, `totals` and `picture` do not change after the look is given to the executor.
struct Look {
  DecisionState before;
  Totals totals;
  std::optional<LoadPicture> picture;
  Verdict verdict;  // made by the executor (then `thought` is true), or by decide()

  std::atomic<bool> thought = false;
  std::atomic<bool> is_over = false;  // true if decide() did not wait for the executor
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

  // Returns the look whose decision is made. From then on, last() returns this look.
  std::shared_ptr<const Look> take();
  const Look* last() const noexcept { return last_.get(); }
  // If totals were received and there is no decision on them yet, returns and forgets them.
  std::optional<Totals> take_undecided();

 private:
  std::shared_ptr<Look> own_look() const;
  std::shared_ptr<Look> thought_out(std::shared_ptr<Look> look) const;

  DecisionState state_;
  Executor executor_;
  std::shared_ptr<Look> look_;
  bool is_decided_ = false;
  std::shared_ptr<const Look> last_;
  // Looks that need no allocation. At most three are in use at a time: the look under way, the look
  // with a decision that was not taken yet, and the last look.
  std::array<std::shared_ptr<Look>, 3> own_;
};

}  // namespace evenkeel
