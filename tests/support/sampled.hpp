#pragma once

#include "support/harness.hpp"

namespace evenkeel::test {

// The number of cases of `all` that run under a sanitizer: a fifth.
template <class Integer>
constexpr Integer sampled(Integer all) noexcept {
  return is_sanitized ? (all + 4) / 5 : all;
}

}  // namespace evenkeel::test
