#pragma once

// Where ranks meet. Every reduction of the protocol is a message of one type, whatever it is for:
// so a rank that has called step once more than others, or finish while they are in step, takes
// part in the reduction that they wait for, and all of them learn that they have run apart. With a
// type for each purpose MPI would wait for ever, or mix them up.

#include "agree/comparison.hpp"
#include "agree/epoch.hpp"
#include "agree/patience.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/reduction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace evenkeel {

// What a rank has come for. The first four bring something to be reduced; after the others, ranks
// go on with collective calls on other communicators.
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

struct MeetingMessage {
  static constexpr std::size_t meetings = 9;
  static constexpr std::size_t room =
      std::max({sizeof(Totals), sizeof(LoadPicture), sizeof(Comparison)});

  // For each meeting, the lowest rank that has come for it, and the step that it has called last.
  struct Caller {
    std::int64_t rank = -1, step = 0;
  };
  std::array<Caller, meetings> callers;
  alignas(8) std::array<std::byte, room> content{};  // of the one meeting that all have come for

  bool is_apart() const noexcept;
  // Throws the Error that says so; the same on all ranks.
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

// In words: "at a look", say.
std::string name_of(Meeting meeting);

// A message under way.
class Posted {
 public:
  // Makes all that messages need; those come one after the other.
  explicit Posted(const Communicator& ranks);

  void start(Meeting meeting, std::int64_t step, MeetingMessage message = {});
  // Whether a message was started, and not forgotten since.
  explicit operator bool() const noexcept { return is_posted_; }
  // After wait(), or where nobody waits any more.
  void forget() noexcept { is_posted_ = false; }
  // Local: makes progress. Throws what MPI reports.
  bool test() { return pending_.test(); }
  // Returns when all ranks have come. Throws the same Error on all if they have not all come for
  // the same.
  const MeetingMessage& wait(const Patience& patience);
  // Lets go of it. MPI_Finalize says in these words that other ranks have not come, or have come
  // for something else.
  void let_go(const std::string& words);

 private:
  PendingReduction<MeetingMessage> pending_;
  bool is_posted_ = false;
  Meeting meeting_ = Meeting::look;
  MeetingMessage::Caller here_;
};

}  // namespace evenkeel
