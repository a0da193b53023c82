#include "monitor/drive/balancer/crew.hpp"

#include <evenkeel/monitor/options_text.hpp>

namespace evenkeel::trust_test {
namespace {

using namespace test;

class Trust : public test::OnRanks {
 protected:
  bool many_ranks = size > 5;  // on few cores, where every collective is slow
};

// --- The main purpose of the library -------------------------------------------------------------

constexpr int story_steps = 120;

// The state shows whether the work was done, and how often.
std::uint64_t worked(std::uint64_t state, int times) {
  for (int i = 0; i < times; ++i) state = mix(state);
  return state;
}

struct Simulation {
  Kokkos::View<double* [3], Kokkos::HostSpace> position;
  Kokkos::View<std::uint64_t*, Kokkos::HostSpace> state;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> id;
  int (*cost)(double x);

  Simulation(std::size_t count, int (*cost_at)(double x))
      : position("position", count), state("state", count), id("id", count), cost(cost_at) {
    for (std::size_t i = 0; i < count; ++i) {
      id(i) = static_cast<std::int64_t>(i);
      state(i) = i;
      for (int d = 0; d < 3; ++d) position(i, d) = everywhere.coordinate(id(i), d);
    }
  }

  std::int64_t count() const { return static_cast<std::int64_t>(id.extent(0)); }

  void advance() const {
    for (std::size_t i = 0; i < id.extent(0); ++i)
      state(i) = worked(state(i), cost(position(i, 0)));
  }

  // Collective. Lambda over all ranks, which are equally fast.
  double lambda(const Communicator& communicator) const {
    double work = 0;
    for (std::size_t i = 0; i < id.extent(0); ++i) work += cost(position(i, 0));
    return communicator.size() * communicator.all_reduce(work, Reduction::greatest) /
           communicator.all_reduce(work, Reduction::sum);
  }

