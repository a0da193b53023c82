#pragma once

// What one rank asks of MPI, call by call: the language in which a model says what a protocol does,
// and in which a recording says what it did.

#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::scale {

enum class CallKind : int {
  reduction,          // of all ranks, blocking
  pending_reduction,  // likewise; the rank computes meanwhile
  scan,               // over the ranks
  broadcast,
  gather,          // as many bytes from each rank, to all
  gather_several,  // other numbers of bytes from each, to all
  gather_to_root,  // likewise, to one rank
  barrier,
  note,    // to one rank, which has not been told to expect it
  message  // to one rank, which expects it
};
constexpr int call_kinds = 10;
const char* name_of(CallKind kind) noexcept;

struct Call {
  CallKind kind = CallKind::reduction;
  std::int64_t bytes = 0;  // of gathers: of all ranks together; else of this rank
  friend bool operator==(const Call&, const Call&) = default;
};

using Calls = std::vector<Call>;

constexpr bool is_collective(CallKind kind) noexcept {
  return kind != CallKind::note && kind != CallKind::message;
}

// The calls that all ranks make together, in their order; and those to single ranks.
Calls collectives_of(const Calls& calls);
Calls point_to_point_of(const Calls& calls);

// What was recorded on one rank, as many ranks would call it: each adds a number to what is
// gathered; the rest are sums, or lists of all objects together.
Calls on_ranks(const Calls& recorded, std::int64_t ranks);

void append(Calls& into, const Calls& from);

std::int64_t bytes_of(const Calls& calls) noexcept;

// "reduction 8, gather 40": for messages of tests.
std::string text_of(const Calls& calls);

}  // namespace evenkeel::scale
