// Compares ek::assign with brute force over all maps, with checks of its own of loads, caps, moved
// bytes and faces, and with maps written down here.

#include <evenkeel/assign.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace evenkeel::assign_test {

namespace {

using Map = std::vector<int>;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

struct Draw {
  explicit Draw(unsigned seed) : random(seed) {}
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); }
  double unit() { return std::uniform_real_distribution<double>()(random); }
  bool one_in(int n) { return below(n) == 0; }
  std::mt19937 random;
};

// A random problem; the options refer to its vectors.
struct Case {
  int blocks = 0;
  std::vector<double> costs, bytes;
  Map from;
  AssignOptions options;

  Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
};

void draw(Case& drawn, Draw& d, int most_blocks, int most_ranks) {
  AssignOptions& options = drawn.options;
  drawn.blocks = d.below(most_blocks + 1);
  options.ranks = 1 + d.below(most_ranks);
  options.phases = d.one_in(4) ? 2 + d.below(2) : 1;
  const int kind = d.below(4);
  for (int i = 0; i < options.phases * drawn.blocks; ++i)
    drawn.costs.push_back(kind == 0   ? 1 + d.below(3)
                          : kind == 1 ? std::exp(d.unit() * 3)
                          : kind == 2 ? (d.one_in(8)   ? 10
                                         : d.one_in(5) ? 0
                                                       : 1)
                                      : d.unit());
  if (d.one_in(3))
    for (int r = 0; r < options.ranks; ++r) options.speeds.push_back(.5 + d.below(3));
  if (d.one_in(2))
    for (int i = 0; i < drawn.blocks; ++i) drawn.bytes.push_back(d.below(5));
  options.bytes = drawn.bytes;
  const double all = drawn.bytes.empty()
                         ? drawn.blocks
                         : std::accumulate(drawn.bytes.begin(), drawn.bytes.end(), 0.);
  if (d.one_in(3)) options.most_blocks = 1 + (drawn.blocks + d.below(4)) / options.ranks;
  if (d.one_in(3)) options.memory = {std::floor(all / options.ranks * (1 + d.unit())) + 1};
  if (d.one_in(6))
    for (int r = 0; r < options.ranks; ++r)
      options.capacity.push_back(std::accumulate(drawn.costs.begin(), drawn.costs.end(), 0.) /
                                 options.ranks * 3 * d.unit());
  if (d.one_in(3)) {
    for (int i = 0; i < drawn.blocks; ++i) drawn.from.push_back(d.below(options.ranks + 1) - 1);
    options.from = drawn.from;
  }
  if (d.one_in(4))
    for (int r = 0; r < options.ranks; ++r) options.node_of_rank.push_back(r / 2);
}

bool keeps_caps(const Case& c, const Map& map) {
  std::vector<double> count(size(c.options.ranks)), bytes(count), work(count);
  for (int i = 0; i < c.blocks; ++i) {
    const std::size_t r = size(map[size(i)]);
    ++count[r];
    bytes[r] += c.bytes.empty() ? 1 : c.bytes[size(i)];
    for (int p = 0; p < c.options.phases; ++p) work[r] += c.costs[size(p * c.blocks + i)];
  }
  const auto cap = [](const std::vector<double>& caps, std::size_t r) {
    return caps.empty()       ? std::numeric_limits<double>::infinity()
           : caps.size() == 1 ? caps[0]
                              : caps[r];
  };
  for (std::size_t r = 0; r < count.size(); ++r)
    if ((c.options.most_blocks > 0 && count[r] > static_cast<double>(c.options.most_blocks)) ||
        bytes[r] > cap(c.options.memory, r) || work[r] > cap(c.options.capacity, r) * (1 + 1e-12))
      return false;
  return true;
}

