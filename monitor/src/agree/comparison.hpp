#pragma once

// What must be the same on all ranks once a look is decided on.

#include <evenkeel/backends/comm/vote.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

// Least and greatest over the ranks, and who has something to refuse.
struct Comparison {
  detail::Ballot ballot;  // of ranks that could not decide, or were given sets that cannot move
  std::int64_t undecided = 0;              // ranks that could not decide
  static constexpr std::size_t items = 5;  // step, generation, options, state, decision
  std::array<std::uint64_t, items> least{}, greatest{};

  static void combine(Comparison& into, const Comparison& from) noexcept;
  // Throws an Error that names what differs.
  void require_equal() const;
};

}  // namespace evenkeel
