// Runs that begin with domains of the application's own.

#include "monitor/drive/balancer/whole.hpp"

#include "monitor/drive/balancer/crew.hpp"

#include <evenkeel/core/halo.hpp>

namespace evenkeel::adopt_test {
namespace {

using namespace test;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr std::int64_t objects = 600;

Domains slabs(int parts, const std::array<bool, 3>& periodic = {}) {
  return GridDomains::uniform({3, {parts, 1, 1}}, unit, GridScheme::staggered, periodic);
}

class Adopt : public test::OnRanks {
 protected:
  Ids all = test::counting<std::int64_t>(objects);
  Ids id = test::ids_here(communicator, test::at_random, objects);
  std::vector<Point> x = test::places_of(id);

  Set as_set() { return set(x, carry(id)); }
  Options options(const Method& method = Hilbert{}) const {
    return {.method = method, .trigger = Never{}, .box = unit, .log = LogLevel::off};
  }
  // Every object exists once, on the rank that owns its place.
  void expect_home(const Balancer& balancer) {
    test::expect_at_owners(balancer, as_set());
    EXPECT_EQ(test::ids_everywhere(communicator, id), all);
    EXPECT_EQ(x, test::places_of(id));
  }
  // Domains that another balancer has made by this method, for objects that crowd at one end.
  Domains made_by(const Method& method) const {
    Balancer maker(communicator, options(method));
    std::vector<Point> crowd = x;
    for (Point& place : crowd) place[0] *= place[0];
    maker.rebalance(crowd);
    Domains made = maker.domains();
    maker.finish();
    return made;
  }
};

TEST_F(Adopt, DomainsOfAnyTypeServeAnyMethod) {
  for (const Method& maker : test::all_methods) {
    const Domains own = made_by(maker);
    for (const Method& method : test::all_methods) {
      SCOPED_TRACE(std::to_string(maker.index()) + " then " + std::to_string(method.index()));
      Balancer balancer(communicator, options(method));
      balancer.adopt(own);
      EXPECT_EQ(generation_of(balancer.domains()), 1);
      EXPECT_TRUE(is_same_division(balancer.domains(), own));
      balancer.migrate(as_set());
      expect_home(balancer);
      EXPECT_FALSE(balancer.step(as_set()));
      balancer.rebalance(as_set());
      EXPECT_LE(load_of(communicator, std::vector<Set>{as_set()}).lambda(), 1.3);
      expect_home(balancer);
      balancer.finish();
      if (HasFailure()) return;
    }
  }
}

TEST_F(Adopt, ADistributionBeforeTheFirstStepReplacesThem) {
  Balancer balancer(communicator, options());
  balancer.adopt(slabs(size));
  balancer.adopt(made_by(Tensor{}));
  EXPECT_EQ(generation_of(balancer.domains()), 2);
  balancer.rebalance(as_set());
  EXPECT_EQ(generation_of(balancer.domains()), 3);
  expect_home(balancer);
  EXPECT_FALSE(balancer.step(as_set()));
  balancer.finish();
}

TEST_F(Adopt, AHaloWorksAtOnce) {
  Balancer balancer(communicator, options());
  balancer.adopt(slabs(size));
  balancer.migrate(as_set());
  const Halo halo(communicator, balancer.domains(), as_set(), 0.1);
  std::int64_t near = 0;
  for (const std::int64_t other : all)
    for (const double reach : {-0.1, 0.1}) {
      const double at = test::place_of(other, 0) + reach;
      const int owner = owner_of(balancer.domains(), Point{test::place_of(other, 0), 0, 0});
      const int there = at < 0 || at > 1 ? owner : owner_of(balancer.domains(), Point{at, 0, 0});
      near += there == rank && owner != rank && std::abs(there - owner) == 1 ? 1 : 0;
    }
  EXPECT_GE(halo.ghosts(), near);
  EXPECT_EQ(halo.ghosts() > 0, size > 1);
  balancer.finish();
}

// --- The account ---------------------------------------------------------------------------------

double slab_that_drifts(const Place& place, int step) {
  return test::around(place[0] - step / 400.0) < 0.25 ? 20 : 1;
}

TEST_F(Adopt, TheAccountIsRight) {
  for (const bool is_at_rest : {false, true})
    for (const Trigger& trigger : {Trigger(CostAware{}), Trigger(Every{.start = 7, .period = 7}),
                                   Trigger(Threshold{.lambda = 1.15})}) {
      SCOPED_TRACE(to_text(trigger) + (is_at_rest ? ", at rest" : ", moving"));
      Program program{test::world_at_rest(objects, &slab_that_drifts)};
      program.world.going = Going::home;
      if (!is_at_rest)
        program.world.place = [](std::int64_t number, int step) {
          Place place = test::at_rest(number, objects);
          place[0] = test::around(place[0] + step / 150.0);
          return place;
        };
      program.gives_weights = true;
      program.own = GridDomains::uniform({3, {size, 1, 1}}, test::room, GridScheme::tensor);
      const Record never = run_with(communicator, program, Never{});
      EXPECT_TRUE(never.moves.empty());
      EXPECT_NEAR(never.account.saved(), 0, 1e-6);
      const Record record = run_with(communicator, program, trigger);
      EXPECT_EQ(record.moves.empty(), size == 1);
      const double truth = static_cast<double>(never.total() - record.total()) * 1e-9;
      EXPECT_NEAR(record.account.saved(), truth, std::max(0.1 * std::abs(truth), 2 * program.cost));
      if (size > 1) {
        EXPECT_LE(std::abs(record.account.saved() - truth), record.account.uncertainty);
      }
      EXPECT_TRUE(record.account.knows_never);
    }
}

// --- Owners of objects ---------------------------------------------------------------------------

// A chain of objects in pieces of equal length, which the application has dealt out.
TEST_F(Adopt, AGraphIsCutFromThePresentParts) {
  constexpr std::int64_t length = 64;
  const std::int64_t first = rank * length, count = size * length;
  std::vector<Point> place;
  Ids number;
  std::vector<std::int64_t> neighbours, offsets = {0};
  std::vector<double> weight;
  for (std::int64_t i = first; i < first + length; ++i) {
    number.push_back(i);
    place.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(count), 0.5, 0.5});
    for (const std::int64_t other : {i - 1, i + 1})
      if (other >= 0 && other < count) neighbours.push_back(other);
    offsets.push_back(std::ssize(neighbours));
    weight.push_back(i < length / 4 ? 1.5 : 1.0);
  }
  const auto chain = [&] {
    return set(place, carry(number, weight, csr(offsets, neighbours)),
               {.weight = weight, .graph = graph(offsets, neighbours)});
  };
  Balancer balancer(communicator, {.method = ByGraph{}, .trigger = Never{}, .log = LogLevel::off});
  balancer.adopt(chain());
  EXPECT_FALSE(own_places(balancer.domains()));
  EXPECT_EQ(parts_of(balancer.domains()), size);
  const MoveReport report = balancer.rebalance(chain());
  EXPECT_LE(report.objects, size == 1 ? 0 : 2 * size * length / 8);
  EXPECT_EQ(test::ids_everywhere(communicator, number), test::counting<std::int64_t>(count));
  balancer.finish();
}

