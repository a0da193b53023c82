#include "core/migrate/containers.hpp"

#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::strays_test {
namespace {

using test::everywhere;
using test::Ids;
using test::mix;

// --- The oracle ----------------------------------------------------------------------------------

// The destination of an object depends on its id and on `salt`. With a probability of `share` / 64
// it is a random rank.
struct Wander {
  std::uint64_t share;
  int salt;
  int operator()(std::int64_t id, int rank, int ranks) const {
    const auto to = static_cast<int>(mix(id, salt + 1) % static_cast<std::uint64_t>(ranks));
    return mix(id, salt) % 64 < share ? to : rank;
  }
};

Strays strays_by(const Set& set, const Ids& ids, const Wander& wander) {
  const Communicator communicator = test::world();
  std::vector<std::int64_t> objects;
  std::vector<int> owners;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int to = wander(ids[i], communicator.rank(), communicator.size());
    if (to == communicator.rank()) continue;
    objects.push_back(static_cast<std::int64_t>(i));
    owners.push_back(to);
  }
  const Space space = test::space_of(set);
  return {test::array_of(objects, space), test::array_of(owners, space)};
}

struct Expected {
  Ids ids;
  std::int64_t objects = 0, sent = 0, received = 0;
};

// Collective. Holes must be filled in ascending order: first by arriving objects, rank by rank, and
// then by the objects behind the end.
Expected expected_of(const Ids& before, const Wander& wander) {
  const Communicator communicator = test::world();
  const int rank = communicator.rank(), ranks = communicator.size();
  const auto all = communicator.all_gather(std::span<const std::int64_t>(before));
  Expected expected;
  Ids arriving;
  for (int from = 0; from < ranks; ++from)
    for (const std::int64_t id : all.of_rank(from)) {
      const int to = wander(id, from, ranks);
      if (to == from) continue;
      ++expected.objects;
      if (from == rank) ++expected.sent;
      if (to == rank) arriving.push_back(id);
    }
  expected.received = std::ssize(arriving);
  constexpr std::int64_t hole = -1;
  Ids& ids = expected.ids = before;
  for (std::int64_t& id : ids)
    if (wander(id, rank, ranks) != rank) id = hole;
  std::size_t next = 0;
  for (std::int64_t& id : ids)
    if (id == hole && next < arriving.size()) id = arriving[next++];
  while (next < arriving.size()) ids.push_back(arriving[next++]);
  const auto staying =
      ids.size() - static_cast<std::size_t>(std::count(ids.begin(), ids.end(), hole));
  Ids behind(ids.begin() + static_cast<std::ptrdiff_t>(staying), ids.end());
  std::erase(behind, hole);
  ids.resize(staying);
  next = 0;
  for (std::int64_t& id : ids)
    if (id == hole) id = behind[next++];
  return expected;
}

// Collective.
MoveReport expect_strays(std::span<const Set> sets, const Wander& wander) {
  const Communicator communicator = test::world();
  const std::vector<SetShape> shapes = agree_on_sets(communicator, sets);
  std::vector<Expected> expected;
  std::vector<Strays> strays;
  Expected sum;
  for (const Set& set : sets) {
    const Ids ids = test::ids_in(set);
    strays.push_back(strays_by(set, ids, wander));
    const Expected& one = expected.emplace_back(expected_of(ids, wander));
    sum.objects += one.objects;
    sum.sent += one.sent;
    sum.received += one.received;
  }
  const Plan plan = plan_strays(communicator, strays, sets);
  EXPECT_EQ(plan.objects_moved, sum.objects);
  MoveReport report;
  if (!plan.empty()) {
    report = move(communicator, sets, shapes, plan);
    EXPECT_TRUE(report.moved);
    EXPECT_EQ(report.objects, sum.objects);
    EXPECT_EQ(report.sent, sum.sent);
    EXPECT_EQ(report.received, sum.received);
  }
  for (std::size_t s = 0; s < sets.size(); ++s) {
    test::expect_objects(sets[s], everywhere, expected[s].ids);
    EXPECT_NO_THROW(check_movable(sets[s]));
  }
  return report;
}

