#include "support/harness.hpp"
#include "support/watchdog.hpp"

#include <evenkeel/backends/config.hpp>

#include <Kokkos_Core.hpp>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

#ifdef EVENKEEL_TEST_SANITIZED
// MPI leaks memory from plugins that it unloads. Here they stay loaded, so the leak search can find
// the origin of memory by the caller of malloc alone. It needs no complete stacks, which make a
// test with many allocations ten times as slow.
extern "C" int dlclose(void*) { return 0; }
#endif

namespace evenkeel::test {

namespace {

std::optional<Space> chosen_space;

struct Arguments {
  std::string file, space;
  int watchdog_seconds = 0;
};

Arguments take_own_arguments(int& argc, char** argv) {
  Arguments arguments;
  const auto value_of = [](std::string_view argument, std::string_view name) -> const char* {
    return argument.substr(0, name.size()) == name ? argument.data() + name.size() : nullptr;
  };
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (const char* file = value_of(argv[i], "--file="))
      arguments.file = file;
    else if (const char* space = value_of(argv[i], "--space="))
      arguments.space = space;
    else if (const char* seconds = value_of(argv[i], "--watchdog="))
      arguments.watchdog_seconds = std::atoi(seconds);
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  return arguments;
}

// Runs only the tests of one source file. A program contains all tests of a component.
void choose(const std::string& file) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const std::string end = "tests/" + file + "_test.cpp";
  std::string filter;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k)
      if (const auto& test = *suite.GetTestInfo(k); std::string_view(test.file()).ends_with(end))
        filter += std::string(suite.name()) + '.' + test.name() + ':';
  }
  GTEST_FLAG_SET(filter, filter);
}

// Rank 0 prints everything; the others print only failures.
class FailuresOnly final : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override { name_ = test.name(); }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s: %s:%d: %s\n", rank(), name_.c_str(),
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 result.message());
  }
  std::string name_ = "outside tests";
};

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const Arguments arguments = take_own_arguments(argc, argv);
  if (!arguments.file.empty() && GTEST_FLAG_GET(filter) == "*") choose(arguments.file);
  const Watchdog watchdog(arguments.watchdog_seconds, "rank " + std::to_string(rank()));
  if (rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  chosen_space.emplace(arguments.space.empty() ? Space::where(MemoryKind::host)
                                               : Space::named(arguments.space));
  const int failed = RUN_ALL_TESTS();
  const int ran = testing::UnitTest::GetInstance()->test_to_run_count();
  chosen_space.reset();
  const int result = world().all_reduce(failed != 0 || ran == 0 ? 1 : 0, Reduction::greatest);
  return result;
}

}  // namespace

Communicator world(CommunicatorOptions options) { return Communicator::world(options); }

#if EVENKEEL_HAS_MPI
int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
#else
int rank() { return 0; }
int size() { return 1; }
#endif

const Space& space() { return *chosen_space; }

bool same_everywhere(const Communicator& communicator, const std::string& text) {
  const auto all = communicator.all_gather(std::span<const char>(text));
  bool same = true;
  for (int r = 0; r < communicator.size(); ++r)
    same = same && std::ranges::equal(all.of_rank(r), text);
  return same;
}

}  // namespace evenkeel::test

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#endif
  int result = 1;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    result = evenkeel::test::run(argc, argv);
  }
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return result;
}
