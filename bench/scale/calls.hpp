#pragma once

// The calls of MPI that one rank makes. A model predicts the calls of a protocol in this form, and
// a recording has the calls that were made.

#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::scale {

enum class CallKind : int {
  reduction,          // of all ranks, blocking
  pending_reduction,  // of all ranks, while the rank computes
  scan,               // over the ranks
  broadcast,
  gather,          // the same number of bytes from each rank, to all
  gather_several,  // different numbers of bytes from each rank, to all
  gather_to_root,  // different numbers of bytes from each rank, to one
  barrier,
  note,    // to one rank, which does not expect it
  message  // to one rank, which expects it
};
const char* name_of(CallKind kind) noexcept;

struct Call {
  CallKind kind = CallKind::reduction;
  std::int64_t bytes = 0;  // in gathers, of all ranks together; else of this rank
  friend bool operator==(const Call&, const Call&) = default;
};

using Calls = std::vector<Call>;

constexpr bool is_collective(CallKind kind) noexcept {
  return kind != CallKind::note && kind != CallKind::message;
}

// The calls that all ranks make together, in their order.
Calls collectives_of(const Calls& calls);

// Turns calls that one rank alone has made into those of many ranks. In a gather, each rank adds a
// number. All other calls carry sums, or lists of all objects together, which stay the same.
Calls on_ranks(const Calls& recorded, std::int64_t ranks);

void append(Calls& into, const Calls& from);

// Returns text such as "reduction 8, gather 40", for messages of tests.
std::string text_of(const Calls& calls);

}  // namespace evenkeel::scale
