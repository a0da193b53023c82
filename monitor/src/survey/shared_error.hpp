#pragma once

// A survey that fails makes the loads under other domains unknown, but it does not end a step. This
// is safe only if all ranks fail.

#include <evenkeel/backends/error.hpp>

namespace evenkeel {

// Throws the Error again if it is an error of MPI, which other ranks do not see. All other Errors
// of a survey are the same on all ranks.
inline void require_shared(const Error& error) {
  if (error.kind() == ErrorKind::communication && error.rank() == Error::no_rank)
    throw Error(error);
}

}  // namespace evenkeel
