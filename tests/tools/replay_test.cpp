// Runs `evenkeel replay` as its users start it: alone, without a launcher.

#include "files/array.hpp"
#include "replay/chains.hpp"
#include "tools/program_test.hpp"
#include "tools/report/journals.hpp"

namespace evenkeel::tool::replay_test {
namespace {

using test::Costs;
using test::Ended;
using test::npy_of;
using test::Words;

// The header is optional.
std::string csv_of(const Costs& costs, bool header) {
  std::string text;
  for (std::int64_t bin = 0; header && bin < costs.bins; ++bin)
    text.append(bin > 0 ? ",b" : "b").append(std::to_string(bin));
  if (header) text.append("\n");
  for (std::int64_t step = 0; step < costs.steps(); ++step)
    for (std::int64_t bin = 0; bin < costs.bins; ++bin) {
      text.append(std::to_string(static_cast<std::int64_t>(costs.at(step, bin))));
      text.append(bin + 1 < costs.bins ? "," : "\n");
    }
  return text;
}

class ReplayProgram : public test::ProgramTest {
 protected:
  ReplayProgram() : ProgramTest("replay") {}

  static Words command(const std::string& chain, const std::string& ranks = "2",
                       const std::string& cost = "0.75") {
    return {"--chain", chain, "--ranks", ranks, "--cost", cost};
  }
  // Work is added to the last bin. The loads of two ranks are 2 and 2, then 2 and 6, then 2 and 10.
  Words good() const {
    return command(file("good.csv", "1,1,1,1\n1,1,1,5\n1,1,1,9\n1,1,1,9\n1,1,1,9\n"));
  }
};

TEST_F(ReplayProgram, Json) {
  const nlohmann::json said = json(plus(good(), {"--trigger", "menon"}));
  EXPECT_EQ(test::keys_of(said), (Words{"above_optimum_percent", "ideal", "never", "optimum",
                                        "optimum_rebalances", "rebalances", "total", "trigger"}));
  EXPECT_EQ(said["trigger"].get<std::string>(), "menon");
  // u is 0, then 2, so the trigger acts. From then on, the cut by row 1 leaves 3 and 9, so u is 3,
  // and the trigger acts in each step.
  EXPECT_EQ(said["rebalances"].dump(), "[2,3,4]");
  EXPECT_EQ(said["total"].get<double>(), 2 + 6 + 9 + 9 + 9 + 3 * 1.5);
  EXPECT_EQ(said["ideal"].get<double>(), 2 + 4 + 6 + 6 + 6);
  EXPECT_EQ(said["never"].get<double>(), 2 + 6 + 10 + 10 + 10);
  EXPECT_EQ(said["optimum_rebalances"].dump(), "[2]");
  EXPECT_EQ(said["optimum"].get<double>(), 2 + 6 + 9 + 9 + 9 + 1.5);
  EXPECT_NEAR(said["above_optimum_percent"].get<double>(), 300 / 36.5, 1e-12);
}

TEST_F(ReplayProgram, Text) {
  EXPECT_EQ(output_of(plus(good(), {"--trigger", "every 2"})),
            "trigger    every 2\n"
            "total      38 (+4.11 % of the optimum)\n"
            "never      38 (+4.11 % of the optimum)\n"
            "optimum    36.5\n"
            "ideal      24 (-34.2 % of the optimum)\n"
            "rebalances 2, before steps 2, 4\n"
            "of optimum 1, before step 2\n");
}

TEST_F(ReplayProgram, OptionsTakeEffect) {
  const auto said = [&](const Words& more) { return json(plus(good(), more)); };
  EXPECT_EQ(said({"--trigger", "never"})["rebalances"].dump(), "[]");
  EXPECT_EQ(said({"--trigger", "threshold lambda 1.5", "--epoch", "2"})["rebalances"].dump(), "[4]")
      << "8 of 12 are too little, 20 of 24 are not";
  EXPECT_EQ(said({"--trigger", "threshold lambda 1.5", "--latency", "1"})["rebalances"].dump(),
            "[3]");
  EXPECT_EQ(said({"--trigger", "menon", "--epoch", "adaptive"})["rebalances"].dump(), "[]");
  EXPECT_EQ(json(plus(command(file("even.csv", "1,1,1,9\n1,1,1,9\n")),
                      {"--trigger", "never", "--start", "uniform"}))["total"]
                .get<double>(),
            20);
  EXPECT_EQ(json(plus(command(path("even.csv")), {"--trigger", "never"}))["total"].get<double>(),
            18);
  EXPECT_EQ(json(good())["trigger"].get<std::string>(), "cost_aware") << "it is the default";
}

// The costs are whole numbers, which every type can hold.
TEST_F(ReplayProgram, AllFiles) {
  const Costs costs = test::whole_costs(30, 12, 50, 10, 7);
  const Words rest = {"--trigger", "boulmier", "--start", "uniform"};
  const auto said = [&](const std::string& chain) {
    return json(plus(command(chain, "3", "0.25"), rest)).dump();
  };
  const std::string expected = said(file("plain.csv", csv_of(costs, false)));
  EXPECT_EQ(said(file("header.csv", csv_of(costs, true))), expected);
  for (const bool fortran_order : {false, true}) {
    EXPECT_EQ(said(file("f4.npy", npy_of<float>(costs, fortran_order))), expected);
    EXPECT_EQ(said(file("f8.npy", npy_of<double>(costs, fortran_order))), expected);
    EXPECT_EQ(said(file("i4.npy", npy_of<std::int32_t>(costs, fortran_order))), expected);
    EXPECT_EQ(said(file("i8.npy", npy_of<std::int64_t>(costs, fortran_order))), expected);
  }
}

// Sums are rounded, but no total may be below the reported optimum.
TEST_F(ReplayProgram, TheNumbersAreInOrder) {
  for (unsigned seed = 0; seed < 6; ++seed)
    for (const char* ranks : {"1", "3", "1000"}) {
      const std::string chain =
          file("chain.npy", npy_of<double>(test::drifting_costs(10, 24, seed)));
      const nlohmann::json said = json(plus(command(chain, ranks), {"--trigger", "menon"}));
      const auto number = [&](const char* key) { return said[key].get<double>(); };
      EXPECT_LE(number("ideal") - number("optimum"), 0) << "seed " << seed << ", ranks " << ranks;
      EXPECT_LE(number("optimum"), number("never"));
      EXPECT_LE(number("optimum"), number("total"));
      EXPECT_GE(number("above_optimum_percent"), 0);
    }
}

TEST_F(ReplayProgram, OneStepAndOneBin) {
  const nlohmann::json said = json(plus(command(file("one.csv", "7\n")), {"--trigger", "always"}));
  EXPECT_EQ(said["total"].get<double>(), 7);
  EXPECT_EQ(said["ideal"].get<double>(), 3.5);
  EXPECT_EQ(said["rebalances"].dump(), "[]");
  const nlohmann::json none =
      json(plus(command(file("none.csv", "0,0\n0,0\n")), {"--trigger", "menon"}));
  EXPECT_EQ(none["total"].get<double>(), 0);
  EXPECT_EQ(none["above_optimum_percent"].get<double>(), 0);
}

// Writes the chain in both formats, and expects the same replay from each.
TEST_F(ReplayProgram, TheChainIsWritten) {
  const Words plain = good();
  const nlohmann::json said = json(plus(plain, {"--trigger", "menon"}));
  for (const char* name : {"chain.npy", "again.csv"}) {
    EXPECT_EQ(json(plus(plain, {"--trigger", "menon", "--write-chain", path(name)})), said);
    EXPECT_EQ(json(plus(command(path(name)), {"--trigger", "menon"})), said) << name;
  }
  EXPECT_EQ(test::content_of(path("again.csv")), test::content_of(path("good.csv")));
  const auto chain = open_array(path("chain.npy"));
  EXPECT_EQ(chain->rows(), 5U);
  EXPECT_EQ(chain->columns(), 4U);
}

TEST_F(ReplayProgram, AChainThatCannotBeWrittenIsRefused) {
  const std::string odd = path("chain.txt"), nowhere = path("missing/chain.npy");
  expect_refused(plus(good(), {"--write-chain", odd}),
                 "tools/files: The name '" + odd + "' does not say which format the file has.");
  expect_refused(plus(good(), {"--write-chain", nowhere}),
                 "tools/files: The file '" + nowhere + "' cannot be written: No such file");
  expect_refused({"--chain", path("missing.csv"), "--ranks", "2", "--cost", "1", "--write-chain",
                  path("chain.npy")},
                 "tools/files: The file '" + path("missing.csv") + "' cannot be read");
  EXPECT_EQ(directory_.files(), std::vector<std::string>{"good.csv"});
}

// --- Bad input -----------------------------------------------------------------------------------

// The test tools/replay/options has the other options.
TEST_F(ReplayProgram, OptionsThatAreRefused) {
  const std::string needed = "tools/replay: A replay of a chain needs --chain, --ranks and --cost.";
  expect_refused({}, needed);
  expect_refused({"--chain", path("good.csv"), "--ranks", "2"}, needed);
  expect_refused({"--ranks", "2", "--cost", "1"}, needed);
  expect_refused(plus(good(), {"--json", "--nonsense"}),
                 "The following argument was not expected: --nonsense.");
  expect_refused(plus(good(), {"--trigger", "sometimes"}), "tools/replay: --trigger");
}

TEST_F(ReplayProgram, AChainAndAJournalAreRefused) {
  expect_refused(plus(good(), {"--journal", file("journal.jsonl", "{}\n")}),
                 "tools/replay: --journal goes only with --trigger, --write-chain and --json.");
}

TEST_F(ReplayProgram, RebalancesThatChangedNothingCountApart) {
  const std::string journal =
      file("journal.jsonl", test::journal_of({.some_change_nothing = true}));
  const nlohmann::json report = json({"--journal", journal});
  EXPECT_EQ(report.at("rebalances"), 3);
  EXPECT_EQ(report.at("unchanged"), 3);
  EXPECT_TRUE(
      output_of({"--journal", journal}).ends_with("rebalances 3, and 3 that changed nothing\n"));
}

TEST_F(ReplayProgram, ATriggerOnAJournalThatIsRefused) {
  const std::string journal = file("journal.jsonl", "{}\n"), missing = path("missing.jsonl");
  expect_refused({"--journal", journal, "--trigger", "custom"},
                 "tools/replay: --trigger is 'custom'.");
  expect_refused({"--journal", journal, "--trigger", "menon"},
                 "tools/files: Line 1 of '" + journal + "' is not a line of a journal: ");
  expect_refused({"--journal", missing, "--trigger", "menon"},
                 "tools/files: The file '" + missing + "' cannot be read");
}

TEST_F(ReplayProgram, FilesThatAreRefused) {
  const std::string missing = path("missing.npy");
  expect_refused(command(missing), "tools/files: The file '" + missing +
                                       "' cannot be read: No such file or directory.");
  const std::string cell = file("cell.csv", "1,2\n3,four\n");
  expect_refused(command(cell), "tools/files: Column 2 in line 2 of '" + cell +
                                    "' is 'four', which is not a number.");
  const auto expect_cost_refused = [&](const char* name, double cost, const std::string& shown) {
    const std::string bad = file(name, npy_of<double>({"", 2, {1, 2, cost, 4}}));
    expect_refused(command(bad),
                   "tools/replay: In '" + bad + "', row 1, column 0 is " + shown + '.');
  };
  expect_cost_refused("negative.npy", -3, "-3");
  expect_cost_refused("nan.npy", std::numeric_limits<double>::quiet_NaN(), "nan");
  expect_cost_refused("inf.npy", std::numeric_limits<double>::infinity(), "inf");
  const std::string none = file("none.npy", npy_of<double>({"", 2, {}}));
  expect_refused(command(none), "tools/replay: '" + none + "' has 0 steps of 2 bins.");
}

// A total that is not finite must be refused.
TEST_F(ReplayProgram, TotalsThatOverflowAreRefused) {
  const std::string huge = file("huge.csv", "1e308,1\n1e308,1\n");
  expect_refused(plus(command(huge), {"--trigger", "menon"}), "tools/replay: ");
  const std::string plain = file("plain.csv", "1,1\n1,2\n1,3\n");
  expect_refused(plus(command(plain, "2", "1e308"), {"--trigger", "always"}), "tools/replay: ");
}

TEST_F(ReplayProgram, AFullDisk) {
  const Ended ended = run(plus(good(), {"--trigger", "menon"}), {.out = "/dev/full"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "evenkeel: stdout cannot be written.\n");
}

}  // namespace
}  // namespace evenkeel::tool::replay_test
