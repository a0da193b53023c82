#pragma once

// Makes the messages of a transfer from notes that announce their sizes.

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <vector>

namespace evenkeel {

// Adds a message, a Send or a Receive, for each note that announces values; count_of(content) is
// the number of values. The values are stored in the order of the notes, without gaps, from `first`
// on.
template <class Message, class Content, class T, class CountOf>
void add_messages(std::vector<Message>& messages, const std::vector<Note<Content>>& notes, T* first,
                  MemoryKind memory, const CountOf& count_of) {
  for (const Note<Content>& note : notes) {
    const std::int64_t count = count_of(note.content);
    if (count == 0) continue;
    messages.push_back({note.rank, first, count * static_cast<std::int64_t>(sizeof(T)), memory});
    first += count;
  }
}

// Local. Makes a transfer from one array to another. Each array holds its values in the order of
// its notes, which announce how many there are.
template <class T>
Transfer transfer_between(const Space& space, const Communicator& communicator,
                          const exec::Array<T>& from,
                          const std::vector<Note<std::int64_t>>& to_ranks, const exec::Array<T>& to,
                          const std::vector<Note<std::int64_t>>& from_ranks) {
  const auto count_of = [](std::int64_t count) { return count; };
  std::vector<Send> sends;
  std::vector<Receive> receives;
  add_messages(sends, to_ranks, from.data(), from.memory(), count_of);
  add_messages(receives, from_ranks, to.data(), to.memory(), count_of);
  return Transfer(space, communicator, sends, receives);
}

}  // namespace evenkeel
