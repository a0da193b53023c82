
#include "rebalance/migrator.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::rebalancer_test {
namespace {

// The data of rebalances and migrations, without an engine. Time stays constant unless a test
// changes it.
class Program {
 public:
  explicit Program(const Options& options) : options_(options) {
    if (ranks_.rank() != 0) return;  // all objects begin there
    for (int i = 0; i < 60 * ranks_.size(); ++i) {
      x_.push_back({static_cast<double>(i % 20) / 20, static_cast<double>(i / 20) / 20});
      ids_.push_back(i);
    }
  }

  Rebalanced rebalance(const Advice& advice = {}, const SetOptions& of_set = {}) {
    const Set all = set(x_, carry(ids_), of_set);
    const std::array kernel_options = {KernelOptions{}, KernelOptions{.exchanges_ghosts = true}};
    return rebalancer_.rebalance({&all, 1}, {.advice = advice,
                                             .step = step_,
                                             .has_begun = step_ > 0,
                                             .measured = {.load = load_,
                                                          .first = 1,
                                                          .last = 1,
                                                          .kernels = kernels_,
                                                          .kernel_options = kernel_options},
                                             .earlier_costs = no_costs_});
  }
  MoveReport migrate() {
    const Set all = set(x_, carry(ids_));
    return migrator_.migrate({&all, 1}, step_);
  }
  // Expects each object to be on the rank that owns its place, and no object to be lost.
  void expect_at_home() const {
    const Domains& now = domains_.present();
    for (const auto& x : x_) EXPECT_EQ(owner_of(now, x), ranks_.rank());
    EXPECT_EQ(ranks_.all_reduce(std::ssize(x_), Reduction::sum), 60 * ranks_.size());
  }

  std::int64_t step_ = 0, load_ = 0;
  std::array<double, 2> kernels_ = {};  // the second exchanges ghosts
  std::vector<std::array<double, 2>> x_;
  std::vector<std::string> warnings_, notes_;
  DomainHistory domains_;
  Communicator ranks_ = test::world();

 private:
  std::vector<std::int64_t> ids_;
  Options options_;
  CostTable no_costs_;
  RankRecords records_{ranks_.rank()};
  ObjectCosts costs_{options_, [](const CostTable&) {}};

 public:
  Mover mover_{ranks_, options_, costs_};