// --- Errors --------------------------------------------------------------------------------------

TEST_F(Adopt, RefusesDomainsThatDoNotFit) {
  Balancer balancer(communicator, options());
  EXPECT_ERROR(balancer.adopt(slabs(size + 1)), "parts, and there are");
  EXPECT_ERROR(balancer.adopt(Domains()), "have 0 parts");
  EXPECT_ERROR(balancer.adopt(slabs(size, {true, false, false})), "periodic along other axes");
  EXPECT_ERROR(balancer.adopt(GridDomains::uniform({3, {size, 1, 1}}, {{0, 0, 0}, {2, 1, 1}},
                                                   GridScheme::tensor)),
               "another box");
  GraphReport report;
  report.parts = size;
  EXPECT_ERROR(balancer.adopt(GraphDomains(1, 1, 3, unit, {}, report)), "own no places");
  if (size > 1) {
    const GridShape mine = {3, rank == 0 ? std::array{size, 1, 1} : std::array{1, size, 1}};
    EXPECT_ERROR(balancer.adopt(GridDomains::uniform(mine, unit, GridScheme::tensor)),
                 "Ranks have given different domains");
    EXPECT_ERROR(balancer.adopt(slabs(rank == 0 ? size + 2 : size)), "parts, and there are");
  }
  std::vector<Point> none;
  EXPECT_ERROR(balancer.adopt(set(none)), "without any object");
  EXPECT_EQ(generation_of(balancer.domains()), 0);
  balancer.adopt(slabs(size));
  balancer.migrate(as_set());
  EXPECT_FALSE(balancer.step(as_set()));
  EXPECT_ERROR(balancer.adopt(slabs(size)), "adopt was called after a step.");
  EXPECT_EQ(generation_of(balancer.domains()), 1);
  balancer.finish();
  EXPECT_ERROR(balancer.adopt(slabs(size)), "adopt was called after finish.");
}

// An earlier run has learned something. It is taken over before or after the domains.
TEST_F(Adopt, ARestoredRunBeginsWithThemToo) {
  Balancer earlier(communicator, options());
  earlier.rebalance(as_set());
  for (int step = 0; step < 30; ++step) earlier.step(as_set());
  const std::string saved = earlier.saved_state();
  earlier.finish();
  for (const bool adopts_first : {true, false}) {
    Balancer balancer(communicator, options());
    if (adopts_first) balancer.adopt(slabs(size));
    balancer.restore(saved);
    if (!adopts_first) balancer.adopt(slabs(size));
    balancer.migrate(as_set());
    for (int step = 0; step < 30; ++step) EXPECT_FALSE(balancer.step(as_set()));
    EXPECT_EQ(balancer.steps(), 60);
    EXPECT_EQ(generation_of(balancer.domains()), 1);
    expect_home(balancer);
    balancer.finish();
  }
}

}  // namespace
}  // namespace evenkeel::adopt_test
