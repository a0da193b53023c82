#pragma once

// The vote: one reduction after which all ranks continue, or all throw the same Error, which names
// the lowest failing rank and its message. A rank that fails between two votes still takes part in
// all collective calls, and reports its failure at the next vote. So no rank waits for ever, and no
// rank continues alone.
//
//   Status status = attempt("core/migrate", [&] { reserve(...); });   // no exception leaves this
//   vote(communicator, status);                                       // all continue, or all throw

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/error.hpp>

#include <optional>

namespace evenkeel::stages {

// The contribution of one rank to a vote: success, or an Error.
class EVENKEEL_API Status {
 public:
  Status() = default;
  // This rank has failed.
  explicit Status(Error error) : error_(std::move(error)) {}

  // Turns the exception that is being handled into a Status: an Error stays as it is,
  // std::bad_alloc becomes out_of_memory, and any other exception gets the kind `otherwise`. Call
  // it inside a catch block. It never throws, not even without memory.
  static Status from_current_exception(const char* stage,
                                       ErrorKind otherwise = ErrorKind::internal) noexcept;

  bool ok() const noexcept { return !error_.has_value(); }
  const std::optional<Error>& error() const noexcept { return error_; }

 private:
  std::optional<Error> error_;
};

// Runs function() and turns an exception into a Status. For code of the application (a call-back),
// use attempt(stage, function, ErrorKind::application). Allocates nothing itself unless function()
// throws. Local.
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

// Collective. If the status of every rank is ok, returns. Otherwise throws the same Error on all
// ranks.
EVENKEEL_API void vote(const Communicator& communicator, const Status& status);

// The ranks that run a stage together, and the status of this rank before the stage, which the
// first vote of the stage takes in. Refers to its arguments, so it is valid only during the call.
class Voters {
 public:
  // For callers whose code before the stage cannot fail on this rank alone: they pass only a
  // communicator.
  Voters(const Communicator& communicator)  // NOLINT(google-explicit-constructor)
      : communicator_(&communicator) {}
  // For callers whose code before the stage can fail on this rank alone: they pass {communicator,
  // status}. If that code has failed, all ranks throw its Error in the first vote of the stage.
  Voters(const Communicator& communicator, const Status& status)
      : communicator_(&communicator), status_(&status) {}

  const Communicator& communicator() const noexcept { return *communicator_; }

  // Throws the Error of the status, if there is one. A stage calls this inside its first attempt().
  // Local.
  void require_success() const {
    if (status_ != nullptr && !status_->ok()) throw Error(*status_->error());
  }

 private:
  const Communicator* communicator_;
  const Status* status_ = nullptr;
};

}  // namespace evenkeel::stages