class StraysOn : public test::OnRanks {};

// --- Sets of every kind --------------------------------------------------------------------------

constexpr Wander wanders[] = {{1, 0}, {0, 0}, {16, 1}, {64, 2}, {3, 3}, {40, 4}};

template <class Cloud>
void expect_wandering() {
  for (const test::Spread& spread :
       {test::in_turn, test::on_the_last, test::on_even_ranks, test::at_random})
    for (const std::int64_t objects : {test::most_objects, std::int64_t{5}, std::int64_t{0}}) {
      SCOPED_TRACE(std::to_string(objects) + ' ' + spread.name);
      test::Filled<Cloud> cloud(test::ids_here(test::world(), spread, objects));
      for (const Wander& wander : wanders) expect_strays({&cloud.set, 1}, wander);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Strays, LeaveViews) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    using Memory = typename Instance::memory_space;
    expect_wandering<test::LeftViews<Memory>>();
    expect_wandering<test::RightViews<Memory>>();
    expect_wandering<test::RecordViews<Memory>>();
    expect_wandering<test::LateViews<Memory>>();
    expect_wandering<test::Subviews<Memory>>();
    expect_wandering<test::KeptViews<Memory>>();
  });
}

TEST(Strays, LeaveOtherContainers) {
  expect_wandering<test::Vectors>();
  expect_wandering<test::Records>();
  expect_wandering<test::MixedContainers>();
  expect_wandering<test::Borrowed>();
  expect_wandering<test::Raw>();
}

TEST(Strays, OfSeveralSetsAreSentTogether) {
  const Ids ids = test::ids_here(test::world(), test::in_turn, 200);
  test::Filled<test::Vectors> a(ids);
  test::Filled<test::Records> b(Ids(ids.begin(), ids.begin() + std::ssize(ids) / 2));
  const Set sets[] = {a.set, b.set};
  for (const Wander& wander : wanders) expect_strays(sets, wander);
}

// --- Memory --------------------------------------------------------------------------------------

TEST(Strays, FieldsWithSlackKeepTheirMemory) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    const Ids ids = test::ids_here(test::world(), test::in_turn, 200);
    test::LeftViews<typename Instance::memory_space> cloud(1000);
    auto owned = static_cast<int>(ids.size());
    const Set set = cloud.as_set({.count = &owned});
    test::write_objects(set, everywhere, ids);
    const double* const before = cloud.x.data();
    for (const Wander& wander : wanders) expect_strays({&set, 1}, wander);
    EXPECT_EQ(cloud.x.data(), before);
    EXPECT_EQ(cloud.x.extent(0), 1000U);
    EXPECT_EQ(owned, set.count());
  });
}

TEST_F(StraysOn, MemoryThatIsTooSmallIsMadeAnewWithSlack) {
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    const bool is_last = rank == size - 1;
    const Ids ids = test::ids_here(communicator, test::on_the_last, 1000);
    test::LeftViews<typename Instance::memory_space> cloud(is_last ? 1000 : 0);
    auto owned = static_cast<std::int64_t>(ids.size());
    const Set set = cloud.as_set({.count = &owned, .reserve = 1.5});
    test::write_objects(set, everywhere, ids);
    expect_strays({&set, 1}, {64, 7});
    const auto room = static_cast<std::int64_t>(cloud.x.extent(0));
    EXPECT_EQ(room, is_last ? 1000 : std::llround(std::ceil(1.5 * static_cast<double>(owned))));
    const double* const before = cloud.x.data();
    expect_strays({&set, 1}, {5, 8});
    EXPECT_EQ(cloud.x.data(), before);
  });
}

