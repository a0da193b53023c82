#include "comm/messenger.hpp"

#include <evenkeel/backends/comm/reduction.hpp>

namespace evenkeel::detail {

std::unique_ptr<Pending> start_all_reduce(const Communicator& communicator, const void* mine,
                                          const Combination& combination) {
  return communicator.messenger()->start_combine(mine, combination);
}

void all_reduce(const Communicator& communicator, void* value, const Combination& combination) {
  communicator.messenger()->combine(value, combination);
}

}  // namespace evenkeel::detail
