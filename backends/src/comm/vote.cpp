#include "comm/messenger.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <new>
#include <string_view>

namespace evenkeel {

namespace {

Status described(const char* stage, ErrorKind otherwise, std::string text) {
  const bool application = otherwise == ErrorKind::application;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return Status(
      Error(otherwise, Where{stage},
            (application ? "The application threw an exception: " : "Unexpected exception: ") +
                text + '.',
            application ? "Nothing was changed; mend the cause and try again."
                        : "If you cannot explain it, please report it."));
}

}  // namespace

Status Status::from_current_exception(const char* stage, ErrorKind otherwise) noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      return Status(error);
    } catch (const std::bad_alloc&) {
      return Status(Error::out_of_memory(stage));
    } catch (const std::exception& exception) {
      return described(stage, otherwise, exception.what());
    } catch (...) {
      return described(stage, otherwise, "something that is not a std::exception");
    }
  } catch (...) {  // there is no memory for a description
    return Status(Error::out_of_memory(stage));
  }
}

namespace detail {

namespace {

// Writes a text and a zero at `place`. Truncates the text so that it takes at most `room` bytes
// with the zero, but not inside a UTF-8 character. Returns the number of bytes written.
std::size_t write_text(char* place, std::size_t room, std::string_view text) {
  std::size_t length = std::min(text.size(), room - 1);
  if (length < text.size())
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::copy_n(text.data(), length, place);
  place[length] = '\0';
  return length + 1;
}

}  // namespace

Ballot Ballot::of(const Status& status, int rank) noexcept {
  Ballot ballot;
  if (status.ok()) return ballot;
  const Error& error = *status.error();
  // An Error from an earlier vote already names its rank, and all ranks have that Error.
  const bool settled = error.rank() != Error::no_rank;
  ballot.rank = settled ? error.rank() : rank;
  ballot.failures = settled && error.rank() != rank ? 0 : 1;
  ballot.kind = static_cast<int>(error.kind());
  // The problem is the most important text. So location and remedy each get at most a quarter of
  // the room.
  constexpr std::size_t quarter = room / 4;
  std::size_t used = write_text(ballot.text, quarter, error.where());
  const std::size_t remedy = std::min(error.remedy().size() + 1, quarter);
  used += write_text(ballot.text + used, room - used - remedy, error.problem());
  write_text(ballot.text + used, room - used, error.remedy());
  return ballot;
}

void Ballot::set_remedy(const char* remedy) noexcept {
  if (rank == none) return;
  const std::string_view given(remedy);
  const std::size_t where = std::strlen(text) + 1, problem = std::strlen(text + where) + 1;
  const std::size_t used = std::min(where + problem, room - std::min(room / 4, given.size() + 1));
  text[used - 1] = '\0';
  write_text(text + used, room - used, given);
}

void Ballot::combine(Ballot& into, const Ballot& from) noexcept {
  const int failures = into.failures + from.failures;
  if (from.rank != none && (into.rank == none || from.rank < into.rank)) into = from;
  into.failures = failures;
}

void Ballot::throw_if_failed(int ranks) const {
  if (rank == none) return;
  const char* where = text;
  const char* problem = where + std::strlen(where) + 1;
  const char* remedy = problem + std::strlen(problem) + 1;
  throw Error::told({static_cast<ErrorKind>(kind), where, problem, remedy, rank, failures, ranks});
}

std::span<std::int64_t> gather_numbers(const Communicator& communicator, std::int64_t mine) {
  return communicator.messenger()->gather_numbers(mine);
}

void gather_bytes(const Communicator& communicator, const void* mine, void* all,
                  std::span<const std::int64_t> bytes_of_rank, int root) {
  communicator.messenger()->gather(mine, all, bytes_of_rank, root);
}

}  // namespace detail

void stages::vote(const Communicator& communicator, const Status& status) {
  using detail::Ballot;
  const Ballot all =
      all_reduce<&Ballot::combine>(communicator, Ballot::of(status, communicator.rank()));
  all.throw_if_failed(communicator.size());
}

}  // namespace evenkeel
