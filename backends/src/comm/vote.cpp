#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <new>

namespace evenkeel {

Status Status::from_current_exception(const std::string& stage, ErrorKind otherwise) {
  const bool application = otherwise == ErrorKind::application;
  const std::string who = application ? "The application threw " : "Unexpected exception: ";
  const std::string remedy = application ? "Nothing was changed; mend the cause and try again."
                                         : "If you cannot explain it, please report it.";
  const auto described = [&](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return Status(Error(otherwise, Where{stage}, who + text + '.', remedy));
  };
  try {
    throw;
  } catch (const Error& error) {
    return Status(error);
  } catch (const std::bad_alloc&) {
    return Status(Error(ErrorKind::out_of_memory, Where{stage}, "Memory was refused.",
                        "Use more ranks or fewer objects."));
  } catch (const std::exception& exception) {
    return described(exception.what());
  } catch (...) {
    return described("something that is not a std::exception");
  }
}

namespace detail {

namespace {

// Writes one zero-terminated text at `place`, cut to `room` bytes including the zero, never inside
// a UTF-8 character. Returns the bytes used.
std::size_t write_text(char* place, std::size_t room, const std::string& text) {
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
  // An Error from an earlier vote already names its rank, and all ranks have it.
  const bool settled = error.rank() != Error::no_rank;
  ballot.rank = settled ? error.rank() : rank;
  ballot.failures = settled && error.rank() != rank ? 0 : 1;
  ballot.kind = static_cast<int>(error.kind());
  // The problem matters most: place and remedy each get at most a quarter of the room.
  constexpr std::size_t quarter = room / 4;
  std::size_t used = write_text(ballot.text, quarter, error.where());
  const std::size_t remedy = std::min(error.remedy().size() + 1, quarter);
  used += write_text(ballot.text + used, room - used - remedy, error.problem());
  write_text(ballot.text + used, room - used, error.remedy());
  return ballot;
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
  throw Error(static_cast<ErrorKind>(kind), Where{where}, problem, remedy)
      .at_rank(rank, failures, ranks);
}

}  // namespace detail

void vote(const Communicator& communicator, const Status& status) {
  using detail::Ballot;
  const Ballot all =
      all_reduce<&Ballot::combine>(communicator, Ballot::of(status, communicator.rank()));
  all.throw_if_failed(communicator.size());
}

}  // namespace evenkeel
