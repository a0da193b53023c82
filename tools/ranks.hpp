#pragma once

// The processes that run a sub-command together. MPI and Kokkos are started by the first that needs
// them, so that the others work where these do not, and end with this object: make it first, so
// that rank 0 has said everything before any rank ends. Launchers kill the ranks that are left when
// one has ended with an error.

#include <evenkeel/backends/comm/communicator.hpp>

#include <optional>

namespace evenkeel::tool {

class Ranks {
 public:
  Ranks() = default;
  // Waits for all ranks where MPI was started.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  // Collective. Starts MPI (in a build with it) and Kokkos; the same object when they run already.
  const Communicator& start();

  // True when a launcher says that it started this process, as one of several or alone.
  static bool are_launched();

  // True on the rank that speaks for all. Before start() the launcher is believed.
  bool is_first() const;

  // What the first rank says. Collective when started, and this process's own word before.
  bool as_first_says(bool mine) const;

  // After a failure that the other ranks cannot know of: ends them too, for good. Does nothing
  // where there are none.
  void give_up() const;

 private:
  std::optional<Communicator> all_;
};

}  // namespace evenkeel::tool