  // Collective. Expects each object to be at its place, with the work of all steps done exactly
  // once.
  void expect_complete(const Communicator& communicator, std::int64_t total) const {
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < id.extent(0); ++i) {
      const std::uint64_t begun = static_cast<std::uint64_t>(id(i));
      bool right = state(i) == worked(begun, story_steps * cost(position(i, 0)));
      for (int d = 0; d < 3; ++d)
        right = right && position(i, d) == everywhere.coordinate(id(i), d);
      wrong += right ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
    const Ids here(id.data(), id.data() + id.extent(0));
    EXPECT_TRUE(test::ids_everywhere(communicator, here) == test::counting<std::int64_t>(total));
  }
};

class TrustStory : public Trust {
 protected:
  // All objects begin on rank 0. Returns the least lambda after a move. A rebalance directly after
  // a move by step() must move nothing, since nothing was measured in between.
  double run(Simulation& simulation, std::int64_t total, const Options& options) const {
    Balancer balancer(communicator, options);
    const Kernel kernel = balancer.kernel("work");
    std::vector<double> lambdas;
    for (int step = 1; step <= story_steps; ++step) {
      {
        const auto timing = kernel.time();
        simulation.advance();
      }
      auto& [position, state, id, cost] = simulation;
      const MoveReport moved = balancer.step(position, carry(state, id));
      expect_agreed(communicator, balancer, moved);
      if (!moved) continue;
      EXPECT_FALSE(balancer.rebalance(position, carry(state, id)));
      const auto most = communicator.all_reduce(simulation.count(), Reduction::greatest);
      // The time of the first move depends on the noise of the machine.
      EXPECT_TRUE(!lambdas.empty() || (step >= 14 && step <= 38 && most <= total / size + 1))
          << step;
      lambdas.push_back(simulation.lambda(communicator));
    }
    balancer.finish();
    EXPECT_EQ(lambdas.empty(), size == 1);
    simulation.expect_complete(communicator, total);
    return lambdas.empty() ? 1 : *std::ranges::min_element(lambdas);
  }
};

// The first move depends only on the load of rank 0, so it can be predicted exactly. Later moves
// depend on clocks.
TEST_F(TrustStory, TheWorkOfOneRankIsDoneByAllAfterAFewSteps) {
  const std::int64_t total = many_ranks ? 24'000 : 60'000;
  Simulation simulation(rank == 0 ? static_cast<std::size_t>(total) : 0, [](double) { return 20; });
  run(simulation, total, {});
  EXPECT_LT(simulation.lambda(communicator), 1.6);
}

// With equal numbers of objects, lambda is 1.66. So the Balancer must learn the costs of objects.
TEST_F(TrustStory, WorkThatDiffersFromObjectToObjectIsFoundOut) {
  constexpr std::int64_t total = 20'000;
  Simulation simulation(rank == 0 ? static_cast<std::size_t>(total) : 0,
                        [](double x) { return x < -15 ? 64 : 8; });
  const double least = run(simulation, total, {.trigger = Threshold{.lambda = 1.1}});
  EXPECT_LT(least, 1.45);
  EXPECT_LT(simulation.lambda(communicator), 1.6);
}

// Kernels here take microseconds, so this uses the clock that a busy machine disturbs least.
Options often(const Trigger& trigger, bool deterministic) {
  return {.trigger = trigger,
          .epoch_steps = 6,
          .warmup_steps = 0,
          .clock = ClockKind::thread_cpu,
          .deterministic = deterministic};
}

// --- An adversary --------------------------------------------------------------------------------

enum class Strike { reorder, births_and_deaths, shuffle, rotate, all_on_one };
constexpr int strikes = 5;

// Collective. The objects of this rank after changes that an application may make between two
// steps.
Ids struck(const Communicator& communicator, const Ids& mine, Strike strike, int turn) {
  const int rank = communicator.rank(), size = communicator.size();
  const auto all = communicator.all_gather(std::span<const std::int64_t>(mine));
  Ids ids;
  for (int from = 0; from < size; ++from)
    for (const std::int64_t id : all.of_rank(from)) {
      const auto chance = static_cast<int>(mix(id, 1000 + turn) % 840);
      bool keep = from == rank;
      if (strike == Strike::births_and_deaths) keep = keep && chance % 8 != 0;
      if (strike == Strike::shuffle) keep = chance % size == rank;
      if (strike == Strike::rotate) keep = (from + 1) % size == rank;
      if (strike == Strike::all_on_one) keep = turn % size == rank;
      if (keep) ids.push_back(id);
    }
  if (strike == Strike::births_and_deaths)
    for (int birth = 0; birth < 4 + turn % 3; ++birth)
      ids.push_back(1'000'000 * (turn + 1) + 1'000 * rank + birth);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(static_cast<unsigned>(100 * turn + rank)));
  return ids;
}

void expect_adversary_fails(const Communicator& communicator, const Options& options, int turns) {
  Vectors cloud = cloud_of(ids_here(communicator, in_turn, 150));
  Balancer balancer(communicator, options);
  const Kernel kernel = balancer.kernel("work");
  int moves = 0;
  for (int turn = 0; turn < turns; ++turn) {
    SCOPED_TRACE(turn);
    const Ids ids = struck(communicator, cloud.id, static_cast<Strike>(turn % strikes), turn);
    cloud = test::Vectors(ids.size());
    write_objects(cloud.as_set(), everywhere, ids);
    {
      const auto timing = kernel.time();
      std::uint64_t state = 0;
      for (const std::int64_t id : ids) state = worked(state + static_cast<std::uint64_t>(id), 40);
      EXPECT_TRUE(ids.empty() || state != 0);
    }
    const Ids alive = test::ids_everywhere(communicator, ids);
    const MoveReport report = balancer.step(cloud.as_set());
    expect_agreed(communicator, balancer, report);
    expect_intact(communicator, cloud.as_set(), everywhere, alive);
    if (report) expect_at_owners(balancer, cloud.as_set());
    moves += report.moved ? 1 : 0;
  }
  EXPECT_EQ(moves > 0, communicator.size() > 1);
  balancer.finish();
}

TEST_F(Trust, AnAdversaryLosesNoObject) {
  for (const bool deterministic : {true, false})
    for (const Trigger& trigger :
         {Trigger(Every{.period = 2}), Trigger(Threshold{.lambda = 1.01})}) {
      SCOPED_TRACE(to_text(trigger) + (deterministic ? ", deterministic" : ", by the clock"));
      expect_adversary_fails(communicator, often(trigger, deterministic), many_ranks ? 20 : 60);
    }
}

// --- An application whose results are known to the bit -------------------------------------------

struct Body {
  std::array<double, 3> x{}, v{};
  std::uint64_t state = 0;
  std::int64_t id = 0;
  friend bool operator==(const Body&, const Body&) = default;
};

Body body_of(std::int64_t id) {
  Body body;
  body.id = id;
  for (int d = 0; d < 3; ++d) {
    body.x[static_cast<std::size_t>(d)] = static_cast<double>(mix(id, d) % 10'000) * 1e-4;
    body.v[static_cast<std::size_t>(d)] = static_cast<double>(mix(id, 5 + d) % 100) * 4e-4 - 0.02;
  }
  return body;
}

// The change depends only on the body itself and on a sum over all bodies, which is an integer.
void advance(Body& body, std::uint64_t sum) {
  const double push = static_cast<double>(sum % 1024) * 1e-6;
  for (std::size_t d = 0; d < 3; ++d) {
    body.v[d] += 1e-2 * (0.5 - body.x[d]) + push;
    body.x[d] += body.v[d];
    body.state = mix(body.state ^ std::bit_cast<std::uint64_t>(body.x[d]));
  }
  body.state += sum;
}

double weight_of(const Body& body) { return body.x[0] < 0.4 ? 8 : 1; }

constexpr std::int64_t bodies = 240;

// Runs on each rank, without evenkeel.
std::vector<Body> oracle(int steps) {
  std::vector<Body> all;
  for (std::int64_t id = 0; id < bodies; ++id) all.push_back(body_of(id));
  std::uint64_t sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (Body& body : all) advance(body, sum);
    sum = 0;
    for (const Body& body : all) sum += body.state;
  }
  return all;
}

// Bodies in separate fields, with optional ghosts behind them.
struct Shoal {
  std::vector<std::array<double, 3>> x, v;
  std::vector<std::uint64_t> state;
  Ids id;
  std::vector<double> weight;
  std::size_t owned = 0;

  void add(const Body& body) {
    x.push_back(body.x);
    v.push_back(body.v);
    state.push_back(body.state);
    id.push_back(body.id);
    ++owned;
  }
  Body at(std::size_t i) const { return {x[i], v[i], state[i], id[i]}; }

  std::uint64_t advance_all(std::uint64_t last_sum) {
    weight.resize(x.size());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < owned; ++i) {
      Body body = at(i);
      advance(body, last_sum);
      x[i] = body.x;
      v[i] = body.v;
      sum += state[i] = body.state;
      weight[i] = weight_of(body);
    }
    return sum;
  }

  void renew_ghosts(std::size_t ghosts) {
    constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
    for (auto* field : {&x, &v}) {
      field->resize(owned);
      field->resize(owned + ghosts, {nowhere, nowhere, nowhere});
    }
    state.resize(owned + ghosts);
    id.resize(owned + ghosts, -1);
    weight.resize(owned + ghosts, nowhere);
  }

  Set as_set(bool weighted) {
    SetOptions options{.count = &owned};
    if (weighted) options.weight = weight;
    return set(x, carry(v, state, id), options);
  }
};

// The application under a balancer. It has two sets, one of which has ghosts. At first all bodies
// are on rank 0.
class Voyage {
 public:
  Voyage(const Communicator& communicator, const Options& options, bool weighted)
      : balancer(communicator, options),
        communicator_(communicator),
        kernel_(balancer.kernel("advance")),
        weighted_(weighted) {
    for (std::int64_t id = 0; communicator.rank() == 0 && id < bodies; ++id)
      (id % 3 == 0 ? fish_ : plankton_).add(body_of(id));
  }

