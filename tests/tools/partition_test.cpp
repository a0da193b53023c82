// Runs the program as its users start it: alone and by the launcher.

#include "partition/clouds.hpp"
#include "tools/program_test.hpp"

#include <cstring>
#include <sstream>

namespace evenkeel::tool::partition_test {
namespace {

using test::content_of;
using test::Ended;
using test::npy_of;
using test::Words;

// The words that start `ranks` ranks. If `ranks` is 0, the program runs alone, without such words.
Words launcher(int ranks) {
  Words words;
  std::istringstream all(ranks > 0 ? EVENKEEL_TEST_LAUNCHER : "");
  for (std::string word; std::getline(all, word, '|');)
    words.push_back(word == "RANKS" ? std::to_string(ranks) : word);
  return words;
}

constexpr bool has_launcher = sizeof(EVENKEEL_TEST_LAUNCHER) > 1;

class PartitionProgram : public test::ProgramTest {
 protected:
  PartitionProgram() : ProgramTest("partition") {}

  nlohmann::json json(const Words& arguments, int ranks = 0) const {
    return ProgramTest::json(arguments, launcher(ranks));
  }

  // Expects status 2 and only this line from the program. A launcher may print more.
  void expect_refused(const Words& arguments, const std::string& text) const {
    const Words before = sorted(directory_.files());
    const Ended alone = run(arguments);
    EXPECT_EQ(alone.status, 2) << alone.err;
    EXPECT_EQ(alone.out, "");
    EXPECT_EQ(alone.err, "evenkeel: " + text + "\n");
    EXPECT_EQ(sorted(directory_.files()), before) << "nothing is left";
  }
  void expect_refused_by_all(const Words& arguments, const std::string& text) const {
    if (!has_launcher) return;
    const Words before = sorted(directory_.files());
    const Ended together = run(arguments, {}, launcher(3));
    EXPECT_EQ(together.status, 2) << together.err;
    EXPECT_EQ(together.out, "");
    EXPECT_NE(together.err.find(text), std::string::npos) << together.err;
    EXPECT_EQ(together.err.find("evenkeel: "), together.err.rfind("evenkeel: ")) << together.err;
    EXPECT_EQ(together.err.find("MPI_ABORT"), std::string::npos) << together.err;
    EXPECT_EQ(sorted(directory_.files()), before) << "nothing is left";
  }

  // Expects the same text from the program alone and by the launcher, without the name of a rank.
  void expect_refused_alike(const Words& arguments, const std::string& text) const {
    expect_refused(arguments, text);
    expect_refused_by_all(arguments, "evenkeel: " + text);
  }

