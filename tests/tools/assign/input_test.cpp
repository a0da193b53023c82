#include "assign/input.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tools/npy.hpp"

#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <limits>

namespace evenkeel::tool::assign_input_test {
namespace {

using test::error_of;

class AssignInput : public testing::Test {
 protected:
  AssignInput() {
    asked_.costs = file("c.csv", "4\n1\n1\n1\n1\n3\n1\n");
    asked_.ranks = "3";
  }

  std::string file(const std::string& name, const std::string& content) const {
    return directory_.with_file(name, content);
  }
  std::string path(const std::string& name) const { return directory_.path_of(name); }

  // Expects an Error for this content of the file of an option.
  void expect_refused(std::optional<std::string> AssignArguments::*option,
                      const std::string& content, const std::string& problem,
                      const std::string& remedy) const {
    AssignArguments asked = asked_;
    asked.*option = file("x.csv", content);
    EXPECT_EQ(error_of([&] { read_blocks(asked); }),
              "evenkeel: tools/assign: " + problem + ' ' + remedy);
  }
  // Expects an Error for each of these values of an option.
  void expect_values_refused(std::optional<std::string> AssignArguments::*option,
                             const std::string& name, const std::string& remedy,
                             const std::vector<std::string>& values) const {
    for (const std::string& value : values) {
      AssignArguments asked = asked_;
      asked.*option = value;
      EXPECT_EQ(error_of([&] { checked(asked); }),
                "evenkeel: tools/assign: " + name + " is '" + value + "'. " + remedy);
    }
  }
  std::string in_file() const { return "In " + in_quotes(path("x.csv")); }

  AssignArguments asked_;

