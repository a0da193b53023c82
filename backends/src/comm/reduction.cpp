#include "comm/messenger.hpp"

#include <evenkeel/backends/comm/reduction.hpp>

namespace evenkeel::detail {

std::unique_ptr<Pending> prepare_all_reduce(const Communicator& communicator,
                                            const Combination& combination) {
  return communicator.messenger()->prepare_combine(combination);
}

void all_reduce(const Communicator& communicator, void* value, const Combination& combination) {
  communicator.messenger()->combine(value, combination);
}

void at_finalize(const Communicator& communicator, std::function<void()> function) {
  communicator.messenger()->at_finalize(std::move(function));
}

}  // namespace evenkeel::detail