  static Words sorted(Words words) {
    std::ranges::sort(words);
    return words;
  }
  // A few points, and the required options.
  Words good(const std::string& method = "hilbert") const {
    const std::string points = file("good.csv", "0,0\n1,0\n0,1\n1,1\n0.5,0.25\n");
    return {"--points", points, "--parts", "2", "--method", method};
  }
};

// Reads the numbers after the header of a .npy file.
std::vector<std::int32_t> parts_in(const std::string& bytes) {
  const std::size_t begin = bytes.find('\n') + 1;
  std::vector<std::int32_t> parts((bytes.size() - begin) / 4);
  bytes.copy(reinterpret_cast<char*>(parts.data()), 4 * parts.size(), begin);
  return parts;
}

// Reads an array of a .vtu file, by the offset in its XML.
template <class Number>
std::vector<Number> array_in(const std::string& bytes, const std::string& name) {
  const std::size_t element = bytes.find("Name=\"" + name + "\"");
  const std::string mark = "offset=\"", start = "encoding=\"raw\">\n_";
  const std::size_t offset = bytes.find(mark, element) + mark.size();
  const std::size_t block = bytes.find(start) + start.size() + std::stoul(bytes.substr(offset, 20));
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + block, sizeof(size));
  std::vector<Number> numbers(size / sizeof(Number));
  bytes.copy(reinterpret_cast<char*>(numbers.data()), size, block + sizeof(size));
  return numbers;
}

TEST_F(PartitionProgram, Json) {
  const nlohmann::json said = json(good());
  EXPECT_EQ(test::keys_of(said), (Words{"heaviest_object", "imbalance_percent", "lambda", "method",
                                        "objects", "parts", "rounds", "seconds"}));
  EXPECT_EQ(said["method"].get<std::string>(), "hilbert");
  EXPECT_EQ(said["objects"].get<int>(), 5);
  EXPECT_EQ(said["parts"].get<int>(), 2);
  EXPECT_DOUBLE_EQ(said["lambda"].get<double>(), 3 / 2.5);
  EXPECT_DOUBLE_EQ(said["imbalance_percent"].get<double>(), (3 - 2.5) / 3 * 2 * 100);
  EXPECT_EQ(said["heaviest_object"].get<double>(), 1);
  EXPECT_EQ(said["rounds"].dump(), "[]");
  EXPECT_EQ(said["seconds"].size(), 4U);
  EXPECT_EQ(said["seconds"]["order"].get<double>(), 0);
  for (const char* stage : {"keys", "cut", "total"})
    EXPECT_GT(said["seconds"][stage].get<double>(), 0);
}

TEST_F(PartitionProgram, Text) {
  const std::string text = output_of(good("snake"));
  const std::string start =
      "method          snake\nobjects         5 in 2 dimensions\nparts           2, by count\n"
      "lambda          1.2 (greatest / average)\n"
      "imbalance       33.3333 % ((greatest - average) / greatest * N / (N - 1))\n"
      "heaviest object 1 of 2.5 in the average part\nseconds         ";
  EXPECT_EQ(text.substr(0, start.size()), start);
  EXPECT_EQ(std::ranges::count(text, '\n'), 7);
}

TEST_F(PartitionProgram, TheSameFilesOnAnyNumberOfRanks) {
  const test::Cloud cloud = test::random_cloud(3, 2000, true, 1);
  const test::Cloud flat = test::random_cloud(2, 1000, true, 2);
  std::vector<double> whole;
  for (const double weight : flat.weights) whole.push_back(std::floor(10 * weight));
  file("points8.npy", npy_of<double>(3, cloud.places));
  file("weights8.npy", npy_of<double>(0, cloud.weights));
  file("points4.npy", npy_of<float>(2, flat.places));
  file("weights4.npy", npy_of<std::int32_t>(0, whole));
  const std::vector<Words> cases = {
      {"--method", "hilbert", "--points", path("points8.npy"), "--weights", path("weights8.npy")},
      {"--method", "morton", "--points", path("points4.npy"), "--weights", path("weights4.npy"),
       "--target-lambda", "1.05"},
      {"--method", "snake", "--points", path("points8.npy")},
      {"--method", "tensor", "--points", path("points8.npy"), "--weights", path("weights8.npy")},
      {"--method", "tensor", "--points", path("points4.npy"), "--rounds", "7"},
      {"--method", "staggered", "--points", path("points4.npy"), "--grid", "13x1"},
      {"--method", "staggered", "--points", path("points8.npy"), "--rounds", "3", "--weights",
       path("weights8.npy")},
      {"--method", "histogram", "--points", path("points8.npy"), "--target-lambda", "1.1"},
      {"--method", "bisection", "--points", path("points8.npy"), "--weights", path("weights8.npy")},
      {"--method", "bisection", "--points", path("points8.npy"), "--cell-size", "0.05", "--axes",
       "xy"}};
  for (const Words& one : cases) {
    std::string parts, domains;
    nlohmann::json said;
    for (const int ranks : {0, 1, 2, 3, 5}) {
      if (ranks > 0 && !has_launcher) continue;
      if ((ranks == 1 || ranks == 5) && &one != &cases.front()) continue;  // launching is slow
      nlohmann::json now = json(
          plus(one, {"--parts", "13", "--out", path("parts.npy"), "--vtk", path("domains.vtu")}),
          ranks);
      now.erase("seconds");
      if (ranks == 0) {
        said = now;
        parts = content_of(path("parts.npy"));
        domains = content_of(path("domains.vtu"));
      }
      EXPECT_EQ(now.dump(), said.dump()) << one[1] << ", ranks: " << ranks;
      EXPECT_TRUE(content_of(path("parts.npy")) == parts) << one[1] << ", ranks: " << ranks;
      EXPECT_TRUE(content_of(path("domains.vtu")) == domains) << one[1] << ", ranks: " << ranks;
      if (&one != &cases.front()) continue;
      json(plus(one, {"--parts", "13", "--out", path("parts.csv")}), ranks);
      std::string lines;
      for (const std::int32_t part : parts_in(parts)) lines += std::to_string(part) + '\n';
      EXPECT_TRUE(content_of(path("parts.csv")) == lines) << "ranks: " << ranks;
    }
    EXPECT_EQ(parts_in(parts).size(), said["objects"].get<std::size_t>());
    EXPECT_EQ(std::ranges::max(parts_in(parts)), 12);
  }
}

// Methods that take both files and options of their own.
const std::vector<Words> all_methods = {{"hilbert"},
                                        {"morton"},
                                        {"snake"},
                                        {"bisection"},
                                        {"voronoi"},
                                        {"mesh"},
                                        {"tensor"},
                                        {"staggered"},
                                        {"histogram"},
                                        {"tensor", "--rounds", "5"},
                                        {"staggered", "--rounds", "5"},
                                        {"voronoi", "--rounds", "5"},
                                        {"mesh", "--rounds", "5"}};

// Computes lambda only from the part and the weight of each object.
TEST_F(PartitionProgram, TheFilesSayWhatTheReportSays) {
  const test::Cloud cloud = test::random_cloud(2, 700, true, 3);
  for (const Words& method : all_methods) {
    SCOPED_TRACE(method.front() + (method.size() > 1 ? " in rounds" : ""));
    const nlohmann::json said =
        json(plus({"--parts", "9", "--points", file("points.npy", npy_of<double>(2, cloud.places)),
                   "--weights", file("weights.npy", npy_of<double>(1, cloud.weights)), "--out",
                   path("parts.npy"), "--vtk", path("domains.vtu"), "--method"},
                  method));
    const std::vector<std::int32_t> parts = parts_in(content_of(path("parts.npy")));
    ASSERT_EQ(parts.size(), 700U);
    std::vector<double> work(9);
    double sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      work.at(static_cast<std::size_t>(parts[i])) += cloud.weights[i];
      sum += cloud.weights[i];
    }
    EXPECT_EQ(said["method"].get<std::string>(), method.front());
    EXPECT_NEAR(said["lambda"].get<double>(), std::ranges::max(work) * 9 / sum, 1e-9);
    EXPECT_EQ(said["heaviest_object"].get<double>(), std::ranges::max(cloud.weights));

    const std::string picture = content_of(path("domains.vtu"));
    const auto part_of_cell = array_in<std::int32_t>(picture, "part");
    const auto ranks = array_in<std::int32_t>(picture, "rank");
    const auto work_of_cell = array_in<double>(picture, "work");
    const auto shares = array_in<double>(picture, "share");
    const auto points = array_in<double>(picture, "Points");
    const auto offsets = array_in<std::int64_t>(picture, "offsets");
    ASSERT_EQ(work_of_cell.size(), part_of_cell.size());
    if (method.front() != "voronoi") {  // whose cells have any number of corners
      ASSERT_EQ(points.size(), 4 * 3 * part_of_cell.size());
    }
    ASSERT_EQ(offsets.back(), std::ssize(points) / 3);
    EXPECT_EQ(ranks, part_of_cell);
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
      const double expected = work.at(static_cast<std::size_t>(part_of_cell[cell]));
      EXPECT_NEAR(work_of_cell[cell], expected, 1e-9);
      EXPECT_NEAR(shares[cell], expected / sum, 1e-9);
    }
  }
}

