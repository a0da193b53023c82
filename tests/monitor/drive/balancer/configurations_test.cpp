// Runs programs under configurations that are drawn at random: methods, types, containers, extreme
// values, bonds, payloads, options, and actions of the application between two calls. Before a
// release, run it by hand with EVENKEEL_TEST_CONFIGURATIONS=5000 and --watchdog=0; each
// configuration has its own watchdog. EVENKEEL_TEST_CONFIGURATION=17 runs only number 17.

#include "monitor/drive/balancer/configurations/program.hpp"
#include "support/sampled.hpp"
#include "support/watchdog.hpp"

#include <cstdio>

namespace evenkeel::configurations_test {
namespace {

std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted != nullptr ? std::atoll(wanted) : otherwise;
}

TEST(Configurations, AnyOfThem) {
  constexpr int most_seconds = test::is_sanitized ? 300 : 60;  // per configuration
  constexpr int most_failures = 10;
  const Communicator communicator = test::world();
  const std::int64_t one =
      communicator.broadcast(number_from("EVENKEEL_TEST_CONFIGURATION", -1), 0);
  const std::int64_t begin = one >= 0 ? one : 0;
  const std::int64_t end =
      one >= 0 ? one + 1
               : communicator.broadcast(
                     number_from("EVENKEEL_TEST_CONFIGURATIONS", test::sampled(200)), 0);
  ASSERT_LT(begin, end);
  std::int64_t calls = 0, errors = 0, moves = 0;
  int failures = 0;
  for (std::int64_t number = begin; number < end && failures < most_failures; ++number) {
    const test::Configuration all = test::configuration_of(number, communicator.size());
    SCOPED_TRACE(describe(all));
    const test::Watchdog watchdog(most_seconds, describe(all));
    test::DrawnProgram program(communicator, all);
    const std::string wrong = program.run();
    EXPECT_EQ(wrong, "");
    failures += wrong.empty() ? 0 : 1;
    calls += program.calls();
    errors += program.errors();
    moves += program.moves();
  }
  if (communicator.rank() == 0)
    std::printf("%lld configurations: %lld calls, %lld moves, %lld Errors that were due\n",
                static_cast<long long>(end - begin), static_cast<long long>(calls),
                static_cast<long long>(moves), static_cast<long long>(errors));
}

}  // namespace
}  // namespace evenkeel::configurations_test
