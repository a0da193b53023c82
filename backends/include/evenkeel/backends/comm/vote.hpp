#pragma once

// The vote: one reduction after which either all ranks go on, or all throw the same Error, which
// names the lowest failing rank and its message. A rank that fails between two votes still takes
// part in all collective calls, and reports its failure at the next vote: no rank is left waiting,
// and none goes on alone.
//
//   Status status = attempt("core/migrate", [&] { reserve(...); });   // no exception leaves this
//   vote(communicator, status);                                       // all go on, or all throw

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/error.hpp>

#include <optional>

namespace evenkeel {

// What one rank brings to a vote: nothing to complain about, or an Error.
class EVENKEEL_API Status {
 public:
  Status() = default;
  // This rank has failed.
  explicit Status(Error error) : error_(std::move(error)) {}

  // The exception being handled, as a Status: Errors as they are, std::bad_alloc as out_of_memory,
  // all else as `otherwise`. Call inside a catch block. Never throws, not even without memory.
  static Status from_current_exception(const char* stage,
                                       ErrorKind otherwise = ErrorKind::internal) noexcept;

  bool ok() const noexcept { return !error_.has_value(); }
  const std::optional<Error>& error() const noexcept { return error_; }

 private:
  std::optional<Error> error_;
};

// Runs function() and turns whatever it throws into a Status. For code of the application (a
// call-back), use attempt(stage, function, ErrorKind::application). Allocates nothing itself.
// Local.
template <class Function>
[[nodiscard]] Status attempt(const char* stage, Function&& function,
                             ErrorKind otherwise = ErrorKind::internal) {
  try {
    std::forward<Function>(function)();
    return Status();
  } catch (...) {
    return Status::from_current_exception(stage, otherwise);
  }
}

// Collective. Returns on all ranks when every status is ok, and throws the same Error on all
// otherwise.
EVENKEEL_API void vote(const Communicator& communicator, const Status& status);

}  // namespace evenkeel
