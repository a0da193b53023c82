#pragma once

// What ranks make sure of before a proposal: that all of them have accepted the same ones.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace evenkeel {

struct ProposalStatement {
  std::int64_t least = 0, greatest = 0;  // generation
  std::int64_t load = 0;                 // of all ranks
  static void add(ProposalStatement& into, const ProposalStatement& from) noexcept {
    into.least = std::min(into.least, from.least);
    into.greatest = std::max(into.greatest, from.greatest);
    into.load += from.load;
  }
};

// Collective. Returns the sum of what ranks have as `load`. `status`: of this rank.
inline std::int64_t require_same_generation(const Communicator& ranks, const Status& status,
                                            const char* stage, std::int64_t generation,
                                            std::int64_t load = 0) {
  const ProposalStatement all =
      vote<&ProposalStatement::add>(ranks, status, ProposalStatement{generation, generation, load});
  if (all.least != all.greatest)
    throw Error(ErrorKind::disagreement, Where{stage},
                "Some ranks have accepted a proposal and others have not: generations are " +
                    std::to_string(all.least) + " to " + std::to_string(all.greatest) + '.',
                "Call accept() on all ranks or on none.");
  return all.load;
}

}  // namespace evenkeel
