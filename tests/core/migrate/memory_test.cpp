#include "core/migrate/cloud.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>

#include <fstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace evenkeel::memory_test {
namespace {

using test::Ids;

// Seven doubles in three fields. Their keys are in order or random.
struct Cloud {
  std::vector<std::array<double, 3>> x, velocity;
  std::vector<double> id;
  explicit Cloud(std::size_t n) : x(n), velocity(n), id(n) {}
  Set as_set() { return set(x, carry(velocity, id)); }
};

constexpr std::int64_t bytes_of_object = 56;

struct Case {
  const char* name;
  std::uint64_t (*key)(std::int64_t i, std::int64_t count, int rank, int size);
};

// Each rank holds half of its own keys and half of the next rank's keys, in order.
std::uint64_t key_in_ranges(std::int64_t i, std::int64_t count, int rank, int size) {
  const int part = 2 * i < count ? rank : (rank + 1) % size;
  return test::keys_per_part * static_cast<std::uint64_t>(part) + (2 * i < count ? 10 : 60);
}
std::uint64_t random_key(std::int64_t i, std::int64_t count, int rank, int size) {
  return test::mix(i + count * rank, 3) % (test::keys_per_part * static_cast<std::uint64_t>(size));
}

constexpr Case cases[] = {{"in ranges", &key_in_ranges}, {"at random", &random_key}};

class MemoryOn : public test::OnRanks {
 protected:
  Plan plan_of(const Case& now, std::int64_t count) const {
    const test::Listed order =
        test::order_by(test::counting<std::int64_t>(count),
                       [&](std::int64_t i) { return now.key(i, count, rank, size); });
    return plan(communicator, test::even_splitters(size), test::made({&order, 1}));
  }
};

// The move transfers ten times as many bytes as staging may take.
TEST_F(MemoryOn, StagingKeepsToItsBudget) {
  constexpr std::int64_t count = 60'000;
  for (const Case& now : cases) {
    SCOPED_TRACE(now.name);
    const Plan who = plan_of(now, count);
    Cloud cloud(count);
    const Set set = cloud.as_set();
    const std::vector<SetShape> shapes = agree_on_sets(communicator, {&set, 1});
    const MoveOptions options{.staging_bytes = count * bytes_of_object / 2 / 10};
    const MoveReport::Memory told = memory_of(communicator, {&set, 1}, shapes, who, options);
    const MoveReport report = move(communicator, {&set, 1}, shapes, who, options);
    EXPECT_LE(report.memory.staging, options.staging_bytes);
    EXPECT_EQ(told.staging, report.memory.staging);
    EXPECT_EQ(told.peak(), report.memory.peak());
    EXPECT_EQ(told.before, count * bytes_of_object);
    EXPECT_EQ(told.after, std::ssize(cloud.x) * bytes_of_object);
    EXPECT_EQ(told.sent, report.sent * bytes_of_object);
    EXPECT_EQ(told.received, report.received * bytes_of_object);
    if (size == 1) continue;
    EXPECT_GE(told.sent + told.received, 10 * options.staging_bytes * 9 / 10);
    const bool direct = now.key == &key_in_ranges;
    EXPECT_EQ(told.staging > 0, !direct) << "objects in ranges need no staging";
    EXPECT_LT(told.lists, (direct ? 9 : 17) * (count + std::ssize(cloud.x)));
  }
}

// Origins travel as any other field does.
TEST_F(MemoryOn, OriginsAreCounted) {
  constexpr std::int64_t count = 1000;
  for (const Case& now : cases) {
    const Plan who = plan_of(now, count);
    Cloud cloud(count);
    const Set set = cloud.as_set();
    const std::vector<SetShape> shapes = agree_on_sets(communicator, {&set, 1});
    const MoveOptions options{.origins = true};
    const MoveReport::Memory told = memory_of(communicator, {&set, 1}, shapes, who, options);
    const MoveReport report = move(communicator, {&set, 1}, shapes, who, options);
    constexpr std::int64_t bytes = bytes_of_object + sizeof(MoveReport::Origin);
    EXPECT_EQ(told.before, count * bytes);
    EXPECT_EQ(told.sent, report.sent * bytes);
    EXPECT_EQ(told.peak(), report.memory.peak());
    EXPECT_EQ(report.bytes, communicator.all_reduce(report.sent, Reduction::sum) * bytes_of_object)
        << "fields that the application did not ask to move are not reported as moved";
  }
}

// Reads a line of /proc/self/status, in kilobytes, for this process.
std::optional<std::int64_t> status_of(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == key + ':') {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  return std::nullopt;
}

// Restarts the count of the peak. First returns freed memory to the system; otherwise it would be
// used again without being counted.
bool forget_the_peak() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ofstream control("/proc/self/clear_refs");
  control << "5" << std::flush;
  return static_cast<bool>(control);
}

// Compares the predicted memory of a move with the memory that the operating system reports.
TEST_F(MemoryOn, APeakIsNoHigherThanTold) {
  if (test::is_sanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  if (!status_of("VmHWM") || !forget_the_peak()) GTEST_SKIP() << "this system does not say";
  constexpr std::int64_t count = 500'000, megabyte = 1 << 20;
  for (const Case& now : cases) {
    SCOPED_TRACE(now.name);
    const Plan who = plan_of(now, count);
    Cloud cloud(count);
    const Set set = cloud.as_set();
    const std::vector<SetShape> shapes = agree_on_sets(communicator, {&set, 1});
    MoveOptions options;
    options.staging_bytes = count * bytes_of_object / 20;
    const MoveReport::Memory told = memory_of(communicator, {&set, 1}, shapes, who, options);
    ASSERT_TRUE(forget_the_peak());
    const std::int64_t before = *status_of("VmRSS");
    move(communicator, {&set, 1}, shapes, who, options);
    const std::int64_t taken = 1024 * (*status_of("VmHWM") - before);
    // The allowance is for messages that MPI holds, and for rounding memory to pages.
    EXPECT_LE(taken, told.after + told.staging + told.after / 20 + 6 * megabyte);
    EXPECT_GE(taken, told.after * 8 / 10) << "or it is not measured";
  }
}

TEST_F(MemoryOn, APlanOfOtherSetsIsRefused) {
  const Plan who = plan_of(cases[1], 100);
  Cloud cloud(99);
  const Set set = cloud.as_set();
  const std::vector<SetShape> shapes = agree_on_sets(communicator, {&set, 1});
  EXPECT_ERROR(memory_of(communicator, {&set, 1}, shapes, who),
               "The plan was made for other sets, or the sets have changed since.");
}

// With different options, ranks would cut messages differently, and wait for each other.
TEST_F(MemoryOn, OptionsThatDifferAreTheSameErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  const MoveOptions usual;
  MoveOptions tight, single, origins;
  tight.staging_bytes = 1000;
  single.messages_in_flight = 1;
  origins.origins = true;
  for (const MoveOptions& odd : {tight, single, origins}) {
    const Plan who = plan_of(cases[1], 100);
    Cloud cloud(100);
    const Set set = cloud.as_set();
    const std::vector<SetShape> shapes = agree_on_sets(communicator, {&set, 1});
    EXPECT_ERROR_EVERYWHERE(
        move(communicator, {&set, 1}, shapes, who, rank == size - 1 ? odd : usual),
        "Give the same on all ranks.");
    EXPECT_EQ(cloud.x.size(), 100U);
    EXPECT_TRUE(move(communicator, {&set, 1}, shapes, who, odd));
  }
}

}  // namespace
}  // namespace evenkeel::memory_test
