#pragma once

// How all ranks come to the same decision without waiting for each other. Everything is posted and
// consumed at counted steps, never on local completion, which differs from rank to rank:
//
//   s          the epoch ends: the reduction of its totals is posted
//   s + d      it is complete, waiting if need be; the watcher gets the look to think about
//   s + d + 1  the decision is taken (the watcher's, or made here: it is a pure function), and a
//              second reduction posted: least and greatest hash of all that led to it
//   s + 2d + 1 every rank compares, whatever it decided: equal, and the look is settled; unequal,
//              and all throw the same Error
//
// with d = protocol_latency_steps. In the steps between, each request is tested a few times:
// without calls MPI makes no progress. Ranks that have run apart find out where they wait for each
// other (agree/meeting.hpp); then the protocol is over.
//
// All that a look cannot do without is made by the constructor, so that a rank whose memory is
// refused in the middle of a look does not leave the others waiting.

#include "agree/epoch.hpp"
#include "agree/meeting.hpp"
#include "agree/patience.hpp"
#include "decide/decision.hpp"
#include "tell/watcher.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace evenkeel {

// One look at the load. `before` and what was reduced do not change once the watcher has it.
struct Look {
  State before;
  Totals totals;
  std::optional<LoadPicture> picture;
  Verdict verdict;  // of the watcher, valid once `thought` is true; then of the protocol
  // Once settled: sets of some rank cannot be moved as they are. Taken away by whoever throws it:
  // the text of an Error may be one of a kind when memory is out.
  mutable std::optional<Error> refusal;

  std::atomic<bool> thought = false;
  std::atomic<bool> is_over = false;  // the protocol has decided without waiting
};

class Protocol {
 public:
  // The communicator is used for the reductions of looks alone.
  Protocol(Communicator communicator, const State& first, std::uint64_t options_hash,
           bool with_picture, Patience patience);

  const Communicator& communicator() const noexcept { return communicator_; }
  const State& state() const noexcept { return state_; }
  void set_state(const State& state) noexcept { state_ = state; }

  // The end of an epoch. Not while another look is under way. `movable`: whether the sets of this
  // rank can be moved; the look tells all ranks when it is settled.
  void post(const Sample& sample, const Status& movable = {});

  // Does what is due at the end of `step`; returns the look if it is settled now.
  std::shared_ptr<const Look> advance(std::int64_t step, Watcher& watcher);

  // Collective; blocks. Comes before collective calls on other communicators: when it returns, all
  // ranks are about to make them.
  void meet(Meeting meeting, std::int64_t step);

  // Collective. Completes what is under way, and forgets it; returns the totals of a look that the
  // state does not include yet.
  std::optional<Totals> finish();

  // Collective; blocks. Independent of looks.
  Totals reduce_now(const Sample& sample);

  // Local; instead of finish(), at the latest when MPI_Finalize comes. Ranks that still wait for
  // this one will learn that it has gone.
  void leave(std::int64_t step) noexcept;

  // Whether the ranks have run apart: then this rank waits for nobody any more.
  bool is_over() const noexcept { return apart_.has_value(); }

 private:
  void require_together() const;
  // What fails here ends the looks of this rank.
  template <class Function>
  void together(const Function& function);
  MeetingMessage complete(Posted& posted);
  std::shared_ptr<Look> own_look() const;
  void receive_totals(Watcher& watcher);
  std::shared_ptr<Look> thought_out(std::shared_ptr<Look> look) const;
  void decide(std::int64_t step);
  std::shared_ptr<const Look> settle();
  void forget() noexcept;

  Communicator communicator_;
  State state_;
  std::uint64_t options_hash_;
  bool with_picture_;

  static constexpr std::int64_t nothing = -1;
  std::int64_t posted_at_ = nothing;
  Patience patience_;
  Posted totals_, picture_, comparison_;
  Posted here_;  // outside of looks
  std::shared_ptr<Look> look_;
  // For when there is no memory, or the watcher has another one: the look under way, the one
  // decided on, and the one that the application may still read.
  std::array<std::shared_ptr<Look>, 3> own_;
  Status movable_;              // as the look under way has been told
  bool is_superseded_ = false;  // a rebalance since then has seen for itself
  bool has_left_ = false;
  std::optional<Error> apart_;  // what all ranks are told when they have run apart
};

}  // namespace evenkeel
