// Compares the account of a run with the program's own record, and with a run of the same program
// without a rebalance.

#include "core/listed.hpp"
#include "monitor/drive/balancer/whole.hpp"
#include "support/scratch.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>

namespace evenkeel::account_test {
namespace {

using nlohmann::json;
using namespace test;

constexpr double per_second = 1e9;

// --- Worlds --------------------------------------------------------------------------------------

double slab_at_rest(const Place& place, int) { return place[0] < 0.5 ? 9 : 1; }
double drifting_slab(const Place& place, int step) {
  return test::around(place[0] - step / 400.0) < 0.25 ? 20 : 1;
}
double even(const Place&, int) { return 1; }
double slight_slab(const Place& place, int) { return place[0] < 0.5 ? 1.02 : 1; }

World resting(double (*cost)(const Place&, int), std::int64_t objects = 600) {
  return test::world_at_rest(objects, cost);
}

// Some objects are born in a moving region, and live for `life` steps.
World coming_and_going() {
  constexpr std::int64_t always = 400, guests = 800;
  constexpr int life = 40;
  World world = test::world_at_rest(always + guests, &even);
  const auto birth = [](std::int64_t number) {
    return static_cast<int>((number - always) * 200 / guests);
  };
  world.place = [=](std::int64_t number, int) {
    if (number < always) return test::at_rest(number, always);
    const double begin = 0.1 + 0.6 * birth(number) / 200.0;
    return Place{begin + 0.2 * part_of(number, 0), 0.5 * part_of(number, 1),
                 0.5 * part_of(number, 2)};
  };
  world.lives = [=](std::int64_t number, int step) {
    return number < always || (step >= birth(number) && step < birth(number) + life);
  };
  world.cost = [](std::int64_t number, const Place&, int) { return number < always ? 1 : 3; };
  return world;
}

// All objects move along x, and re-enter at the other end. Objects of the first quarter cost more,
// wherever they are.
World wandering(Going going, double pace = 1 / 150.0) {
  constexpr std::int64_t objects = 600;
  World world = test::world_at_rest(objects, &even);
  world.going = going;
  world.place = [=](std::int64_t number, int step) {
    Place place = test::at_rest(number, objects);
    place[0] = test::around(place[0] + pace * step);
    return place;
  };
  world.cost = [](std::int64_t number, const Place&, int) { return number < objects / 4 ? 6 : 1; };
  return world;
}

// --- Requirements --------------------------------------------------------------------------------

const Trigger cost_aware = CostAware{};
const Trigger every_seventh = Every{.start = 7, .period = 7};
const Trigger threshold = Threshold{.lambda = 1.15};

class Accounts : public testing::Test {
 protected:
  Communicator ranks = test::world();
  int rank = ranks.rank(), size = ranks.size();

  static constexpr double rounding = 1e-6;  // seconds

  static void expect_actual(const Record& record, int steps) {
    EXPECT_EQ(record.account.steps, steps);
    EXPECT_NEAR(record.account.actual, static_cast<double>(record.slowest) / per_second, rounding);
  }

  // Expects the recorded values, up to rounding.
  static void expect_exact(const Record& record, int steps) {
    const Account& account = record.account;
    expect_actual(record, steps);
    EXPECT_NEAR(account.mean * test::size(), static_cast<double>(record.all) / per_second,
                rounding);
    EXPECT_NEAR(account.spent(), static_cast<double>(record.spent) / per_second, rounding);
  }

  // Prints to the log of the test.
  static void tell(const char* what, double found, double truth) {
    if (test::rank() == 0 && test::size() > 1)
      std::cout << what << ' ' << found << ", truth " << truth << '\n';
  }

  static void expect_nothing_saved(const Record& never) {
    EXPECT_TRUE(never.moves.empty());
    EXPECT_NEAR(never.account.saved(), 0, 1e-6);
    EXPECT_EQ(never.account.spent(), 0);
  }

  // Allows an error of this share, or of the cost of two rebalances.
  static void expect_saved(const Record& record, const Record& never, double cost,
                           double share = 0.1) {
    const double truth = static_cast<double>(never.total() - record.total()) / per_second;
    const double saved = record.account.saved();
    tell("saved", saved, truth);
    EXPECT_NEAR(saved, truth, std::max(share * std::abs(truth), 2 * cost));
    EXPECT_TRUE(std::abs(truth) <= 2 * cost || saved * truth > 0);
    EXPECT_TRUE(record.moves.empty() || record.account.knows_never);
  }

