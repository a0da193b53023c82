#include "comm/messenger.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "backends/comm";

bool is_rank(const Communicator& communicator, int rank) {
  return rank >= 0 && rank < communicator.size();
}

Error no_such_rank(const Communicator& communicator, int rank) {
  return Error(ErrorKind::bad_input, Where{stage_name},
               "A message names rank " + std::to_string(rank) + " of " +
                   std::to_string(communicator.size()) + '.',
               "Name ranks from 0 to " + std::to_string(communicator.size() - 1) + '.');
}

}  // namespace

namespace detail {

std::vector<RawNote> announce(const Communicator& communicator, std::vector<RawNote> notes,
                              std::int64_t bytes) {
  const int rank = communicator.rank();
  std::optional<Error> error;
  std::vector<RawNote> to_self, to_ranks;
  for (RawNote& note : notes) {
    if (!is_rank(communicator, note.rank))
      error = no_such_rank(communicator, note.rank);
    else
      (note.rank == rank ? to_self : to_ranks).push_back(std::move(note));
  }
  if (error) to_ranks.clear();  // still take part, so that no other rank waits for this one
  std::vector<RawNote> arrived = communicator.messenger()->announce(to_ranks, bytes);
  if (error) throw Error(*error);
  std::move(to_self.begin(), to_self.end(), std::back_inserter(arrived));
  std::stable_sort(arrived.begin(), arrived.end(),
                   [](const RawNote& a, const RawNote& b) { return a.rank < b.rank; });
  return arrived;
}

}  // namespace detail

}  // namespace evenkeel
