#pragma once

// Calls functions of payloads, which belong to the application.

#include <evenkeel/backends/comm/vote.hpp>

#include <utility>

namespace evenkeel {

// An exception of function() is reported as the application's; an Error stays as it is.
template <class Function>
void call_payload(Function&& function) {
  const Status status =
      attempt("core/payload", std::forward<Function>(function), ErrorKind::application);
  if (!status.ok()) throw Error(*status.error());
}

}  // namespace evenkeel