  // Tests the accounts of one program under all triggers. Savings are known only as precisely as
  // the costs of objects.
  void expect_accounts(const Program& program,
                       const std::vector<Trigger>& triggers = {cost_aware, every_seventh,
                                                               threshold},
                       bool costs_are_known = true, double share = 0.1) const {
    const Record never = run_with(ranks, program, Never{});
    expect_exact(never, program.world.steps);
    expect_nothing_saved(never);
    for (const Trigger& trigger : triggers) {
      SCOPED_TRACE(to_text(trigger));
      const Record record = run_with(ranks, program, trigger);
      expect_exact(record, program.world.steps);
      if (costs_are_known) expect_saved(record, never, program.price(), share);
    }
  }

  // Tests with and without given costs of objects.
  void expect_accounts_of(const World& world, double share = 0.1) const {
    Program program{world};
    const std::vector<Trigger> triggers = {cost_aware, every_seventh, threshold};
    expect_accounts(program, triggers, false);
    program.gives_weights = true;
    expect_accounts(program, triggers, true, share);
  }
};

TEST_F(Accounts, OfASlabAtRest) { expect_accounts_of(resting(&slab_at_rest)); }
TEST_F(Accounts, OfADriftingSlab) { expect_accounts_of(resting(&drifting_slab)); }
// Objects are born between looks, so loads do not change linearly between them.
TEST_F(Accounts, OfObjectsThatComeAndGo) { expect_accounts_of(coming_and_going(), 0.12); }
TEST_F(Accounts, OfObjectsThatStayWithTheirRank) { expect_accounts_of(wandering(Going::nowhere)); }
TEST_F(Accounts, OfObjectsThatAreSentHome) { expect_accounts_of(wandering(Going::home)); }
TEST_F(Accounts, OfAnEvenLoad) { expect_accounts_of(resting(&slight_slab)); }

// The costs of objects are not given. But all objects of a rank cost the same, so its measured load
// determines their cost.
TEST_F(Accounts, OfHalvesThatCostDifferently) {
  if (size % 2 != 0) GTEST_SKIP() << "a rank has some of both";
  expect_accounts(Program{resting(&slab_at_rest)}, {cost_aware, threshold});
}

// There are more objects than a sample has.
TEST_F(Accounts, OfManyObjects) {
  Program program{resting(&drifting_slab, 4000 * size)};
  program.gives_weights = true;
  expect_accounts(program, {cost_aware});
}

TEST_F(Accounts, WithListsNowAndThen) {
  for (const Lists lists : {Lists::declared, Lists::undeclared}) {
    SCOPED_TRACE(lists == Lists::declared ? "declared" : "undeclared");
    Program program{resting(&drifting_slab)};
    program.lists = lists;
    program.gives_weights = true;
    expect_accounts(program);
  }
}

// Warm-ups and pauses may have other lengths, and a run may end anywhere.
TEST_F(Accounts, WhateverTheEpochs) {
  for (const int steps : {1, 2, 8, 9, 12, 17, 40, 101}) {
    SCOPED_TRACE(steps);
    Program program{resting(&drifting_slab)};
    program.world.steps = steps;
    program.gives_weights = true;
    expect_exact(run_with(ranks, program, cost_aware), steps);
    program.options.warmup_steps = 0;
    program.options.cooldown_steps = 0;
    expect_exact(run_with(ranks, program, threshold), steps);
  }
}

TEST_F(Accounts, WhateverTheMethod) {
  for (const Method& method :
       {Method(Tensor{}), Method(Staggered{}), Method(RecursiveBisection{}), Method(Snake{})}) {
    SCOPED_TRACE(method.index());
    Program program{resting(&drifting_slab)};
    program.options.method = method;
    program.gives_weights = true;
    expect_accounts(program, {cost_aware});
  }
}

// The account counts weights. No clock is read, and a rebalance costs nothing.
TEST_F(Accounts, OfADeterministicRun) {
  for (const bool gives_weights : {true, false}) {
    SCOPED_TRACE(gives_weights ? "weights" : "counts");
    Program program{gives_weights ? resting(&drifting_slab) : coming_and_going()};
    program.gives_weights = gives_weights;
    program.options.deterministic = true;
    const Record never = run_with(ranks, program, Never{});
    EXPECT_EQ(never.account.steps, program.world.steps);
    if (gives_weights) expect_exact(never, program.world.steps);
    expect_nothing_saved(never);
    const Record record = run_with(ranks, program, threshold);
    EXPECT_EQ(record.account.spent(), 0);
    if (!gives_weights) continue;
    expect_exact(record, program.world.steps);
    expect_saved(record, never, 0.01);
  }
}

// The number after this key of a saved state.
double number_in(const std::string& saved, const std::string& key) {
  const std::size_t at = saved.find('\n' + key + " = ");
  EXPECT_NE(at, std::string::npos) << key;
  return at == std::string::npos ? 0 : std::stod(saved.substr(at + key.size() + 4));
}

// Records and costs travel with the 40 bytes of an object, but surveys do not count them.
TEST_F(Accounts, SurveysPredictTheBytesOfTheNextCut) {
  if (size == 1) GTEST_SKIP() << "nothing can move";
  for (const Method& method : {Method(Hilbert{}), Method(Staggered{})}) {
    Program program{resting(&slab_at_rest, 4000 * size)};
    program.options.method = method;
    program.options.trigger = cost_aware;
    program.gives_weights = true;
    std::string saved;
    const Record record = run_program(
        ranks, program,
        [&](const Balancer& balancer, const Cloud&, int) { saved = balancer.saved_state(); });
    EXPECT_TRUE(test::same_everywhere(ranks, saved));
    ASSERT_FALSE(record.moves.empty());
    const double predicted = number_in(saved, "cost_predicted");
    ASSERT_GT(predicted, 0);
    const double scale = number_in(saved, "cost_moved") / predicted;
    tell("bytes moved / predicted", scale, 1.2);
    EXPECT_GT(scale, 0.9);
    EXPECT_LT(scale, 1.7);
  }
}

// If nothing is moved, the predicted saving must be close to the saving of a balanced run. In that
// run, looks come at other steps, and advice is followed at once.
TEST_F(Accounts, OfWhatIsAdvised) {
  struct Case {
    World world;
    double off;  // as a share
  };
  for (const Case& now : {Case{resting(&slab_at_rest), 0.1},
                          {resting(&drifting_slab), 0.25},
                          {wandering(Going::nowhere, 1 / 40.0), 0.25}}) {
    Program program{now.world};
    program.gives_weights = true;
    program.options.expected_cost = program.cost;
    const Record never = run_with(ranks, program, Never{});
    const Record balanced = run_with(ranks, program, cost_aware);
    const double truth = static_cast<double>(never.total() - balanced.total()) / per_second;
    tell("advised", never.account.advised, truth);
    EXPECT_NEAR(never.account.advised, truth, std::max(now.off * truth, 1e-6));
  }
}

// --- Alternatives, object by object --------------------------------------------------------------

struct Seen {
  int rank;
  Place place;
  double weight;
};

struct Moment {
  std::int64_t generation;
  std::vector<Seen> objects;  // of all ranks
};

class Counterfactuals : public Accounts {
 protected:
  test::ScratchDirectory scratch;

