// Compares cuts of nets with counts that are made net by net.

#include "core/graph/nets.hpp"

#include <evenkeel/core/graph/nets.hpp>

namespace evenkeel::nets_test {
namespace {

using test::NetShare;
using test::NetsOnHost;

struct Cut {
  std::vector<int> parts;  // of all objects, on all ranks
  NetReport report;
};

Cut cut_by(const Communicator& ranks, const Space& space, const NetsOnHost& whole,
           const GraphCutOptions& options, const ByGraph& method, const std::vector<int>& from) {
  const NetShare mine = test::share_of(whole, ranks.rank(), ranks.size());
  const auto there = [&]<class T>(const std::vector<T>& values) {
    return test::array_of(values, space);
  };
  const auto offsets = there(mine.offsets), pins = there(mine.pins);
  const auto weights = there(mine.weights), net_weights = there(mine.net_weights);
  const auto fixed = there(mine.fixed);
  const auto weight_field = test::rows_of_numbers(weights, whole.constraints);
  const auto from_there = there(test::slice(from, mine.first, mine.first + mine.objects));
  NetOptions known;
  if (!whole.weights.empty()) known.weight = weight_field;
  if (!whole.net_weights.empty()) known.net_weight = net_weights;
  if (!whole.fixed.empty()) known.fixed = fixed;
  GraphCutOptions all = options;
  if (!from.empty()) all.from = from_there;
  const NetCut cut = cut_nets(space, ranks, nets(mine.objects, offsets, pins, known), all, method);
  const std::vector<int> parts = cut.parts.on_host();
  return {ranks.all_gather(std::span<const int>(parts)).values, cut.report};
}

Cut cut_of(const NetsOnHost& whole, const GraphCutOptions& options, const ByGraph& method = {},
           const std::vector<int>& from = {}) {
  return cut_by(test::world(), test::space(), whole, options, method, from);
}

// Checks properties that every cut must have, for any nets.
void expect_sound(const NetsOnHost& whole, const Cut& cut, int parts, double target = 1.03) {
  ASSERT_EQ(std::ssize(cut.parts), whole.objects);
  for (const int part : cut.parts) ASSERT_TRUE(part >= 0 && part < parts);
  const NetReport& report = cut.report;
  EXPECT_EQ(report.parts, parts);
  EXPECT_EQ(report.objects, whole.objects);
  EXPECT_EQ(report.nets, whole.size());
  EXPECT_EQ(report.pins, std::ssize(whole.pins));
  const double connectivity = test::connectivity_of(whole, cut.parts);
  EXPECT_NEAR(report.connectivity, connectivity, 1e-5 * connectivity);
  std::int64_t cut_nets = 0, most_parts = 0, large = 0;
  for (std::int64_t e = 0; e < whole.size(); ++e) {
    const std::int64_t its_parts = test::parts_of_net(whole, e, cut.parts);
    cut_nets += its_parts > 1 ? 1 : 0;
    most_parts = std::max(most_parts, its_parts);
    large += std::ssize(whole.net(e)) > most_net_pins ? 1 : 0;
  }
  EXPECT_EQ(report.cut_nets, cut_nets);
  EXPECT_EQ(report.most_parts, most_parts);
  EXPECT_EQ(report.large, large);
  EXPECT_EQ(report.empty, test::empty_parts(cut.parts, parts));
  if (whole.objects >= parts && whole.fixed.empty()) {
    EXPECT_EQ(report.empty, 0);
  }
  for (int c = 0; c < whole.constraints; ++c) {
    const double lambda = test::lambda_of_parts(whole, cut.parts, parts, c);
    EXPECT_NEAR(report.lambda[std::size_t(c)], lambda, 1e-6);
    EXPECT_LE(lambda, std::max(target, report.bound[std::size_t(c)]) + 1e-9);
  }
}

bool is_slow() { return test::size() > 1 || test::space().name() == "TestDevice"; }
const std::vector<Effort>& efforts() {
  static const std::vector<Effort> all = {Effort::good, Effort::fast, Effort::polish};
  static const std::vector<Effort> some = {Effort::good};
  return is_slow() ? some : all;
}

// Weights of objects and nets differ, and some are 0.
NetsOnHost weighted(NetsOnHost whole, int constraints) {
  whole.constraints = constraints;
  for (std::int64_t v = 0; v < whole.objects * constraints; ++v)
    whole.weights.push_back(static_cast<double>(test::mix(v, 2) % 7));
  for (std::int64_t e = 0; e < whole.size(); ++e)
    whole.net_weights.push_back(static_cast<double>(test::mix(e, 3) % 5) * 0.7);
  return whole;
}

std::vector<std::pair<const char*, NetsOnHost>> all_kinds(std::int64_t size) {
  return {{"rows", test::rows_of(test::random_mesh(3 * size, 3))},
          {"nodes", test::nodes_of_cells(60, size / 20)},
          {"communities", test::communities(2 * size, 9, 4 * size, 12, 5)},
          {"wide", test::windows(2 * size, 40, 3)},
          {"weighted", weighted(test::communities(3 * size / 2, 5, 5 * size / 2, 20, 6), 1)}};
}
std::vector<std::pair<const char*, NetsOnHost>> all_kinds() {
  return all_kinds(is_slow() ? 200 : 500);
}

TEST(CutNets, CutsNetsOfAllKinds) {
  for (const auto& [name, whole] : all_kinds())
    for (const Effort effort : efforts())
      for (const int parts : {2, 13}) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(parts) + " parts, " +
                     name_of(effort));
        expect_sound(whole, cut_of(whole, {.parts = parts}, {.effort = effort}), parts);
      }
}