  // If `storm` is true, the application throws while it is timed, and continues afterwards.
  void step(bool storm = false) {
    std::uint64_t sum = 0;
    try {
      const auto timing = kernel_.time();
      sum = fish_.advance_all(sum_) + plankton_.advance_all(sum_);
      if (storm) throw std::runtime_error("the mast broke");
    } catch (const std::runtime_error&) {
      EXPECT_TRUE(storm);
    }
    sum_ = communicator_.all_reduce(sum, Reduction::sum);
    plankton_.renew_ghosts(2);
    const MoveReport report = balancer.step(fish_.as_set(weighted_), plankton_.as_set(weighted_));
    note(report);
  }

  // Collective. All bodies, sorted by id, on all ranks.
  std::vector<Body> gathered() const {
    std::vector<Body> mine;
    for (const Shoal* shoal : {&fish_, &plankton_})
      for (std::size_t i = 0; i < shoal->owned; ++i) mine.push_back(shoal->at(i));
    auto all = communicator_.all_gather(std::span<const Body>(mine)).values;
    std::ranges::sort(all, {}, &Body::id);
    return all;
  }

  // For each rebalance, the log has the step, the result, and the objects of each rank in their new
  // order.
  const std::string& log() const { return log_; }
  int moves() const { return moves_; }

