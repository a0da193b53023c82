#pragma once

// The protocol by which all ranks reach the same decision without waiting for each other. Every
// message is posted and consumed at counted steps, never on local completion, which differs from
// rank to rank:
//
//   s          the epoch ends: the reduction of its totals is posted
//   s + d      the ranks complete this reduction, and wait if they must; the decider gets the
//              totals
//   s + d + 1  each rank decides, and posts a second reduction: the least and the greatest hash of
//              the input of the decision, and of its result
//   s + 2d + 1 each rank compares the least hash with the greatest, whatever it has decided: if
//              they are equal, the look is settled; otherwise all ranks throw the same Error
//
// with d = protocol_latency_steps. In the steps between these, each request is tested a few times,
// since MPI makes no progress without calls. If ranks have diverged, they learn this when they wait
// for each other the next time (agree/meeting.hpp); then the protocol is over.
//
// The constructor allocates all that a look needs, so that a rank that runs out of memory in the
// middle of a look does not leave the others waiting.

#include "agree/meeting.hpp"

#include <optional>

namespace evenkeel {

// Knows whether this rank still meets the others. If ranks have diverged, they learn this when they
// wait for each other the next time. From then on, the attendance is over: this rank waits for no
// other rank, and every call throws the Error that all ranks have received.
class Attendance {
 public:
  Attendance(Communicator communicator, MeetingPatience patience);

  const Communicator& communicator() const noexcept { return communicator_; }
  bool is_over() const noexcept { return apart_.has_value(); }
  void require() const;

  // Calls `function`, which needs the other ranks. If it throws, the attendance is over.
  template <class Function>
  void together(const Function& function);
  // Blocks until all ranks have posted their message.
  MeetingMessage complete(Posted& posted);

  // Local. Call this if this rank ends without finish(). Ranks that still wait for this rank will
  // learn that it has left.
  void leave(std::int64_t step) noexcept;

 private:
  Communicator communicator_;
  MeetingPatience patience_;
  bool has_left_ = false;
  std::optional<Error> apart_;  // the Error that all ranks have received
};

template <class Function>
void Attendance::together(const Function& function) {
  const Status status = attempt("monitor/epoch", function);
  if (status.ok()) return;
  apart_.emplace(*status.error());
  throw Error(*apart_);
}

// Decides on the totals of a look. The protocol does not depend on the rule.
class Decider {
 public:
  // Three values that must be the same on all ranks: the generation, the hash of the state that led
  // to the decision, and the hash of the decision.
  struct Fingerprint {
    std::int64_t generation = 0;
    std::uint64_t state = 0, decision = 0;
  };
  virtual void receive(const Totals& totals, const std::optional<LoadPicture>& picture) = 0;
  virtual Fingerprint decide() = 0;

 protected:
  Decider() = default;
  Decider(const Decider&) = default;
  Decider& operator=(const Decider&) = default;
  ~Decider() = default;
};

class Protocol {
 public:
  // No other code may use the communicator.
  Protocol(Communicator communicator, std::uint64_t options_hash, bool with_picture,
           MeetingPatience patience);

  const Communicator& communicator() const noexcept { return attendance_.communicator(); }

  // Begins a look at the end of an epoch. No other look may be under way. `last_mean`: see
  // totals_of. `movable` holds an Error if the sets of this rank cannot be moved; all ranks get
  // that Error when the look is settled.
  void post(const Sample& sample, std::int64_t last_mean, const Status& movable = {});

  struct Settled {
    std::optional<Error> refusal;  // set if the sets of a rank cannot be moved in their present
                                   // state
  };
  // Takes the actions that are due at the end of `step`. Returns a value if they settle the look.
  std::optional<Settled> advance(std::int64_t step, Decider& decider);
  // Collective; blocks. Settles the look under way at once, if there is one.
  std::optional<Settled> hurry(Decider& decider);

  // Collective; blocks. Call this before collective calls on other communicators. When it returns,
  // all ranks are about to make those calls.
  void meet(Meeting meeting, std::int64_t step);

  // Collective. Completes the reductions that are under way. If the decider has not received the
  // totals of the last look, returns them.
  std::optional<Totals> finish();

  // Collective; blocks. Reduces samples without a look. `meeting` is finish or look.
  Totals reduce_now(Meeting meeting, const Sample& sample, std::int64_t last_mean);

  // Local. Call this if the run ends without finish(), at the latest in MPI_Finalize. Ranks that
  // still wait for this rank will learn that it has left.
  void leave(std::int64_t step) noexcept { attendance_.leave(step); }

  // True if the ranks have diverged; this rank then waits for no other rank any more.
  bool is_over() const noexcept { return attendance_.is_over(); }

 private:
  void receive_totals(Decider& decider);
  void decide(std::int64_t step, Decider& decider);
  Settled settle();

  Attendance attendance_;
  std::uint64_t options_hash_;
  bool with_picture_;

  static constexpr std::int64_t nothing = -1;
  std::int64_t posted_at_ = nothing;
  Posted totals_, picture_, comparison_;
  Posted here_;                 // for meetings outside of looks
  Status movable_;              // the argument of post() for the look under way
  bool is_superseded_ = false;  // true if a rebalance since post() has checked the sets again
};

}  // namespace evenkeel