  // Makes the program with a journal.
  Program drifting() const {
    Program program{resting(&drifting_slab)};
    program.options.trigger = threshold;
    program.options.journal = scratch.path_of("journal");
    return program;
  }

  // Returns the lines of a journal after its header.
  static std::vector<json> lines_of(const std::string& journal) {
    std::vector<json> lines;
    std::ifstream file(journal);
    std::string text;
    std::getline(file, text);
    while (std::getline(file, text)) lines.push_back(json::parse(text));
    return lines;
  }

  // The costs that the surveyor uses: the objects of a rank share its measured load in proportion
  // to their weights.
  std::vector<double> weights_of_ranks(const Moment& moment) const {
    std::vector<double> sums(static_cast<std::size_t>(size));
    for (const Seen& seen : moment.objects)
      sums[static_cast<std::size_t>(seen.rank)] += seen.weight;
    return sums;
  }

  std::vector<double> costs_of(const Moment& moment, const json& line) const {
    const std::vector<double> sums = weights_of_ranks(moment);
    std::vector<double> costs;
    const auto steps = line.at("totals").at("steps").get<double>();
    for (const Seen& seen : moment.objects) {
      const auto r = static_cast<std::size_t>(seen.rank);
      const double load = std::round(line.at("per_rank").at(r).get<double>() * 1e9 * steps);
      costs.push_back(seen.weight * (load / sums[r]));
    }
    return costs;
  }

