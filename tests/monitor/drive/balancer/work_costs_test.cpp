#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"
#include "support/scratch.hpp"

namespace evenkeel::work_costs_test {
namespace {

using namespace test;

// Cells of several types. Those in a slab have the first type, those in a ball also the second, and
// the rest the third.
using Types = std::array<int, 2>;
Types types_of(std::int64_t id) {
  const double x = place_of(id, 0), y = place_of(id, 1), z = place_of(id, 2);
  Types types = {x < 0.4 ? 0 : 2, no_type};
  if (std::hypot(x - 0.4, y - 0.3, z - 0.6) < 0.35) types[1] = 1;
  return types;
}

constexpr std::array<std::int64_t, 3> nanoseconds = {100, 900, 180};

std::int64_t nanoseconds_of(const Types& types, int type) {
  std::int64_t sum = 0;
  for (const int is : types)
    if (is == type) sum += nanoseconds[static_cast<std::size_t>(type)];
  return sum;
}
std::int64_t nanoseconds_of(const Types& types) {
  return nanoseconds_of(types, 0) + nanoseconds_of(types, 1) + nanoseconds_of(types, 2);
}

Options quiet_options() {
  return {.trigger = Never{},
          .box = Box{{0, 0, 0}, {1, 1, 1}},
          .target_lambda = 0,
          .epoch_steps = 6,
          .own_clock = &virtual_now,
          .log = LogLevel::off};
}

// The information that kernels give about their objects.
enum class KernelsSay : std::uint8_t { nothing, their_types };

// A program whose cells are of several types. The Balancer does not know the costs of these.
class Program {
 public:
  explicit Program(const Options& options = quiet_options(), KernelsSay told = KernelsSay::nothing)
      : communicator_(test::world()), balancer_(communicator_, options) {
    virtual_time = 0;
    ids_ = test::ids_here(communicator_, test::in_turn, 3000 * communicator_.size());
    x_ = places_of(ids_);
    for (const std::int64_t id : ids_) types_.push_back(types_of(id));
    for (int type = 0; type < 3; ++type)
      kernels_.push_back(balancer_.kernel(
          "solver " + std::to_string(type),
          {.types = told == KernelsSay::nothing ? KernelTypes{} : KernelTypes{type}}));
  }

  Balancer& balancer() { return balancer_; }
  std::vector<Types>& types() { return types_; }

  Set cells(const std::vector<double>& type_costs = {}) {
    return set(x_, carry(ids_, types_), {.type = types_, .type_costs = type_costs});
  }

  void rebalance(const std::vector<double>& type_costs = {}) {
    balancer_.rebalance(cells(type_costs));
  }

  // Runs `steps` steps, and cuts by the costs that were learned from their loads.
  void learn(int steps) {
    rebalance();
    run(steps);
    rebalance();
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      for (int type = 0; type < 3; ++type) {
        const auto timing = kernels_[static_cast<std::size_t>(type)].time();
        virtual_time += 500;  // independent of the objects of the rank
        for (const Types& is : types_) virtual_time += nanoseconds_of(is, type);
      }
      balancer_.step(cells());
    }
  }

  // Lambda by the true costs.
  double lambda() const {
    std::int64_t load = 0;
    for (const Types& is : types_) load += nanoseconds_of(is);
    return lambda_of(communicator_.all_gather(static_cast<double>(load)));
  }

  // Changes the types of all cells.
  void turn_types() {
    for (Types& is : types_)
      for (int& type : is)
        if (type != no_type) type = (type + 1) % 3;
  }