double lambda_of(const Case& c, const Map& map) {
  const double total = std::accumulate(c.costs.begin(), c.costs.end(), 0.);
  if (total == 0) return 1;
  const auto speed = [&](std::size_t r) {
    return c.options.speeds.empty() ? 1. : c.options.speeds[r];
  };
  double step = 0, speeds = 0;
  for (int r = 0; r < c.options.ranks; ++r) speeds += speed(size(r));
  for (int p = 0; p < c.options.phases; ++p) {
    std::vector<double> times(size(c.options.ranks));
    for (int i = 0; i < c.blocks; ++i)
      times[size(map[size(i)])] += c.costs[size(p * c.blocks + i)] / speed(size(map[size(i)]));
    step += *std::max_element(times.begin(), times.end());
  }
  return step / (total / speeds);
}

// Tries all maps that keep the caps. A part of a map that is no better than a whole one is left
// out.
class BruteForce {
 public:
  explicit BruteForce(const Case& c) : case_(c), sums_(size(c.options.ranks)) {
    for (Sums& sums : sums_) sums.times.assign(size(c.options.phases), 0);
    place(0);
  }
  std::optional<double> least_lambda() const {
    const double total = std::accumulate(case_.costs.begin(), case_.costs.end(), 0.);
    double speeds = 0;
    for (int r = 0; r < case_.options.ranks; ++r) speeds += speed(size(r));
    if (!found_) return std::nullopt;
    return total > 0 ? best_ / (total / speeds) : 1;
  }

 private:
  struct Sums {
    double count = 0, bytes = 0, work = 0;
    std::vector<double> times;
  };
  double speed(std::size_t r) const {
    return case_.options.speeds.empty() ? 1. : case_.options.speeds[r];
  }
  double step() const {
    double step = 0;
    for (std::size_t p = 0; p < size(case_.options.phases); ++p) {
      double most = 0;
      for (const Sums& sums : sums_) most = std::max(most, sums.times[p]);
      step += most;
    }
    return step;
  }
  bool keeps_caps(std::size_t r) const {
    const AssignOptions& o = case_.options;
    const auto cap = [&](const std::vector<double>& caps) {
      return caps.empty() ? 1e300 : caps[caps.size() == 1 ? 0 : r];
    };
    return (o.most_blocks == 0 || sums_[r].count <= static_cast<double>(o.most_blocks)) &&
           sums_[r].bytes <= cap(o.memory) && sums_[r].work <= cap(o.capacity);
  }
  void place(int i) {
    if (i == case_.blocks) {
      found_ = true;
      best_ = step();
      return;
    }
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      const Sums before = sums_[r];
      ++sums_[r].count;
      sums_[r].bytes += case_.bytes.empty() ? 1 : case_.bytes[size(i)];
      for (int p = 0; p < case_.options.phases; ++p) {
        const double cost = case_.costs[size(p * case_.blocks + i)];
        sums_[r].work += cost;
        sums_[r].times[size(p)] += cost / speed(r);
      }
      if (keeps_caps(r) && (!found_ || step() < best_)) place(i + 1);
      sums_[r] = before;
    }
  }

  const Case& case_;
  std::vector<Sums> sums_;
  bool found_ = false;
  double best_ = 0;
};

std::optional<BlockMap> assigned(const Case& c, std::string* message = nullptr) {
  try {
    return assign(c.costs, c.options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    if (message != nullptr) *message = error.problem();
    return std::nullopt;
  }
}

int cases(int registered) {
  const char* given = std::getenv("EVENKEEL_TEST_ASSIGNMENTS");
  return given != nullptr ? std::atoi(given) : registered;
}

// A box of blocks with edges, in the order of rows.
struct Box {
  std::vector<double> centres;
  std::vector<std::array<int, 2>> edges;
};
Box box_of(int side) {
  Box box;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int i = (z * side + y) * side + x;
        for (const int c : {x, y, z}) box.centres.push_back(.1 * c + .05);
        if (x + 1 < side) box.edges.push_back({i, i + 1});
        if (y + 1 < side) box.edges.push_back({i, i + side});
        if (z + 1 < side) box.edges.push_back({i, i + side * side});
      }
  return box;
}

