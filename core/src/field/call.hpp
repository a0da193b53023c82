#pragma once

// Calls functions of payloads, which are code of the application.

#include <evenkeel/backends/comm/vote.hpp>

#include <utility>

namespace evenkeel {

// If function() throws an exception, reports it as a failure of the application. An Error passes
// through unchanged.
template <class Function>
void call_payload(Function&& function) {
  const Status status =
      attempt("core/payload", std::forward<Function>(function), ErrorKind::application);
  if (!status.ok()) throw Error(*status.error());
}

}  // namespace evenkeel
