#include "partition/options.hpp"

#include "partition/values.hpp"
#include "support/harness.hpp"

#include <variant>

namespace evenkeel::tool::options_test {
namespace {

using test::error_of;

PartitionArguments plain() {
  PartitionArguments asked;
  asked.points = "points.npy";
  asked.parts = "4";
  asked.method = "hilbert";
  return asked;
}

template <class Change>
std::string refusal_of(Change&& change) {
  PartitionArguments asked = plain();
  change(asked);
  return error_of([&] { checked(asked); });
}

std::string refusal(const std::string& text) {
  std::string whole = "evenkeel: tools/partition: ";
  return whole.append(text);
}

template <class Change>
void expect_refused(Change&& change, const std::string& text) {
  EXPECT_EQ(refusal_of(change), refusal(text));
}

TEST(PartitionOptions, Defaults) {
  const PartitionOptions options = checked(plain());
  EXPECT_EQ(options.points, "points.npy");
  EXPECT_FALSE(options.weights);
  EXPECT_EQ(options.parts, 4);
  EXPECT_EQ(options.method, Method(Hilbert{}));
  EXPECT_TRUE(options.box.empty());
  EXPECT_TRUE(options.work_is_count);
  EXPECT_EQ(options.target_lambda, 0);
  EXPECT_FALSE(options.out || options.vtk || options.json);
}

TEST(PartitionOptions, AllOfThem) {
  PartitionArguments asked = plain();
  asked.method = "snake";
  asked.weights = "weights.csv";
  asked.box = "-1,.5,2e3,1,5,2001";
  asked.target_lambda = "1";
  asked.out = "parts.npy";
  asked.vtk = "domains.vtu";
  asked.json = true;
  const PartitionOptions options = checked(asked);
  EXPECT_EQ(options.method, Method(Snake{}));
  EXPECT_EQ(options.weights, "weights.csv");
  EXPECT_FALSE(options.work_is_count) << "weights are there to be used";
  EXPECT_EQ(options.box, (std::vector<double>{-1, 0.5, 2000, 1, 5, 2001}));
  EXPECT_EQ(options.target_lambda, 1);
  EXPECT_EQ(options.out, "parts.npy");
  EXPECT_EQ(options.vtk, "domains.vtu");
  EXPECT_TRUE(options.json);
  asked.work = "count";
  EXPECT_TRUE(checked(asked).work_is_count);
  asked.work = "weights";
  EXPECT_FALSE(checked(asked).work_is_count);
}

TEST(PartitionOptions, TheNameOfTheOutputTellsItsFormat) {
  for (const char* name : {"parts.npy", "parts.csv", ".csv"}) {
    PartitionArguments asked = plain();
    asked.out = name;
    EXPECT_EQ(checked(asked).out, name);
  }
  for (const char* name : {"parts", "parts.txt", "parts.csv.gz", "csv", ""})
    EXPECT_EQ(refusal_of([&](auto& asked) { asked.out = name; }),
              std::string("evenkeel: tools/files: The name '") + name +
                  "' does not say which format the file has. Name a file that ends in .npy or "
                  ".csv.");
}

TEST(PartitionOptions, WhatIsNeeded) {
  const std::string text = refusal("--points, --parts and --method are needed. Give all three.");
  EXPECT_EQ(refusal_of([](auto& asked) { asked.points.reset(); }), text);
  EXPECT_EQ(refusal_of([](auto& asked) { asked.parts.reset(); }), text);
  EXPECT_EQ(refusal_of([](auto& asked) { asked.method.reset(); }), text);
}

TEST(PartitionOptions, Methods) {
  const auto method = [](const char* name) {
    PartitionArguments asked = plain();
    asked.method = name;
    EXPECT_EQ(checked(asked).method_name, name);
    return checked(asked);
  };
  for (const std::string_view name : method_names())
    if (!places_by_graph(*method_from_text(name))) {
      EXPECT_EQ(method(std::string(name).c_str()).method, *method_from_text(name));
    }
  EXPECT_EQ(method("histogram").method, Method(Staggered{}));
  EXPECT_FALSE(method("tensor").rounds);
  for (const std::string name : {"Hilbert", "", "unknown", "grid"})
    expect_refused([&](auto& asked) { asked.method = name; },
                   "--method is '" + name +
                       "'. The methods are hilbert, morton, snake, staggered, tensor, bisection, "
                       "voronoi, mesh, auto, histogram and graph.");
}

TEST(PartitionOptions, Grids) {
  PartitionArguments asked = plain();
  asked.parts = "24";
  for (const char* method : {"tensor", "staggered", "mesh", "histogram"}) {
    asked.method = method;
    asked.grid = "4x3x2";
    EXPECT_EQ(to_text(checked(asked).method),
              std::string(method == std::string("histogram") ? "staggered" : method) + " 4x3x2");
    EXPECT_EQ(*extents_of(checked(asked).method), (std::array<int, 3>{4, 3, 2}));
    EXPECT_NO_THROW(check_grid(checked(asked), 3));
    asked.grid = "1x24";
    EXPECT_EQ(*extents_of(checked(asked).method), (std::array<int, 3>{1, 24, 1}));
    EXPECT_NO_THROW(check_grid(checked(asked), 2));
    EXPECT_EQ(error_of([&] { check_grid(checked(asked), 3); }),
              refusal("--grid has 2 numbers, but the points of 'points.npy' have 3 coordinates. "
                      "Give 3 numbers."));
  }
  EXPECT_NO_THROW(check_grid(checked(plain()), 3));
}

TEST(PartitionOptions, GridsThatAreNone) {
  const auto grid = [](const std::string& text, const char* method = "tensor") {
    return refusal_of([&](auto& asked) {
      asked.grid = text;
      asked.method = method;
    });
  };
  const std::string remedy =
      "Give how many domains there are along each axis, as in 4x3 in two dimensions or 4x3x2 in "
      "three, and at most 16777216 in all.";
  for (const std::string text :
       {"", "4", "0x2x2", "-1x2", "2x2x1x1", "2x", "x2", "2xx2", "2X2", "2,2", "2x 2", "2.0x2",
        "4096x4097", "16777217x1", "16777216x16777216x16777216", "99999999999999999999x1"})
    EXPECT_EQ(grid(text), refusal("--grid is '" + text + "'. " + remedy));
  EXPECT_EQ(grid("3x2"), refusal("--grid 3x2 makes 6 domains, but --parts is 4. Give as many "
                                 "domains as parts, or leave --grid out."));
  for (const std::string method : {"hilbert", "morton", "snake", "bisection", "voronoi"})
    EXPECT_EQ(grid("2x2", method.c_str()),
              refusal("--grid has no meaning for the method " + method +
                      ". It belongs to staggered, tensor, mesh and histogram; leave it out."));
}

TEST(PartitionOptions, Cells) {
  using Lengths = std::array<double, 3>;
  PartitionArguments asked = plain();
  for (const char* method : {"bisection", "tensor", "staggered", "histogram"}) {
    asked.method = method;
    asked.cell_size = "0.25";
    asked.least_width = "0.5,0,1e-3";
    EXPECT_EQ(checked(asked).cell_size, (Lengths{0.25, 0.25, 0.25}));
    EXPECT_EQ(checked(asked).least_width, (Lengths{0.5, 0, 1e-3}));
    asked.cell_size = "0.25,2";
    EXPECT_EQ(checked(asked).cell_size, (Lengths{0.25, 2, 0}));
  }
  asked.method = "bisection";
  asked.axes = "xz";
  EXPECT_EQ(checked(asked).method, Method(RecursiveBisection{{true, false, true}}));
  for (const std::string text : {"", "-1", "nan", "inf", "1,2,3,4", "1,,2", "wide"})
    expect_refused(
        [&](auto& given) {
          given.method = "bisection";
          given.cell_size = text;
        },
        "--cell-size is '" + text +
            "'. Give a length for all axes, or one for each axis with commas between them: finite "
            "numbers of at least 0.");
  for (const std::string text : {"", "w", "xx", "x y", "none"})
    expect_refused(
        [&](auto& given) {
          given.method = "bisection";
          given.axes = text;
        },
        "--axes is '" + text + "'. Give some of the letters x, y and z, each once.");
  expect_refused([&](auto& given) { given.least_width = "1"; },
                 "--least-width has no meaning for the method hilbert. It belongs to staggered, "
                 "tensor, bisection and histogram; leave it out.");
  expect_refused(
      [&](auto& given) {
        given.method = "tensor";
        given.axes = "x";
      },
      "--axes has no meaning for the method tensor. It belongs to bisection; leave it out.");
}

TEST(PartitionOptions, Auto) {
  PartitionArguments asked = plain();
  asked.method = "auto";
  EXPECT_EQ(checked(asked).method, Method(Auto{}));
  EXPECT_EQ(checked(asked).ghost_cost, 0.1);
  asked.halo = "0.25";
  asked.ghost_cost = "2";
  EXPECT_EQ(checked(asked).method, Method(Auto{.halo = 0.25}));
  EXPECT_EQ(checked(asked).ghost_cost, 2);
  for (const std::string text : {"", "-1", "nan", "inf", "wide", "1x"})
    expect_refused(
        [&](auto& given) {
          given.method = "auto";
          given.halo = text;
        },
        "--halo is '" + text + "'. Give a finite number of at least 0.");
  expect_refused([&](auto& given) { given.halo = "1"; },
                 "--halo has no meaning for the method hilbert. It belongs to auto; leave it out.");
}

TEST(PartitionOptions, Rounds) {
  PartitionArguments asked = plain();
  for (const char* method : {"tensor", "staggered"})
    for (const int rounds : {0, 1, 10000}) {
      asked.method = method;
      asked.rounds = std::to_string(rounds);
      EXPECT_EQ(checked(asked).rounds, rounds);
    }
  for (const std::string text : {"", "-1", "10001", "1.5", "1e3", "two"})
    expect_refused(
        [&](auto& given) {
          given.method = "tensor";
          given.rounds = text;
        },
        "--rounds is '" + text + "'. Give a whole number from 0 to 10000.");
  for (const std::string method : {"hilbert", "morton", "snake", "bisection", "histogram", "auto"})
    expect_refused(
        [&](auto& given) {
          given.method = method;
          given.rounds = "3";
        },
        "--rounds has no meaning for the method " + method +
            ". It belongs to staggered, tensor, voronoi and mesh; leave it out.");
}

TEST(PartitionOptions, Parts) {
  PartitionArguments asked = plain();
  asked.parts = "16777216";
  EXPECT_EQ(checked(asked).parts, most_parts);
  for (const std::string text : {"0", "-3", "2.5", "two", "", " 2", "2 ", "0x2", "1e3", "16777217",
                                 "99999999999999999999", "--json"})
    expect_refused([&](auto& given) { given.parts = text; },
                   "--parts is '" + text + "'. Give a whole number from 1 to 16777216.");
}

TEST(PartitionOptions, Boxes) {
  const std::string remedy =
      "Give the lower corner and then the upper one, as in 0,0,0,1,1,1: 4 finite numbers in two "
      "dimensions, 6 in three.";
  for (const std::string text :
       {"", "1", "0,0,1", "0,0,0,1,1", "0,0,0,1,1,1,1", "0,0,1,1,", "0,,1,1", "0;0;1;1", "0,0,1,x",
        "0,0,nan,1", "0,0,inf,1", "0 0 1 1"})
    expect_refused([&](auto& asked) { asked.box = text; }, "--box is '" + text + "'. " + remedy);
  PartitionArguments asked = plain();
  EXPECT_FALSE(given_box(checked(asked), 2));
  asked.box = "0,1,2,3";
  const PartitionOptions flat = checked(asked);
  EXPECT_EQ(given_box(flat, 2), (Box{{0, 1, 0}, {2, 3, 0}}));
  EXPECT_EQ(
      error_of([&] { given_box(flat, 3); }),
      refusal("--box has 4 numbers, but the points of 'points.npy' have 3 coordinates. Give 6 "
              "numbers."));
  asked.box = "0,1,2,3,4,5";
  EXPECT_EQ(given_box(checked(asked), 3), (Box{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_ERROR(given_box(checked(asked), 2), "--box has 6 numbers");
  asked.box = "0,1,2,3,0.5,5";
  EXPECT_EQ(error_of([&] { given_box(checked(asked), 3); }),
            "evenkeel: core/box: The box goes from 1 to 0.5 along y. Give finite faces, the lower "
            "one first.");
}

TEST(PartitionOptions, Work) {
  expect_refused([](auto& asked) { asked.work = "weights"; },
                 "--work is 'weights', but no weights are given. Name their file by --weights.");
  expect_refused([](auto& asked) { asked.work = "weight"; },
                 "--work is 'weight'. Give count or weights.");
}

TEST(PartitionOptions, Targets) {
  for (const std::string text : {"0.99", "0", "-1", "nan", "inf", "", "one", "1,05"})
    expect_refused(
        [&](auto& asked) { asked.target_lambda = text; },
        "--target-lambda is '" + text +
            "'. Give a lambda (greatest over average) of at least 1: 1.03 allows 3 % above the "
            "average.");
}

TEST(PartitionOptions, OfGraphs) {
  using Value = std::optional<std::string> PartitionArguments::*;
  const std::vector<std::pair<std::string, Value>> options = {
      {"--graph", &PartitionArguments::graph},
      {"--from", &PartitionArguments::from},
      {"--uncuttable", &PartitionArguments::uncuttable},
      {"--effort", &PartitionArguments::effort},
      {"--moving-cost", &PartitionArguments::moving_cost}};
  for (const auto& [name, value] : options)
    expect_refused(
        [value = value](auto& asked) {
          asked.*value = "1";
          asked.points.reset();  // wrong options are reported before missing ones
        },
        name +
            " has no meaning for the method hilbert. It belongs to graph; leave "
            "it out.");
}

TEST(PartitionOptions, FilesThatAreTheSame) {
  const auto text = [](const std::string& one, const std::string& two, const std::string& file) {
    return refusal(one + " and " + two + " name the same file, '" + file +
                   "'. Give each a file of its own.");
  };
  EXPECT_EQ(refusal_of([](auto& asked) { asked.out = "./points.npy"; }),
            text("--out", "--points", "./points.npy"));
  EXPECT_EQ(refusal_of([](auto& asked) {
              asked.weights = "w.npy";
              asked.vtk = "w.npy";
            }),
            text("--vtk", "--weights", "w.npy"));
  EXPECT_EQ(refusal_of([](auto& asked) {
              asked.out = "a";
              asked.vtk = "nowhere/../a";
            }),
            text("--out", "--vtk", "a"));
}

}  // namespace
}  // namespace evenkeel::tool::options_test