std::vector<double> lognormal(int n, double sigma, unsigned seed) {
  Draw d(seed);
  std::vector<double> costs;
  for (int i = 0; i < n; ++i)
    costs.push_back(std::exp(sigma * (d.unit() + d.unit() + d.unit() + d.unit() - 2) * 1.7));
  return costs;
}

std::uint64_t hash_of(const Map& map) {
  std::uint64_t hash = 1469598103934665603u;
  for (const int r : map) hash = (hash ^ static_cast<std::uint64_t>(r)) * 1099511628211u;
  return hash;
}

}  // namespace

// --- Against brute force -------------------------------------------------------------------------

TEST(Assign, FewBlocksAreAsEvenAsTheBestMap) {
  for (int k = 0; k < cases(400); ++k) {
    Draw d(static_cast<unsigned>(k));
    Case c;
    draw(c, d, d.one_in(4) ? 12 : 8, 4);
    SCOPED_TRACE("case " + std::to_string(k));
    std::string message;
    const auto best = BruteForce(c).least_lambda();
    const auto found = assigned(c, &message);
    ASSERT_EQ(best.has_value(), found.has_value()) << message;
    if (!best) {
      EXPECT_EQ(message.find("No map can keep the caps"), 0u) << message;
      continue;
    }
    EXPECT_TRUE(keeps_caps(c, found->map));
    EXPECT_NEAR(found->lambda, std::max(1., lambda_of(c, found->map)), 1e-9);
    EXPECT_LE(found->bound, *best * (1 + 1e-9));
    EXPECT_LE(found->lambda, std::max(c.options.target, *best * 1.01));
    EXPECT_NEAR(found->gap, found->lambda / found->bound - 1, 1e-12);
  }
}

// --- Caps ----------------------------------------------------------------------------------------

TEST(Assign, CapsHoldOrAnErrorSaysWhyNot) {
  int found_none = 0;
  const int all = cases(400);
  for (int k = 0; k < all; ++k) {
    Draw d(static_cast<unsigned>(1'000'000 + k));
    Case c;
    draw(c, d, 60, 12);
    SCOPED_TRACE("case " + std::to_string(k));
    std::string message;
    if (const auto found = assigned(c, &message)) {
      EXPECT_TRUE(keeps_caps(c, found->map));
      EXPECT_NEAR(found->lambda, std::max(1., lambda_of(c, found->map)), 1e-9);
      EXPECT_GE(found->lambda, found->bound);
    } else if (message.find("No map can keep the caps") != 0) {
      EXPECT_EQ(message.find("No map that keeps the caps was found"), 0u) << message;
      ++found_none;
    }
  }
  EXPECT_LE(found_none, 1 + all / 50);
}