TEST(CutNets, IsTheSameForAllRanksAndSpaces) {
  const Space host = Space::where(MemoryKind::host);
  for (const auto& [name, whole] : all_kinds())
    for (const Effort effort : efforts()) {
      SCOPED_TRACE(std::string(name) + ", " + name_of(effort));
      const Cut cut = cut_of(whole, {.parts = 8}, {.effort = effort});
      const Cut alone =
          cut_by(Communicator::self(), host, whole, {.parts = 8}, {.effort = effort}, {});
      EXPECT_EQ(cut.parts, alone.parts);
      EXPECT_EQ(cut.report.connectivity, alone.report.connectivity);
      const ByGraph method{.effort = effort, .moving_cost = 0.1};
      EXPECT_EQ(cut_of(whole, {.parts = 7}, method, cut.parts).parts,
                cut_by(Communicator::self(), host, whole, {.parts = 7}, method, cut.parts).parts);
    }
}

TEST(CutNets, TakesNetsOfAllKinds) {
  NetsOnHost nothing, alone, single, pairs, everything, huge, weightless, few;
  alone.objects = 200;
  single.objects = 90;
  for (std::int64_t v = 0; v < 90; ++v) single.add({v});
  single.add({});
  pairs.objects = 100;
  for (std::int64_t v = 0; v < 100; v += 2) pairs.add({v, v + 1});
  everything.objects = most_net_pins;
  huge.objects = 500;
  std::vector<std::int64_t> all(500);
  std::iota(all.begin(), all.end(), 0);
  huge.add(all);
  for (int copy = 0; copy < 3; ++copy) everything.add(std::span(all).first(most_net_pins));
  weightless = test::nodes_of_cells(10, 10);
  weightless.net_weights.assign(std::size_t(weightless.size()), 0.0);
  few.objects = 3;
  few.add({0, 1, 2});
  for (const auto& [name, whole] :
       std::vector<std::pair<const char*, NetsOnHost>>{{"nothing", nothing},
                                                       {"no nets", alone},
                                                       {"one pin", single},
                                                       {"pairs", pairs},
                                                       {"everything in one net", everything},
                                                       {"everything in one large net", huge},
                                                       {"no weights", weightless},
                                                       {"few objects", few}})
    for (const int parts : {1, 2, 7}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(parts) + " parts");
      expect_sound(whole, cut_of(whole, {.parts = parts}), parts);
    }
  EXPECT_EQ(cut_of(pairs, {.parts = 5}).report.connectivity, 0);
  EXPECT_EQ(cut_of(everything, {.parts = 4}).report.connectivity, 9);
  EXPECT_EQ(cut_of(huge, {.parts = 4}).report.connectivity, 3);
}

