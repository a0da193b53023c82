#pragma once

// Helpers of all files of the chain: how to index by item, and how to refuse input.

#include <evenkeel/backends/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace evenkeel::chain_search {

[[noreturn]] inline void refuse(std::string what, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{"core/chain"}, std::move(what), std::move(remedy));
}

inline std::size_t index_of(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace evenkeel::chain_search
