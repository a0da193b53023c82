#pragma once

// The processes that run a sub-command together. Only a sub-command that needs MPI and Kokkos
// starts them, so the others also work where MPI and Kokkos do not. MPI and Kokkos end with this
// object: construct it first, so that rank 0 has printed everything before any rank ends. Launchers
// kill the remaining ranks when one has ended with an error.

#include <evenkeel/backends/comm/communicator.hpp>

#include <optional>

namespace evenkeel::tool {

class Ranks {
 public:
  Ranks() = default;
  // If MPI was started, waits for all ranks.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  // Collective. Starts MPI (in a build with MPI) and Kokkos, unless they already run.
  const Communicator& start();

  // True when the environment shows that a launcher started this process, alone or as one of
  // several.
  static bool are_launched();

  // True on the rank that prints for all. Before start(), the environment of the launcher decides.
  bool is_first() const;

  // The first rank's value. Collective after start(). Before start(), it returns `mine`.
  bool as_first_says(bool mine) const;

  // Ends all ranks at once, after a failure that other ranks cannot know of. Does nothing if there
  // are no other ranks.
  void give_up() const;

 private:
  std::optional<Communicator> all_;
};

}  // namespace evenkeel::tool