TEST(Assign, ProvesThatCapsAreImpossible) {
  const std::vector<double> costs(10, 1.), bytes = {6, 6, 6, 1, 1, 1, 1, 1, 1, 1};
  const auto problem = [&](const AssignOptions& options) {
    try {
      assign(costs, options);
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string("no error");
  };
  EXPECT_EQ(problem({.ranks = 3, .most_blocks = 3}),
            "No map can keep the caps: 3 ranks with at most 3 blocks hold fewer than 10 blocks.");
  EXPECT_EQ(problem({.ranks = 2, .bytes = bytes, .memory = {5}}),
            "No map can keep the caps: block 0 is above the memory of every rank.");
  EXPECT_EQ(problem({.ranks = 2, .bytes = bytes, .memory = {12}}),
            "No map can keep the caps: all blocks together are above the memory of all ranks.");
  EXPECT_EQ(problem({.ranks = 2, .bytes = bytes, .memory = {20, 7}}), "no error");
  EXPECT_EQ(problem({.ranks = 3, .bytes = bytes, .memory = {11, 11, 5}}),
            "No map can keep the caps: the 3 largest blocks do not fit the memory of the ranks, "
            "however they are placed.");
  EXPECT_EQ(problem({.ranks = 2, .capacity = {4}}),
            "No map can keep the caps: all blocks together are above the capacity of all ranks.");
}

TEST(Assign, ARankWithoutCapacityGetsNothing) {
  const BlockMap map = assign(lognormal(40, 1, 3), {.ranks = 4, .capacity = {1e9, 0, 1e9, 1e9}});
  EXPECT_EQ(std::count(map.map.begin(), map.map.end(), 1), 0);
  EXPECT_GE(map.bound, 4. / 3 - 1e-9);
}

// --- Quality -------------------------------------------------------------------------------------

TEST(Assign, IsEvenAndCutsFewFaces) {
  const Box box = box_of(8);
  const std::vector<double> costs = lognormal(512, .5, 1);
  for (const bool by_edges : {false, true}) {
    AssignOptions options{.ranks = 64, .place = BlockCentres{box.centres}};
    if (by_edges) options.place = BlockEdges{box.edges};
    const BlockMap map = assign(costs, options);
    EXPECT_LE(map.lambda, 1.05);
    EXPECT_EQ(map.faces, 1344);
    EXPECT_LE(map.faces_cut, .56 * 1344);  // the exact chain along the Morton order: .58
  }
}

TEST(Assign, MovesLittleFromAMap) {
  const Box box = box_of(12);
  std::vector<double> costs = lognormal(1728, .5, 2);
  AssignOptions options{.ranks = 100, .place = BlockCentres{box.centres}};
  const BlockMap first = assign(costs, options);
  options.from = first.map;
  EXPECT_EQ(assign(costs, options).moved_bytes, 0);
  Draw d(5);
  for (double& cost : costs) cost *= .8 + .4 * d.unit();
  const BlockMap second = assign(costs, options);
  EXPECT_LE(second.lambda, 1.05);
  EXPECT_GT(second.least_moved_bytes, 0);
  EXPECT_LE(second.moved_bytes, 1.5 * second.least_moved_bytes);
  int moved = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) moved += first.map[i] != second.map[i] ? 1 : 0;
  EXPECT_EQ(second.moved_bytes, moved);
}

TEST(Assign, NoMapMovesLessThanTheBound) {
  for (int k = 0; k < cases(400); ++k) {
    Draw d(static_cast<unsigned>(2'000'000 + k));
    Case c;
    draw(c, d, 6, 3);
    for (int i = static_cast<int>(c.from.size()); i < c.blocks; ++i)
      c.from.push_back(d.below(c.options.ranks + 1) - 1);
    c.options.from = c.from;
    const auto found = assigned(c);
    if (!found) continue;
    const double lambda = std::max(c.options.target, found->lambda) * (1 + 1e-9);
    double least = 1e300;
    Map map(size(c.blocks), 0);
    for (std::size_t i = 0; i < map.size() || map.empty();) {
      double moved = 0;
      for (std::size_t b = 0; b < map.size(); ++b)
        if (c.from[b] >= 0 && c.from[b] != map[b]) moved += c.bytes.empty() ? 1 : c.bytes[b];
      if (lambda_of(c, map) <= lambda) least = std::min(least, moved);
      for (i = 0; i < map.size() && ++map[i] == c.options.ranks; ++i) map[i] = 0;
      if (i == map.size()) break;
      i = 0;
    }
    EXPECT_LE(found->least_moved_bytes, least * (1 + 1e-9)) << "case " << k;
  }
}

TEST(Assign, NewBlocksJoinAMap) {
  const Box box = box_of(6);
  const std::vector<double> costs(216, 1.);
  Map from = assign(costs, {.ranks = 8, .place = BlockCentres{box.centres}}).map;
  for (std::size_t i = 0; i < from.size(); i += 3) from[i] = -1;
  const BlockMap map =
      assign(costs, {.ranks = 8, .from = from, .place = BlockCentres{box.centres}});
  EXPECT_LE(map.lambda, 1.05);
  EXPECT_LE(map.moved_bytes, 8);
}