// If the set requires it, slack must also survive a move of all objects.
TEST_F(StraysOn, SlackStaysInMovesOfAllObjects) {
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    const Ids ids = test::ids_here(communicator, test::in_turn, 200);
    test::LeftViews<typename Instance::memory_space> cloud(ids.size());
    auto owned = static_cast<std::int64_t>(ids.size());
    const Set set = cloud.as_set({.count = &owned, .reserve = 3});
    test::write_objects(set, everywhere, ids);
    std::vector<double*> places;
    for (int salt = 0; salt < 6; ++salt) {
      test::expect_shuffle(communicator, set, everywhere, salt);
      EXPECT_GE(static_cast<std::int64_t>(cloud.x.extent(0)), owned);
      places.push_back(cloud.x.data());
    }
    if (size == 1) return;  // nothing has arrived
    std::sort(places.begin(), places.end());
    EXPECT_LE(std::unique(places.begin(), places.end()) - places.begin(), 2);
  });
}

TEST(Strays, SlackNeedsACount) {
  Kokkos::View<double* [3], Kokkos::HostSpace> x("x", 4);
  EXPECT_ERROR(check_movable(set(x, {}, {.reserve = 1.2})),
               "would have room for more objects than it holds");
  int owned = 4;
  EXPECT_NO_THROW(check_movable(set(x, {}, {.count = &owned, .reserve = 1.2})));
  for (const double bad : {0.5, -1.0, std::nan(""), 1e9})
    EXPECT_ERROR(check_movable(set(x, {}, {.count = &owned, .reserve = bad})), ".reserve is");
  std::vector<std::array<double, 3>> vector(4);
  EXPECT_NO_THROW(check_movable(set(vector, {}, {.reserve = 1.2})));
}

// --- What goes wrong -----------------------------------------------------------------------------

TEST_F(StraysOn, ThatFindNoRoomLeaveAllAsItWas) {
  if (size == 1) GTEST_SKIP() << "nothing can arrive";
  const Ids ids = test::ids_here(communicator, test::in_turn, 200);
  test::Vectors wide(ids.size());
  std::vector<std::array<double, 3>> memory = {{0, 0, 0}};
  const bool is_full = rank == size - 1;
  std::span<std::array<double, 3>> x = is_full ? std::span(memory).first(0) : std::span(memory);
  std::int64_t owned = is_full ? 0 : 1;
  Ids id = {7};
  const Set sets[] = {wide.as_set(), set(x, carry(id), {.count = &owned})};
  test::write_objects(sets[0], everywhere, ids);
  const test::Snapshot before = test::snapshot_of(sets);
  const std::vector<SetShape> shapes = agree_on_sets(communicator, sets);
  std::vector<Strays> strays;
  strays.push_back(strays_by(sets[0], ids, {20, 3}));
  const Space host = Space::where(MemoryKind::host);
  const std::vector<std::int64_t> objects(is_full ? 0 : 1, 0);
  const std::vector<int> owners(is_full ? 0 : 1, size - 1);
  strays.push_back({test::array_of(objects, host), test::array_of(owners, host)});
  const Plan plan = plan_strays(communicator, strays, sets);
  EXPECT_ERROR(move(communicator, sets, shapes, plan), "has room for 0 objects");
  EXPECT_EQ(test::snapshot_of(sets), before);
}

TEST_F(StraysOn, ToRanksThatDoNotExistAreAnError) {
  test::Vectors cloud(3);
  const Set set = cloud.as_set();
  const Space host = Space::where(MemoryKind::host);
  std::vector<Strays> strays;
  strays.push_back({test::array_of(std::vector<std::int64_t>{1}, host),
                    test::array_of(std::vector<int>{size}, host)});
  EXPECT_ERROR(plan_strays(communicator, strays, {&set, 1}), "would go to rank");
  strays.clear();
  EXPECT_ERROR(plan_strays(communicator, strays, {&set, 1}), "Strays of 0 sets");
}

}  // namespace
}  // namespace evenkeel::strays_test
