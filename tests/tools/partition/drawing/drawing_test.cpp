#include "partition/drawing/drawing.hpp"

#include "partition/drawing/colours.hpp"
#include "partition/drawing/subjects.hpp"
#include "support/harness.hpp"
#include "support/xml.hpp"
#include "tools/partition/clouds.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace evenkeel::tool {
namespace {

using test::Element;
using test::Xml;

struct Drawn {
  std::string svg;  // on rank 0
  Partition partition;
};

Drawn drawn(const Communicator& ranks, const test::Cloud& cloud, const std::string& method,
            int parts, std::optional<int> rounds = {}) {
  PartitionOptions options;
  options.method = *method_from_text(method);
  options.method_name = method;
  options.parts = parts;
  options.rounds = rounds;
  options.work_is_count = cloud.weights.empty();
  const Objects mine = test::share_of(cloud, ranks.rank(), ranks.size());
  Drawn result;
  result.partition = partition(ranks, mine, options);
  result.svg = svg_of(ranks, subject_of(ranks, options, mine, result.partition));
  return result;
}

// How often dots, which are lines of no length, are in the paths of a picture; by colour.
std::map<std::string, std::size_t> dots_by_colour(const Xml& xml) {
  std::map<std::string, std::size_t> dots;
  for (const Element& path : xml.named("path")) {
    const std::string data = path["d"];
    for (std::size_t at = data.find("h0"); at != std::string::npos; at = data.find("h0", at + 1))
      if (path["class"].starts_with('c')) ++dots[path["class"]];
  }
  return dots;
}

// The least and greatest coordinate that a path reaches.
std::pair<double, double> reach_of(const std::string& data) {
  double x = 0, y = 0, least = 0, greatest = 0;
  const char* at = data.c_str();
  const auto number = [&at] {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    EXPECT_NE(end, at) << at;
    at = end;
    return value;
  };
  while (*at != '\0') {
    const char command = *at++;
    EXPECT_NE(std::string("Mmhvl").find(command), std::string::npos) << command;
    if (command == 'M') x = y = 0;
    if (command != 'v') x += number();
    if (command != 'h') y += number();
    least = std::min({least, x, y});
    greatest = std::max({greatest, x, y});
  }
  return {least, greatest};
}

// Well-formed, not too long, free of scripts and links, with a title, and within its panels.
void expect_good(const std::string& svg) {
  ASSERT_LE(svg.size(), most_drawing_bytes);
  const Xml xml(svg);
  const Element& root = xml.elements().front();
  EXPECT_EQ(root.name, "svg");
  EXPECT_EQ(root["role"], "img");
  ASSERT_FALSE(xml.named("title").empty());
  EXPECT_EQ(xml.named("title").front()["id"], "title");
  EXPECT_EQ(xml.named("desc").size(), 1U);
  for (const char* bad : {"script", "image", "use", "a", "foreignObject"})
    EXPECT_TRUE(xml.named(bad).empty()) << bad;
  for (const Element& element : xml.elements())
    for (const auto& [key, value] : element.attributes) {
      EXPECT_FALSE(key.starts_with("on") || key.ends_with("href")) << key;
      EXPECT_EQ(value.find("nan"), std::string::npos) << key << "=" << value;
      EXPECT_EQ(value.find("inf"), std::string::npos) << key << "=" << value;
    }
  for (const Element& path : xml.named("path")) {
    if (path["class"] == "average" || path["class"] == "slope") continue;  // of the legend
    const auto [least, greatest] = reach_of(path["d"]);
    EXPECT_GE(least, 0) << path["d"].substr(0, 200);
    EXPECT_LE(greatest, 6201) << path["d"].substr(0, 200);  // tenths of a pixel
  }
}

const std::vector<std::string> methods = {"hilbert",   "morton", "snake",
                                          "staggered", "tensor", "bisection"};

TEST(Drawing, EveryObjectIsADotOfTheColourOfItsPart) {
  const Communicator ranks = test::world();
  const test::Cloud cloud = test::random_cloud(2, 3000, true, 31);
  for (const std::string& method : methods)
    for (const int parts : {1, 8}) {
      const Drawn result = drawn(ranks, cloud, method, parts);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(parts), 0);
      for (const std::int32_t part : result.partition.parts)
        ++counts.at(static_cast<std::size_t>(part));
      ranks.all_reduce(std::span<std::int64_t>(counts), Reduction::sum);
      if (ranks.rank() != 0) continue;
      SCOPED_TRACE(method + ", parts: " + std::to_string(parts));
      expect_good(result.svg);
      const auto dots = dots_by_colour(Xml(result.svg));
      ASSERT_EQ(dots.size(), static_cast<std::size_t>(parts)) << "a colour for each part";
      for (std::size_t part = 0; part < counts.size(); ++part)
        EXPECT_EQ(dots.at("c" + std::to_string(part)), static_cast<std::size_t>(counts[part]));
    }
}

TEST(Drawing, FollowsLightAndDark) {
  const Communicator ranks = test::world();
  const std::string svg = drawn(ranks, test::random_cloud(2, 50, false, 2), "hilbert", 3).svg;
  if (ranks.rank() != 0) return;
  const std::string style = Xml(svg).named("style").front().text;
  EXPECT_NE(style.find("prefers-color-scheme: dark"), std::string::npos);
  for (const auto& colours : {palette, dark_palette})
    for (const std::string_view colour : colours) EXPECT_NE(style.find(colour), std::string::npos);
}

