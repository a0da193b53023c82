#pragma once

// Calls of payloads, which are the application's.

#include <evenkeel/backends/comm/vote.hpp>

#include <utility>

namespace evenkeel {

// What function() throws is told as the application's; an Error stays what it is.
template <class Function>
void call_payload(Function&& function) {
  const Status status =
      attempt("core/payload", std::forward<Function>(function), ErrorKind::application);
  if (!status.ok()) throw Error(*status.error());
}

}  // namespace evenkeel