  std::int64_t greatest_under(const Domains& domains, const Moment& moment,
                              const std::vector<double>& costs) const {
    std::vector<std::int64_t> loads(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < costs.size(); ++i)
      loads[static_cast<std::size_t>(owner_of(domains, moment.objects[i].place))] +=
          std::llround(costs[i]);
    return *std::ranges::max_element(loads);
  }

  Domains fresh_cut(const Moment& moment, const std::vector<double>& costs) const {
    std::vector<Place> places;
    for (const Seen& seen : moment.objects) places.push_back(seen.place);
    const test::Listed sorted = test::listed(
        order(Space::where(MemoryKind::host), Lattice(3, test::room, {}), set(places)));
    std::vector<double> weights;
    for (const std::int64_t i : sorted.objects)
      weights.push_back(costs[static_cast<std::size_t>(i)]);
    const WeightedKeys keyed = {sorted.keys, weights};
    const Cut parts = cut(Communicator::self(), {&keyed, 1}, {.parts = size});
    return CurveDomains(1, 3, test::room, {}, parts.splitters);
  }
};

TEST_F(Counterfactuals, AreThoseOfAllObjects) {
  if (size == 1) GTEST_SKIP() << "alone there is nothing else";
  Program program = drifting();
  program.gives_weights = true;
  std::vector<Moment> moments = {{}};   // by steps
  std::vector<Domains> all = {{}, {}};  // by generation
  test::run_program(ranks, program, [&](const Balancer& balancer, const Cloud& cloud, int) {
    std::vector<Seen> mine;
    for (std::size_t i = 0; i < cloud.place.size(); ++i)
      mine.push_back({rank, cloud.place[i], cloud.weight[i]});
    const auto generation = generation_of(balancer.domains());
    all.resize(static_cast<std::size_t>(generation) + 1);
    all.back() = balancer.domains();
    moments.push_back({generation, ranks.all_gather(std::span<const Seen>(mine)).values});
  });
  if (rank != 0) return;
  ASSERT_GT(all.size(), 3U) << "several rebalances";
  int surveys = 0, later = 0;
  for (const json& line : lines_of(program.options.journal)) {
    if (line.contains("finished") || line.at("totals").is_null() ||
        line.at("totals").at("steps") == 0)
      continue;
    SCOPED_TRACE(line.at("step").dump());
    const Moment& moment = moments.at(line.at("step").get<std::size_t>());
    const json& found = line.at("totals").at("would_be");
    const std::vector<double> costs = costs_of(moment, line);
    const double allowed = 2e-9 * std::accumulate(costs.begin(), costs.end(), 0.0) + 600;
    const auto fresh = static_cast<double>(greatest_under(fresh_cut(moment, costs), moment, costs));
    EXPECT_NEAR(found.at("fresh").get<double>(), fresh, allowed);
    const std::vector<double> weights = weights_of_ranks(moment);
    const double as_weighed = *std::max_element(weights.begin(), weights.end()) /
                              std::accumulate(weights.begin(), weights.end(), 0.0) *
                              std::accumulate(costs.begin(), costs.end(), 0.0);
    EXPECT_NEAR(found.at("as_weighed").get<double>(), as_weighed, allowed);
    ++surveys;
    if (moment.generation == 1) {
      EXPECT_EQ(found.at("first"), -1) << "they are still the first";
      continue;
    }
    ++later;
    const auto first = static_cast<double>(greatest_under(all[1], moment, costs));
    const auto previous = static_cast<double>(
        greatest_under(all[static_cast<std::size_t>(moment.generation) - 1], moment, costs));
    EXPECT_NEAR(found.at("first").get<double>(), first, allowed);
    EXPECT_NEAR(found.at("first_again").get<double>(), first, allowed);
    EXPECT_NEAR(found.at("previous").get<double>(), previous, allowed);
    EXPECT_NEAR(found.at("previous_again").get<double>(), previous, allowed);
  }
  EXPECT_GT(surveys, 10);
  EXPECT_GT(later, 5);
}

// The domains of a rebalance in the journal must be those of the Balancer.
TEST_F(Counterfactuals, TheJournalShowsTheDomains) {
  const Program program = drifting();
  std::vector<Domains> all = {{}, {}};  // by generation
  test::run_program(ranks, program, [&](const Balancer& balancer, const Cloud&, int) {
    all.resize(static_cast<std::size_t>(generation_of(balancer.domains())) + 1);
    all.back() = balancer.domains();
  });
  if (rank != 0) return;
  std::size_t generation = 0;
  for (const json& line : lines_of(program.options.journal)) {
    if (!line.contains("domains")) continue;
    if (generation + 1 == all.size()) break;  // the rebalance of the last step
    const Domains& made = all.at(++generation);
    const json& planes = line.at("domains").at("planes");
    ASSERT_EQ(planes.size(), 6U);
    for (const json& plane : planes) {
      EXPECT_EQ(plane.at("cells").dump(), "[24,24]");
      std::vector<int> owners;
      for (std::size_t i = 0; i < plane.at("owners").size(); i += 2)
        owners.insert(owners.end(), plane["owners"][i + 1].get<std::size_t>(), plane["owners"][i]);
      ASSERT_EQ(owners.size(), 24U * 24U);
      const auto across = plane.at("axes").at(0).get<std::size_t>();
      const auto up = plane.at("axes").at(1).get<std::size_t>();
      const Box& box = box_of(made);
      for (std::size_t i = 0; i < owners.size(); i += 7) {
        std::array<double, 3> share = {0.5, 0.5, 0.5}, point = {};
        share[across] = (static_cast<double>(i % 24) + 0.5) / 24;
        share[up] = (static_cast<double>(i / 24) + 0.5) / 24;
        for (std::size_t d = 0; d < 3; ++d)
          point[d] = box.lower[d] + (box.upper[d] - box.lower[d]) * share[d];
        point[3 - across - up] = plane.at("at");
        ASSERT_EQ(owners[i], owner_of(made, point)) << across << up << ' ' << i;
      }
    }
  }
  EXPECT_EQ(generation, all.size() - 1) << "each rebalance";
  if (size > 1) {
    EXPECT_GT(generation, 3U);
  }
}

TEST_F(Counterfactuals, KnowNoWeightsWhereNoneAreGiven) {
  const Program program = drifting();
  test::run_program(ranks, program);
  if (rank != 0) return;
  int surveys = 0;
  for (const json& line : lines_of(program.options.journal)) {
    if (line.contains("finished") || line.at("totals").is_null() ||
        line.at("totals").at("would_be").at("fresh") == -1)
      continue;
    EXPECT_EQ(line.at("totals").at("would_be").at("as_weighed"), -1);
    ++surveys;
  }
  EXPECT_EQ(surveys > 0, size > 1);
}

// --- Odd programs --------------------------------------------------------------------------------

class OddPrograms : public Accounts {
 protected:
  static constexpr std::int64_t objects = 300;

