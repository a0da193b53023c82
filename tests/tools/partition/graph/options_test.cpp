#include "partition/graph/options.hpp"

#include "support/harness.hpp"

namespace evenkeel::tool::options_test {
namespace {

using test::error_of;

using Value = std::optional<std::string> PartitionArguments::*;

PartitionArguments plain() {
  PartitionArguments asked;
  asked.graph = "a.graph";
  asked.parts = "4";
  asked.method = "graph";
  return asked;
}

template <class Change>
std::string refusal_of(Change&& change) {
  PartitionArguments asked = plain();
  change(asked);
  return error_of([&] { checked_for_graph(asked); });
}

std::string refusal(const std::string& text) {
  std::string whole = "evenkeel: tools/partition: ";
  return whole.append(text);
}

template <class Change>
void expect_refused(Change&& change, const std::string& text) {
  EXPECT_EQ(refusal_of(change), refusal(text));
}

TEST(GraphPartitionOptions, Defaults) {
  const GraphPartitionOptions options = checked_for_graph(plain());
  EXPECT_EQ(options.graph, "a.graph");
  EXPECT_EQ(options.parts, 4);
  EXPECT_EQ(options.method, ByGraph{});
  EXPECT_FALSE(options.weights || options.from || options.uncuttable || options.out);
  EXPECT_FALSE(options.json);
}

TEST(GraphPartitionOptions, AllOfThem) {
  PartitionArguments asked = plain();
  asked.graph = "o.npy,c.npy";
  asked.weights = "w.csv";
  asked.from = "f.npy";
  asked.uncuttable = "m.npy";
  asked.effort = "polish";
  asked.target_lambda = "1.1";
  asked.moving_cost = "2.5";
  asked.out = "parts.csv";
  asked.json = true;
  const GraphPartitionOptions options = checked_for_graph(asked);
  EXPECT_EQ(options.graph, "o.npy,c.npy");
  EXPECT_EQ(options.weights, "w.csv");
  EXPECT_EQ(options.from, "f.npy");
  EXPECT_EQ(options.uncuttable, "m.npy");
  EXPECT_EQ(options.method,
            (ByGraph{.effort = Effort::polish, .target_lambda = 1.1, .moving_cost = 2.5}));
  EXPECT_EQ(options.out, "parts.csv");
  EXPECT_TRUE(options.json);
}

TEST(GraphPartitionOptions, WhichMethod) {
  EXPECT_TRUE(is_by_graph(plain()));
  PartitionArguments asked = plain();
  asked.method = "hilbert";
  EXPECT_FALSE(is_by_graph(asked));
  asked.method.reset();
  EXPECT_FALSE(is_by_graph(asked));
}

TEST(GraphPartitionOptions, WhatIsNeeded) {
  const std::string text = refusal("--graph, --parts and --method are needed. Give all three.");
  EXPECT_EQ(refusal_of([](auto& asked) { asked.graph.reset(); }), text);
  EXPECT_EQ(refusal_of([](auto& asked) { asked.parts.reset(); }), text);
  EXPECT_EQ(refusal_of([](auto& asked) { asked.method.reset(); }), text);
}

TEST(GraphPartitionOptions, OptionsOfOtherMethods) {
  const std::string all =
      "hilbert, morton, snake, staggered, tensor, bisection, voronoi, mesh, auto and histogram";
  const std::vector<std::pair<std::string, Value>> options = {
      {"--points", &PartitionArguments::points},
      {"--box", &PartitionArguments::box},
      {"--work", &PartitionArguments::work},
      {"--vtk", &PartitionArguments::vtk}};
  for (const auto& [name, value] : options)
    expect_refused(
        [value = value](auto& asked) { asked.*value = "1"; },
        name + " has no meaning for the method graph. It belongs to " + all + "; leave it out.");
  expect_refused([](auto& asked) { asked.grid = "2x2"; },
                 "--grid has no meaning for the method graph. It belongs to staggered, tensor, "
                 "mesh and histogram; leave it out.");
  expect_refused([](auto& asked) { asked.rounds = "2"; },
                 "--rounds has no meaning for the method graph. It belongs to staggered, tensor, "
                 "voronoi and mesh; leave it out.");
}

TEST(GraphPartitionOptions, Values) {
  for (const std::string text : {"", "Good", "better", "0"})
    expect_refused([&](auto& asked) { asked.effort = text; },
                   "--effort is '" + text + "'. Give polish, fast, good or best.");
  for (const std::string text : {"", "-0.1", "nan", "inf", "3%", "1,5"}) {
    expect_refused(
        [&](auto& asked) {
          asked.from = "f.npy";
          asked.moving_cost = text;
        },
        "--moving-cost is '" + text + "'. Give a finite number of at least 0.");
  }
  for (const std::string text : {"", "0.03", "0", "-1", "nan", "inf", "3%", "1,5"})
    expect_refused([&](auto& asked) { asked.target_lambda = text; },
                   "--target-lambda is '" + text +
                       "'. Give a lambda (greatest over average) of at least 1: 1.03 allows 3 % "
                       "above the average.");
  expect_refused([](auto& asked) { asked.parts = "0"; },
                 "--parts is '0'. Give a whole number from 1 to 16777216.");
}

TEST(GraphPartitionOptions, PartsToBeginFrom) {
  expect_refused([](auto& asked) { asked.effort = "polish"; },
                 "--effort polish improves existing parts, but no parts are given. Name their "
                 "file by --from, or choose fast, good or best.");
  expect_refused([](auto& asked) { asked.moving_cost = "1"; },
                 "--moving-cost needs parts to move from, but no parts are given. Name their file "
                 "by --from, or leave out --moving-cost.");
}

TEST(GraphPartitionOptions, NamesOfFiles) {
  EXPECT_EQ(refusal_of([](auto& asked) { asked.graph = "a.txt"; }),
            "evenkeel: tools/files: The name 'a.txt' does not say which format the graph has. Name "
            "a file that ends in .graph or .mtx, or arrays as in offsets.npy,columns.npy.");
  EXPECT_EQ(refusal_of([](auto& asked) { asked.out = "parts"; }),
            "evenkeel: tools/files: The name 'parts' does not say which format the file has. Name "
            "a file that ends in .npy or .csv.");
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, Value>>{{"--graph", &PartitionArguments::graph},
                                                  {"--from", &PartitionArguments::from},
                                                  {"--uncuttable", &PartitionArguments::uncuttable},
                                                  {"--weights", &PartitionArguments::weights}})
    expect_refused(
        [&, value = value](auto& asked) {
          asked.out = "./c.npy";
          asked.*value = value == &PartitionArguments::graph ? "o.npy,c.npy" : "c.npy";
        },
        "--out and " + option + " name the same file, './c.npy'. Give each a file of its own.");
}

}  // namespace
}  // namespace evenkeel::tool::options_test
