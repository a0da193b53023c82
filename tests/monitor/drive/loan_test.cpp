// Loans in virtual time: an object of work w lets the clock of the rank that computes it advance by
// w nanoseconds.

#include "monitor/drive/virtual_clock.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel::loan_test {
namespace {

using State = std::array<double, 2>;

struct React {
  Batch::Values<double> state;
  Batch::Values<double> work;
  Batch::Values<float> result;
  Batch::Indices index;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    state(i, 0) = state(i, 0) * 1.5 + work(i);
    state(i, 1) += static_cast<double>(index(i));
    result(i) = static_cast<float>(work(i) * 0.25);
  }
};

struct WorkOf {
  Batch::Values<double> work;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return work(i); }
};

struct TellCost {
  Batch::Values<double> cost, work;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { cost(i) = work(i) / 1000; }
};

// The cells of one rank, and what they should be.
class Cells {
 public:
  Cells(int rank, std::int64_t count)
      : expected_(static_cast<std::size_t>(count)), works_(expected_.size()) {
    for (std::size_t i = 0; i < expected_.size(); ++i)
      expected_[i] = {static_cast<double>(i), static_cast<double>(rank)};
    state = {test::space(), "state", std::span<const State>(expected_)};
    work = {test::space(), "work", count};
    result = {test::space(), "result", count};
    cost = {test::space(), "cost", std::vector<double>(expected_.size())};
  }

  // work_of(i) is in nanoseconds.
  template <class Function>
  void set_work(const Function& work_of) {
    for (std::size_t i = 0; i < works_.size(); ++i)
      works_[i] = std::round(work_of(static_cast<std::int64_t>(i)));
    work = {test::space(), "work", std::span<const double>(works_)};
  }
  // A call has worked on all cells.
  void expect_worked() {
    std::vector<float> results;
    for (std::size_t i = 0; i < works_.size(); ++i) {
      expected_[i][0] = expected_[i][0] * 1.5 + works_[i];
      expected_[i][1] += static_cast<double>(i);
      results.push_back(static_cast<float>(works_[i] * 0.25));
    }
    EXPECT_EQ(state.on_host(), expected_);
    EXPECT_EQ(result.on_host(), results);
  }

  std::int64_t count() const { return std::ssize(expected_); }
  double all_work() const { return std::accumulate(works_.begin(), works_.end(), 0.0); }
  Loan::Objects objects(bool with_weights) {
    Loan::Objects all;
    if (with_weights) all.weight = work;
    all.inputs = carry(work);
    all.results = carry(result);
    return all;
  }

  exec::Array<State> state;
  exec::Array<double> work, cost;
  exec::Array<float> result;

 private:
  std::vector<State> expected_;
  std::vector<double> works_;
};

void react(const Batch& batch) {
  const auto work = batch.field<double>(1);
  exec::for_each(test::space(), "test::react", batch.count(),
                 React{batch.field<double>(0), work, batch.field<float>(2), batch.index()});
  test::virtual_time +=
      static_cast<std::int64_t>(exec::sum<double>(test::space(), batch.count(), WorkOf{work}));
}

void react_and_tell(const Batch& batch) {
  react(batch);
  exec::for_each(test::space(), "test::tell", batch.count(),
                 TellCost{batch.cost(), batch.field<double>(1)});
}

class Loans : public test::OnRanks {
 protected:
  Loans() { test::virtual_time = 0; }
  static Options options() {
    Options chosen;
    chosen.own_clock = &test::virtual_now;
    chosen.log = LogLevel::off;
    chosen.probe_share = 0;
    return chosen;
  }
  // Collective. The greatest work of a rank, divided by the mean.
  double lambda(double mine) const { return lambda_of(communicator.all_gather(mine)); }
};

// Most work is in a stretch of a tenth of all cells, which moves from rank to rank.
double front(int rank, int size, std::int64_t i, std::int64_t count, int call) {
  const double at = (rank + static_cast<double>(i) / static_cast<double>(count)) / size;
  const double ahead = std::fmod(at - 0.003 * call + 10, 1.0);
  return ahead < 0.1 ? 100'000 : 1000;
}

