#pragma once

// Every test program gets this from tests/support/main.cpp: MPI and Kokkos are running, only the
// tests of one file run (--file=core/cut), there is one space to compute in (--space=NAME) and a
// watchdog (--watchdog=SECONDS), and the result is a failure if any rank fails. This header
// includes the common headers of the standard library, so tests need not include them.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkeel::test {

// A sanitizer makes a test ten times as slow. So it skips tests that count cases over many inputs
// and do not look for faults.
#ifdef EVENKEEL_TEST_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// Collective. A communicator over all ranks of the test, new for each caller.
Communicator world(CommunicatorOptions options = {});

int rank();
int size();

// The space that this run tests. Without --space, it is the default host space.
const Space& space();

// The text of the Error that function() throws, or "nothing was thrown".
template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// Collective. Returns true on all ranks if `text` is the same everywhere.
bool same_everywhere(const Communicator& communicator, const std::string& text);

// Collective. Returns the text of the Error that function() throws, and checks that it is the same
// on all ranks.
template <class Function>
std::string error_everywhere(Function&& function) {
  const std::string text = error_of(function);
  EXPECT_TRUE(same_everywhere(world(), text)) << text;
  return text;
}

// Succeeds if `text` contains `part`; the failure shows both.
inline testing::AssertionResult mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not mention \"" << part << '"';
}

// A test of a collective operation.
class OnRanks : public testing::Test {
 protected:
  Communicator communicator = world();
  int rank = communicator.rank(), size = communicator.size();
};

}  // namespace evenkeel::test

// Expects that `text` contains `part`.
#define EXPECT_MENTIONS(text, part) EXPECT_TRUE(::evenkeel::test::mentions(text, part))

// Expects an Error whose text contains `part`.
#define EXPECT_ERROR(statement, part) \
  EXPECT_MENTIONS(::evenkeel::test::error_of([&] { statement; }), part)

// Collective. Expects the same Error on all ranks, whose text contains `part`.
#define EXPECT_ERROR_EVERYWHERE(statement, part) \
  EXPECT_MENTIONS(::evenkeel::test::error_everywhere([&] { statement; }), part)