// Tries all cuts of a few objects into two parts of equal size. Returns the least connectivity.
double best_of_all(const NetsOnHost& whole) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned mask = 0; mask < 1U << unsigned(whole.objects); ++mask) {
    std::vector<int> parts;
    for (unsigned v = 0; v < unsigned(whole.objects); ++v) parts.push_back(int(mask >> v & 1U));
    if (2 * std::count(parts.begin(), parts.end(), 1) == whole.objects)
      best = std::min(best, test::connectivity_of(whole, parts));
  }
  return best;
}
TEST(CutNets, FindsWhatTryingAllFinds) {
  double ours = 0, best = 0;
  for (int salt = 0; salt < 12; ++salt) {
    const NetsOnHost whole = test::communities(12, 2, 24, 5, 40 + salt);
    const Cut cut = cut_of(whole, {.parts = 2});
    expect_sound(whole, cut, 2);
    const double least = best_of_all(whole);
    EXPECT_GE(cut.report.connectivity, least);
    EXPECT_LE(cut.report.connectivity, 1.5 * least + 1);
    ours += cut.report.connectivity;
    best += least;
  }
  EXPECT_LE(ours, 1.15 * best);
}

// Object 0 is in part 0, with most pins of two nets. These nets also have pins in part 1. Edges
// between all pins would keep the object there. By nets, its move to its partner in part 1 costs
// nothing.
TEST(CutNets, CountsPartsAndNotEdges) {
  NetsOnHost whole;
  whole.objects = 24;
  for (std::int64_t net = 0; net < 2; ++net) {
    std::vector<std::int64_t> pins = {0, 12 + net};
    for (std::int64_t v = 1; v < 11; ++v) pins.push_back(v);
    whole.add(pins);
  }
  whole.add({0, 20});
  whole.fixed.assign(24, 0);
  for (std::size_t v = 12; v < 24; ++v) whole.fixed[v] = 1;
  std::vector<int> from = whole.fixed;
  whole.fixed[0] = -1;
  for (const Effort effort : efforts()) {
    const Cut cut = cut_of(whole, {.parts = 2}, {.effort = effort, .target_lambda = 1.5}, from);
    expect_sound(whole, cut, 2, 1.5);
    EXPECT_EQ(cut.parts[0], 1);
    EXPECT_EQ(cut.report.connectivity, 2);
  }
  // Now moving the object would bring these nets to another part, so it must stay.
  whole.add({0, 1, 2});
  whole.add({0, 3, 4});
  EXPECT_EQ(cut_of(whole, {.parts = 2}, {.target_lambda = 1.5}, from).parts[0], 0);
}

// Cuts the graph that has an edge for each two pins of a net. These edges share the weight of the
// net.
std::vector<int> parts_by_graph(const NetsOnHost& whole, int parts) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> edges;
  for (std::int64_t e = 0; e < whole.size(); ++e)
    for (const std::int64_t v : whole.net(e))
      for (const std::int64_t u : whole.net(e))
        if (u != v)
          edges[{v, u}] += whole.net_weight(e) / static_cast<double>(std::ssize(whole.net(e)) - 1);
  std::vector<std::int64_t> offsets(std::size_t(whole.objects) + 1, 0), columns;
  std::vector<double> edge_weights;
  for (const auto& [ends, weight] : edges) {
    ++offsets[std::size_t(ends.first) + 1];
    columns.push_back(ends.second);
    edge_weights.push_back(std::round(weight * 4096));
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  GraphOptions known{.edge_weight = edge_weights};
  if (!whole.weights.empty()) known.weight = whole.weights;
  return cut_graph(Space::where(MemoryKind::host), Communicator::self(),
                   graph(offsets, columns, known), {.parts = parts})
      .parts.on_host();
}