TEST_F(Loans, EvenOutAFrontThatMoves) {
  for (const bool weighs : {true, false}) {
    Monitor monitor(communicator, options());
    Loan loan = monitor.loan("chemistry");
    Cells cells(rank, 2000 + 37 * rank);
    for (int call = 0; call < 12; ++call) {
      cells.set_work([&](std::int64_t i) { return front(rank, size, i, cells.count(), call); });
      const Loan::Report report =
          loan.run(carry(cells.state), cells.objects(weighs), weighs ? &react : &react_and_tell);
      cells.expect_worked();
      EXPECT_EQ(report.lent, size > 1 && call > 0);
      EXPECT_NEAR(report.seconds_home, cells.all_work() * 1e-9, 1e-9);
      EXPECT_EQ(report.objects_lent > 0 && report.objects_borrowed > 0, false);
      if (call < 2) continue;
      const double before = lambda(cells.all_work()), after = lambda(report.seconds);
      EXPECT_LE(after, weighs ? 1.01 : 1 + 0.15 * (before - 1)) << call;
    }
    EXPECT_EQ(loan.totals().calls, 12);
    EXPECT_EQ(loan.totals().calls_lent, size > 1 ? 11 : 0);
    monitor.finish();
  }
}

TEST_F(Loans, WithoutCostsTheTimeOfBatchesCounts) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry", {.batches = 100});
  Cells cells(rank, 1000);
  cells.set_work([&](std::int64_t i) { return rank == size - 1 && i < 300 ? 50'000 : 2000; });
  double seconds = 0;
  for (int call = 0; call < 4; ++call) {
    seconds = loan.run(carry(cells.state), cells.objects(false), &react).seconds;
    cells.expect_worked();
  }
  EXPECT_LE(lambda(seconds), 1.02);
  monitor.finish();
}

// Costs travel with the objects when these are moved.
TEST_F(Loans, CostsInAFieldOfTheApplication) {
  Options chosen = options();
  chosen.method = Hilbert{};
  Balancer balancer(communicator, chosen);
  std::vector<std::array<double, 3>> x(600);
  std::vector<double> state(x.size()), cost(x.size(), 0.0);
  std::mt19937 random(static_cast<unsigned>(rank));
  std::uniform_real_distribution<double> anywhere;
  for (auto& place : x)
    for (double& along : place) along = anywhere(random);
  Loan loan = balancer.loan("chemistry");
  const Loan::Kernel kernel = [](const Batch& batch) {
    const auto value = batch.field<double>(0), told = batch.cost();
    const auto place = batch.field<double>(1);
    for (std::int64_t i = 0; i < batch.count(); ++i) {
      const double work = place(i, 0) < 0.2 ? 200 : 5;
      value(i) += place(i, 0) + place(i, 2);
      told(i) = work;
      test::virtual_time += static_cast<std::int64_t>(work) * 1000;
    }
  };
  Loan::Report report;
  for (int call = 0; call < 6; ++call) {
    report = loan.run(carry(state), {.cost = carry(cost), .inputs = carry(x)}, kernel);
    balancer.rebalance(x, carry(state, cost));
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(state[i], (call + 1) * (x[i][0] + x[i][2]), 1e-12);
      EXPECT_EQ(cost[i], x[i][0] < 0.2 ? 200 : 5);
    }
  }
  if (size > 1) {
    EXPECT_TRUE(report.lent);
    EXPECT_LE(report.most_seconds,
              1.01 * communicator.all_reduce(report.seconds, Reduction::sum) / size);
  }
  balancer.finish();
}

TEST_F(Loans, RanksWithoutObjectsBorrow) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, rank == 0 ? 1000 : 0);
  cells.set_work([](std::int64_t) { return 30'000; });
  Loan::Report report;
  for (int call = 0; call < 3; ++call) {
    report = loan.run(carry(cells.state), cells.objects(true), &react);
    cells.expect_worked();
  }
  EXPECT_LE(lambda(report.seconds), 1.01);
  EXPECT_EQ(report.partners, rank == 0 ? size - 1 : 1);
  monitor.finish();
}

TEST_F(Loans, NoObjectsAtAll) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry", {.lend = Loan::Lend::always});
  Cells cells(rank, 0);
  for (int call = 0; call < 3; ++call)
    EXPECT_FALSE(loan.run(carry(cells.state), cells.objects(true), &react));
  monitor.finish();
}

