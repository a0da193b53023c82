// Runs `evenkeel assign` as its users start it: alone, without a launcher.

#include <evenkeel/assign.hpp>

#include "tools/npy.hpp"
#include "tools/program_test.hpp"

#include <sstream>

namespace evenkeel::tool::assign_test {
namespace {

class AssignProgram : public test::ProgramTest {
 protected:
  AssignProgram() : ProgramTest("assign") {}

  std::string costs() const { return file("c.csv", "cost\n4\n1\n1\n1\n1\n3\n1\n"); }
};

const BlockMap& expected() {
  static const BlockMap map =
      assign(std::vector<double>{4, 1, 1, 1, 1, 3, 1}, AssignOptions{.ranks = 3});
  return map;
}

TEST_F(AssignProgram, Json) {
  const nlohmann::json said = json({"--costs", costs(), "--ranks", "3"});
  EXPECT_EQ(said["blocks"], 7);
  EXPECT_EQ(said["ranks"], 3);
  EXPECT_EQ(said["lambda"].get<double>(), expected().lambda);
  EXPECT_EQ(said["bound"].get<double>(), expected().bound);
  EXPECT_EQ(said["reason"], expected().reason);
  EXPECT_GE(said["seconds"].get<double>(), 0);
}

TEST_F(AssignProgram, OutputFiles) {
  const std::string text =
      output_of({"--costs", costs(), "--ranks", "3", "--out", path("map.csv")});
  EXPECT_TRUE(text.starts_with("blocks     7\nranks      3\nlambda     ")) << text;
  std::string lines;
  for (const int rank : expected().map) lines += std::to_string(rank) + '\n';
  EXPECT_EQ(test::content_of(path("map.csv")), lines);

  output_of({"--costs", costs(), "--ranks", "3", "--out", path("map.npy")});
  const std::string bytes = test::content_of(path("map.npy"));
  EXPECT_NE(bytes.find("i4"), std::string::npos);
  EXPECT_NE(bytes.find("(7,)"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with(test::elements(expected().map)));
}

// Both kinds of files read back as the present map, which is even enough to stay.
TEST_F(AssignProgram, TheMapIsAnInput) {
  for (const char* const name : {"map.csv", "map.npy"}) {
    output_of({"--costs", costs(), "--ranks", "3", "--out", path(name)});
    const nlohmann::json said = json({"--costs", costs(), "--ranks", "3", "--from", path(name)});
    EXPECT_EQ(said["moved_bytes"], 0);
    EXPECT_EQ(said["lambda"].get<double>(), expected().lambda);
  }
}

TEST_F(AssignProgram, BadInput) {
  expect_refused({}, "--costs is required");
  expect_refused({"--costs", costs()}, "--ranks is required");
  expect_refused({"--costs", costs(), "--ranks", "3", "--nonsense"},
                 "The following argument was not expected: --nonsense.");
  expect_refused({"--costs", path("missing.csv"), "--ranks", "3"}, "tools/files: The file '");
  expect_refused({"--costs", file("n.csv", "1\nnan\n"), "--ranks", "3"}, "tools/files: ");
  expect_refused({"--costs", costs(), "--ranks", "0"}, "tools/assign: --ranks is '0'.");
  expect_refused({"--costs", costs(), "--ranks", "3", "--out", costs()},
                 "tools/assign: --out and --costs name the same file");
  expect_refused({"--costs", costs(), "--ranks", "3", "--out", path("none/map.csv")},
                 "tools/files: The file '");
}

// Without a map there is no file.
TEST_F(AssignProgram, CapsThatCannotHold) {
  expect_refused(
      {"--costs", costs(), "--ranks", "3", "--most-blocks", "2", "--out", path("map.csv")},
      "assign: No map can keep the caps");
  EXPECT_EQ(directory_.files(), test::Words{"c.csv"});
}

}  // namespace
}  // namespace evenkeel::tool::assign_test
