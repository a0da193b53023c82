#pragma once

// Records the calls of MPI that this process makes. recording.cpp stands between the library and
// MPI: a program that links it counts every call, and pays next to nothing while it records none.

#include "calls.hpp"

namespace evenkeel::scale {

// Records from its construction to its end. One at a time.
class Recording {
 public:
  Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();
  const Calls& calls() const noexcept { return calls_; }
  // Those since the last call of take().
  Calls take();

 private:
  Calls calls_;
};

// What function() asks of MPI.
template <class Function>
Calls recorded(const Function& function) {
  Recording recording;
  function();
  return recording.take();
}

}  // namespace evenkeel::scale