TEST_F(Loans, OneObjectHeavierThanAllOthers) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 500);
  cells.set_work([&](std::int64_t i) { return rank == 0 && i == 77 ? 1e9 : 2000.0; });
  Loan::Report report;
  for (int call = 0; call < 3; ++call) {
    report = loan.run(carry(cells.state), cells.objects(true), &react);
    cells.expect_worked();
  }
  if (size > 1 && rank == 0) {
    EXPECT_NEAR(report.seconds, 1, 2e-3);
  }
  monitor.finish();
}

TEST_F(Loans, EvenWorkStaysAtHome) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 500);
  cells.set_work([&](std::int64_t i) { return 10'000 + 10 * ((i * 7 + rank) % 11); });
  for (int call = 0; call < 5; ++call) {
    EXPECT_FALSE(loan.run(carry(cells.state), cells.objects(true), &react));
    cells.expect_worked();
  }
  monitor.finish();
}

// Sending an object takes longer than computing it.
TEST_F(Loans, CheapWorkStaysAtHome) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, rank == 0 ? 40'000 : 0);
  cells.set_work([&](std::int64_t) { return 10; });
  for (int call = 0; call < 5; ++call) {
    EXPECT_FALSE(loan.run(carry(cells.state), cells.objects(true), &react));
    cells.expect_worked();
  }
  monitor.finish();
}

TEST_F(Loans, NeverOnlyTellsWhatCouldBeSaved) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry", {.lend = Loan::Lend::never});
  Cells cells(rank, 100);
  cells.set_work([&](std::int64_t) { return rank == 0 ? 2e6 : 1e6; });
  for (int call = 0; call < 4; ++call)
    EXPECT_FALSE(loan.run(carry(cells.state), cells.objects(true), &react));
  const double each = size > 1 ? 0.2 - 0.1 * (size + 1) / size : 0;
  EXPECT_NEAR(loan.totals().possible_seconds, 4 * each, 1e-6);
  EXPECT_EQ(loan.totals().saved_seconds, 0);
  monitor.finish();
}

TEST_F(Loans, AccountForWhatTheySave) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 1000);
  cells.set_work([&](std::int64_t) { return rank == 0 ? 300'000 : 100'000; });
  for (int call = 0; call < 11; ++call) loan.run(carry(cells.state), cells.objects(true), &react);
  const double possible = size > 1 ? 0.3 - 0.1 * (size + 2) / size : 0;
  EXPECT_NEAR(loan.totals().saved_seconds, 10 * possible, 0.2 * possible);
  EXPECT_NEAR(loan.totals().possible_seconds, 11 * possible, 1e-6);
  monitor.finish();
}

// The kernel is even, but one rank has much to do between the halves. Then it lends, so that all
// ranks end together.
TEST_F(Loans, OtherWorkBetweenTheHalves) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 1000);
  cells.set_work([](std::int64_t) { return 1e6; });
  const double other = rank == size - 1 ? 0.5 : 0.1;
  for (int call = 0; call < 6; ++call) {
    loan.begin(carry(cells.state), cells.objects(true), &react);
    test::virtual_time += static_cast<std::int64_t>(1e9 * other);
    const Loan::Report report = loan.end();
    cells.expect_worked();
    EXPECT_EQ(report.lent, size > 1 && call > 0);
    EXPECT_NEAR(report.seconds_home, 1 + other, 1e-6);
    EXPECT_NEAR(report.most_seconds_home, 1.5, 1e-6);
    if (call == 0) continue;
    EXPECT_NEAR(report.most_seconds, 1.1 + 0.4 / size, 2e-3);
  }
  EXPECT_NEAR(loan.totals().possible_seconds, 6 * (0.4 - 0.4 / size), 1e-6);
  EXPECT_NEAR(loan.totals().saved_seconds, 5 * (0.4 - 0.4 / size), 1e-2);
  monitor.finish();
}