TEST(CutNets, IsBetterThanAGraphOfAllPairs) {
  if (test::size() > 1 || is_slow()) return;
  double ratios = 0;
  int count = 0;
  for (const auto& [name, whole] : all_kinds(1000))
    for (const int parts : {8, 32}) {
      SCOPED_TRACE(name);
      const double ratio = cut_of(whole, {.parts = parts}).report.connectivity /
                           test::connectivity_of(whole, parts_by_graph(whole, parts));
      EXPECT_LE(ratio, 1.2);
      ratios += std::log(ratio);
      ++count;
    }
  EXPECT_LE(std::exp(ratios / count), 0.98);
}

TEST(CutNets, BalancesSeveralConstraintsAndKeepsWhatIsFixed) {
  NetsOnHost whole = weighted(test::rows_of(test::random_mesh(1200, 9)), 2);
  expect_sound(whole, cut_of(whole, {.parts = 6}, {.target_lambda = 1.05}), 6, 1.05);
  for (std::int64_t v = 0; v < whole.objects; ++v)
    whole.fixed.push_back(v % 50 == 0 ? int(v / 50 % 6) : -1);
  const Cut cut = cut_of(whole, {.parts = 6}, {.target_lambda = 1.05});
  expect_sound(whole, cut, 6, 1.05);
  for (std::int64_t v = 0; v < whole.objects; v += 50)
    ASSERT_EQ(cut.parts[std::size_t(v)], v / 50 % 6);
}

// A cut that starts from existing parts must move little.
TEST(CutNets, ChangesLittle) {
  NetsOnHost whole = test::nodes_of_cells(60, 40);
  const Cut first = cut_of(whole, {.parts = 8});
  whole.weights.assign(std::size_t(whole.objects), 1.0);
  for (std::size_t v = 0; v < whole.weights.size(); ++v)
    if (first.parts[v] == 3) whole.weights[v] = 1.3;
  const Cut next = cut_of(whole, {.parts = 8}, {}, first.parts);
  expect_sound(whole, next, 8);
  EXPECT_GT(next.report.moved, 0);
  EXPECT_LE(next.report.moved_weight, 5 * next.report.least_moved_weight + 0.01);
  EXPECT_LE(next.report.connectivity, 1.1 * first.report.connectivity);
}

TEST(CutNets, CountsPinsOnceThatANetHasTwice) {
  const NetsOnHost whole = test::rows_of(test::grid(20, 20));
  NetsOnHost twice = whole;
  twice.offsets = {0};
  twice.pins.clear();
  for (std::int64_t e = 0; e < whole.size(); ++e) {
    std::vector<std::int64_t> pins(whole.net(e).begin(), whole.net(e).end());
    pins.insert(pins.end(), whole.net(e).rbegin(), whole.net(e).rend());
    twice.add(pins);
  }
  const Cut cut = cut_of(twice, {.parts = 5});
  expect_sound(twice, cut, 5);
  EXPECT_EQ(cut.report.duplicates, std::ssize(whole.pins));
  EXPECT_EQ(cut.parts, cut_of(whole, {.parts = 5}).parts);
  EXPECT_EQ(cut_of(whole, {.parts = 5}).report.duplicates, 0);
}

