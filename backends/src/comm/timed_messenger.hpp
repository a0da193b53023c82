#pragma once

#include "comm/messenger.hpp"

namespace evenkeel::detail {

// Returns a messenger that does the same as `other`, and adds the CPU time of the calling thread in
// its calls to `nanoseconds`.
std::shared_ptr<Messenger> make_timed_messenger(std::shared_ptr<Messenger> other,
                                                std::shared_ptr<std::int64_t> nanoseconds);

}  // namespace evenkeel::detail