TEST(Assign, FacesBetweenNodesAreCutLess) {
  const Box box = box_of(8);
  const std::vector<double> costs(512, 1.);
  AssignOptions options{.ranks = 32, .place = BlockCentres{box.centres}};
  Map nodes;  // in an order that no curve has
  for (int r = 0; r < 32; ++r) nodes.push_back(r % 4);
  const auto between = [&](const BlockMap& map) {
    int cut = 0;
    for (const auto& [i, j] : box.edges)
      cut += nodes[size(map.map[size(i)])] != nodes[size(map.map[size(j)])];
    return cut;
  };
  const int before = between(assign(costs, options));
  options.node_of_rank = nodes;
  EXPECT_LT(between(assign(costs, options)), .5 * before);
}

// --- Places --------------------------------------------------------------------------------------

TEST(Assign, FindsTheFacesOfARefinedMesh) {
  // One of the 4 x 4 x 4 blocks is refined by halves.
  std::vector<double> centres;
  for (int b = 0; b < 64; ++b) {
    const double x = b % 4, y = b / 4 % 4, z = b / 16;
    if (b != 21) centres.insert(centres.end(), {x + .5, y + .5, z + .5});
    for (int k = 0; b == 21 && k < 8; ++k)
      centres.insert(centres.end(),
                     {x + .25 + .5 * (k % 2), y + .25 + .5 * (k / 2 % 2), z + .25 + .5 * (k / 4)});
  }
  const std::vector<double> costs(71, 1.);
  const BlockMap map = assign(costs, {.ranks = 4, .place = BlockCentres{centres}});
  EXPECT_EQ(map.faces, 144 - 6 + 12 + 24);
}

TEST(Assign, FindsTheFacesOfFlatAndStretchedMeshes) {
  std::vector<double> flat, stretched;
  for (int i = 0; i < 60; ++i) flat.insert(flat.end(), {.1 * (i % 10), 7. * (i / 10)});
  for (int i = 0; i < 60; ++i)
    stretched.insert(stretched.end(), {1e-3 * (i % 10), 7. * (i / 10), 3.});
  const std::vector<double> costs(60, 1.);
  EXPECT_EQ(assign(costs, {.ranks = 3, .place = BlockCentres{flat, 2}}).faces, 9 * 6 + 10 * 5);
  EXPECT_EQ(assign(costs, {.ranks = 3, .place = BlockCentres{stretched}}).faces, 9 * 6 + 10 * 5);
}

TEST(Assign, TakesCentresOnNoLattice) {
  Draw d(1);
  std::vector<double> centres;
  for (int i = 0; i < 900; ++i) centres.push_back(d.unit());
  for (int i = 0; i < 9; ++i) centres.push_back(.5);  // three blocks in one place
  const BlockMap map = assign(lognormal(303, .5, 1), {.ranks = 12, .place = BlockCentres{centres}});
  EXPECT_LE(map.lambda, 1.05);
  EXPECT_LT(map.faces_cut, .6 * map.faces);
}

TEST(Assign, AddsTheWeightsOfEdges) {
  const std::vector<std::array<int, 2>> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 3}, {2, 3}};
  const std::vector<double> weights = {1, 100, 1, 5, 2};
  const BlockMap map = assign(std::vector<double>(4, 1.),
                              {.ranks = 2, .place = BlockEdges{edges, weights}, .target = 3});
  EXPECT_EQ(map.faces, 109);
  EXPECT_EQ(map.map[1], map.map[2]);
}

// --- Certificates --------------------------------------------------------------------------------

