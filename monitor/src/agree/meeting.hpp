#pragma once

// The points at which ranks meet. All reductions of the protocol use one type of message, whatever
// their purpose. The reason: suppose that a rank has called step() once more than the others, or
// finish() while they are in step(). This rank then takes part in the reduction for which the
// others wait, and all ranks learn that they have diverged. With a type for each purpose, MPI would
// wait for ever, or mix up messages.

#include "observe/epoch.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/comm/vote.hpp>

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <type_traits>

namespace evenkeel {

// The purpose of a meeting. In the first four kinds, each rank brings a value to be reduced. After
// meetings of the other kinds, ranks continue with collective calls on other communicators.
enum class Meeting : int {
  look,
  picture,
  comparison,
  finish,
  survey,
  kernels,
  rebalance,
  migration,
  farewell  // an unfinished run ends
};

// The least and the greatest over the ranks of the values that must be the same on all ranks when a
// look is decided. The ballot has the Errors of ranks.
struct Comparison {
  detail::Ballot ballot;       // Errors of ranks that could not decide, or whose sets cannot move
  std::int64_t undecided = 0;  // ranks that could not decide
  static constexpr std::size_t items = 5;  // step, generation, options, state, decision
  std::array<std::uint64_t, items> least{}, greatest{};

  static void combine(Comparison& into, const Comparison& from) noexcept;
  // Throws an Error that names the values that differ.
  void require_equal() const;
};

struct MeetingMessage {
  static constexpr std::size_t meetings = 9;
  static constexpr std::size_t room =
      std::max({sizeof(Totals), sizeof(LoadPicture), sizeof(Comparison)});

  // For each kind of meeting, the lowest rank that has come to it, and the last step of that rank.
  // If no rank has come, `rank` is -1.
  struct Caller {
    std::int64_t rank = -1, step = 0;
  };
  std::array<Caller, meetings> callers;
  alignas(8) std::array<std::byte, room> content{};  // valid if all ranks have come to the same
                                                     // meeting

  bool is_apart() const noexcept;  // true if ranks have come to different meetings
  // If the ranks have diverged, throws the Error that says so; it is the same on all ranks.
  void require_together() const;
  static void combine(MeetingMessage& into, const MeetingMessage& from) noexcept;

  template <class Content>
  void put(const Content& value) noexcept {
    static_assert(std::is_trivially_copyable_v<Content> && sizeof(Content) <= room);
    std::memcpy(content.data(), &value, sizeof(Content));
  }
  template <class Content>
  Content get() const noexcept {
    Content value;
    std::memcpy(static_cast<void*>(&value), content.data(), sizeof(Content));
    return value;
  }
};

// The meeting as text, such as "at a look".
std::string name_of(Meeting meeting);

// Waits for other ranks when looks, rebalances and finish() need all ranks. If a wait takes too
// long, reports this once and continues to wait.
class MeetingPatience {
 public:
  using Tell = std::function<void(const std::string& who, double seconds)>;

  // Calls `tell` if a wait has taken `seconds`. If `seconds` is 0, never calls it.
  MeetingPatience(double seconds, Tell tell) : seconds_(seconds), tell_(std::move(tell)) {}

  // Returns when pending.test() returns true. `who()` returns a text that names the waiting rank
  // and its meeting.
  template <class Pending, class Who>
  void wait_for(Pending& pending, const Who& who) const {
    constexpr int busy_tests = 1000;  // after these, other threads may use the core between tests
    if (pending.test()) return;
    const auto began = std::chrono::steady_clock::now();
    bool has_told = !(seconds_ > 0);
    for (int tests = 0; !pending.test(); ++tests) {
      if (tests > busy_tests) std::this_thread::yield();
      if (has_told || std::chrono::steady_clock::now() - began < limit()) continue;
      has_told = true;
      try {
        tell_(who(), seconds_);
      } catch (...) {  // without memory for the text, the wait continues without a report
      }
    }
  }

 private:
  std::chrono::duration<double> limit() const { return std::chrono::duration<double>(seconds_); }

  double seconds_;
  Tell tell_;
};

// A message under way.
class Posted {
 public:
  // Allocates all memory that messages need. Only one message is under way at a time.
  explicit Posted(const Communicator& ranks);

  void start(Meeting meeting, std::int64_t step, MeetingMessage message = {});
  // True from start() until forget() or let_go().
  explicit operator bool() const noexcept { return is_posted_; }
  // Call this after wait(), or when no rank waits for this message any more.
  void forget() noexcept { is_posted_ = false; }
  // Local: makes progress. Throws the errors that MPI reports.
  bool test() { return pending_.test(); }
  // Returns when all ranks have started a message. Throws the same Error on all ranks if they have
  // come to different meetings.
  const MeetingMessage& wait(const MeetingPatience& patience);
  // Gives the message up. MPI_Finalize then writes `words` to stderr if other ranks have not come,
  // or have come to another meeting.
  void let_go(const std::string& words);

 private:
  PendingReduction<MeetingMessage> pending_;
  bool is_posted_ = false;
  Meeting meeting_ = Meeting::look;
  MeetingMessage::Caller here_;
};

}  // namespace evenkeel
