#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/field/payload.hpp>

namespace evenkeel::migrate_test {
namespace {

using namespace test;

// --- Particles that wander -----------------------------------------------------------------------

template <class Instance>
struct Particles {
  using Memory = typename Instance::memory_space;
  Kokkos::View<double**, Kokkos::LayoutLeft, Memory> x;
  Kokkos::View<std::int64_t*, Memory> id;
  Kokkos::View<float* [2], Kokkos::LayoutRight, Memory> charge;
  std::int64_t owned = 0;

  Particles(std::size_t room, int dimensions)
      : x("x", room, static_cast<std::size_t>(dimensions)),
        id("id", room),
        charge("charge", room) {}
  Set as_set(SetOptions options = {}) {
    options.count = &owned;
    return set(x, carry(id, charge), options);
  }
};

std::vector<float> charges_of(const Ids& ids) {
  std::vector<float> charges;
  for (const std::int64_t id : ids)
    for (const int salt : {1, 2}) charges.push_back(static_cast<float>(mix(id, salt) % 1000));
  return charges;
}

// At first, places are in the unit box. Along periodic axes, objects leave it on either side.
std::vector<double> places_of(const Ids& ids, std::size_t dimensions, int step) {
  std::vector<double> places;
  for (const std::int64_t id : ids)
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto salt = static_cast<int>(d);
      const auto share = [&](int of) {
        return static_cast<double>(mix(id, of) % 100'000) / 100'000;
      };
      places.push_back(share(salt) + 0.03 * step * (share(salt + 10) - 0.5));
    }
  return places;
}

void write_particles(const Set& set, const Ids& ids, int step) {
  test::write_values(test::owned(set, 1), ids);
  test::write_values(test::owned(set, 2), charges_of(ids));
  const auto n = static_cast<std::size_t>(set.position().components);
  test::write_values(set.position(), places_of(ids, n, step));
}

void wander(const Set& set, int step) {
  const auto n = static_cast<std::size_t>(set.position().components);
  test::write_values(set.position(), places_of(test::ids_in(set), n, step));
}

// Collective.
void expect_home(const Balancer& balancer, const Set& set, const Ids& all, int step) {
  const Communicator communicator = test::world();
  test::expect_at_owners(balancer, set);
  const Ids here = test::ids_in(set);
  EXPECT_EQ(test::ids_everywhere(communicator, here), all);
  EXPECT_EQ(test::values_at<float>(test::owned(set, 2)), charges_of(here));
  const auto n = static_cast<std::size_t>(set.position().components);
  EXPECT_EQ(test::values_at<double>(set.position()), places_of(here, n, step));
}

template <class Instance>
void wander_by(const Instance&, const Method& method, int dimensions, std::array<bool, 3> periodic,
               std::int64_t objects) {
  SCOPED_TRACE(std::string(method_names()[method.index()]) + ' ' + std::to_string(dimensions) +
               "-D, " + std::to_string(objects) + " objects");
  const Communicator communicator = test::world();
  const Ids all = test::counting<std::int64_t>(objects);
  Particles<Instance> particles(static_cast<std::size_t>(objects), dimensions);
  const Ids mine = test::ids_here(communicator, test::in_turn, objects);
  particles.owned = std::ssize(mine);
  const Set set = particles.as_set({.reserve = 1.3});
  Box box = {{0, 0, 0}, {1, 1, 1}};
  for (std::size_t d = 0; d < 3; ++d)
    if (!periodic[d]) box.lower[d] = -1, box.upper[d] = 2;
  Balancer balancer(communicator,
                    {.method = method, .trigger = Never{}, .box = box, .periodic = periodic});
  write_particles(set, mine, 0);
  balancer.rebalance(set);
  for (int step = 1; step <= 8; ++step) {
    wander(set, step);
    const auto before = generation_of(balancer.domains());
    const MoveReport report = balancer.migrate(set);
    test::expect_agreed(communicator, balancer, report);
    EXPECT_FALSE(report.has_new_domains());
    EXPECT_EQ(report.domains.get(), &balancer.domains());
    EXPECT_EQ(generation_of(balancer.domains()), before);
    expect_home(balancer, set, all, step);
    EXPECT_FALSE(balancer.migrate(set)) << "all are home";
    if (step % 4 == 0) {
      const MoveReport cut = balancer.rebalance(set);
      expect_home(balancer, set, all, step);
      EXPECT_EQ(cut.has_new_domains(), generation_of(balancer.domains()) != before);
    }
    EXPECT_FALSE(balancer.step(set));
  }
  balancer.finish();
}

template <class Instance>
void wander_by_all(const Instance& instance) {
  for (const Method& method : all_methods)
    for (const int dimensions : {2, 3}) {
      wander_by(instance, method, dimensions, {true, false, true}, 400);
      if (testing::Test::HasFailure()) return;
    }
  for (const Method& method : {all_methods[0], all_methods[3]})
    for (const std::int64_t objects : {0, 1, 7})
      wander_by(instance, method, 3, {false, false, false}, objects);
}

using Migrate = test::OnRanks;

TEST_F(Migrate, ObjectsGoHomeByEveryMethod) {
  with_space(test::space(), [](const auto& instance) { wander_by_all(instance); });
}

// Sets of any containers. Costs move with the objects.
TEST_F(Migrate, VectorsAndSeveralSets) {
  constexpr std::int64_t objects = 300;
  const Ids all = test::counting<std::int64_t>(objects);
  Ids ids = test::ids_here(communicator, test::at_random, objects), others = ids;
  std::vector<Point> x(ids.size()), y(ids.size());
  std::vector<std::array<float, 2>> charge(ids.size()), mass(ids.size());
  Balancer balancer(
      communicator,
      {.box = Box{{-1, -1, -1}, {2, 2, 2}}, .epoch_steps = 6, .own_clock = &virtual_now});
  auto work = balancer.kernel("work");
  const auto a = [&] { return set(x, carry(ids, charge)); };
  const auto b = [&] { return set(y, carry(others, mass)); };
  write_particles(a(), ids, 0);
  write_particles(b(), others, 0);
  balancer.rebalance(a(), b());
  for (int step = 1; step <= 40; ++step) {
    spend(work, 1'000 + 10 * std::ssize(ids) + 20 * std::ssize(others));
    wander(a(), step);
    wander(b(), 40 - step);
    balancer.migrate(a(), b());
    expect_home(balancer, a(), all, step);
    expect_home(balancer, b(), all, 40 - step);
    balancer.step(a(), b());
    if (step % 9 == 0) balancer.rebalance(a(), b());
  }
  balancer.finish();
}

// --- Births and deaths ---------------------------------------------------------------------------

TEST_F(Migrate, ObjectsMayComeAndGoInBetween) {
  std::int64_t next = 1000 * communicator.rank();
  std::vector<Point> x;
  Ids ids;
  std::vector<std::array<float, 2>> charge;
  const auto all_of = [&] { return set(x, carry(ids, charge)); };
  Balancer balancer(communicator, {.method = Staggered{}, .box = Box{{-1, -1, -1}, {2, 2, 2}}});
  for (int step = 0; step < 30; ++step) {
    for (int born = 0; born < 5; ++born) ids.push_back(next++);
    std::erase_if(ids, [&](std::int64_t id) { return mix(id, step) % 8 == 0; });
    x.resize(ids.size());
    charge.resize(ids.size());
    write_particles(all_of(), ids, step);
    const Ids all = test::ids_everywhere(communicator, ids);
    if (step % 7 == 0)
      balancer.rebalance(all_of());
    else
      balancer.migrate(all_of());
    expect_home(balancer, all_of(), all, step);
    balancer.step(all_of());
  }
  balancer.finish();
}

// --- Bonds and payloads --------------------------------------------------------------------------

TEST_F(Migrate, GroupsStayTogetherAndPinsStay) {
  constexpr std::int64_t objects = 240;
  Ids ids = test::ids_here(communicator, test::in_turn, objects);
  std::vector<Point> x(ids.size());
  std::vector<std::array<float, 2>> charge(ids.size());
  std::vector<int> group(ids.size()), rank_of_pin(ids.size(), -1);
  for (std::size_t i = 0; i < ids.size(); ++i) group[i] = static_cast<int>(ids[i] / 3);
  const auto all_of = [&] {
    return set(x, carry(ids, charge, group, rank_of_pin), {.group = group});
  };
  Balancer balancer(communicator, {.box = Box{{-1, -1, -1}, {2, 2, 2}}});
  write_particles(all_of(), ids, 0);
  balancer.rebalance(all_of());
  for (int step = 1; step <= 5; ++step) {
    wander(all_of(), 4 * step);
    balancer.migrate(all_of());
    const auto groups = communicator.all_gather(std::span<const int>(group));
    std::map<int, int> rank_of_group;
    for (int r = 0; r < size; ++r)
      for (const int of : groups.of_rank(r))
        ASSERT_EQ(rank_of_group.emplace(of, r).first->second, r) << "group " << of;
    EXPECT_EQ(test::ids_everywhere(communicator, ids), test::counting<std::int64_t>(objects));
  }
  // If only single objects are pinned, and no groups, the fast path is used.
  std::vector<int> pinned;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    pinned.push_back(ids[i] % 5 == 0 ? 1 : 0);
    if (pinned[i] != 0) rank_of_pin[i] = communicator.rank();
  }
  const auto held = [&] {
    return set(x, carry(ids, charge, group, rank_of_pin, pinned), {.pinned = pinned});
  };
  wander(held(), 60);
  balancer.migrate(held());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (pinned[i] != 0)
      ASSERT_EQ(rank_of_pin[i], communicator.rank());
    else
      ASSERT_EQ(owner_of(balancer.domains(), x[i]), communicator.rank());
  balancer.finish();
}

TEST_F(Migrate, PayloadsTravel) {
  constexpr std::int64_t objects = 200;
  Ids ids = test::ids_here(communicator, test::in_turn, objects);
  std::vector<Point> x(ids.size());
  std::vector<std::array<float, 2>> charge(ids.size());
  std::vector<std::int64_t> offsets = {0}, values;
  for (const std::int64_t id : ids) {
    for (std::int64_t k = 0; k < id % 4; ++k) values.push_back(10 * id + k);
    offsets.push_back(std::ssize(values));
  }
  const auto all_of = [&] { return set(x, carry(ids, charge, csr(offsets, values))); };
  Balancer balancer(communicator, {.method = Tensor{}, .box = Box{{-1, -1, -1}, {2, 2, 2}}});
  write_particles(all_of(), ids, 0);
  balancer.rebalance(all_of());
  for (int step = 1; step <= 5; ++step) {
    wander(all_of(), 5 * step);
    balancer.migrate(all_of());
    expect_home(balancer, all_of(), test::counting<std::int64_t>(objects), 5 * step);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(offsets[i + 1] - offsets[i], ids[i] % 4);
      for (std::int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
        ASSERT_EQ(values[static_cast<std::size_t>(k)], 10 * ids[i] + k - offsets[i]);
    }
  }
  balancer.finish();
}

// --- Errors --------------------------------------------------------------------------------------

class MigrateErrors : public testing::Test {
 protected:
  Communicator communicator = test::world();
  Ids ids = test::ids_here(communicator, test::in_turn, 100);
  std::vector<Point> x = std::vector<Point>(ids.size());
  std::vector<std::array<float, 2>> charge = decltype(charge)(ids.size());
  Balancer balancer{communicator, {.box = Box{{-1, -1, -1}, {2, 2, 2}}}};
  Set all_of() { return set(x, carry(ids, charge)); }
  bool is_last() const { return communicator.rank() == communicator.size() - 1; }
  void SetUp() override { write_particles(all_of(), ids, 0); }
};

TEST_F(MigrateErrors, WithoutDomains) {
  EXPECT_ERROR(balancer.migrate(all_of()), "migrate was called before there were domains.");
  balancer.rebalance(all_of());
  EXPECT_NO_THROW(balancer.migrate(all_of()));
  balancer.finish();
  EXPECT_ERROR(balancer.migrate(all_of()), "migrate was called after finish.");
}

TEST_F(MigrateErrors, APositionThatIsNotFiniteOnOneRank) {
  balancer.rebalance(all_of());
  wander(all_of(), 20);
  const Point good = x.empty() ? Point() : x.back();
  if (is_last() && !x.empty()) x.back()[1] = std::nan("");
  const Set sets[] = {all_of()};
  const test::Snapshot before = test::snapshot_of(sets);
  EXPECT_ERROR(balancer.migrate(all_of()), "is not finite.");
  EXPECT_EQ(test::snapshot_of(sets), before);
  if (is_last() && !x.empty()) x.back() = good;
  balancer.migrate(all_of());
  expect_home(balancer, all_of(), test::counting<std::int64_t>(100), 20);
  balancer.finish();
}

TEST_F(MigrateErrors, AHookThatThrowsUndoesIt) {
  if (communicator.size() == 1) GTEST_SKIP() << "alone, nothing moves";
  balancer.rebalance(all_of());
  bool throws = true;
  balancer.before_move([&] {
    if (throws && is_last()) throw std::runtime_error("not now");
  });
  wander(all_of(), 20);
  const Set sets[] = {all_of()};
  const test::Snapshot before = test::snapshot_of(sets);
  EXPECT_ERROR(balancer.migrate(all_of()), "not now");
  EXPECT_EQ(test::snapshot_of(sets), before);
  throws = false;
  balancer.migrate(all_of());
  expect_home(balancer, all_of(), test::counting<std::int64_t>(100), 20);
  balancer.finish();
}

}  // namespace
}  // namespace evenkeel::migrate_test
