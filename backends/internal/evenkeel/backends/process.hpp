#pragma once

// fork() without exec copies all objects into the child, but only one thread. At the end of the
// child, the destructors of these copies must not wait for a thread, talk to other ranks, or write
// to files of the parent.

#include <unistd.h>

namespace evenkeel::detail {

// Remembers the process that made it.
class HomeProcess {
 public:
  bool is_here() const noexcept { return ::getpid() == number_; }

 private:
  pid_t number_ = ::getpid();
};

}  // namespace evenkeel::detail