// A rank has more other work than all have on average: it lends all it can.
TEST_F(Loans, MoreOtherWorkThanCanBeEvenedOut) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 100);
  cells.set_work([](std::int64_t) { return 1e6; });
  for (int call = 0; call < 3; ++call) {
    loan.begin(carry(cells.state), cells.objects(true), &react);
    test::virtual_time += rank == 0 ? std::int64_t{5'000'000'000} : 0;
    const Loan::Report report = loan.end();
    cells.expect_worked();
    if (call == 0 || size == 1) continue;
    EXPECT_LE(report.objects_lent, rank == 0 ? 100 : 0);
    EXPECT_GE(report.objects_lent, rank == 0 ? 100 - size : 0);  // one less for each trade
  }
  monitor.finish();
}

TEST_F(Loans, HalvesThatDoNotMatch) {
  Monitor monitor(communicator, options());
  Cells cells(rank, rank == 0 ? 3000 : 1000);
  cells.set_work([](std::int64_t) { return 1e5; });
  {
    Loan loan = monitor.loan("chemistry");
    EXPECT_ERROR_EVERYWHERE(loan.end(), "A loan ends a call that has not begun.");
    loan.run(carry(cells.state), cells.objects(true), &react);
    cells.expect_worked();
    loan.begin(carry(cells.state), cells.objects(true), &react);
    EXPECT_ERROR_EVERYWHERE(loan.run(carry(cells.state), cells.objects(true), &react),
                            "A loan begins a call before the last one has ended.");
    loan.end();
    cells.expect_worked();
    EXPECT_ERROR_EVERYWHERE(loan.end(), "A loan ends a call that has not begun.");
    loan.begin(carry(cells.state), cells.objects(true), &react);
  }  // objects are still on their way
  Loan loan = monitor.loan("chemistry");
  std::vector<double> values(10, 1.0);
  loan.begin(carry(values), {}, [](const Batch&) {});
  if (rank == size - 1) values = std::vector<double>(20, 2.0);
  EXPECT_ERROR_EVERYWHERE(loan.end(), "has changed since the loan began.");
  loan.begin(carry(cells.state), cells.objects(true), &react);
  monitor.finish();
  loan.end();
  cells.expect_worked();
}

TEST_F(Loans, AKernelThatFailsOnABorrowedObject) {
  if (size == 1) GTEST_SKIP() << "no rank lends";
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 1000);
  cells.set_work([&](std::int64_t) { return rank == 0 ? 300'000 : 100'000; });
  loan.run(carry(cells.state), cells.objects(true), &react);
  const std::vector<State> before = cells.state.on_host();
  bool fails = rank == size - 1;
  const std::string text = test::error_everywhere([&] {
    loan.run(carry(cells.state), cells.objects(true), [&](const Batch& batch) {
      react(batch);
      if (batch.is_borrowed() && std::exchange(fails, false))
        throw batch.failure(3, "The temperature is negative.");
    });
  });
  EXPECT_MENTIONS(text, "evenkeel: rank " + std::to_string(size - 1) + ": core/lend");
  const std::string start = "The kernel failed on object ";
  const auto at = text.find(start);
  ASSERT_NE(at, std::string::npos) << text;
  const auto index = static_cast<std::size_t>(std::atoll(text.c_str() + at + start.size()));
  EXPECT_MENTIONS(text, " of rank 0: The temperature is negative.");
  if (rank == 0) {
    EXPECT_EQ(cells.state.on_host()[index], before[index]);
  }
  EXPECT_NO_THROW(loan.run(carry(cells.state), cells.objects(true), &react));
  monitor.finish();
}

TEST_F(Loans, AnyExceptionOfAKernelIsAnErrorOfTheApplication) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 10);
  cells.set_work([](std::int64_t) { return 10; });
  const int culprit = size - 1;
  EXPECT_ERROR_EVERYWHERE(loan.run(carry(cells.state), cells.objects(true),
                                   [&](const Batch&) {
                                     if (rank == culprit) throw std::runtime_error("out of coffee");
                                   }),
                          "out of coffee");
  monitor.finish();
}