// The shortest predicted step decides, and the parts are those of the chosen method.
TEST_F(PartitionProgram, AutoTakesTheMethodWithTheShortestStep) {
  const test::Cloud cloud = test::random_cloud(3, 5000, true, 3);
  const Words one = {"--parts",   "12",
                     "--points",  file("points.npy", npy_of<double>(3, cloud.places)),
                     "--weights", file("weights.npy", npy_of<double>(1, cloud.weights)),
                     "--out",     path("parts.npy")};
  for (const std::string halo : {"0", "0.1"}) {
    const nlohmann::json said =
        json(plus(one, {"--method", "auto", "--halo", halo, "--ghost-cost", "1"}), 2);
    const std::vector<std::int32_t> parts = parts_in(content_of(path("parts.npy")));
    ASSERT_EQ(said["forecasts"].size(), 4U);
    std::string best;
    double least = 1e9;
    for (const auto& each : said["forecasts"]) {
      const double step = each["step"].get<double>();
      EXPECT_GE(step, each["lambda"].get<double>() - 1e-9);
      EXPECT_EQ(each["ghosts"].get<double>() > 0, halo != "0");
      if (step >= least) continue;
      least = step;
      best = each["method"].get<std::string>();
    }
    EXPECT_EQ(said["method"].get<std::string>(), best);
    json(plus(one, {"--method", best}));
    EXPECT_EQ(parts, parts_in(content_of(path("parts.npy"))));
  }
}

