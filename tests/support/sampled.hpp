#pragma once

#include "support/harness.hpp"

namespace evenkeel::test {

// How many of `all` cases a sanitizer gets to see: a fifth.
template <class Integer>
constexpr Integer sampled(Integer all) noexcept {
  return is_sanitized ? (all + 4) / 5 : all;
}

}  // namespace evenkeel::test
