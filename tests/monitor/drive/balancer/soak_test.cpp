// A long run with births, deaths and drift. It calls migrate and step in every step, and rebalance
// in every 7th. A rebalance begins a new epoch, so for a tenth of the steps there is no such
// rebalance: there the default trigger looks and decides. Before a release, run this by hand with
// EVENKEEL_TEST_SOAK_STEPS=20000 and --watchdog=0.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace evenkeel::soak_test {
namespace {

using namespace test;

int steps_wanted() {
  if (const char* wanted = std::getenv("EVENKEEL_TEST_SOAK_STEPS")) return std::atoi(wanted);
  return test::is_sanitized ? 100 : 1000;
}

// --- Resources of a process ----------------------------------------------------------------------

// Resident bytes, open descriptors and threads, as far as the system reports them. Memory that was
// freed may stay resident for a while, and does not count as growth.
struct Holdings {
  std::int64_t bytes = 0, descriptors = 0, threads = 0;
};

std::int64_t entries_of(const char* directory) {
  std::error_code error;
  std::int64_t entries = 0;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error))
    ++entries;
  return entries;
}

Holdings holdings() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  Holdings now{0, entries_of("/proc/self/fd"), entries_of("/proc/self/task")};
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kibibytes = 0; word == "VmRSS:" && status >> kibibytes)
      now.bytes = kibibytes * 1024;
  return now;
}

// --- Objects -------------------------------------------------------------------------------------

constexpr test::Scene front = {"at the front", [](std::int64_t id, int axis) {
                                 const double share =
                                     static_cast<double>(mix(id, axis) % 10'000) / 10'000;
                                 return axis == 0 ? 0.1 * share : share;
                               }};

// Objects drift along x around a periodic box. Each has its own speed.
double speed_of(std::int64_t id) { return 0.001 * static_cast<double>(mix(id, 9) % 20); }

// Objects in vectors, which grow on their own.
struct Vectors {
  test::Vectors all{0};
  Set as_set() { return all.as_set(); }
  void resize(std::size_t objects) {
    all.x.resize(objects);
    all.id.resize(objects);
    all.velocity.resize(objects);
    all.kind.resize(objects);
    all.flag.resize(objects);
    all.cell.resize(objects);
  }
};

// Objects in Views with slack, which the application enlarges for births.
struct Views {
  Kokkos::View<double* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> x { "x", 16 };
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> id{"id", 16};
  Kokkos::View<float* [3], Kokkos::LayoutRight, Kokkos::HostSpace> spin { "spin", 16 };
  int owned = 0;
  Set as_set() { return set(x, carry(id, spin), {.count = &owned, .reserve = 1.3}); }
  void resize(std::size_t objects) {
    owned = static_cast<int>(objects);
    if (objects <= x.extent(0)) return;
    Kokkos::resize(x, 2 * objects);
    Kokkos::resize(id, 2 * objects);
    Kokkos::resize(spin, 2 * objects);
  }
};

// Changes a set in each step, and knows the expected objects afterwards.
template <class Container>
class Swarm {
 public:
  explicit Swarm(const Communicator& ranks) : ranks_(ranks) {}

  Set as_set() { return container_.as_set(); }

  // Some objects die, the others drift, and new ones are born.
  void live(int step) {
    const Set before = as_set();
    const Ids here = test::ids_in(before);
    const std::vector<test::Point> points = test::points_of(before);
    Ids ids;
    std::vector<double> places;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (mix(here[i], step) % 40 == 0) continue;
      ids.push_back(here[i]);
      places.insert(places.end(), points[i].begin(), points[i].end());
      places[places.size() - 3] += speed_of(here[i]);
    }
    const auto living = ids.size();
    const auto births = static_cast<std::int64_t>(mix(ranks_.rank() + 1, step) % 8);
    for (std::int64_t born = 0; born < births; ++born) {
      ids.push_back(next_++ * ranks_.size() + ranks_.rank());
      for (int axis = 0; axis < 3; ++axis) places.push_back(front.coordinate(ids.back(), axis));
    }
    container_.resize(ids.size());
    write_objects(as_set(), front, ids);
    test::write_values(as_set().position(), places);
    expected_ = sums_of(ids);
    EXPECT_LE(living, here.size());
  }

  std::int64_t count() { return as_set().count(); }

  // Collective.
  void expect_complete(const Balancer& balancer, bool at_home) {
    const Set set = as_set();
    const Ids here = test::ids_in(set);
    EXPECT_EQ(sums_of(here), expected_);
    for (std::size_t f = 1; f < set.fields().size(); ++f)
      EXPECT_TRUE(test::values_at<unsigned char>(test::owned(set, f)) ==
                  test::bytes_of(set, f, front, here))
          << set.describe(f);
    if (at_home) test::expect_at_owners(balancer, set);
  }

 private:
  using Sums = std::array<std::int64_t, 3>;  // the number, of ids, of their scrambled bits

  // Collective.
  Sums sums_of(const Ids& ids) const {
    Sums sums = {std::ssize(ids), 0, 0};
    for (const std::int64_t id : ids) {
      sums[1] += id;
      sums[2] += static_cast<std::int64_t>(mix(id, 77) >> 24U);
    }
    ranks_.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
    return sums;
  }

  const Communicator& ranks_;
  Container container_;
  std::int64_t next_ = 0;
  Sums expected_ = {};
};