  Balancer balancer;

 private:
  void note(const MoveReport& report) {
    expect_agreed(communicator_, balancer, report);
    if (!report) return;
    ++moves_;
    log_ += test::bytes_of_all(balancer.steps(), report.sent, report.received) +
            test::text_of(report) + test::text_of(test::curve_of(balancer));
    for (Shoal* shoal : {&fish_, &plankton_}) {
      log_ += test::bytes_as_text(std::span<const std::int64_t>(shoal->id));
      expect_at_owners(balancer, shoal->as_set(false));
    }
  }

  const Communicator& communicator_;
  Kernel kernel_;
  bool weighted_;
  Shoal fish_, plankton_;
  std::uint64_t sum_ = 0;
  std::string log_;
  int moves_ = 0;
};

class TrustVoyage : public Trust {
 protected:
  int steps = many_ranks ? 24 : 60;
  std::vector<Body> expected = oracle(steps);

  // The log of a voyage, which must have ended correctly.
  std::string sail(const Options& options) { return sail(options, options.deterministic); }
  std::string sail(const Options& options, bool weighted) {
    Voyage voyage(communicator, options, weighted);
    for (int step = 0; step < steps; ++step) voyage.step();
    voyage.balancer.finish();
    expect_arrived(voyage, std::holds_alternative<Never>(options.trigger));
    return voyage.log();
  }
  void expect_arrived(const Voyage& voyage, bool stays = false) const {
    EXPECT_TRUE(voyage.gathered() == expected);
    EXPECT_EQ(voyage.moves() > 0, size > 1 && !stays);
  }
};

TEST_F(TrustVoyage, ResultsAreTheSameToTheBitWhateverIsBalanced) {
  Options periodic = often(Every{.period = 3}, true);
  periodic.box = Box{{0, 0, 0}, {1, 1, 1}};
  periodic.periodic = {true, true, true};
  const Options all[] = {often(Never{}, true),
                         often(Every{.start = 0, .stop = 0, .period = 1}, true),
                         often(Every{.period = 2}, false),
                         often(Threshold{.lambda = 1.05}, true),
                         often(Threshold{.imbalance_percent = 5}, false),
                         periodic};
  for (const Options& options : all) {
    SCOPED_TRACE(to_text(options));
    sail(options);
  }
}

// Some runs have weights; in the others, each object counts as one.
TEST_F(TrustVoyage, DeterministicRunsRebalanceAlike) {
  for (const Trigger& trigger : {Trigger(Threshold{.lambda = 1.05}), Trigger(Every{.period = 4})})
    for (const bool weighted : {true, false}) {
      Options options = often(trigger, true);
      const std::string first = sail(options, weighted);
      EXPECT_TRUE(sail(options, weighted) == first);
      options.watcher = false;
      EXPECT_TRUE(sail(options, weighted) == first) << "without the watcher";
    }
}

TEST_F(TrustVoyage, TwoBalancersOnOneCommunicatorDoNotMeet) {
  const Options options[] = {often(Threshold{.lambda = 1.05}, true),
                             often(Every{.start = 2, .stop = 0, .period = 5}, true)};
  const std::string alone[] = {sail(options[0]), sail(options[1])};
  Voyage first(communicator, options[0], true), second(communicator, options[1], true);
  for (int step = 0; step < steps; ++step) {
    first.step();
    second.step();
  }
  second.balancer.finish();
  first.balancer.finish();
  EXPECT_TRUE(first.log() == alone[0]);
  EXPECT_TRUE(second.log() == alone[1]);
  expect_arrived(first);
  expect_arrived(second);
}

// --- The life of a balancer ----------------------------------------------------------------------

TEST_F(TrustVoyage, ABalancerThatIsMovedGoesOn) {
  const Options options = often(Threshold{.lambda = 1.05}, true);
  const std::string unmoved = sail(options);
  Voyage voyage(communicator, options, options.deterministic);
  Voyage prize(communicator, often(Every{.period = 7}, true), true);
  for (int step = 0; step < steps; ++step) {
    if (step % 5 == 4) {
      Balancer other(std::move(voyage.balancer));
      voyage.balancer = std::move(other);
    }
    if (step == 8) {  // replaces a Balancer with many pending requests
      for (int ahead = 0; ahead < 8; ++ahead) prize.step();
      prize.balancer = std::move(voyage.balancer);
      voyage.balancer = std::move(prize.balancer);
    }
    voyage.step();
  }
  voyage.balancer.finish();
  expect_arrived(voyage);
  EXPECT_TRUE(voyage.log() == unmoved);
}

TEST_F(TrustVoyage, AnExceptionOfTheApplicationEndsNothing) {
  for (const bool deterministic : {true, false}) {
    const Options options = often(Threshold{.lambda = 1.05}, deterministic);
    Voyage voyage(communicator, options, options.deterministic);
    for (int step = 0; step < steps; ++step) voyage.step(step % 4 == 1);
    voyage.balancer.finish();
    expect_arrived(voyage);
    EXPECT_TRUE(!deterministic || voyage.log() == sail(options));
  }
}

// Anything may be pending. The test ends after each step of an epoch of 6 steps, and of the
// protocol that follows.
TEST_F(TrustVoyage, ABalancerThatIsNeverFinishedLetsGo) {
  const Options options = often(Threshold{.lambda = 1.05}, true);
  for (int last = 0; last <= 12; ++last) {
    Voyage voyage(communicator, options, options.deterministic);
    for (int step = 0; step < last; ++step) voyage.step();
  }
  sail(options);
}

TEST_F(TrustVoyage, ABalancerThatIsUnwoundLetsGo) {
  const Options options = often(Threshold{.lambda = 1.05}, true);
  for (const int last : {6, 7, 9, 10}) {
    try {
      Voyage voyage(communicator, options, options.deterministic);
      for (int step = 0; step < last; ++step) voyage.step();
      throw std::runtime_error("the mast broke");
    } catch (const std::runtime_error&) {
      communicator.barrier();
    }
  }
  sail(options);
}

TEST_F(Trust, AfterFinishThereAreNoSteps) {
  test::Vectors cloud(0);
  for (const int steps : {0, 3, 7, 10}) {
    Balancer balancer(communicator, often(Threshold{.lambda = 1.05}, true));
    for (int step = 0; step < steps; ++step) balancer.step(cloud.as_set());
    balancer.finish();
    EXPECT_ERROR_EVERYWHERE(balancer.step(cloud.as_set()), "after finish");
    EXPECT_ERROR(balancer.finish(), "Call finish once");
    EXPECT_EQ(balancer.steps(), steps);
  }
}

// The other ranks would not join, so the caller must get an Error at once.
TEST_F(Trust, AfterFinishOneRankAloneIsTold) {
  test::Vectors cloud(0);
  Balancer balancer(communicator, often(Threshold{.lambda = 1.05}, true));
  balancer.step(cloud.as_set());
  balancer.finish();
  if (communicator.rank() == 0) {
    EXPECT_ERROR(balancer.rebalance(cloud.as_set()), "rebalance was called after finish.");
    EXPECT_ERROR(balancer.migrate(cloud.as_set()), "migrate was called after finish.");
  }
}

// --- A rule of the application's own -------------------------------------------------------------

bool is_twice_the_average(const LoadView& load) { return load.rebalances == 0 && load.lambda >= 2; }

TEST_F(TrustVoyage, ARuleOfItsOwnActsOnAllRanks) {
  Voyage voyage(communicator, often(Custom{is_twice_the_average}, true), true);
  for (int step = 1; step <= steps; ++step) {
    voyage.step();
    EXPECT_EQ(voyage.moves(), step >= 11 && size > 1 ? 1 : 0) << "step " << step;
  }
  voyage.balancer.finish();
  expect_arrived(voyage);
}

}  // namespace
}  // namespace evenkeel::trust_test
