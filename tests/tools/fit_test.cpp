// Runs `evenkeel fit` as its users start it: alone, without a launcher.

#include "tools/program_test.hpp"

namespace evenkeel::tool::fit_test {
namespace {

class FitProgram : public test::ProgramTest {
 protected:
  FitProgram() : ProgramTest("fit") {}

  // Timings that follow a = 0.5, B = 2, C = 4, D = 8 exactly.
  static std::string exact() {
    std::string rows = "mx,my,seconds\n";
    for (const int mx : {1, 2, 5, 16})
      for (const int my : {1, 3, 8})
        rows += std::to_string(mx) + ',' + std::to_string(my) + ',' +
                std::to_string(0.5 * ((mx + 2) * (my + 4) + 8)) + '\n';
    return rows;
  }
};

TEST_F(FitProgram, Json) {
  const nlohmann::json said = json({"--patches", file("t.csv", exact())});
  EXPECT_EQ(said["told"], true);
  EXPECT_EQ(said["timings"], 12);
  EXPECT_NEAR(said["model"]["a"].get<double>(), 0.5, 1e-4);
  EXPECT_NEAR(said["model"]["B"].get<double>(), 2, 1e-3);
  EXPECT_NEAR(said["model"]["C"].get<double>(), 4, 1e-3);
  EXPECT_NEAR(said["model"]["D"].get<double>(), 8, 1e-2);
}

TEST_F(FitProgram, Text) {
  const std::string text = output_of({"--patches", file("t.csv", exact())});
  EXPECT_TRUE(text.starts_with("model    a ((mx + B) (my + C) + D) seconds\ntimings  12")) << text;
}

TEST_F(FitProgram, WhatTheDataCannotTellIsNoError) {
  const nlohmann::json said = json({"--patches", file("t.csv", "4,4,1\n8,8,3\n")});
  EXPECT_EQ(said["told"], false);
  EXPECT_EQ(said["numbers"][3]["verdict"], "too few timings");
  EXPECT_GT(said["model"]["a"].get<double>(), 0);
}

TEST_F(FitProgram, Counts) {
  const std::string counts = file("A.csv", "10,7\n13,4\n12,2\n5,8\n"),
                    seconds = file("t.csv", "1.2\n0.9\n0.8\n1.1\n");
  const nlohmann::json said =
      json({"--counts", counts, "--seconds", seconds, "--method", "minimum_norm"});
  EXPECT_NEAR(said["costs"][0].get<double>(), 0.0420, 5e-5);
  EXPECT_NEAR(said["costs"][1].get<double>(), 0.1097, 5e-5);
  EXPECT_EQ(run({"--counts", counts, "--seconds", seconds}).status, 0);
  expect_refused({"--counts", counts}, "tools/fit: --counts is given without --seconds.");
  expect_refused({"--counts", counts, "--seconds", seconds, "--method", "magic"},
                 "tools/fit: There is no method");
  expect_refused({"--counts", counts, "--patches", seconds},
                 "tools/fit: Both --patches and --counts are given.");
  expect_refused({"--patches", seconds, "--method", "robust"}, "tools/fit: --seconds and --method");
}

TEST_F(FitProgram, BadInput) {
  expect_refused({}, "tools/fit: There is nothing to fit.");
  expect_refused({"--patches"}, "--patches");
  expect_refused({"--nonsense"}, "The following argument was not expected: --nonsense.");
  expect_refused({"--patches", path("missing.csv")}, "tools/files: The file '");
  expect_refused({"--patches", file("t.txt", "1,1,1\n")}, "tools/files: The name '");
  expect_refused({"--patches", file("t.csv", "1,1\n")}, "tools/fit: '");
  expect_refused({"--patches", file("t.csv", "1,0,1\n")}, "tools/fit: In '");
  expect_refused({"--patches", file("t.csv", "1,1,-1\n")}, "tools/fit: In '");
}

}  // namespace
}  // namespace evenkeel::tool::fit_test
