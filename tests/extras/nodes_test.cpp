#include "core/keyed.hpp"
#include "core/values.hpp"

#include <evenkeel/extras/nodes.hpp>

namespace evenkeel::nodes_test {
namespace {

using test::keyed::Object;
using test::keyed::Objects;
using test::keyed::Share;
using test::keyed::share_of;
using test::keyed::Spread;
using test::keyed::spreads;

constexpr std::uint64_t end = end_of_curve(3).value;

// --- The node of each rank -----------------------------------------------------------------------

struct Layout {
  const char* name;
  int (*node)(int rank, int size);
};

constexpr Layout layouts[] = {
    {"one node", [](int, int) { return 0; }},
    {"two nodes", [](int rank, int size) { return 2 * rank / size; }},
    {"the first rank alone", [](int rank, int) { return rank == 0 ? 0 : 1; }},
    {"pairs", [](int rank, int) { return rank / 2; }},
    {"each rank alone", [](int rank, int) { return rank; }},
};

// `order` determines the order of the ranks of a node.
Communicator node_with([[maybe_unused]] int node, [[maybe_unused]] int order) {
#if EVENKEEL_HAS_MPI
  MPI_Comm split = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, node, order, &split);
  Communicator communicator(split);
  MPI_Comm_free(&split);
  return communicator;
#else
  return Communicator::self();
#endif
}
Communicator node_of(const Communicator& ranks, const Layout& layout) {
  return node_with(layout.node(ranks.rank(), ranks.size()), ranks.rank());
}

// --- Objects, the same on all ranks --------------------------------------------------------------

// Weights are integers, so that sums in the oracle are exact.
struct Kind {
  const char* name;
  std::size_t count;
  Object (*object)(std::size_t i, std::uint64_t random);
};

double up_to_1000(std::uint64_t random) { return static_cast<double>(random % 1001); }

constexpr Kind kinds[] = {
    {"anywhere", 3000,
     [](std::size_t, std::uint64_t random) {
       return Object{random % end, up_to_1000(random)};
     }},
    {"clusters", 2000,
     [](std::size_t i, std::uint64_t random) {
       return Object{(end >> (random % 60)) - 1, up_to_1000(random / 60 + i)};
     }},
    {"few keys", 500,
     [](std::size_t, std::uint64_t random) {
       return Object{random % 13 * (end / 13), 1};
     }},
    {"one key", 100,
     [](std::size_t, std::uint64_t) {
       return Object{12345, 2};
     }},
    {"one heavy", 400,
     [](std::size_t i, std::uint64_t random) {
       return Object{random % end, i == 3 ? 900.0 : 1.0};
     }},
    {"weight at the end alone", 400,
     [](std::size_t i, std::uint64_t) {
       return Object{i * (end / 400), i < 200 ? 0.0 : 1.0};
     }},
    {"weightless", 300,
     [](std::size_t, std::uint64_t random) {
       return Object{random % end, 0};
     }},
    {"fewer than ranks", 3,
     [](std::size_t i, std::uint64_t) {
       return Object{i * 1000, 1};
     }},
};

Objects objects_of(const Kind& kind) {
  std::mt19937_64 random(kind.count);
  Objects objects;
  for (std::size_t i = 0; i < kind.count; ++i) objects.push_back(kind.object(i, random()));
  return objects;
}

// Cuts in the memory of the space under test.
Cut cut_share(const Communicator& ranks, const Communicator& node, const Share& mine) {
  const Nodes nodes = nodes_of(ranks, node);
  const auto keys = test::array_of(mine.keys);
  const auto weights = test::array_of(mine.weights);
  const WeightedKeys set = {keys.span(), weights.span(), keys.memory()};
  return cut_by_nodes(ranks, node, nodes, std::span(&set, 1));
}

// --- The oracle: one level after the other, all on one rank --------------------------------------

using Weights = std::map<std::uint64_t, std::int64_t>;  // by key

// Finds the place between keys at which the weight before it is nearest to `share` / `pieces` of
// the total; of two equally near places, the left one.
CurveKey place_of(const Weights& weights, std::int64_t share, std::int64_t pieces) {
  std::int64_t total = 0, before = 0;
  for (const auto& [key, weight] : weights) total += weight;
  for (const auto& [key, weight] : weights) {
    const std::int64_t off = share * total - pieces * before;
    if (off <= pieces * weight) return {off <= pieces * weight - off ? key : key + 1};
    before += weight;
  }
  return {end};
}

struct Expected {
  Splitters splitters;
  std::vector<double> weights;
};

Weights weights_between(const Objects& objects, CurveKey from, CurveKey to) {
  Weights weights;
  for (const Object& object : objects)
    if (object.key >= from.value && object.key < to.value)
      weights[object.key] += static_cast<std::int64_t>(object.weight);
  return weights;
}

bool are_weightless(const Objects& objects) {
  return std::all_of(objects.begin(), objects.end(),
                     [](const Object& object) { return object.weight == 0; });
}

Objects all_alike(Objects objects) {
  for (Object& object : objects) object.weight = 1;
  return objects;
}

std::int64_t sum_of(const Weights& weights) {
  std::int64_t sum = 0;
  for (const auto& [key, weight] : weights) sum += weight;
  return sum;
}

Expected expected_cut(Objects objects, const std::vector<int>& first_ranks) {
  if (are_weightless(objects)) objects = all_alike(objects);
  const Weights all = weights_between(objects, {0}, {end});
  const std::int64_t ranks = first_ranks.back();
  Expected expected;
  CurveKey from = {0};
  for (std::size_t n = 0; n + 1 < first_ranks.size(); ++n) {
    const bool is_last = n + 2 == first_ranks.size();
    const CurveKey to =
        is_last ? CurveKey{end} : std::max(from, place_of(all, first_ranks[n + 1], ranks));
    const std::int64_t parts = first_ranks[n + 1] - first_ranks[n];
    Weights here = weights_between(objects, from, to);
    const bool is_empty = here.empty();
    if (sum_of(here) == 0)  // if nothing has weight, objects count
      for (const Object& object : objects)
        if (object.key >= from.value && object.key < to.value) ++here[object.key];
    for (std::int64_t p = 0; p < parts; ++p) {
      CurveKey at = p == 0 ? from : place_of(here, p, parts);
      if (is_empty) {
        const std::uint64_t length = to.value - from.value,
                            count = static_cast<std::uint64_t>(parts),
                            i = static_cast<std::uint64_t>(p);
        at = {from.value + length / count * i + length % count * i / count};
      }
      expected.splitters.push_back(at);
    }
    from = to;
  }
  expected.splitters.push_back({end});
  for (std::size_t p = 0; p + 1 < expected.splitters.size(); ++p)
    expected.weights.push_back(static_cast<double>(
        sum_of(weights_between(objects, expected.splitters[p], expected.splitters[p + 1]))));
  return expected;
}

double heaviest_key(const Objects& objects) {
  std::int64_t heaviest = 0;
  for (const auto& [key, weight] : weights_between(objects, {0}, {end}))
    heaviest = std::max(heaviest, weight);
  return static_cast<double>(heaviest);
}

// --- Tests ---------------------------------------------------------------------------------------

class CutByNodes : public testing::Test {
 protected:
  Communicator ranks = test::world();
};

// A part may exceed the average by at most the weight of the heaviest key, plus this weight over
// the number of ranks of the node.
void expect_even(const Cut& found, const Nodes& nodes, const Objects& objects) {
  const double average =
      static_cast<double>(sum_of(weights_between(objects, {0}, {end}))) / nodes.first_ranks.back();
  const double heaviest = heaviest_key(objects);
  for (int n = 0; n < nodes.count(); ++n)
    for (int i = 0; i < nodes.ranks_of(n); ++i) {
      const int rank = nodes.first_ranks[static_cast<std::size_t>(n)] + i;
      EXPECT_LE(found.weights[static_cast<std::size_t>(rank)],
                average + heaviest * (1 + 1.0 / nodes.ranks_of(n)));
    }
}

TEST_F(CutByNodes, IsThatOfTheOracle) {
  std::size_t turn = 0;
  for (const Layout& layout : layouts) {
    const Communicator node = node_of(ranks, layout);
    const Nodes nodes = nodes_of(ranks, node);
    for (const Kind& kind : kinds) {
      const Spread& spread = spreads[turn++ % std::size(spreads)];
      SCOPED_TRACE(std::string(layout.name) + ", " + kind.name + ", " + spread.name);
      const Objects objects = objects_of(kind);
      const Cut found = cut_share(ranks, node, share_of(ranks, objects, spread));
      const Expected expected = expected_cut(objects, nodes.first_ranks);
      EXPECT_EQ(found.splitters, expected.splitters);
      EXPECT_EQ(found.weights, expected.weights);
      if (!are_weightless(objects)) expect_even(found, nodes, objects);
    }
  }
}

// In one layout, objects are in the order of the curve, so that hardly any object moves.
TEST_F(CutByNodes, DoesNotDependOnWhereObjectsAre) {
  for (const Layout& layout : {layouts[1], layouts[3]}) {
    SCOPED_TRACE(layout.name);
    const Communicator node = node_of(ranks, layout);
    Objects objects = objects_of(kinds[0]);
    const Cut first = cut_share(ranks, node, share_of(ranks, objects, spreads[0]));
    for (const Spread& spread : spreads)
      EXPECT_EQ(cut_share(ranks, node, share_of(ranks, objects, spread)).splitters,
                first.splitters);
    std::ranges::sort(objects, {}, &Object::key);
    const Cut in_order = cut_share(ranks, node, share_of(ranks, objects, spreads[1]));
    EXPECT_EQ(in_order.splitters, first.splitters);
    EXPECT_EQ(in_order.weights, first.weights);
  }
}

TEST_F(CutByNodes, IsThatOfOneLevelWhereEachRankIsANode) {
  const Communicator node = node_of(ranks, layouts[4]);
  const Share mine = share_of(ranks, objects_of(kinds[0]), spreads[0]);
  const WeightedKeys set = mine.both();
  const Cut one_level = cut(ranks, std::span(&set, 1), {.parts = ranks.size()});
  EXPECT_EQ(cut_share(ranks, node, mine).splitters, one_level.splitters);
}

TEST_F(CutByNodes, DividesTheCurveEvenlyWithoutObjects) {
  for (const Layout& layout : layouts) {
    const Communicator node = node_of(ranks, layout);
    const Nodes nodes = nodes_of(ranks, node);
    const Cut none = cut_by_nodes(ranks, node, nodes, {}, 2);
    ASSERT_EQ(std::ssize(none.splitters), ranks.size() + 1);
    EXPECT_EQ(none.splitters.front(), CurveKey{0});
    EXPECT_EQ(none.splitters.back(), end_of_curve(2));
    EXPECT_TRUE(std::is_sorted(none.splitters.begin(), none.splitters.end()));
    EXPECT_EQ(none.lambda(), 1);
  }
}

TEST_F(CutByNodes, RefusesBadInputOnAllRanks) {
  const Communicator node = node_of(ranks, layouts[1]);
  const Nodes nodes = nodes_of(ranks, node);
  Share mine = share_of(ranks, objects_of(kinds[0]), spreads[0]);
  if (ranks.rank() == ranks.size() - 1) mine.weights.front() = -1;
  const WeightedKeys set = {mine.keys, mine.weights};
  EXPECT_ERROR(cut_by_nodes(ranks, node, nodes, std::span(&set, 1)), "negative");
  EXPECT_ERROR(cut_by_nodes(ranks, node, {}, {}), "do not belong to these communicators");
  const Status refused(Error(ErrorKind::bad_input, Where{"test"}, "No.", "Do not."));
  EXPECT_ERROR(cut_by_nodes({ranks, ranks.rank() == 0 ? refused : Status()}, node, nodes, {}),
               "No.");
}

TEST_F(CutByNodes, RefusesNodesWhoseRanksLieApart) {
  if (ranks.size() < 3) return;
  const Communicator apart = node_with(ranks.rank() % 2, ranks.rank());
  EXPECT_ERROR(nodes_of(ranks, apart), "not consecutive");
  const Communicator backwards = node_with(0, -ranks.rank());
  EXPECT_ERROR(nodes_of(ranks, backwards), "not consecutive");
}

}  // namespace
}  // namespace evenkeel::nodes_test