  static Options options_with(const Trigger& trigger) {
    test::virtual_time = 1;
    Options options;
    options.trigger = trigger;
    options.own_clock = &test::virtual_now;
    options.watcher = false;
    options.log = LogLevel::off;
    return options;
  }

  // The places of this rank's objects. Ranks get the objects in turn.
  std::vector<Place> places_here(std::int64_t first = 0) const {
    std::vector<Place> places;
    for (std::int64_t i = rank; i < objects; i += size)
      places.push_back(test::at_rest(first + i, first + objects));
    return places;
  }

  // Runs `steps` steps. On rank r each takes 1 + r.
  template <class Call>
  Record run(Balancer& balancer, int steps, const Call& call) const {
    const Kernel kernel = balancer.kernel("work");
    Record record;
    for (int step = 0; step < steps; ++step) {
      spend(kernel, test::nanoseconds_of(1 + rank));
      test::virtual_time += 1'000'000;
      record.slowest += std::int64_t{size} * 1'000'000'000;
      record.all += std::int64_t{size} * (size + 1) / 2 * 1'000'000'000;
      if (call(step).moved) record.moves.push_back(step);
    }
    balancer.finish();
    record.account = balancer.account();
    return record;
  }
};

// Only a rebalance may check positions.
TEST_F(OddPrograms, APositionThatIsNoNumberIsNoErrorInAStep) {
  for (const bool is_distributed : {false, true}) {
    Balancer balancer(ranks, options_with(Never{}));
    std::vector<Place> x = places_here();
    if (is_distributed) static_cast<void>(balancer.rebalance(x));
    const Record record = run(balancer, 60, [&](int step) {
      if (step == 20 && rank == size - 1)
        for (Place& place : x) place[1] = std::nan("");
      if (step == 40 && !x.empty()) x.front()[0] = HUGE_VAL;
      return balancer.step(x);
    });
    expect_exact(record, 60);
    EXPECT_NEAR(record.account.saved(), 0, 1e-6);
  }
}

TEST_F(OddPrograms, SetsOfOtherDimensionsAreNoErrorInAStep) {
  for (const bool differ_by_rank : {false, true}) {
    Balancer balancer(ranks, options_with(Never{}));
    std::vector<Place> x = places_here();
    std::vector<std::array<double, 2>> flat(50, {0.5, 0.25});
    const bool has_flat = !differ_by_rank || rank % 2 == 1;
    const Record record = run(balancer, 40, [&](int) {
      if (!differ_by_rank) return balancer.step(set(x), set(flat));
      return has_flat ? balancer.step(set(flat)) : balancer.step(set(x));
    });
    expect_exact(record, 40);
  }
}

TEST_F(OddPrograms, RanksWithoutObjects) {
  for (const bool all_are_empty : {false, true}) {
    Balancer balancer(ranks, options_with(every_seventh));
    std::vector<Place> x;
    if (rank == 0 && !all_are_empty)
      for (std::int64_t i = 0; i < objects; ++i) x.push_back(test::at_rest(i, objects));
    const Record record = run(balancer, 60, [&](int) { return balancer.step(x); });
    expect_actual(record, 60);
    EXPECT_EQ(record.moves.empty(), all_are_empty || size == 1);
  }
}

TEST_F(OddPrograms, SeveralSetsInOneCall) {
  Balancer balancer(ranks, options_with(every_seventh));
  std::vector<Place> gas = places_here(), stars = places_here(objects);
  std::vector<std::array<double, 3>> dust;
  const Record record =
      run(balancer, 60, [&](int) { return balancer.step(set(gas), set(stars), set(dust)); });
  expect_actual(record, 60);
  EXPECT_EQ(ranks.all_reduce(std::ssize(gas) + std::int64_t{0}, Reduction::sum), objects);
  EXPECT_EQ(ranks.all_reduce(std::ssize(stars) + std::int64_t{0}, Reduction::sum), objects);
}

TEST_F(OddPrograms, PositionsOfFloatsWithSlackBehind) {
  Balancer balancer(ranks, options_with(every_seventh));
  std::vector<std::array<float, 3>> x;
  for (const Place& place : places_here())
    x.push_back(
        {static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2])});
  int owned = static_cast<int>(x.size());
  x.resize(2 * objects, {NAN, NAN, NAN});
  const Record record = run(balancer, 60, [&](int) {
    return balancer.step(set(x, {}, {.count = &owned, .keep_allocation = true}));
  });
  expect_actual(record, 60);
  EXPECT_EQ(ranks.all_reduce(std::int64_t{owned}, Reduction::sum), objects);
}

// The cost of the first distribution is inevitable, so it must not count.
TEST_F(OddPrograms, TheFirstDistributionIsNoExpense) {
  for (const Trigger& trigger : {Trigger(Never{}), every_seventh}) {
    Balancer balancer(ranks, options_with(trigger));
    std::vector<Place> x = places_here();
    bool is_first = true;
    balancer.before_move([&] {
      if (is_first) test::virtual_time += 50'000'000'000;
    });
    static_cast<void>(balancer.rebalance(x));
    is_first = false;
    const Record record = run(balancer, 60, [&](int) { return balancer.step(x); });
    EXPECT_NEAR(record.account.spent(), 0, 1e-6);
  }
}

}  // namespace
}  // namespace evenkeel::account_test