// The lambda of the uniform grid is computed by hand. The list has one element more than there are
// rounds.
TEST_F(PartitionProgram, Rounds) {
  const std::string points = file("points.csv", "0,0\n1,0\n2,0\n3,0\n8,4\n");
  for (const char* method : {"tensor", "staggered"}) {
    const Words words = {"--points", points,  "--parts", "4",        "--grid",
                         "4x1",      "--box", "0,0,8,4", "--method", method};
    const nlohmann::json none = json(plus(words, {"--rounds", "0"}));
    ASSERT_EQ(none["rounds"].size(), 1U);
    EXPECT_EQ(none["rounds"][0].size(), 2U);
    EXPECT_DOUBLE_EQ(none["rounds"][0]["lambda"].get<double>(), 2 / 1.25);
    EXPECT_DOUBLE_EQ(none["rounds"][0]["imbalance_percent"].get<double>(), 0.75 / 2 * 4 / 3 * 100);
    EXPECT_EQ(none["lambda"], none["rounds"][0]["lambda"]);
    const nlohmann::json some = json(plus(words, {"--rounds", "6"}));
    ASSERT_EQ(some["rounds"].size(), 7U);
    EXPECT_EQ(some["rounds"][0], none["rounds"][0]);
    double least = 5;
    for (const nlohmann::json& round : some["rounds"])
      least = std::min(least, round["lambda"].get<double>());
    EXPECT_EQ(some["lambda"].get<double>(), least);
  }
  const Ended ended = run({"--points", points, "--parts", "4", "--grid", "2x2", "--box", "0,0,8,4",
                           "--method", "tensor", "--rounds", "0"});
  EXPECT_NE(ended.out.find("\nparts           4, by count, in a grid of 2 x 2\n"
                           "rounds          0, from lambda 3.2 of the uniform grid\n"
                           "lambda          3.2 (greatest / average)\n"),
            std::string::npos)
      << ended.out;
}

TEST_F(PartitionProgram, FewObjects) {
  const std::string none = file("none.npy", npy_of<double>(3, {}));
  const std::string one = file("one.csv", "1,2,3\n");
  const std::set<std::string> by_all_kinds = {"hilbert", "bisection", "staggered"};
  for (const Words& method : all_methods)
    for (const int ranks : {0, 3}) {
      if (ranks > 0 && (!has_launcher || !by_all_kinds.contains(method.front()))) continue;
      const Words rest = plus(
          {"--parts", "7", "--out", path("parts.npy"), "--vtk", path("domains.vtu"), "--method"},
          method);
      EXPECT_EQ(json(plus({"--points", none}, rest), ranks)["lambda"].get<double>(), 1);
      EXPECT_TRUE(parts_in(content_of(path("parts.npy"))).empty());
      const nlohmann::json said = json(plus({"--points", one}, rest), ranks);
      EXPECT_EQ(said["lambda"].get<double>(), 7);
      EXPECT_EQ(said["imbalance_percent"].get<double>(), 100);
      EXPECT_EQ(parts_in(content_of(path("parts.npy"))).size(), 1U);
    }
}