TEST(CutNets, KnowsObjectsByIds) {
  const Communicator ranks = test::world();
  const Space host = Space::where(MemoryKind::host);
  const NetsOnHost whole = test::communities(800, 4, 1500, 9, 8);
  const NetShare mine = test::share_of(whole, ranks.rank(), ranks.size());
  const auto scattered = [](std::int64_t v) {
    return static_cast<std::int64_t>(std::uint64_t(v + 5) * 0x9E3779B97F4A7C15U);
  };
  std::vector<std::int64_t> ids, pins;
  for (std::int64_t v = 0; v < mine.objects; ++v) ids.push_back(scattered(mine.first + v));
  for (const std::int64_t pin : mine.pins) pins.push_back(scattered(pin));
  const auto parts_of = [&](const std::vector<std::int64_t>& columns, const NetOptions& known) {
    return cut_nets(host, ranks, nets(mine.objects, mine.offsets, columns, known), {.parts = 4})
        .parts.on_host();
  };
  EXPECT_EQ(parts_of(pins, {.id = ids}), parts_of(mine.pins, {}));
  std::vector<std::int64_t> unknown = pins;
  if (!unknown.empty()) unknown[unknown.size() / 2] = 77;
  EXPECT_ERROR(parts_of(unknown, {.id = ids}), "is 77, an id that no object has");
}

TEST(CutNets, RefusesWhatMakesNoSense) {
  const Communicator ranks = test::world();
  const Space host = Space::where(MemoryKind::host);
  const NetsOnHost whole = test::nodes_of_cells(12, 12);
  const NetShare good = test::share_of(whole, ranks.rank(), ranks.size());
  const auto cut = [&](const NetShare& mine, const NetOptions& known = {},
                       const GraphCutOptions& options = {.parts = 3}) {
    cut_nets(host, ranks, nets(mine.objects, mine.offsets, mine.pins, known), options);
  };
  const auto refuses = [&](const auto& change, const char* text) {
    NetShare bad = good;
    if (ranks.rank() == ranks.size() - 1) change(bad);
    EXPECT_ERROR_EVERYWHERE(cut(bad), text);
  };
  refuses([](NetShare& bad) { bad.pins[3] = 144; }, "Pin 3 of this rank is object 144, but");
  refuses([](NetShare& bad) { bad.pins[2] = -1; }, "Pin 2 of this rank is object -1, but");
  refuses([](NetShare& bad) { bad.offsets[2] = 900; }, "fall after net 2");
  refuses([](NetShare& bad) { bad.offsets[0] = 1; }, "begin at 1");
  refuses([](NetShare& bad) { bad.pins.pop_back(); }, "pins in 'std::vector'");
  refuses([](NetShare& bad) { bad.objects = -1; }, "The number of objects of this rank");
  std::vector<double> weights(std::size_t(std::ssize(good.offsets)) - 1, 1.0);
  weights.back() = -2;
  EXPECT_ERROR(cut(good, {.net_weight = weights}), "of the net weights in 'std::vector' is -2");
  weights.back() = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(cut(good, {.net_weight = weights}), "of the net weights in 'std::vector' is inf");
  weights.pop_back();
  EXPECT_ERROR(cut(good, {.net_weight = weights}), "net weights in 'std::vector' for");
  std::vector<double> costs(std::size_t(good.objects), 1.0);
  costs.front() = -1;
  EXPECT_ERROR(cut(good, {.weight = costs}), "of the weights in 'std::vector' is -1");
  const std::vector<int> fixed(std::size_t(good.objects), 3);
  EXPECT_ERROR(cut(good, {.fixed = fixed}), "is fixed in part 3, but there are 3 parts.");
  EXPECT_ERROR(cut(good, {}, {.parts = -1}), "-1 parts are wanted");
  if (ranks.size() > 1) {
    weights.assign(std::size_t(std::ssize(good.offsets)) - 1, 1.0);
    NetOptions known;
    if (ranks.rank() == 0) known.net_weight = weights;
    EXPECT_ERROR(cut(good, known), "Only some ranks give weights of their nets");
  }
}

}  // namespace
}  // namespace evenkeel::nets_test
