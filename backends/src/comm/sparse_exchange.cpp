#include "comm/messenger.hpp"
#include "comm/stage.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>

namespace evenkeel {

namespace {

bool is_rank(const Communicator& communicator, int rank) {
  return rank >= 0 && rank < communicator.size();
}

Error no_such_rank(const Communicator& communicator, int rank) {
  return Error(ErrorKind::bad_input, Where{stage_name},
               "A message names rank " + std::to_string(rank) + ", but there are " +
                   std::to_string(communicator.size()) + " ranks.",
               "Name ranks from 0 to " + std::to_string(communicator.size() - 1) + '.');
}

}  // namespace

namespace detail {

std::vector<RawNote> announce(const Communicator& communicator, const Status& made,
                              std::vector<RawNote> notes, std::int64_t bytes) {
  const int rank = communicator.rank();
  std::vector<RawNote> to_self, arrived;
  Status status = made;
  if (status.ok())
    status = attempt(stage_name, [&] {
      for (const RawNote& note : notes) {
        if (!is_rank(communicator, note.rank)) throw no_such_rank(communicator, note.rank);
        if (note.rank == rank) to_self.push_back(note);
      }
      std::erase_if(notes, [&](const RawNote& note) { return note.rank == rank; });
    });
  if (!status.ok()) notes.clear();  // still takes part, so that no other rank waits for this one
  const Status taken = communicator.messenger()->announce(notes, bytes, arrived);
  if (status.ok()) status = taken;
  if (!status.ok()) throw Error(*status.error());
  arrived.insert(arrived.end(), to_self.begin(), to_self.end());
  std::stable_sort(arrived.begin(), arrived.end(),
                   [](const RawNote& a, const RawNote& b) { return a.rank < b.rank; });
  return arrived;
}

}  // namespace detail

}  // namespace evenkeel