 private:
  test::ScratchDirectory directory_;
};

void expect_same(const BlockMap& found, const BlockMap& expected) {
  EXPECT_EQ(found.map, expected.map);
  EXPECT_EQ(found.lambda, expected.lambda);
  EXPECT_EQ(found.bound, expected.bound);
  EXPECT_EQ(found.faces, expected.faces);
  EXPECT_EQ(found.faces_cut, expected.faces_cut);
  EXPECT_EQ(found.moved_bytes, expected.moved_bytes);
  EXPECT_EQ(found.least_moved_bytes, expected.least_moved_bytes);
  EXPECT_EQ(found.reason, expected.reason);
}

TEST_F(AssignInput, OnlyCosts) {
  const BlockInput input = read_blocks(asked_);
  EXPECT_EQ(input.blocks(), 7U);
  EXPECT_EQ(input.options.phases, 1);
  expect_same(map_of(input), assign(std::vector<double>{4, 1, 1, 1, 1, 3, 1}, {.ranks = 3}));
}

TEST_F(AssignInput, AllOptions) {
  asked_.costs = file("two.csv", "first,second\n4,0\n1,2\n1,2\n1,0\n1,3\n3,1\n1,1\n");
  asked_.from = file("m.csv", "0\n0\n1\n1\n2\n2\n-1\n");
  asked_.bytes = file("b.csv", "8\n1\n2\n3\n4\n5\n6\n");
  asked_.edges = file("e.csv", "0,1,1\n1,2,.5\n2,3,1\n3,4,2\n4,5,1\n5,6,1\n");
  asked_.speeds = file("s.csv", "1\n2\n1.5\n");
  asked_.nodes = file("n.csv", "0\n0\n7\n");
  asked_.most_blocks = "3";
  asked_.memory = "1.5e1";
  asked_.capacity = "12";
  asked_.target_lambda = "1.2";
  const std::vector<double> costs = {4, 1, 1, 1, 1, 3, 1, 0, 2, 2, 0, 3, 1, 1},
                            bytes = {8, 1, 2, 3, 4, 5, 6}, weights = {1, .5, 1, 2, 1, 1};
  const std::vector<std::array<int, 2>> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
  const std::vector<int> from = {0, 0, 1, 1, 2, 2, -1};
  AssignOptions options{.ranks = 3, .from = from, .bytes = bytes, .most_blocks = 3};
  options.memory = {15};
  options.capacity = {12};
  options.speeds = {1, 2, 1.5};
  options.place = BlockEdges{edges, weights};
  options.node_of_rank = {0, 0, 7};
  options.phases = 2;
  options.target = 1.2;
  expect_same(map_of(read_blocks(asked_)), assign(costs, options));
}

TEST_F(AssignInput, MemoryIsOneNumberOrOnePerRank) {
  const auto memory = [&](const std::string& text) {
    asked_.memory = text;
    return read_blocks(asked_).options.memory;
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(memory("16GiB"), Numbers{0x1p34});
  EXPECT_EQ(memory("1.5kB,2000,3 kB"), (Numbers{1500, 2000, 3000}));
  EXPECT_EQ(memory(file("m.csv", "1\n2e9\n3\n")), (Numbers{1, 2e9, 3}));
  asked_.memory = "5,6";
  EXPECT_MENTIONS(error_of([&] { map_of(read_blocks(asked_)); }),
                  "memory has 2 numbers for 3 ranks.");
  expect_refused(&AssignArguments::memory, "1\n2\n",
                 in_quotes(path("x.csv")) + " has 2 rows for 3 ranks.", "Give one row per rank.");
  asked_.memory = asked_.out = path("m.csv");
  EXPECT_MENTIONS(error_of([&] { checked(asked_); }), "--memory");
}

TEST_F(AssignInput, Centres) {
  std::string costs, plane, space;
  std::vector<double> costs_here, plane_here, space_here;
  for (int i = 0; i < 64; ++i) {
    costs += std::to_string(1 + i % 5) + '\n';
    plane += std::to_string(i % 8) + ',' + std::to_string(i / 8) + '\n';
    space += std::to_string(i % 4) + ',' + std::to_string(i / 4 % 4) + ',' +
             std::to_string(i / 16) + '\n';
    costs_here.push_back(1 + i % 5);
    plane_here.insert(plane_here.end(), {i % 8 * 1., i / 8 * 1.});
    space_here.insert(space_here.end(), {i % 4 * 1., i / 4 % 4 * 1., i / 16 * 1.});
  }
  asked_.costs = file("c.csv", costs);
  asked_.ranks = "4";
  AssignOptions options{.ranks = 4};
  asked_.place = file("plane.csv", plane);
  options.place = BlockCentres{plane_here, 2};
  const BlockMap found = map_of(read_blocks(asked_));
  EXPECT_EQ(found.faces, 112);
  expect_same(found, assign(costs_here, options));
  asked_.place = file("space.csv", space);
  options.place = BlockCentres{space_here, 3};
  expect_same(map_of(read_blocks(asked_)), assign(costs_here, options));
}

TEST_F(AssignInput, FilesOfNumpy) {
  asked_.costs = file("c.npy", test::npy_of<double>(0, {4, 1, 1, 1, 1, 3, 1}));
  asked_.from = file("m.npy", test::npy_of<std::int32_t>(0, {0, 0, 0, 1, 1, 2, 2}));
  asked_.edges = file("e.npy", test::npy_of<std::int64_t>(2, {0, 1, 5, 6}));
  const BlockInput input = read_blocks(asked_);
  EXPECT_EQ(input.costs, (std::vector<double>{4, 1, 1, 1, 1, 3, 1}));
  EXPECT_EQ(input.from, (std::vector<int>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(input.edges, (std::vector<std::array<int, 2>>{{0, 1}, {5, 6}}));
  EXPECT_TRUE(input.weights.empty());

  const double nan = std::numeric_limits<double>::quiet_NaN();
  asked_.costs = file("c.npy", test::npy_of<double>(0, {4, nan}));
  EXPECT_EQ(error_of([&] { read_blocks(asked_); }),
            "evenkeel: tools/assign: In " + in_quotes(path("c.npy")) +
                ", row 1, column 0 is nan. Give costs that are finite and not negative.");
  for (const char* shape : {"(0,)", "(2,0)"}) {
    asked_.costs = file("c.npy", test::npy_of<double>(shape, {}));
    EXPECT_ERROR(read_blocks(asked_), in_quotes(path("c.npy")) + " has ");
  }
}

TEST_F(AssignInput, Values) {
  using Asked = AssignArguments;
  expect_values_refused(&Asked::ranks, "--ranks", "Give a whole number from 1 to 10000000.",
                        {"0", "-1", "1.5", "10000001", "x", ""});
  expect_values_refused(&Asked::most_blocks, "--most-blocks",
                        "Give a whole number from 1 to 100000000.", {"0", "2.", "100000001"});
  expect_values_refused(&Asked::memory, "--memory",
                        "Give a positive number of bytes, such as 4e9 or 16GiB.",
                        {"-1", "inf", "nan", "64 G", "0", ""});
  expect_values_refused(&Asked::capacity, "--capacity", "Give a finite number of at least 0.",
                        {"-1e-9", "x"});
  expect_values_refused(&Asked::target_lambda, "--target-lambda",
                        "Give a finite number of at least 1.", {"0.99", "inf", "5 %"});
}

TEST_F(AssignInput, Rows) {
  using Asked = AssignArguments;
  const std::string x = in_quotes(path("x.csv"));
  for (const auto option : {&Asked::bytes, &Asked::from})
    expect_refused(option, "1\n2\n", x + " has 2 rows for 7 blocks.", "Give one row per block.");
  expect_refused(&Asked::place, "1,2\n", x + " has 1 rows for 7 blocks.",
                 "Give one row per block.");
  for (const auto option : {&Asked::speeds, &Asked::nodes})
    expect_refused(option, "1\n2\n", x + " has 2 rows for 3 ranks.", "Give one row per rank.");
  for (const auto option : {&Asked::bytes, &Asked::from, &Asked::speeds, &Asked::nodes})
    expect_refused(option, "1,2\n", x + " has 2 columns.", "Give one number in each row.");
  expect_refused(&Asked::place, "1\n", x + " has 1 columns.",
                 "Give x and y, or x, y and z, in each row.");
  expect_refused(&Asked::edges, "0,1,1,1\n", x + " has 4 columns.",
                 "Give two blocks in each row, or two blocks and a weight.");
}

TEST_F(AssignInput, Numbers) {
  using Asked = AssignArguments;
  expect_refused(&Asked::costs, "1,2\n1,-3\n", in_file() + ", row 1, column 1 is -3.",
                 "Give costs that are finite and not negative.");
  expect_refused(&Asked::bytes, "1\n1\n-2\n1\n1\n1\n1\n", in_file() + ", row 2, column 0 is -2.",
                 "Give bytes that are finite and not negative.");
  for (const char* const rank : {"3", "-2", "0.5"})
    expect_refused(&Asked::from, std::string(rank) + "\n0\n0\n0\n0\n0\n0\n",
                   in_file() + ", row 0, column 0 is " + rank + '.',
                   "Give ranks from 0 to 2, or -1 for a new block.");
  for (const char* const edge : {"0,7", "0,-1", "0,1.5"})
    expect_refused(&Asked::edges, std::string(edge) + ",1\n",
                   in_file() + ", row 0, column 1 is " + (edge + 2) + '.',
                   "Give blocks from 0 to 6, and weights that are not negative.");
  expect_refused(&Asked::edges, "0,1,-1\n", in_file() + ", row 0, column 2 is -1.",
                 "Give blocks from 0 to 6, and weights that are not negative.");
  expect_refused(&Asked::speeds, "1\n0\n1\n", in_file() + ", row 1, column 0 is 0.",
                 "Give speeds that are finite and positive.");
  expect_refused(&Asked::nodes, "0\n0\n-1\n", in_file() + ", row 2, column 0 is -1.",
                 "Give whole numbers from 0 to 2147483647.");
}

TEST_F(AssignInput, Combinations) {
  EXPECT_EQ(error_of([] { checked({}); }),
            "evenkeel: tools/assign: --costs and --ranks are needed. Give both.");
  asked_.place = asked_.edges = "x.csv";
  EXPECT_EQ(error_of([&] { checked(asked_); }),
            "evenkeel: tools/assign: Both --place and --edges are given. Give the centres of the "
            "blocks, or pairs of neighbours.");
}

TEST_F(AssignInput, TheOutputIsNoInput) {
  using Asked = AssignArguments;
  const std::string costs = asked_.costs.value();
  for (const auto& [option, name] :
       std::vector<std::pair<std::optional<std::string> Asked::*, std::string>>{
           {&Asked::costs, "--costs"},
           {&Asked::bytes, "--bytes"},
           {&Asked::from, "--from"},
           {&Asked::place, "--place"},
           {&Asked::edges, "--edges"},
           {&Asked::speeds, "--speeds"},
           {&Asked::nodes, "--nodes"}}) {
    AssignArguments asked = asked_;
    asked.*option = path("x.csv");
    asked.out = path("./x.csv");
    EXPECT_EQ(error_of([&] { checked(asked); }),
              "evenkeel: tools/assign: --out and " + name + " name the same file, " +
                  in_quotes(path("./x.csv")) + ". Give each a file of its own.");
  }
  asked_.out = "map.txt";
  EXPECT_ERROR(checked(asked_), "does not say which format");
}

TEST_F(AssignInput, Text) {
  BlockMap found;
  found.lambda = 1.25;
  found.bound = 1.2;
  found.gap = found.lambda / found.bound - 1;
  found.faces = 6;
  found.faces_cut = 2.5;
  found.reason = "A reason.";
  EXPECT_EQ(report_of(asked_, read_blocks(asked_), found, 0.012345),
            "blocks     7\nranks      3\nlambda     1.25 (1 is perfect)\n"
            "bound      1.2 (no map has a smaller lambda)\ngap        4.17 %\n"
            "faces cut  2.5 of 6\nreason     A reason.\nseconds    0.0123\n");
  asked_.costs = file("two.csv", "1,2\n3,4\n");
  asked_.from = file("m.csv", "0\n1\n");
  found.bound = 1.25;
  found.gap = 2e-16;  // rounding
  found.moved_bytes = 3;
  found.least_moved_bytes = 2;
  EXPECT_EQ(report_of(asked_, read_blocks(asked_), found, 1),
            "blocks     2, in 2 phases\nranks      3\nlambda     1.25 (1 is perfect)\n"
            "bound      1.25 (no map has a smaller lambda)\ngap        0 %\n"
            "faces cut  2.5 of 6\nmoved      3 bytes (at least 2)\nreason     A reason.\n"
            "seconds    1\n");
}

TEST_F(AssignInput, Json) {
  asked_.json = true;
  asked_.from = file("m.csv", "0\n0\n0\n1\n1\n2\n-1\n");
  const BlockInput input = read_blocks(asked_);
  const BlockMap found = map_of(input);
  const auto json = nlohmann::json::parse(report_of(asked_, input, found, 0.5));
  const nlohmann::json expected = {{"blocks", 7},
                                   {"phases", 1},
                                   {"ranks", 3},
                                   {"lambda", found.lambda},
                                   {"bound", found.bound},
                                   {"gap_percent", json["gap_percent"]},
                                   {"faces", found.faces},
                                   {"faces_cut", found.faces_cut},
                                   {"moved_bytes", found.moved_bytes},
                                   {"least_moved_bytes", found.least_moved_bytes},
                                   {"reason", found.reason},
                                   {"seconds", 0.5}};
  EXPECT_EQ(json, expected);
  EXPECT_NEAR(json["gap_percent"].get<double>(), 100 * found.gap, 1e-6);
}

}  // namespace
}  // namespace evenkeel::tool::assign_input_test
