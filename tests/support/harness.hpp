#pragma once

// What every test program gets from tests/support/main.cpp: MPI and Kokkos running, one space to
// compute in
// (--space=NAME), a watchdog (--watchdog=SECONDS), and a result that is a failure when any rank
// fails.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <gtest/gtest.h>

#include <string>

namespace evenkeel::test {

// A sanitizer makes a test ten times as slow. What counts cases rather than looks for faults, over
// many inputs, is skipped then.
#ifdef EVENKEEL_TEST_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// A communicator over all ranks of the test, made anew for the caller. Collective.
Communicator world(CommunicatorOptions options = {});

int rank();
int size();

// The space that this run tests; the default host space without --space.
const Space& space();

// The Error that function() throws, as text; "nothing was thrown" otherwise.
template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// True when `text` is the same on all ranks. Collective.
bool same_everywhere(const Communicator& communicator, const std::string& text);

// Whether `text` contains `part`, with both in the message when not.
inline testing::AssertionResult mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not mention \"" << part << '"';
}

}  // namespace evenkeel::test

// Expects an Error whose text contains `part`.
#define EXPECT_ERROR(statement, part) \
  EXPECT_TRUE(::evenkeel::test::mentions(::evenkeel::test::error_of([&] { statement; }), part))