 private:
  RebalanceLog log_ = {[this](const std::string& text) { warnings_.push_back(text); },
                       [this](const std::string& text) { notes_.push_back(text); }};
  MemoryWatch memory_{"monitor/balancer", log_};
  BalancerParts parts_{ranks_, options_, costs_, records_, domains_, mover_, memory_};
  Rebalancer rebalancer_{parts_, [] { return std::int64_t{0}; }, log_};
  Migrator migrator_{parts_};
};

TEST(Rebalancer, MakesDomainsAndSaysWhatCameOfIt) {
  Program program({});
  const bool is_alone = program.ranks_.size() == 1;
  const Rebalanced first = program.rebalance();
  EXPECT_EQ(first.report.moved, !is_alone);
  ASSERT_TRUE(first.outcome);
  EXPECT_TRUE(first.outcome->moved) << "there are new domains";
  EXPECT_FALSE(first.runs_hooks);
  EXPECT_EQ(program.domains_.generation(), 1);
  program.expect_at_home();
  EXPECT_TRUE(program.warnings_.empty());
  const Rebalanced again = program.rebalance();
  EXPECT_FALSE(again.outcome->moved);
  EXPECT_EQ(again.report.lambda, first.report.lambda);
}

TEST(Rebalancer, TakesEarlierDomainsAgain) {
  Program program({});
  program.rebalance();
  program.step_ = 1;
  const std::vector<double> weights(program.x_.size(), program.ranks_.rank() == 0 ? 9.0 : 1.0);
  EXPECT_EQ(program.rebalance({}, {.weight = weights}).outcome->moved, program.ranks_.size() > 1);
  const Rebalanced back = program.rebalance({.back_to = 1});
  EXPECT_EQ(back.outcome->earlier, program.ranks_.size() > 1);
  program.expect_at_home();
  EXPECT_FALSE(program.rebalance({.back_to = 77}).outcome->earlier) << "no rank has kept those";
}

TEST(Rebalancer, HasNoOutcomeWhereNoRankEverHadAnObject) {
  Program program({});
  program.x_.clear();
  const std::vector<std::array<double, 2>> nothing;
  const Rebalanced none = program.rebalance({}, {.count = 0});
  EXPECT_TRUE(!none.outcome || none.outcome->objects_moved == 0);
}

TEST(Rebalancer, RunsHooksAfterTheReport) {
  Program program({});
  int after = 0;
  program.mover_.hooks().after.push_back([&](const MoveReport&) { ++after; });
  const Rebalanced first = program.rebalance();
  EXPECT_TRUE(first.runs_hooks);
  EXPECT_EQ(after, 0) << "that is left to the caller";
  program.mover_.run_after(first.report);
  EXPECT_EQ(after, first.report.moved ? 1 : 0);
}

// --- The choice of a method ----------------------------------------------------------------------

// The generations after whose rebalance the method was chosen.
std::vector<std::int64_t> choices(Program& program, int rebalances) {
  std::vector<std::int64_t> chosen;
  for (int i = 0; i < rebalances; ++i) {
    // Each rebalance finds other weights, so that there are new domains.
    const std::vector<double> weights(program.x_.size(),
                                      program.ranks_.rank() == i % 2 ? 9.0 : 1.0);
    const std::size_t before = program.notes_.size();
    program.rebalance({}, {.weight = weights});
    if (program.notes_.size() > before) chosen.push_back(program.domains_.generation());
    ++program.step_;
    program.expect_at_home();
  }
  return chosen;
}

TEST(MethodChoice, IsMadeAtTheFirstRebalanceAndAtPowersOfTwo) {
  Program program({.method = Auto{}, .box = Box{{0, 0, 0}, {1, 4, 1}}});
  const bool is_alone = program.ranks_.size() == 1;
  // One rank keeps its first domains, also when it has chosen for the second ones.
  EXPECT_EQ(choices(program, 9),
            is_alone ? std::vector<std::int64_t>({1, 1}) : std::vector<std::int64_t>({1, 2, 4, 8}));
  Program fixed({.box = Box{{0, 0, 0}, {1, 4, 1}}});
  EXPECT_EQ(choices(fixed, 3), std::vector<std::int64_t>());
}

TEST(MethodChoice, TellsAllMethodsAndKeepsOneThatIsNoWorse) {
  Program program({.method = Auto{}, .box = Box{{0, 0, 0}, {1, 4, 1}}});
  program.rebalance();
  ASSERT_EQ(program.notes_.size(), 1);
  EXPECT_EQ(program.notes_[0].find("auto takes "), 0) << program.notes_[0];
  for (const char* method : {"hilbert ", "staggered ", "bisection ", "voronoi "})
    EXPECT_NE(program.notes_[0].find(method), std::string::npos) << program.notes_[0];
  if (program.ranks_.size() == 1) return;
  choices(program, 1);
  ASSERT_EQ(program.notes_.size(), 2);
  EXPECT_EQ(program.notes_[1].find("auto keeps "), 0) << "without a halo all are even";
}

TEST(MethodChoice, FollowsWhatTheApplicationCanWorkWith) {
  const auto text_of = [](const Options& options) {
    Program program(options);
    program.rebalance();
    return program.notes_.empty() ? std::string() : program.notes_[0];
  };
  const std::string grids = text_of({.method = Auto{}, .methods = Methods::grids});
  EXPECT_NE(grids.find("auto takes staggered"), std::string::npos) << grids;
  const std::string boxes = text_of({.method = Auto{}, .least_width = {0.01, 0.01, 0}});
  EXPECT_NE(boxes.find("bisection "), std::string::npos) << boxes;
  EXPECT_EQ(boxes.find("hilbert "), std::string::npos) << boxes;
  const std::string cells = text_of({.method = Auto{}, .cell_size = {0.01, 0.01, 0}});
  EXPECT_NE(cells.find("bisection "), std::string::npos) << cells;
  EXPECT_EQ(cells.find("hilbert "), std::string::npos) << cells;
}

TEST(MethodChoice, LearnsTheCostOfGhostsFromKernels) {
  const auto slowest = [](double exchange) {
    Program program({.method = Auto{.halo = 0.3}, .box = Box{{0, 0, 0}, {1, 4, 1}}});
    program.rebalance();
    program.step_ = 1'000'000'000;  // so the seconds of the move do not count
    program.load_ = 60'000;
    program.kernels_ = {60'000, exchange};
    choices(program, 1);
    return program.notes_.back();
  };
  if (test::world().size() == 1) return;
  const auto step_in = [](const std::string& note) {
    const std::string begin = "by method: hilbert ";
    return std::stod(note.substr(note.find(begin) + begin.size()));
  };
  EXPECT_GT(step_in(slowest(600'000)), 5) << "an exchange takes ten times as long as the work";
  EXPECT_LT(step_in(slowest(600)), 1.2);
}

// --- Migrations ----------------------------------------------------------------------------------

TEST(Migrator, SendsStraysHome) {
  Program program({.box = Box{{0, 0, 0}, {1, 1, 1}}});
  EXPECT_ERROR(program.migrate(), "migrate was called before there were domains.");
  program.rebalance();
  for (auto& x : program.x_) x[0] = 1 - x[0];
  const MoveReport report = program.migrate();
  EXPECT_EQ(report.generation, 1);
  EXPECT_FALSE(report.has_new_domains());
  program.expect_at_home();
  EXPECT_FALSE(program.migrate().moved);
}

}  // namespace
}  // namespace evenkeel::rebalancer_test