 private:
  Communicator communicator_;
  Balancer balancer_;
  std::vector<Kernel> kernels_;
  Ids ids_;
  std::vector<std::array<double, 3>> x_;
  std::vector<Types> types_;
};

void expect_learned(const CostTable& costs, double tolerance) {
  ASSERT_EQ(costs.rows.size(), 3U);
  for (std::size_t t = 0; t < 3; ++t) {
    const CostTable::Row& row = costs.rows[t];
    EXPECT_EQ(row.set, 0);
    EXPECT_EQ(row.number, static_cast<int>(t));
    EXPECT_FALSE(row.is_feature);
    EXPECT_NEAR(row.seconds * 1e9, static_cast<double>(nanoseconds[t]),
                tolerance * static_cast<double>(nanoseconds[t]))
        << "type " << t;
    EXPECT_GT(row.amount, 0);
  }
}

// If kernels name their types, no inverse problem needs to be solved, so one look suffices.
TEST(WorkCosts, OfKernelsThatKnowTheirTypes) {
  Program program(quiet_options(), KernelsSay::their_types);
  program.learn(10);
  EXPECT_LE(program.lambda(), 1.02);
  expect_learned(program.balancer().costs(), 0.03);
  EXPECT_EQ(program.balancer().costs().frozen, 0);
  program.balancer().finish();
}

// The costs must be found from the loads of ranks, and then be kept.
void expect_found(const std::vector<double>& expected_costs) {
  Program program;
  program.rebalance(expected_costs);
  std::string all;
  for (int round = 1; round <= 8; ++round) {
    program.run(10);
    program.rebalance(expected_costs);
    all += ' ' + std::to_string(program.lambda());
    if (round >= 4) {
      EXPECT_LE(program.lambda(), 1.03) << all;
    }
  }
  program.balancer().finish();
}

TEST(WorkCosts, FromTheLoadsOfRanks) { expect_found({}); }
TEST(WorkCosts, ExpectedOnesThatAreWrongByFive) { expect_found({500, 180, 900}); }

// Objects that have just changed to a type must get the cost of this type.
TEST(WorkCosts, WhenObjectsBecomeSomethingElse) {
  Program program(quiet_options(), KernelsSay::their_types);
  program.learn(20);
  program.turn_types();
  program.rebalance();
  EXPECT_LE(program.lambda(), 1.02);
  program.balancer().finish();
}

TEST(WorkCosts, ExpectedOnesCountFromTheStart) {
  Program program;
  program.rebalance({100, 900, 180});
  EXPECT_LE(program.lambda(), 1.01);
  program.balancer().finish();
}

TEST(WorkCosts, WithoutAClock) {
  Options options = quiet_options();
  options.deterministic = true;
  options.own_clock = nullptr;
  Program program(options);
  program.rebalance({100, 900, 180});
  EXPECT_LE(program.lambda(), 1.01);
  EXPECT_TRUE(program.balancer().costs().empty());
  program.balancer().finish();
}

// The least norm can be chosen, too. If ranks differ, its costs must be near the true ones.
TEST(WorkCosts, OfTheLeastNorm) {
  Options options = quiet_options();
  options.type_costs = TypeCosts::minimum_norm;
  Program program(options, KernelsSay::their_types);
  program.learn(20);
  EXPECT_LE(program.lambda(), 1.02);
  expect_learned(program.balancer().costs(), 0.05);
  program.balancer().finish();
}

TEST(WorkCosts, CanBeTurnedOff) {
  Options options = quiet_options();
  options.type_costs = TypeCosts::off;
  Program program(options, KernelsSay::their_types);
  program.learn(20);
  EXPECT_TRUE(program.balancer().costs().empty());
  program.balancer().finish();
}

// On any number of ranks, a continued run must know the costs from its first rebalance on.
TEST(WorkCosts, AreSavedAndRestored) {
  std::string saved;
  {
    Program program(quiet_options(), KernelsSay::their_types);
    program.learn(20);
    program.run(20);
    saved = program.balancer().saved_state();
    program.balancer().finish();
  }
  EXPECT_TRUE(test::same_everywhere(test::world(), saved));
  Program next(quiet_options(), KernelsSay::their_types);
  next.balancer().restore(saved);
  next.rebalance();
  EXPECT_LE(next.lambda(), 1.02);
  EXPECT_EQ(next.balancer().saved_state().find("costs = 0 type 0") == std::string::npos, false);
  next.balancer().finish();
  for (const std::string line :
       {"costs = 0 type 16 1e-7 0", "costs = 0 kind 1 1e-7 0", "costs = 0 type 1 -1 0",
        "costs = 0 type 1 1e-7 0 0", "costs = -1 type 1 1e-7 0", "costs = 0 type 1"}) {
    Program other;
    std::string wrong = saved;
    const std::size_t at = wrong.find("costs = ");
    wrong.insert(at, line + '\n');
    EXPECT_ERROR(other.balancer().restore(wrong), "cannot be understood");
    other.balancer().finish();
  }
}

// One rank has an invalid type. All ranks must throw the same Error, and the next step must work.
TEST(WorkCosts, TypesThatMakeNoSense) {
  Program program;
  program.rebalance();
  program.run(10);
  const bool is_last = test::rank() + 1 == test::size();
  const Types before = is_last ? program.types().at(0) : Types{};
  if (is_last) program.types().at(0) = {0, 77};
  EXPECT_ERROR(program.rebalance(), "is 77");
  if (is_last) program.types().at(0) = before;
  program.rebalance();
  program.run(10);
  program.balancer().finish();
}

TEST(WorkCosts, RanksThatDisagreeOnWhatTheyTell) {
  const Communicator communicator = test::world();
  if (communicator.size() < 2) GTEST_SKIP() << "needs ranks that can disagree";
  std::vector<std::array<double, 3>> x(10);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {0.1 * static_cast<double>(i), 0.5, 0.5};
  std::vector<int> types(10);
  Balancer balancer(communicator, quiet_options());
  EXPECT_ERROR(communicator.rank() == 0 ? balancer.rebalance(set(x, carry(types), {.type = types}))
                                        : balancer.rebalance(set(x, carry(types))),
               "types or features");
  balancer.rebalance(set(x, carry(types)));
  balancer.finish();
}

TEST(WorkCosts, KernelsOfTypesThatCannotBe) {
  Program program;
  EXPECT_ERROR(program.balancer().kernel("new", {.types = {16}}), "Types are numbered");
  EXPECT_ERROR(program.balancer().kernel("new", {.types = {0, -1}}), "Types are numbered");
  EXPECT_ERROR(program.balancer().kernel("new", {.types = {0}, .set = 64}), "Types are numbered");
  program.balancer().finish();
}

// Two solvers work on regions that partly overlap, with a barrier between them. In a cut by the
// sum, one rank would do all work of one solver. The step must be as short as under a cut for both
// phases.
TEST(WorkCosts, OfSeveralPhases) {
  const auto step_of = [](bool in_phases) {
    const Communicator communicator = test::world();
    virtual_time = 0;
    Ids ids = test::ids_here(communicator, test::in_turn, 2000 * communicator.size());
    std::vector<Point> x = places_of(ids);
    std::vector<Types> types;
    for (const Point& place : x) types.push_back({0, place[0] < 0.6 ? 1 : no_type});
    Balancer balancer(communicator, quiet_options());
    const std::array solvers = {
        balancer.kernel("flow", {.types = {0}}),
        balancer.kernel("sound", {.phase = in_phases ? 1 : 0, .types = {1}})};
    std::array<std::int64_t, 2> loads{};
    for (int round = 0; round < 3; ++round) {
      balancer.rebalance(set(x, carry(ids, types), {.type = types}));
      for (int step = 0; step < 10; ++step) {
        for (std::size_t solver = 0; solver < 2; ++solver) {
          const auto timing = solvers[solver].time();
          loads[solver] = 0;
          for (const Types& is : types)
            loads[solver] += nanoseconds_of(is, static_cast<int>(solver));
          virtual_time += loads[solver];
        }
        balancer.step(set(x, carry(ids, types), {.type = types}));
      }
    }
    balancer.finish();
    std::int64_t step = 0;
    for (const std::int64_t load : loads)
      step += communicator.all_reduce(load, Reduction::greatest);
    return static_cast<double>(step);
  };
  const double by_sum = step_of(false), by_phases = step_of(true);
  if (test::size() == 1)
    EXPECT_EQ(by_phases, by_sum);
  else
    EXPECT_LT(by_phases, 0.99 * by_sum);
}

// The journal must have the learned costs.
TEST(WorkCosts, AreInTheJournal) {
  const ScratchDirectory scratch;
  Options options = quiet_options();
  options.journal = scratch.path_of("journal");
  Program program(options, KernelsSay::their_types);
  program.learn(10);
  program.balancer().finish();
  if (test::rank() == 0) {
    EXPECT_MENTIONS(content_of(options.journal), R"("costs":{"rows":[{"set":0,"type":0,"amount":)");
  }
}

}  // namespace
}  // namespace evenkeel::work_costs_test