// With any options, all objects must be in one part.
TEST_F(PartitionProgram, AllInOnePlace) {
  const std::string points = file("same.npy", npy_of<double>(3, std::vector<double>(300, 7)));
  for (const Words& method : all_methods) {
    const nlohmann::json said = json(plus(
        {"--points", points, "--parts", "127", "--out", path("parts.npy"), "--method"}, method));
    EXPECT_DOUBLE_EQ(said["lambda"].get<double>(), 127);
    const std::vector<std::int32_t> part_of = parts_in(content_of(path("parts.npy")));
    ASSERT_EQ(part_of.size(), 100U);
    EXPECT_EQ(std::ranges::count(part_of, part_of.front()), 100);
  }
}

TEST_F(PartitionProgram, WorkThatIsCounted) {
  const Words words = plus(good(), {"--weights", file("w.csv", "0\n0\n0\n0\n9\n")});
  EXPECT_EQ(json(words)["heaviest_object"].get<double>(), 9);
  EXPECT_EQ(json(words)["lambda"].get<double>(), 2);
  const nlohmann::json counted = json(plus(words, {"--work", "count"}));
  EXPECT_EQ(counted["heaviest_object"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(counted["lambda"].get<double>(), 1.2);
  file("w.csv", "0\n0\n0\n0\n0\n");
  EXPECT_EQ(json(words)["heaviest_object"].get<double>(), 0);
  EXPECT_EQ(json(words)["lambda"].get<double>(), 1);
}

TEST_F(PartitionProgram, BoxesThatBeginBelowZero) {
  EXPECT_EQ(run(plus(good(), {"--box", "-.5,-1,2,2"})).status, 0);
  EXPECT_EQ(run(plus(good(), {"--box=-1,-1,2,2"})).status, 0);
}

TEST_F(PartitionProgram, CommandLinesThatAreNone) {
  const Words start = good();
  const Words no_method(start.begin(), start.end() - 2);
  expect_refused(no_method, "--method is required. See evenkeel --help.");
  expect_refused_by_all(no_method, "--method is required");
  expect_refused(plus(start, {"--json", "--nonsense"}),
                 "The following argument was not expected: --nonsense. See evenkeel --help.");
}

// The test tools/partition/options has the other options.
TEST_F(PartitionProgram, OptionsThatAreRefused) {
  const std::string unknown = "tools/partition: --method is 'unknown'. The methods are ";
  expect_refused(good("unknown"), unknown +
                                      "hilbert, morton, snake, staggered, tensor, bisection, "
                                      "voronoi, mesh, auto, histogram and graph.");
  expect_refused_by_all(good("unknown"), "evenkeel: " + unknown);
  const Words solid = plus(good("tensor"), {"--grid", "1x2x1", "--out", path("parts.npy")});
  const std::string flat = "tools/partition: --grid has 3 numbers, but the points of '" +
                           path("good.csv") + "' have 2 coordinates. Give 2 numbers.";
  expect_refused_alike(solid, flat);
}

// Two triangles, joined by one edge, and the options that cut them in two.
Words good_graph(const test::ScratchDirectory& directory) {
  const std::string graph =
      directory.with_file("good.graph", "6 7\n2 3\n1 3\n1 2 4\n3 5 6\n4 6\n4 5\n");
  return {"--method", "graph", "--parts", "2", "--graph", graph};
}

TEST_F(PartitionProgram, GraphJson) {
  const nlohmann::json said = json(good_graph(directory_));
  EXPECT_EQ(test::keys_of(said),
            (Words{"bound", "broken", "cut", "cut_edges", "edges", "empty", "imbalance_percent",
                   "lambda", "method", "most_neighbours", "moved", "parts", "remarks", "seconds",
                   "vertices", "volume"}));
  EXPECT_EQ(said["method"].get<std::string>(), "graph");
  EXPECT_EQ(said["vertices"].get<int>(), 6);
  EXPECT_EQ(said["edges"].get<int>(), 7);
  EXPECT_EQ(said["parts"].get<int>(), 2);
  EXPECT_EQ(said["cut"].get<double>(), 1);
  EXPECT_EQ(said["cut_edges"].get<int>(), 1);
  EXPECT_EQ(said["volume"].get<int>(), 2);
  EXPECT_EQ(said["most_neighbours"].get<int>(), 1);
  for (const char* even : {"lambda", "bound"}) EXPECT_EQ(said[even].dump(), "[1.0]");
  EXPECT_EQ(said["imbalance_percent"].dump(), "[0.0]");
  for (const char* none : {"moved", "broken", "empty"}) EXPECT_EQ(said[none].get<double>(), 0);
  EXPECT_EQ(said["remarks"].dump(), "[]");
  EXPECT_EQ(said["seconds"].size(), 2U);
  for (const char* stage : {"read", "cut"}) EXPECT_GT(said["seconds"][stage].get<double>(), 0);
}

TEST_F(PartitionProgram, GraphText) {
  const Words words =
      plus(good_graph(directory_),
           {"--from", file("from.csv", "0\n0\n1\n1\n1\n1\n"), "--weights",
            file("w.csv", "1,1\n1,1\n1,1\n1,1\n1,1\n1,1\n"), "--out", path("parts.csv")});
  const std::string text = output_of(words);
  const std::string start =
      "method          graph, good\ngraph           6 vertices, 7 edges\n"
      "parts           2, by 2 weights\ncut             1 (1 edge)\n"
      "volume          2 (copies of vertices that other parts need)\n"
      "neighbours      1 (of the part that has the most)\n"
      "lambda          1, 1 (greatest / average, at least 1, 1)\n"
      "imbalance       0, 0 % ((greatest - average) / greatest * N / (N - 1))\n"
      "moved           16.6667 % of the vertices\nseconds         ";
  EXPECT_EQ(text.substr(0, start.size()), start);
  EXPECT_EQ(content_of(path("parts.csv")), "0\n0\n0\n1\n1\n1\n");
}

TEST_F(PartitionProgram, GraphsOnAnyNumberOfRanks) {
  if (!has_launcher) return;
  const Words words = plus(good_graph(directory_), {"--out", path("parts.npy")});
  nlohmann::json alone = json(words), together;
  const std::string parts = content_of(path("parts.npy"));
  together = json(words, 2);
  EXPECT_EQ(content_of(path("parts.npy")), parts);
  for (nlohmann::json* said : {&alone, &together}) said->erase("seconds");
  EXPECT_EQ(together.dump(), alone.dump());
}

TEST_F(PartitionProgram, GraphsThatAreRefused) {
  const Words rest = {"--method", "graph", "--parts", "2", "--out", path("parts.npy")};
  const Words one_way = plus(rest, {"--graph", file("bad.graph", "3 1\n2 3\n\n\n")});
  const std::string text =
      "tools/partition: Vertex 1 has the neighbour 2, but vertex 2 does not have the neighbour 1. "
      "The graph is in '" +
      path("bad.graph") + "'. Give each edge in the rows of both its vertices.";
  expect_refused_alike(one_way, text);
}

TEST_F(PartitionProgram, PartsInProportionToTheirSpeeds) {
  const test::Cloud cloud = test::random_cloud(3, 4000, false, 1);
  const std::string points = file("points.npy", npy_of<double>(3, cloud.places)),
                    speeds = file("speeds.csv", "1\n2\n4\n8\n");
  for (const char* const method :
       {"hilbert", "morton", "snake", "bisection", "staggered", "voronoi", "mesh", "auto"}) {
    SCOPED_TRACE(method);
    const Words words = {"--points", points,     "--parts", "4",     "--method",
                         method,     "--speeds", speeds,    "--out", path("parts.npy")};
    EXPECT_LT(json(words, has_launcher ? 3 : 0)["lambda"].get<double>(), 1.03);
    std::array<double, 4> counts = {};
    for (const std::int32_t part : parts_in(content_of(path("parts.npy"))))
      ++counts[static_cast<std::size_t>(part)];
    for (std::size_t part = 0; part < counts.size(); ++part)
      EXPECT_NEAR(counts[part] / (4000.0 / 15 * static_cast<double>(1U << part)), 1, 0.06);
  }
  const std::string two = file("two.csv", "1\n3\n");
  const std::string text = output_of(plus(good(), {"--speeds", two}));
  EXPECT_NE(text.find("parts           2, by count and speed\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" (greatest / average time)\n"), std::string::npos) << text;

  const nlohmann::json graph = json(plus(good_graph(directory_), {"--speeds", two}));
  EXPECT_DOUBLE_EQ(graph["lambda"][0].get<double>(), 5 / 4.5);
}

// Objects on the left have all work, and those on the right most bytes.
TEST_F(PartitionProgram, PartsWithinTheirMemory) {
  const test::Cloud cloud = test::random_cloud(3, 3000, false, 1);
  std::vector<double> weights, bytes;
  double all = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const bool is_left = cloud.places[3 * i] < 0.5;
    weights.push_back(is_left ? 1 : 0.01);
    bytes.push_back(is_left ? 10 : 1000);
    all += bytes.back();
  }
  const std::string points = file("points.npy", npy_of<double>(3, cloud.places)),
                    weight = file("weights.npy", npy_of<double>(1, weights)),
                    sizes = file("bytes.npy", npy_of<double>(1, bytes)),
                    memory = std::to_string(1.2 * all / 4);
  for (const char* const method : {"hilbert", "snake", "bisection", "staggered", "voronoi"}) {
    SCOPED_TRACE(method);
    const Words words = {"--points", points,     "--weights", weight,           "--parts",
                         "4",        "--method", method,      "--bytes",        sizes,
                         "--memory", memory,     "--out",     path("parts.npy")};
    const nlohmann::json found = json(words, has_launcher ? 3 : 0);
    std::array<double, 4> sums = {};
    const auto parts = parts_in(content_of(path("parts.npy")));
    for (std::size_t i = 0; i < parts.size(); ++i)
      sums[static_cast<std::size_t>(parts[i])] += bytes[i];
    EXPECT_LE(std::ranges::max(sums), 1.2 * all / 4);
    EXPECT_NEAR(found["greatest_bytes"].get<double>(), std::ranges::max(sums), 1e-3);
  }
}

TEST_F(PartitionProgram, MemoryThatIsRefused) {
  const std::string bytes = file("bytes.csv", "1\n1\n1\n1\n7\n"),
                    none = file("none.csv", "-1\n1\n1\n1\n1\n");
  expect_refused(plus(good(), {"--memory", "5"}),
                 "tools/partition: --memory and --bytes belong together. Give both, or leave both "
                 "out.");
  expect_refused(
      plus(good(), {"--memory", "0", "--bytes", bytes}),
      "tools/partition: --memory is '0'. Give a positive number of bytes, such as 4e9 or "
      "16GiB.");
  expect_refused(plus(good(), {"--memory", "5", "--bytes", none}),
                 "tools/partition: The size of object 0 in '" + none +
                     "' is -1. Give sizes that are finite and not negative.");
  output_of(plus(good(), {"--memory", "1 kB", "--bytes", bytes}));
  expect_refused(plus(good(), {"--memory", "5", "--bytes", bytes}),
                 "tools/partition: No cut fits: the best one has a part of 8 bytes, and --memory "
                 "is 5. Give more memory, or more parts.");
}

TEST_F(PartitionProgram, SpeedsThatAreRefused) {
  const std::string wide = file("wide.csv", "1,2\n"), one = file("one.csv", "1\n"),
                    none = file("none.csv", "1\n0\n");
  const auto expect = [&](const Words& rest, const std::string& speeds, const std::string& text) {
    const Words words = plus(rest, {"--speeds", speeds});
    expect_refused(words, text);
    expect_refused_by_all(words, text);  // also names a rank
  };
  expect(good(), wide,
         "tools/partition: '" + wide + "' has 2 columns. Give one speed in each row.");
  expect(good(), one,
         "tools/partition: '" + one + "' has 1 rows for 2 parts. Give one speed per part.");
  expect(
      good_graph(directory_), none,
      "tools/partition: In '" + none + "', row 1 is 0. Give speeds that are finite and positive.");
}

TEST_F(PartitionProgram, InputThatIsRefused) {
  const Words rest = {"--method", "snake",           "--parts", "2",
                      "--out",    path("parts.npy"), "--vtk",   path("domains.vtu")};
  const std::string missing = path("missing.npy");
  const std::string text = "tools/files: The file '" + missing +
                           "' cannot be read: No such file or directory. Name a regular file that "
                           "exists and that you may read.";
  expect_refused(plus({"--points", missing}, rest), text);
  expect_refused_by_all(plus({"--points", missing}, rest),
                        "evenkeel: rank 0 (the first of 3 failed ranks of 3): " + text);

  std::string csv;
  for (int i = 0; i < 99; ++i) csv.append("1,2\n");
  const Words bad = plus({"--points", file("bad.csv", csv.append("1,two\n"))}, rest);
  const std::string cell = "tools/files: Column 2 in line 100 of '" + path("bad.csv") +
                           "' is 'two', which is not a number.";
  expect_refused(bad, cell +
                          " Write one object per line, as finite numbers separated by commas, "
                          "after at most one header line.");
  expect_refused_by_all(bad, "evenkeel: rank 2: " + cell);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Words none =
      plus({"--points", file("nan.npy", npy_of<double>(2, {0, 1, 2, 3, 4, nan}))}, rest);
  const std::string position = "core/bounds: Component 1 of the position of object ";
  expect_refused(none, position + "2 is not finite. Give finite positions before balancing.");
  expect_refused_by_all(none, "evenkeel: rank 2: " + position + "0 is not finite.");

  const Words outside =
      plus(plus({"--points", file("good.csv", "0,0\n1,1\n")}, rest), {"--box", "0,0,1,0.5"});
  const std::string box =
      "core/box: Objects extend from 0 to 1 along y, outside the given box, which "
      "goes from 0 to 0.5.";
  expect_refused(outside, box +
                              " Give a box around all objects, leave the box out (it is "
                              "measured then), or make the axis periodic.");
  expect_refused_by_all(outside, "evenkeel: " + box);
}

TEST_F(PartitionProgram, OutputThatCannotBe) {
  const std::string nowhere = path("missing/parts.npy");
  const std::string text = "tools/files: The file '" + nowhere +
                           "' cannot be written: No such file or directory. Name a file in a "
                           "directory that exists and that you may write to.";
  const Words words = plus(good(), {"--vtk", path("domains.vtu"), "--out", nowhere});
  expect_refused(words, text);
  expect_refused_by_all(words, "evenkeel: rank 0: " + text);
  expect_refused(plus(good(), {"--out", path("parts.npy"), "--vtk", nowhere}), text);
  const std::string odd = path("parts.txt");
  const std::string format = "tools/files: The name '" + odd +
                             "' does not say which format the file has. Name a file that ends in "
                             ".npy or .csv.";
  expect_refused_alike(plus(good(), {"--out", odd}), format);
  expect_refused(plus(good(), {"--out", path("good.csv")}),
                 "tools/partition: --out and --points name the same file, '" + path("good.csv") +
                     "'. Give each a file of its own.");
}

// If the output fails, the command must have done nothing, and leave neither file without the
// other.
TEST_F(PartitionProgram, AFullDiskLeavesNothing) {
  const Words words = plus(good(), {"--out", path("parts.npy"), "--vtk", path("domains.vtu")});
  const Ended ended = run(words, {.out = "/dev/full"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "evenkeel: stdout cannot be written.\n");
  EXPECT_EQ(directory_.files(), std::vector<std::string>{"good.csv"});

  if (has_launcher) return;  // MPI also writes files
  const Ended fuller =
      run(words, {.most_bytes = 1000});  // enough for the parts, not for the domains
  EXPECT_EQ(fuller.status, 1);
  EXPECT_EQ(fuller.out, "");
  EXPECT_EQ(fuller.err, "evenkeel: tools/files: The file '" + path("domains.vtu") +
                            "' could not be written: File too large. Free some space or name "
                            "another path; no part of the file was left.\n");
  EXPECT_EQ(directory_.files(), std::vector<std::string>{"good.csv"});
}

}  // namespace
}  // namespace evenkeel::tool::partition_test
