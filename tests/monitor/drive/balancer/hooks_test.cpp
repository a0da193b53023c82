#include "monitor/drive/balancer/crew.hpp"

namespace evenkeel::hooks_test {
namespace {

using namespace test;

class Hooks : public test::OnRanks {
 protected:
  test::Vectors cloud{all_on_the_last().size()};
  std::string seen;

  Ids all_on_the_last() const { return ids_here(communicator, test::on_the_last, 20 * size); }
  void load() {
    cloud = test::Vectors(all_on_the_last().size());
    write_objects(cloud.as_set(), everywhere, all_on_the_last());
  }
  void SetUp() override {
    if (size == 1) GTEST_SKIP() << "alone, nothing moves";
    load();
  }
};

TEST_F(Hooks, RunInTheOrderInWhichTheyWereGiven) {
  Balancer balancer(communicator);
  const std::int64_t before = std::ssize(cloud.id);
  const auto note = [&](const std::string& name) {
    return [this, name, before] {
      EXPECT_EQ(std::ssize(cloud.id), before) << "nothing has moved";
      seen += name;
    };
  };
  const auto note_after = [&](const std::string& name) {
    return [this, name, &balancer](const MoveReport& report) {
      EXPECT_TRUE(report);
      EXPECT_EQ(report.generation, 1);
      EXPECT_EQ(generation_of(balancer.domains()), 1);
      EXPECT_EQ(std::ssize(cloud.id), 20);
      seen += name;
    };
  };
  balancer.after_move(note_after("c"));
  balancer.before_move(note("a"));
  balancer.before_move(note("b"));
  balancer.after_move(note_after("d"));
  EXPECT_TRUE(balancer.rebalance(cloud.as_set()));
  EXPECT_EQ(seen, "abcd");
  EXPECT_FALSE(balancer.rebalance(cloud.as_set()));
  EXPECT_EQ(seen, "abcd") << "nothing has moved";
  balancer.finish();
}

TEST_F(Hooks, ErrorsBeginWithTheNameOfTheBalancer) {
  Balancer balancer(communicator, {.name = "fluid"});
  balancer.after_move([](const MoveReport&) { throw std::runtime_error("too late"); });
  const std::string text = test::error_everywhere([&] { balancer.rebalance(cloud.as_set()); });
  EXPECT_TRUE(text.starts_with("evenkeel: fluid: rank 0 (the first of ")) << text;
  EXPECT_MENTIONS(text, ": monitor/balancer: The application threw an exception: too late.");
  if (rank == 0) cloud.x.push_back({});
  const std::string in_step = test::error_of([&] { balancer.rebalance(cloud.as_set()); });
  EXPECT_TRUE(in_step.starts_with("evenkeel: fluid: rank 0: ")) << in_step;
  balancer.finish();
  EXPECT_ERROR(balancer.step(cloud.as_set()), "evenkeel: fluid: monitor: step was called after");
}

// There are more hooks than any array of hooks has room for at first. Added hooks must run at the
// next move.
TEST_F(Hooks, MayAddHooks) {
  constexpr int many = 100;
  Balancer balancer(communicator);
  balancer.before_move([&, name = std::string("before, and long enough to be on the heap ")] {
    for (int i = 0; i < many; ++i) balancer.before_move([this] { seen += "b"; });
    seen += name;
  });
  balancer.after_move(
      [&, name = std::string("after, and long enough to be on the heap ")](const MoveReport&) {
        for (int i = 0; i < many; ++i)
          balancer.after_move([this](const MoveReport&) { seen += "a"; });
        seen += name;
      });
  const std::string once =
      "before, and long enough to be on the heap after, and long enough to be on the heap ";
  EXPECT_TRUE(balancer.rebalance(cloud.as_set()));
  EXPECT_EQ(seen, once);
  load();
  EXPECT_TRUE(balancer.rebalance(cloud.as_set()));
  EXPECT_EQ(seen.size(), 2 * once.size() + 2 * many);
  balancer.finish();
}

TEST_F(Hooks, BeforeThatThrowUndoTheMove) {
  for (int culprit = 0; culprit < size; ++culprit) {
    load();
    Balancer balancer(communicator);
    bool fails = true;
    if (rank == culprit)
      balancer.before_move([&] {
        if (fails) throw std::runtime_error("not now");
      });
    const test::Snapshot before = test::snapshot_of({{cloud.as_set()}});
    const std::string text = test::error_everywhere([&] { balancer.rebalance(cloud.as_set()); });
    EXPECT_EQ(text, "evenkeel: rank " + std::to_string(culprit) +
                        ": core/migrate: The application threw an exception: not now. Nothing was "
                        "changed; mend "
                        "the cause and try again.");
    EXPECT_TRUE(test::snapshot_of({{cloud.as_set()}}) == before);
    EXPECT_EQ(parts_of(balancer.domains()), 0);
    fails = false;
    EXPECT_TRUE(balancer.rebalance(cloud.as_set()));
    balancer.finish();
  }
}

TEST_F(Hooks, AfterThatThrowAreTheSameErrorAndTheMoveStands) {
  for (int culprit = 0; culprit < size; ++culprit) {
    load();
    Balancer balancer(communicator);
    if (rank == culprit)
      balancer.after_move([](const MoveReport&) { throw std::runtime_error("too late"); });
    const std::string text = test::error_everywhere([&] { balancer.rebalance(cloud.as_set()); });
    EXPECT_EQ(
        text,
        "evenkeel: rank " + std::to_string(culprit) +
            ": monitor/balancer: The application threw an exception: too late. The objects have "
            "moved, and all fields are complete.");
    EXPECT_EQ(generation_of(balancer.domains()), 1);
    EXPECT_EQ(std::ssize(cloud.id), 20);
    expect_intact(communicator, cloud.as_set(), everywhere,
                  test::counting<std::int64_t>(20 * size));
    EXPECT_FALSE(balancer.rebalance(cloud.as_set()));
    balancer.finish();
  }
}

TEST_F(Hooks, OriginsAreToldWhenAskedFor) {
  Balancer balancer(communicator, {.origins = true});
  const Ids ids = all_on_the_last();
  const auto all = communicator.all_gather(std::span<const std::int64_t>(ids));
  const MoveReport report = balancer.rebalance(cloud.as_set());
  ASSERT_EQ(report.origins.size(), 1U);
  const std::vector<MoveReport::Origin> origins = report.origins[0].on_host();
  ASSERT_EQ(origins.size(), cloud.id.size());
  for (std::size_t i = 0; i < cloud.id.size(); ++i) {
    const MoveReport::Origin origin = origins[i];
    EXPECT_EQ(all.of_rank(origin.rank)[static_cast<std::size_t>(origin.index)], cloud.id[i]);
  }
  balancer.finish();
}

// --- New domains ---------------------------------------------------------------------------------

using HooksForNewDomains = test::OnRanks;

// All objects shift to the domains of other ranks. The new cut gives each object to its present
// rank.
TEST_F(HooksForNewDomains, RunWithoutAMoveToo) {
  std::vector<std::array<double, 3>> x(10);
  const auto place = [&](double shift) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = {shift + 0.5 * (rank + 0.04 * static_cast<double>(i)) / size, 0.5, 0.5};
  };
  place(0);
  Balancer balancer(
      communicator,
      {.method = Staggered{{size, 1, 1}}, .box = Box{{0, 0, 0}, {1, 1, 1}}, .target_lambda = 0});
  std::string seen;
  std::int64_t last = 0;
  balancer.after_move([&](const MoveReport&) { seen += "moved "; });
  balancer.on_new_domains([&](const Domains& before, const Domains& now) {
    EXPECT_EQ(generation_of(before), last);
    EXPECT_EQ(generation_of(now), ++last);
    EXPECT_EQ(&now, &balancer.domains());
    seen += "domains ";
  });
  const MoveReport first = balancer.rebalance(x);
  EXPECT_FALSE(first.moved);
  EXPECT_TRUE(first.has_new_domains());
  EXPECT_EQ(parts_of(*first.last_domains), 0);
  EXPECT_EQ(seen, "domains ");
  place(0.5);
  const MoveReport second = balancer.rebalance(x);
  EXPECT_FALSE(second.moved);
  EXPECT_EQ(second.has_new_domains(), size > 1);
  EXPECT_EQ(seen, size > 1 ? "domains domains " : "domains ");
  EXPECT_FALSE(balancer.rebalance(x).has_new_domains());
  for (auto& at : x) at[0] = 0.9 - 0.5 * at[0];
  seen.clear();
  const MoveReport third = balancer.rebalance(x);
  EXPECT_EQ(third.moved, size > 1);
  EXPECT_EQ(seen, size > 1 ? "domains moved " : "");
  balancer.finish();
}

TEST_F(HooksForNewDomains, AnExceptionIsTheSameErrorOnAllRanks) {
  std::vector<std::array<double, 3>> x = {{0.1 + communicator.rank(), 0, 0}};
  Balancer balancer(communicator, {.method = Staggered{}});
  balancer.on_new_domains([&](const Domains&, const Domains&) {
    if (communicator.rank() == communicator.size() - 1) throw std::runtime_error("no room");
  });
  EXPECT_ERROR(balancer.rebalance(x), "no room");
  EXPECT_EQ(generation_of(balancer.domains()), 1);
  balancer.finish();
}

}  // namespace
}  // namespace evenkeel::hooks_test