TEST_F(Loans, BadInput) {
  Monitor monitor(communicator, options());
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 10);
  cells.set_work([](std::int64_t) { return 10; });
  const bool bad = rank == size - 1;
  std::vector<double> few(9), weights(10, 1.0);
  few.reserve(20);  // memory behind the values is not to be used
  std::vector<float> floats(10);
  weights[4] = bad ? -1 : 1;
  const auto run = [&](const Carried& fields, const Loan::Objects& objects) {
    loan.run(fields, objects, [](const Batch&) {});
  };
  std::vector<double> values(10);
  EXPECT_ERROR_EVERYWHERE(run(carry(values), {.weight = weights}), "The cost of object 4 is -1 in");
  if (bad) {
    EXPECT_ERROR(run(carry(few), {.count = 10}), "has 9 objects, but 10 are to be worked on.");
  } else {
    EXPECT_ERROR(run(carry(values), {.count = 10}), "has 9 objects, but 10 are to be worked on.");
  }
  EXPECT_ERROR_EVERYWHERE(run(carry(values), {.count = bad ? -1 : 3}),
                          "The .count of a loan is negative.");
  EXPECT_ERROR_EVERYWHERE(run({}, {}), "A loan has no fields.");
  EXPECT_ERROR_EVERYWHERE(run(carry(values), {.cost = carry(floats)}), "cannot hold costs.");
  EXPECT_ERROR_EVERYWHERE(loan.run(carry(values), {}, Loan::Kernel()), "A loan has no kernel.");
  if (size > 1) {
    const Carried mine = bad ? carry(floats) : carry(values);
    EXPECT_ERROR_EVERYWHERE(run(mine, {}), "Ranks give different fields to the loan 'chemistry'.");
  }
  EXPECT_ERROR_EVERYWHERE(monitor.loan("other", {.batches = -1}), "batches is -1.");
  loan.run(carry(values), {}, [](const Batch& batch) {
    EXPECT_ERROR(batch.field<float>(0),
                 "asks for field 0 as values of 4 bytes (float), but it has "
                 "values of 8 bytes (double).");
    EXPECT_ERROR(batch.field<double>(1), "asks for field 1 of a batch that has 1 fields.");
  });
  monitor.finish();
  EXPECT_ERROR_EVERYWHERE(run(carry(values), {}), "A loan runs after finish().");
}

// Every facade has loans.
template <class Facade>
void expect_lends(const Communicator& ranks, Facade& facade) {
  Loan loan = facade.loan("chemistry");
  Cells cells(ranks.rank(), 1000);
  cells.set_work([&](std::int64_t) { return ranks.rank() == 0 ? 300'000 : 100'000; });
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(loan.run(carry(cells.state), cells.objects(true), &react).lent,
              call > 0 && ranks.size() > 1);
    cells.expect_worked();
  }
  facade.finish();
}

TEST_F(Loans, OfAllFacades) {
  Balancer balancer(communicator, options());
  expect_lends(communicator, balancer);
  GridBalancer grid(
      communicator,
      {.grid = {factored(size, 2), {}}, .box = {{0, 0, 0}, {1, 1, 0}}, .monitor = options()});
  expect_lends(communicator, grid);
  GraphBalancer graph(communicator, {.monitor = options()});
  expect_lends(communicator, graph);
  BlockBalancer blocks(communicator, {.monitor = options()});
  expect_lends(communicator, blocks);
}

// In a deterministic run no time is measured, and weights decide.
TEST_F(Loans, InADeterministicRun) {
  Options chosen = options();
  chosen.own_clock = nullptr;
  chosen.deterministic = true;
  Monitor monitor(communicator, chosen);
  Loan loan = monitor.loan("chemistry");
  Cells cells(rank, 1000);
  cells.set_work([&](std::int64_t) { return rank == 0 ? 300 : 100; });
  EXPECT_EQ(loan.run(carry(cells.state), cells.objects(true), &react).lent, size > 1);
  cells.expect_worked();
  for (const bool tells : {true, false}) {
    Loan other = monitor.loan("other");
    for (int call = 0; call < 3; ++call)
      EXPECT_EQ(
          other.run(carry(cells.state), cells.objects(false), tells ? &react_and_tell : &react)
              .lent,
          size > 1 && tells && call > 0);
  }
  monitor.finish();
}

}  // namespace
}  // namespace evenkeel::loan_test
