#pragma once

// The protocol by which all ranks reach the same decision without waiting for each other. Every
// message is posted and consumed at counted steps, never on local completion, which differs from
// rank to rank:
//
//   s          the epoch ends: the reduction of its totals is posted
//   s + d      the ranks complete it, and wait if they must; the decider gets the totals
//   s + d + 1  each rank decides, and posts a second reduction: the least and the greatest hash of
//              all that led to the decision
//   s + 2d + 1 every rank compares the two, whatever it decided: if they are equal, the look is
//              settled; otherwise all throw the same Error
//
// with d = protocol_latency_steps. In the steps between, each request is tested a few times:
// without calls MPI makes no progress. Ranks that have diverged find it out when they next wait for
// each other (agree/meeting.hpp); then the protocol is over.
//
// The constructor allocates all that a look needs, so that a rank that runs out of memory in the
// middle of a look does not leave the others waiting.

#include "agree/meeting.hpp"

#include <optional>

namespace evenkeel {

// Keeps whether this rank still meets the others. Ranks that have diverged find it out when they
// next wait for each other. From then on this rank waits for no other, and every call throws the
// Error that all of them have received.
class Attendance {
 public:
  Attendance(Communicator communicator, MeetingPatience patience);

  const Communicator& communicator() const noexcept { return communicator_; }
  bool is_over() const noexcept { return apart_.has_value(); }
  void require() const;

  // Calls `function`, which needs the other ranks: if it fails, the attendance is over.
  template <class Function>
  void together(const Function& function);
  // Blocks until all ranks have posted their message.
  MeetingMessage complete(Posted& posted);

  // Local, for a rank that ends without finish(): ranks that still wait for it will learn that.
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

// Decides on the totals of a look. The protocol does not depend on how.
class Decider {
 public:
  // Hashes of all that led to the decision, and of the decision. If they differ, ranks disagree.
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
  // The communicator is used for the reductions of looks alone.
  Protocol(Communicator communicator, std::uint64_t options_hash, bool with_picture,
           MeetingPatience patience);

  const Communicator& communicator() const noexcept { return attendance_.communicator(); }

  // Begins a look at the end of an epoch, never while another one is under way. `last_mean`: see
  // totals_of. `movable` is the Error of this rank if its sets cannot be moved; all ranks learn of
  // it when the look is settled.
  void post(const Sample& sample, std::int64_t last_mean, const Status& movable = {});

  struct Settled {
    std::optional<Error> refusal;  // the sets of a rank cannot be moved as they are
  };
  // Takes the actions that are due at the end of `step`; returns a value if the look is settled.
  std::optional<Settled> advance(std::int64_t step, Decider& decider);

  // Collective; blocks. Call it before collective calls on other communicators: when it returns,
  // all ranks are about to make them.
  void meet(Meeting meeting, std::int64_t step);

  // Collective. Completes the reductions that are under way. If the decider has not received the
  // totals of the last look, returns them.
  std::optional<Totals> finish();

  // Collective; blocks. Independent of looks.
  Totals reduce_now(const Sample& sample, std::int64_t last_mean);

  // Local; for a run without finish(), at the latest in MPI_Finalize. Ranks that still wait for
  // this one will learn that it has left.
  void leave(std::int64_t step) noexcept { attendance_.leave(step); }

  // True if the ranks have diverged; then this rank waits for no other any more.
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
  Status movable_;              // as it was when the look under way was posted
  bool is_superseded_ = false;  // a rebalance since then has checked again
};

}  // namespace evenkeel