TEST(Assign, SaysWhyLambdaIsNotSmaller) {
  const BlockMap heavy = assign(std::vector<double>{8, 1, 1, 1, 1}, {.ranks = 3});
  EXPECT_DOUBLE_EQ(heavy.lambda, 2);
  EXPECT_DOUBLE_EQ(heavy.bound, 2);
  EXPECT_EQ(heavy.reason,
            "No map has a smaller lambda: the heaviest block alone takes this long on the fastest "
            "rank.");
  const BlockMap tried = assign(std::vector<double>{3, 3, 2, 2, 2}, {.ranks = 2});
  EXPECT_DOUBLE_EQ(tried.lambda, 1);
  const BlockMap hard = assign(std::vector<double>{5, 5, 4, 4, 3, 3, 3}, {.ranks = 3});
  EXPECT_DOUBLE_EQ(hard.bound, hard.lambda);
  const std::vector<double> costs = lognormal(100, .3, 1);
  EXPECT_EQ(assign(costs, {.ranks = 5}).reason,
            "Lambda is within the target, so the map avoids faces and moves instead.");
}

TEST(Assign, JudgesMapsOfOtherRules) {
  const std::vector<double> costs = {1, 2, 3, 4};
  const Map map = {0, 0, 1, 1}, from = {1, 0, 1, -1};
  const BlockMap judged = assess(costs, map, {.ranks = 2, .from = from});
  EXPECT_DOUBLE_EQ(judged.lambda, 1.4);
  EXPECT_DOUBLE_EQ(judged.bound, 1);
  EXPECT_EQ(judged.faces, 3);
  EXPECT_EQ(judged.faces_cut, 1);
  EXPECT_EQ(judged.moved_bytes, 1);
  EXPECT_THROW(assess(costs, map, {.ranks = 2, .most_blocks = 1}), Error);
  EXPECT_THROW(assess(costs, Map{0, 0, 1, 2}, {.ranks = 2}), Error);
  EXPECT_THROW(assess(costs, Map{0, 0, 1}, {.ranks = 2}), Error);
}

// --- The same map everywhere ---------------------------------------------------------------------

TEST(Assign, FindsTheSameMapOnAllMachines) {
  std::vector<double> costs;
  for (int i = 0; i < 512; ++i) costs.push_back(1 + i * 37 % 101);
  const Box box = box_of(8);
  Map from;
  for (int i = 0; i < 512; ++i) from.push_back(i / 16);
  const std::vector<double> halves = {1, 1, 2, .5};
  EXPECT_EQ(hash_of(assign(costs, {.ranks = 32}).map), 1709472386134948941u);
  EXPECT_EQ(hash_of(assign(costs, {.ranks = 64, .place = BlockCentres{box.centres}}).map),
            14917942031390006367u);
  EXPECT_EQ(hash_of(assign(costs, {.ranks = 64, .place = BlockEdges{box.edges}}).map),
            16894314833983887623u);
  EXPECT_EQ(hash_of(assign(costs, {.ranks = 32, .from = from, .place = BlockEdges{box.edges}}).map),
            6413642941074864201u);
  EXPECT_EQ(hash_of(assign(costs, {.ranks = 4, .most_blocks = 160, .speeds = halves}).map),
            11710160413228598483u);
  EXPECT_EQ(hash_of(assign(costs, {.ranks = 8, .phases = 2}).map), 1951023627792039008u);
}

// --- Degenerate input ----------------------------------------------------------------------------