// The legend has a row with the swatch, the objects and the work of each of few parts.
TEST(Drawing, TheLegendOfFewParts) {
  const Communicator ranks = test::world();
  const test::Cloud cloud{"by hand", 2, {0, 0, 1, 0, 0, 1, 1, 1}, {1, 1, 1, 3}};
  const Drawn result = drawn(ranks, cloud, "tensor", 2);
  if (ranks.rank() != 0) return;
  const Xml xml(result.svg);
  std::vector<std::string> texts;
  for (const Element& text : xml.named("text")) texts.push_back(text.text);
  const auto has = [&](const std::string& text) {
    return std::ranges::find(texts, text) != texts.end();
  };
  EXPECT_TRUE(has("tensor, in a grid of 2 x 1") || has("tensor, in a grid of 1 x 2"));
  EXPECT_TRUE(has("4 objects in 2 dimensions, 2 parts, by weight"));
  EXPECT_TRUE(has("1.33333")) << "lambda: 4 of 3";
  EXPECT_TRUE(has("1.333"));
  EXPECT_TRUE(has("0.667"));
  for (const char* swatch : {"f0", "f1"}) EXPECT_EQ(xml.of_class(swatch).size(), 2U);
  EXPECT_NE(result.svg.find("<title>part 1: 2 objects, 1.333 of the average work</title>"),
            std::string::npos);
}

TEST(Drawing, WhereEverythingIsSpecial) {
  const Communicator ranks = test::world();
  for (const test::Cloud& cloud : test::degenerate_clouds())
    for (const std::string method : {"hilbert", "staggered", "bisection"})
      for (const int parts : {1, 300}) {
        const Drawn result = drawn(ranks, cloud, method, parts);
        if (ranks.rank() != 0) continue;
        SCOPED_TRACE(cloud.name + ", " + method + ", parts: " + std::to_string(parts));
        expect_good(result.svg);
        std::size_t dots = 0;
        for (const auto& [colour, count] : dots_by_colour(Xml(result.svg))) dots += count;
        if (cloud.dimensions == 2)
          EXPECT_EQ(dots, cloud.count());
        else
          EXPECT_GE(dots, cloud.count()) << "once from a corner, and in slabs";
      }
}

TEST(Drawing, TheSameOnAnyNumberOfRanks) {
  const Communicator ranks = test::world(), self = Communicator::self();
  const std::vector<test::Cloud> clouds = {test::random_cloud(2, 700, true, 5),
                                           test::random_cloud(3, 700, false, 6),
                                           test::random_cloud(3, most_dots + 1, false, 7)};
  for (const test::Cloud& cloud : clouds)
    for (const char* method : {"hilbert", "staggered"}) {
      const Drawn together = drawn(ranks, cloud, method, 13);
      if (ranks.rank() != 0) continue;
      EXPECT_TRUE(together.svg == drawn(self, cloud, method, 13).svg)
          << cloud.name << ", " << method;
    }
}

// Cells stand for objects, and there are many of them; a few bytes for each.
TEST(Drawing, ManyObjects) {
  const Communicator ranks = test::world();
  for (const int dimensions : {2, 3}) {
    const test::Cloud cloud = test::random_cloud(dimensions, 50000, false, 41);
    for (const char* method : {"morton", "bisection"}) {
      const Drawn result = drawn(ranks, cloud, method, 64);
      if (ranks.rank() != 0) continue;
      expect_good(result.svg);
      const Xml xml(result.svg);
      EXPECT_TRUE(dots_by_colour(xml).empty());
      EXPECT_EQ(xml.of_class("cells").size(), dimensions == 2 ? 2U : 7U) << "objects and domains";
      EXPECT_NE(result.svg.find("too many objects to draw each"), std::string::npos);
    }
  }
}

// As many parts as objects, and more, in a picture that is no longer for it.
TEST(Drawing, ManyParts) {
  const Communicator ranks = test::world();
  for (const int parts : {1000, 1000000}) {
    const Drawn result = drawn(ranks, test::random_cloud(2, 50000, true, 43), "hilbert", parts);
    if (ranks.rank() == 0) expect_good(result.svg);
  }
}

// A plate of vertices: each edge is a line, and those that are cut are dark.
TEST(Drawing, AGraph) {
  const Communicator self = Communicator::self();
  if (test::rank() != 0) return;
  constexpr int side = 12;
  GraphInput input;
  GraphFile& graph = input.graph;
  graph.vertices = side * side;
  input.dimensions = 2;
  for (int i = 0; i < side * side; ++i) {
    const int x = i % side, y = i / side;
    if (y > 0) graph.columns.push_back(i - side);
    if (x > 0) graph.columns.push_back(i - 1);
    if (x + 1 < side) graph.columns.push_back(i + 1);
    if (y + 1 < side) graph.columns.push_back(i + side);
    graph.offsets.push_back(std::ssize(graph.columns));
    input.places.insert(input.places.end(), {double(x), double(y)});
  }
  graph.entries = std::ssize(graph.columns);
  GraphPartitionOptions options;
  options.parts = 4;
  const GraphPartition found = cut(self, input, options);
  const std::string svg = svg_of(self, subject_of(self, options, input, found));
  expect_good(svg);
  const Xml xml(svg);
  const auto lines_of = [](const Element& path) {
    const std::string data = path["d"];
    return std::ranges::count_if(data, [](char c) { return c == 'h' || c == 'v' || c == 'l'; });
  };
  const auto cut_lines = xml.of_class("cut");
  ASSERT_EQ(cut_lines.size(), 1U);
  EXPECT_EQ(lines_of(cut_lines.front()), found.report.cut_edges);
  std::int64_t lines = 0;
  for (const Element& path : xml.named("path"))
    if (path["class"] == "cut" || path["class"].starts_with('c')) lines += lines_of(path);
  EXPECT_EQ(lines, 2 * side * (side - 1) + side * side) << "edges and dots";
  EXPECT_EQ(dots_by_colour(xml).size(), 4U);
}

}  // namespace
}  // namespace evenkeel::tool