class BalancerSoak : public testing::Test {
 protected:
  Communicator communicator = test::world();
  int steps = communicator.broadcast(steps_wanted(), 0);
  Swarm<Vectors> first{communicator};
  Swarm<Views> second{communicator};
  Balancer balancer{communicator,
                    {.box = Box{{0, 0, 0}, {1, 1, 1}},
                     .periodic = {true, false, false},
                     .wrap = true,
                     .own_clock = &virtual_now,
                     .log = LogLevel::off}};
  Kernel work = balancer.kernel("work");
  int moves = 0;  // the moves by step()

  void step(int now) {
    first.live(now);
    second.live(now);
    const bool is_left_alone = now % 600 >= 540;
    if (now % 7 == 0 && !is_left_alone)
      balancer.rebalance(first.as_set(), second.as_set());
    else
      balancer.migrate(first.as_set(), second.as_set());
    const bool looks_closely = now % 10 == 0;
    if (looks_closely) expect_complete(true);
    spend(work, 1'000'000 + 30'000 * first.count() + 10'000 * second.count());
    moves += balancer.step(first.as_set(), second.as_set()) ? 1 : 0;
    expect_complete(false);
  }
  void expect_complete(bool at_home) {
    first.expect_complete(balancer, at_home);
    second.expect_complete(balancer, at_home);
  }
  // Collective. All ranks must stop together; otherwise the remaining ranks would wait.
  bool has_failed_anywhere() const {
    return communicator.all_reduce(HasFailure() ? 1 : 0, Reduction::greatest) != 0;
  }
};

// If an MPI request never completes, or a list grows, at least 60 bytes per step are lost. In the
// 18,000 steps of the whole run, this is more than the test allows.
TEST_F(BalancerSoak, NothingIsLostAndNothingGrows) {
  ASSERT_GT(steps, 0);
  std::optional<Holdings> warm;
  const int warm_up = steps / 10;
  for (int now = 0; now < steps; ++now) {
    if (now == warm_up) warm = holdings();
    step(now);
    if (now % 100 == 0 && has_failed_anywhere()) return;
  }
  const Holdings last = holdings();
  balancer.finish();
  EXPECT_TRUE(communicator.size() == 1 || moves > 0 || steps < 600);
  std::printf(
      "rank %d: %lld bytes after %d steps, %lld after %d; %lld and %lld descriptors, %lld "
      "and %lld threads; %d moves by step\n",
      communicator.rank(), static_cast<long long>(warm->bytes), warm_up,
      static_cast<long long>(last.bytes), steps, static_cast<long long>(warm->descriptors),
      static_cast<long long>(last.descriptors), static_cast<long long>(warm->threads),
      static_cast<long long>(last.threads), moves);
  EXPECT_EQ(last.descriptors, warm->descriptors);
  EXPECT_EQ(last.threads, warm->threads);
  constexpr std::int64_t allowed = std::int64_t{1} << 20;
  if (!test::is_sanitized) {
    EXPECT_LE(last.bytes, warm->bytes + allowed);
  }
}

}  // namespace
}  // namespace evenkeel::soak_test