TEST(Assign, TakesDegenerateInput) {
  EXPECT_TRUE(assign(std::vector<double>{}, {.ranks = 3}).map.empty());
  EXPECT_TRUE(assign(std::vector<double>{}, {.ranks = 3, .place = BlockEdges{}}).map.empty());
  EXPECT_TRUE(assign(std::vector<double>{}, {.ranks = 3, .place = BlockCentres{}}).map.empty());
  EXPECT_EQ(assign(std::vector<double>{5}, {.ranks = 1}).map, Map{0});
  EXPECT_EQ(assign(std::vector<double>(7, 1.), {.ranks = 1}).map, Map(7, 0));
  const BlockMap few = assign(std::vector<double>{1, 1}, {.ranks = 5});
  EXPECT_NE(few.map[0], few.map[1]);
  EXPECT_DOUBLE_EQ(few.lambda, 2.5);
  const BlockMap none = assign(std::vector<double>(8, 0.), {.ranks = 2, .most_blocks = 4});
  EXPECT_EQ(std::count(none.map.begin(), none.map.end(), 0), 4);
  EXPECT_EQ(none.lambda, 1);
  EXPECT_EQ(none.reason, "Nothing has a cost.");
  EXPECT_NEAR(assign(std::vector<double>{1e-300, 3e-300, 2e-300}, {.ranks = 2}).lambda, 1, 1e-9);
  EXPECT_NEAR(assign(std::vector<double>{1e300, 3e300, 2e300}, {.ranks = 2}).lambda, 1, 1e-9);
  EXPECT_NEAR(assign(std::vector<double>{1e300, 3e300, 4e300, 1e-300}, {.ranks = 2}).lambda, 1,
              1e-9);
}

TEST(Assign, RefusesBadInput) {
  const std::vector<double> costs = {1, 2, 3, 4}, two = {1, 2};
  const Map far = {0, 1, 2, 0}, short_map = {0};
  const std::vector<std::array<int, 2>> edges = {{0, 4}};
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  const auto message = [&](const std::vector<double>& given, const AssignOptions& options) {
    try {
      assign(given, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "assign");
      EXPECT_FALSE(error.remedy().empty());
      return error.problem();
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({1, nan}, {}), "Cost number 1 is negative, NaN or infinite.");
  EXPECT_EQ(message({1, -1}, {}), "Cost number 1 is negative, NaN or infinite.");
  EXPECT_EQ(message({1e308, 1e308}, {}), "The sum of the costs overflows.");
  EXPECT_EQ(message(costs, {.ranks = 0}), "Blocks for 0 ranks were asked for.");
  EXPECT_EQ(message(costs, {.phases = 3}), "4 costs came for 3 phases.");
  EXPECT_EQ(message(costs, {.phases = 0}), "phases is below 1.");
  EXPECT_EQ(message(costs, {.ranks = 2, .from = far}), "Block 2 comes from rank 2 of 2.");
  EXPECT_EQ(message(costs, {.ranks = 2, .from = short_map}), "from has 1 numbers for 4 blocks.");
  EXPECT_EQ(message(costs, {.ranks = 2, .bytes = two}), "bytes has 2 numbers for 4 blocks.");
  EXPECT_EQ(message(costs, {.most_blocks = -1}), "most_blocks is negative.");
  EXPECT_EQ(message(costs, {.ranks = 3, .memory = {1, 2}}), "memory has 2 numbers for 3 ranks.");
  EXPECT_EQ(message(costs, {.memory = {nan}}), "memory of rank 0 is negative or NaN.");
  EXPECT_EQ(message(costs, {.ranks = 2, .speeds = {1}}), "speeds has 1 numbers for 2 ranks.");
  EXPECT_EQ(message(costs, {.ranks = 2, .speeds = {1, 0}}),
            "The speed of rank 1 is zero, negative, NaN or infinite.");
  EXPECT_EQ(message(costs, {.place = BlockCentres{two}}),
            "centres has 2 coordinates for 4 blocks.");
  EXPECT_EQ(message(costs, {.place = BlockCentres{two, 1}}), "Centres with 1 dimensions came.");
  EXPECT_EQ(message(costs, {.place = BlockEdges{edges}}), "An edge names block 4 of 4.");
  EXPECT_EQ(message(costs, {.place = BlockEdges{edges, two}}), "2 weights came for 1 edges.");
  EXPECT_EQ(message(costs, {.ranks = 2, .node_of_rank = {1}}),
            "node_of_rank has 1 numbers for 2 ranks.");
  EXPECT_EQ(message(costs, {.target = infinite}), "target is below 1, NaN or infinite.");
  EXPECT_EQ(message(costs, {.price_of_moving = -1}),
            "price_of_moving is negative, NaN or above a million.");
}

}  // namespace evenkeel::assign_test
