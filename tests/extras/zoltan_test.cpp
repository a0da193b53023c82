#include <evenkeel/extras/zoltan.hpp>

#include "core/graph/graphs.hpp"

namespace {

// The data of an application: rows of a graph, and a call-back that may fail.
struct Application {
  evenkeel::test::Part mine;
  int dimensions = 0;           // of weights
  const char* failing = "";     // the call-back that fails
  int ierr = 0;                 // if it is 0, the call-back throws
  std::vector<int> parts = {};  // of the objects, for call-backs that return them
  int changed_neighbour = -1;   // the entry of the columns that gets another id
  std::vector<std::string> calls = {};

  int count() const { return static_cast<int>(mine.offsets.size()) - 1; }
  int degree(int v) const {
    return static_cast<int>(mine.offsets[std::size_t(v) + 1] - mine.offsets[std::size_t(v)]);
  }
};

// Ids differ from the numbers of vertices, and have another order. If an id has two entries,
// neither alone is distinct.
void write_gid(std::int64_t v, int entries, unsigned int* gid) {
  const auto id = static_cast<unsigned int>(v) * 2654435761U;
  gid[0] = entries == 1 ? id : id % 8;
  if (entries == 2) gid[1] = id / 8;
}
void write_lid(int v, int entries, unsigned int* lid) {
  for (int k = 0; k < entries; ++k) lid[k] = static_cast<unsigned int>(10 * v + k);
}
void expect_ids(const Application& application, int v, int gids, int lids,
                const unsigned int* global_id, const unsigned int* local_id) {
  std::vector<unsigned int> gid(std::size_t(gids), 0), lid(std::size_t(lids), 0);
  write_gid(application.mine.first + v, gids, gid.data());
  write_lid(v, lids, lid.data());
  EXPECT_TRUE(std::equal(gid.begin(), gid.end(), global_id));
  EXPECT_TRUE(std::equal(lid.begin(), lid.end(), local_id));
}

Application& entered(void* data, const char* name, int* ierr) {
  auto& application = *static_cast<Application*>(data);
  application.calls.emplace_back(name);
  if (std::string(name) == application.failing) {
    if (application.ierr == 0) throw std::runtime_error(std::string(name) + " gives up");
    *ierr = application.ierr;
  }
  return application;
}

int object_of(const Application& application, const unsigned int* local_id, int lids,
              const unsigned int* global_id, int gids) {
  for (int v = 0; v < application.count(); ++v) {
    if (lids > 0 && local_id[0] != static_cast<unsigned int>(10 * v)) continue;
    unsigned int gid[2] = {0, 0};
    write_gid(application.mine.first + v, gids, gid);
    if (std::equal(gid, gid + gids, global_id)) return v;
  }
  ADD_FAILURE() << "asked for an object that was not listed";
  return 0;
}

void write_edges(const Application& application, int v, int gids, unsigned int* neighbours,
                 int* procs, int dimensions, float* weights) {
  const std::int64_t first = application.mine.offsets[std::size_t(v)];
  for (int k = 0; k < application.degree(v); ++k) {
    const auto e = static_cast<std::size_t>(first + k);
    write_gid(application.mine.columns[e], gids, neighbours + std::ptrdiff_t(k) * gids);
    if (static_cast<int>(e) == application.changed_neighbour) neighbours[k * gids] = 3;
    procs[k] = 12345;  // must not be read
    if (dimensions == 1) weights[k] = static_cast<float>(application.mine.edge_weights[e]);
  }
}

extern "C" {

int num_obj(void* data, int* ierr) {
  const Application& application = entered(data, "num_obj", ierr);
  return std::string(application.failing) == "count of num_obj" ? -3 : application.count();
}

void obj_list(void* data, int gids, int lids, unsigned int* global_ids, unsigned int* local_ids,
              int dimensions, float* weights, int* ierr) {
  const Application& application = entered(data, "obj_list", ierr);
  EXPECT_EQ(dimensions, application.dimensions);
  for (int v = 0; v < application.count(); ++v) {
    write_gid(application.mine.first + v, gids, global_ids + std::ptrdiff_t(v) * gids);
    write_lid(v, lids, local_ids + std::ptrdiff_t(v) * lids);
    for (int c = 0; c < dimensions; ++c)
      weights[v * dimensions + c] =
          static_cast<float>(application.mine.weights[std::size_t(v * dimensions + c)]);
  }
}

int num_edges(void* data, int gids, int lids, unsigned int* global_id, unsigned int* local_id,
              int* ierr) {
  const Application& application = entered(data, "num_edges", ierr);
  if (std::string(application.failing) == "count of num_edges") return -1;
  return application.degree(object_of(application, local_id, lids, global_id, gids));
}

void num_edges_multi(void* data, int gids, int lids, int objects, unsigned int* global_ids,
                     unsigned int* local_ids, int* counts, int* ierr) {
  const Application& application = entered(data, "num_edges_multi", ierr);
  EXPECT_EQ(objects, application.count());
  for (int v = 0; v < objects; ++v) {
    expect_ids(application, v, gids, lids, global_ids + v * gids, local_ids + v * lids);
    counts[v] = application.degree(v);
  }
}

void edge_list(void* data, int gids, int lids, unsigned int* global_id, unsigned int* local_id,
               unsigned int* neighbours, int* procs, int dimensions, float* weights, int* ierr) {
  const Application& application = entered(data, "edge_list", ierr);
  write_edges(application, object_of(application, local_id, lids, global_id, gids), gids,
              neighbours, procs, dimensions, weights);
}

void edge_list_multi(void* data, int gids, int lids, int objects, unsigned int* global_ids,
                     unsigned int* local_ids, int* counts, unsigned int* neighbours, int* procs,
                     int dimensions, float* weights, int* ierr) {
  const Application& application = entered(data, "edge_list_multi", ierr);
  EXPECT_EQ(objects, application.count());
  for (int v = 0; v < objects; ++v) {
    expect_ids(application, v, gids, lids, global_ids + v * gids, local_ids + v * lids);
    EXPECT_EQ(counts[v], application.degree(v));
    write_edges(application, v, gids, neighbours, procs, dimensions, weights);
    neighbours += std::ptrdiff_t(counts[v]) * gids;
    procs += counts[v];
    weights += std::ptrdiff_t(counts[v]) * dimensions;
  }
}

int part_now(void* data, int gids, int lids, unsigned int* global_id, unsigned int* local_id,
             int* ierr) {
  const Application& application = entered(data, "part", ierr);
  return application.parts[std::size_t(object_of(application, local_id, lids, global_id, gids))];
}

void parts_now(void* data, int, int, int, unsigned int*, unsigned int*, int* parts, int* ierr) {
  const Application& application = entered(data, "part_multi", ierr);
  std::copy(application.parts.begin(), application.parts.end(), parts);
}

}  // extern "C"

}  // namespace

namespace evenkeel::zoltan_test {
namespace {

using test::GraphOnHost;

enum class Form { single, multi };

GraphCallbacks callbacks_of(Application& application, Form form = Form::single) {
  GraphCallbacks all = {.num_obj = {num_obj, &application}, .obj_list = {obj_list, &application}};
  if (form == Form::single) {
    all.num_edges = {num_edges, &application};
    all.edge_list = {edge_list, &application};
  } else {
    all.num_edges_multi = {num_edges_multi, &application};
    all.edge_list_multi = {edge_list_multi, &application};
  }
  all.obj_weight_dim = application.dimensions;
  all.edge_weight_dim = application.mine.edge_weights.empty() ? 0 : 1;
  return all;
}

// The same call-backs, with those that return the parts of objects.
GraphCallbacks callbacks_with_parts(Application& application, Form form) {
  GraphCallbacks all = callbacks_of(application, form);
  if (form == Form::single)
    all.part = {part_now, &application};
  else
    all.part_multi = {parts_now, &application};
  return all;
}

Application application_of(const GraphOnHost& graph) {
  Application application{.mine = test::share_of(graph, test::rank(), test::size())};
  application.dimensions = graph.weights.empty() ? 0 : graph.constraints;
  return application;
}

GraphOnHost weighted_grid(std::int64_t width, std::int64_t height, int constraints) {
  GraphOnHost graph = test::grid(width, height);
  graph.constraints = constraints;
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    for (int c = 0; c < constraints; ++c)
      graph.weights.push_back(static_cast<double>(1 + test::mix(v, c) % 4));
    for (const std::int64_t u : graph.row(v))
      graph.edge_weights.push_back(static_cast<double>(1 + (u + v) % 3));
  }
  return graph;
}

// Cuts the same share with cut_graph, which uses numbers and no call-backs.
GraphCut direct_cut(const Application& application, const GraphCutOptions& options,
                    const ByGraph& method = {}) {
  const Communicator ranks = test::world();
  const test::Part& mine = application.mine;
  const auto weights =
      raw_field(const_cast<double*>(mine.weights.data()),
                {.count = mine.weights.empty() ? 0 : std::int64_t{application.count()},
                 .components = std::max(application.dimensions, 1)});
  GraphOptions known;
  if (application.dimensions > 0) known.weight = weights;
  if (!mine.edge_weights.empty()) known.edge_weight = mine.edge_weights;
  return cut_graph(test::space(), ranks, graph(mine.offsets, mine.columns, known), options, method);
}

CallbackCut cut_of(const GraphCallbacks& callbacks, const CallbackOptions& options = {},
                   const ByGraph& method = {}) {
  const Communicator ranks = test::world();
  return cut_by_callbacks(test::space(), ranks, callbacks, options, method);
}

void expect_same(const CallbackCut& cut, const GraphCut& direct) {
  EXPECT_EQ(cut.parts, direct.parts.on_host());
  EXPECT_EQ(cut.report.cut, direct.report.cut);
  EXPECT_EQ(cut.report.lambda, direct.report.lambda);
  EXPECT_EQ(cut.report.vertices, direct.report.vertices);
}

// --- The cut -------------------------------------------------------------------------------------

TEST(Callbacks, CutWhatCutGraphCuts) {
  Application application = application_of(test::grid(26, 20));
  const GraphCut direct = direct_cut(application, {.parts = 4});
  for (const Form form : {Form::single, Form::multi})
    expect_same(
        cut_of(callbacks_of(application, form), {.parts = 4, .approach = GraphApproach::partition}),
        direct);
}

TEST(Callbacks, TellWeights) {
  for (const int constraints : {1, 3}) {
    Application application = application_of(weighted_grid(26, 20, constraints));
    const ByGraph method = {.effort = Effort::fast, .target_lambda = 1.2};
    const GraphCut direct = direct_cut(application, {.parts = 3}, method);
    EXPECT_EQ(direct.report.lambda.size(), std::size_t(constraints));
    for (const Form form : {Form::single, Form::multi})
      expect_same(cut_of(callbacks_of(application, form),
                         {.parts = 3, .approach = GraphApproach::partition}, method),
                  direct);
  }
}

TEST(Callbacks, TakeIdsOfTwoEntriesAndAnyLocalOnes) {
  Application application = application_of(test::grid(26, 20));
  const GraphCut direct = direct_cut(application, {.parts = 4});
  for (const int lids : {0, 1, 3})
    for (const Form form : {Form::single, Form::multi}) {
      GraphCallbacks callbacks = callbacks_of(application, form);
      callbacks.num_gid_entries = 2;
      callbacks.num_lid_entries = lids;
      const CallbackCut cut = cut_of(callbacks, {.parts = 4, .approach = GraphApproach::partition});
      expect_same(cut, direct);
      EXPECT_EQ(cut.exports.global_ids.size(), 2 * cut.exports.procs.size());
      EXPECT_EQ(cut.exports.local_ids.size(), std::size_t(lids) * cut.exports.procs.size());
      EXPECT_EQ(cut.imports.local_ids.size(), std::size_t(lids) * cut.imports.procs.size());
    }
}

TEST(Callbacks, OfManyObjectsGoFirst) {
  Application application = application_of(test::grid(8, 8));
  GraphCallbacks both = callbacks_of(application, Form::multi);
  both.num_edges = {num_edges, &application};
  both.edge_list = {edge_list, &application};
  application.parts.assign(std::size_t(application.count()), 0);
  both.part = {part_now, &application};
  both.part_multi = {parts_now, &application};
  cut_of(both);
  const std::vector<std::string> calls = {"num_obj", "obj_list", "num_edges_multi",
                                          "edge_list_multi", "part_multi"};
  EXPECT_EQ(application.calls, calls);
}

TEST(Callbacks, MarkEdgesThatMustNotBeCut) {
  // No float has the value `marked`. The lump is heavier than a part may be, so only marks keep it
  // together.
  constexpr double marked = 16777217;
  GraphOnHost graph = test::grid(24, 24);
  std::vector<std::pair<std::int64_t, std::int64_t>> kept;
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (const std::int64_t u : graph.row(v)) {
      const bool is_bar = u % 24 == v % 24 && u / 24 / 3 == v / 24 / 3;
      const bool is_lump = u % 24 < 12 && v % 24 < 12 && u / 24 < 12 && v / 24 < 12;
      const bool is_kept = is_bar || is_lump;
      if (is_kept) kept.emplace_back(v, u);
      graph.edge_weights.push_back(is_kept ? marked : 1);
    }
  Application application = application_of(graph);
  GraphCallbacks callbacks = callbacks_of(application);
  callbacks.uncuttable_from = marked;
  const Communicator ranks = test::world();
  const auto expect_kept = [&] {
    const CallbackCut cut = cut_of(callbacks, {.parts = 7});
    const auto all = ranks.all_gather(std::span<const int>(cut.parts)).values;
    for (const auto& edge : kept)
      EXPECT_EQ(all[std::size_t(edge.first)], all[std::size_t(edge.second)]);
    EXPECT_EQ(cut.report.broken, 0);
  };
  expect_kept();
  for (double& weight : application.mine.edge_weights)
    if (weight == marked) weight = std::numeric_limits<double>::infinity();
  callbacks.uncuttable_from = std::numeric_limits<double>::infinity();
  expect_kept();
}

// --- The lists -----------------------------------------------------------------------------------

// Ids have up to two entries here.
struct Move {
  std::array<unsigned int, 2> gid = {}, lid = {};
  int from = 0, to = 0, part = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

std::vector<Move> moves_of(const ObjectList& list, const GraphCallbacks& callbacks,
                           bool are_exports) {
  std::vector<Move> moves(list.procs.size());
  const auto gids = callbacks.num_gid_entries, lids = callbacks.num_lid_entries;
  EXPECT_EQ(std::ssize(list.global_ids), gids * std::ssize(list.procs));
  EXPECT_EQ(std::ssize(list.local_ids), lids * std::ssize(list.procs));
  EXPECT_EQ(list.to_part.size(), list.procs.size());
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    std::copy_n(list.global_ids.begin() + at * gids, gids, moves[i].gid.begin());
    std::copy_n(list.local_ids.begin() + at * lids, lids, moves[i].lid.begin());
    moves[i].from = are_exports ? test::rank() : list.procs[i];
    moves[i].to = are_exports ? list.procs[i] : test::rank();
    moves[i].part = list.to_part[i];
  }
  return moves;
}

// Computes the exports by hand, from the parts.
std::vector<Move> expected_exports(const Application& application, const GraphCallbacks& callbacks,
                                   const CallbackCut& cut, const std::vector<int>& before) {
  std::vector<Move> moves;
  for (int v = 0; v < application.count(); ++v) {
    const int part = cut.parts[std::size_t(v)];
    const int to = rank_of_part(part, cut.report.parts, test::size());
    if (part == before[std::size_t(v)] && to == test::rank()) continue;
    Move& move = moves.emplace_back(Move{{}, {}, test::rank(), to, part});
    write_gid(application.mine.first + v, callbacks.num_gid_entries, move.gid.data());
    write_lid(v, callbacks.num_lid_entries, move.lid.data());
  }
  return moves;
}

void expect_lists(const Application& application, const GraphCallbacks& callbacks,
                  const CallbackCut& cut, const std::vector<int>& before) {
  const auto exports = moves_of(cut.exports, callbacks, true);
  EXPECT_EQ(exports, expected_exports(application, callbacks, cut, before));
  // The imports of a rank are the exports of all ranks to it, in their order.
  std::vector<Move> to_me;
  const auto all = test::world().all_gather(std::span<const Move>(exports)).values;
  for (const Move& move : all)
    if (move.to == test::rank()) to_me.push_back(move);
  EXPECT_EQ(moves_of(cut.imports, callbacks, false), to_me);
  EXPECT_EQ(cut.changes, !all.empty());
}

TEST(Callbacks, ListWhatMoves) {
  Application application = application_of(test::grid(26, 20));
  for (const int parts : {0, 1, test::size() - 1, 2 * test::size() + 1}) {
    SCOPED_TRACE(parts);
    GraphCallbacks callbacks = callbacks_of(application, Form::multi);
    callbacks.num_gid_entries = 2;
    callbacks.num_lid_entries = 2;
    // Searches for the first part of this rank.
    const int count = parts > 0 ? parts : test::size();
    int first = no_part;
    for (int part = count; part-- > 0;)
      if (rank_of_part(part, count, test::size()) == test::rank()) first = part;
    const std::vector<int> before(std::size_t(application.count()), first);
    for (const GraphApproach approach :
         {GraphApproach::partition, GraphApproach::repartition, GraphApproach::refine}) {
      const CallbackCut cut =
          cut_of(callbacks, {.parts = parts, .approach = approach}, {.effort = Effort::fast});
      expect_lists(application, callbacks, cut, before);
      GraphCutOptions options;
      options.parts = parts;
      if (approach != GraphApproach::partition) options.from = before;
      const Effort effort = approach == GraphApproach::refine ? Effort::polish : Effort::fast;
      expect_same(cut, direct_cut(application, options, {.effort = effort}));
    }
  }
}

TEST(Callbacks, TellWhereObjectsAre) {
  Application application = application_of(test::grid(30, 20));
  const CallbackOptions first = {.parts = 6, .approach = GraphApproach::partition};
  application.parts = cut_of(callbacks_of(application), first).parts;
  for (const Form form : {Form::single, Form::multi}) {
    const GraphCallbacks callbacks = callbacks_with_parts(application, form);
    const CallbackCut cut = cut_of(callbacks, {.parts = 6});
    GraphCutOptions options;
    options.parts = 6;
    options.from = application.parts;
    expect_same(cut, direct_cut(application, options));
    expect_lists(application, callbacks, cut, application.parts);
    EXPECT_LT(cut.report.moved, 0.1);
  }
}

TEST(Callbacks, ChangeNothingWhereNothingMoves) {
  // Each rank has a connected piece of its own.
  const GraphOnHost graph = test::pieces(test::size(), 60);
  Application application = application_of(graph);
  const CallbackCut cut = cut_of(callbacks_of(application));
  EXPECT_FALSE(cut.changes);
  EXPECT_TRUE(cut.exports.procs.empty());
  EXPECT_TRUE(cut.imports.procs.empty());
  EXPECT_EQ(cut.parts, std::vector<int>(std::size_t(application.count()), test::rank()));
}

TEST(Callbacks, NeedNoObjects) {
  for (const std::int64_t objects : {0, 1, 3}) {
    Application application = application_of(test::path(objects));
    const CallbackCut cut = cut_of(callbacks_of(application), {.parts = 2});
    EXPECT_EQ(cut.report.vertices, objects);
    EXPECT_EQ(std::ssize(cut.parts), application.count());
    if (application.count() == 0) {
      EXPECT_EQ(application.calls, std::vector<std::string>{"num_obj"});
    }
  }
}

TEST(RankOfPart, GivesTheLastRanksMore) {
  const auto ranks_of = [](int parts, int ranks) {
    std::vector<int> all;
    for (int part = 0; part < parts; ++part) all.push_back(rank_of_part(part, parts, ranks));
    return all;
  };
  EXPECT_EQ(ranks_of(8, 5), (std::vector<int>{0, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(ranks_of(5, 3), (std::vector<int>{0, 1, 1, 2, 2}));
  EXPECT_EQ(ranks_of(3, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ranks_of(2, 4), (std::vector<int>{0, 2}));
}

TEST(RankOfPart, SpreadsPartsEvenly) {
  for (const int ranks : {1, 2, 3, 5, 8})
    for (const int parts : {1, 2, 3, 5, 8, 13, 64}) {
      std::vector<int> count(std::size_t(ranks), 0);
      int last = 0;
      for (int part = 0; part < parts; ++part) {
        const int rank = rank_of_part(part, parts, ranks);
        ASSERT_TRUE(rank >= last && rank < ranks);
        last = rank;
        ++count[std::size_t(rank)];
      }
      const auto [least, most] = std::minmax_element(count.begin(), count.end());
      EXPECT_LE(*most - *least, 1);
    }
}

// --- Failures ------------------------------------------------------------------------------------

std::string error_for(const GraphCallbacks& callbacks, const CallbackOptions& options = {}) {
  return test::error_everywhere([&] { cut_of(callbacks, options); });
}

TEST(CallbackErrors, AreThoseOfTheRankThatFails) {
  Application application = application_of(test::grid(10, 10));
  const bool fails = test::rank() == test::size() - 1;
  application.parts.assign(std::size_t(application.count()), 0);
  for (const Form form : {Form::single, Form::multi}) {
    using Names = std::vector<const char*>;
    for (const char* name : form == Form::single
                                ? Names{"num_obj", "obj_list", "num_edges", "edge_list", "part"}
                                : Names{"num_edges_multi", "edge_list_multi", "part_multi"})
      for (const int ierr : {1, -1, -2, 0}) {
        application.failing = fails ? name : "";
        application.ierr = ierr;
        const std::string wanted = ierr == 0 ? std::string(name) + " gives up"
                                             : "The call-back " + std::string(name) +
                                                   " has set ierr to " + std::to_string(ierr);
        EXPECT_MENTIONS(error_for(callbacks_with_parts(application, form)), wanted);
      }
  }
}

TEST(CallbackErrors, NameCountsBelowZero) {
  Application application = application_of(test::grid(10, 10));
  const bool fails = test::rank() == 0;
  application.failing = fails ? "count of num_obj" : "";
  EXPECT_MENTIONS(error_for(callbacks_of(application)), "num_obj counts -3");
  application.failing = fails ? "count of num_edges" : "";
  EXPECT_MENTIONS(error_for(callbacks_of(application)), "num_edges counts -1");
}

TEST(CallbackErrors, NameCallbacksThatAreMissing) {
  Application application = application_of(test::grid(10, 10));
  const auto without = [&](auto GraphCallbacks::*callback, bool is_here = true) {
    GraphCallbacks callbacks = callbacks_of(application);
    if (is_here) callbacks.*callback = {};
    return error_for(callbacks);
  };
  EXPECT_MENTIONS(without(&GraphCallbacks::num_obj), "no call-back num_obj");
  EXPECT_MENTIONS(without(&GraphCallbacks::obj_list), "no call-back obj_list");
  EXPECT_MENTIONS(without(&GraphCallbacks::num_edges), "no call-back num_edges");
  EXPECT_MENTIONS(without(&GraphCallbacks::edge_list, test::rank() == 0), "no call-back edge_list");
}

TEST(CallbackErrors, NameNumbersOutOfRange) {
  Application application = application_of(test::grid(10, 10));
  const GraphCallbacks all = callbacks_of(application);
  const auto with = [&](auto GraphCallbacks::*member, auto value) {
    GraphCallbacks callbacks = all;
    callbacks.*member = value;
    return error_for(callbacks);
  };
  EXPECT_MENTIONS(with(&GraphCallbacks::num_gid_entries, 3), "num_gid_entries is 3");
  EXPECT_MENTIONS(with(&GraphCallbacks::num_gid_entries, 0), "num_gid_entries is 0");
  EXPECT_MENTIONS(with(&GraphCallbacks::num_lid_entries, -1), "num_lid_entries is -1");
  EXPECT_MENTIONS(with(&GraphCallbacks::obj_weight_dim, 9), "obj_weight_dim is 9");
  EXPECT_MENTIONS(with(&GraphCallbacks::edge_weight_dim, 2), "edge_weight_dim is 2");
  EXPECT_MENTIONS(with(&GraphCallbacks::uncuttable_from, 0.0), "uncuttable_from");
  EXPECT_MENTIONS(with(&GraphCallbacks::uncuttable_from, std::nan("")), "uncuttable_from");
  EXPECT_MENTIONS(error_for(all, {.parts = -1}), "-1 parts");
}

TEST(CallbackErrors, NameNumbersThatRanksDisagreeOn) {
  if (test::size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  Application application = application_of(test::grid(10, 10));
  GraphCallbacks callbacks = callbacks_of(application);
  callbacks.num_lid_entries = 1 + (test::rank() == 1 ? 1 : 0);
  EXPECT_MENTIONS(error_for(callbacks), "Ranks differ in num_lid_entries");
  callbacks = callbacks_of(application);
  EXPECT_MENTIONS(error_for(callbacks, {.approach = test::rank() == 0 ? GraphApproach::partition
                                                                      : GraphApproach::refine}),
                  "Ranks differ in approach");
}

TEST(CallbackErrors, NameIdsThatNobodyHas) {
  Application application = application_of(test::grid(10, 10));
  if (test::rank() == test::size() - 1) application.changed_neighbour = 0;
  EXPECT_MENTIONS(error_for(callbacks_of(application)), "is 3, an id that no vertex has");
}

TEST(CallbackErrors, NameWeightsThatAreNone) {
  Application application = application_of(weighted_grid(10, 10, 1));
  if (test::rank() == test::size() - 1) application.mine.edge_weights[2] = std::nan("");
  EXPECT_MENTIONS(error_for(callbacks_of(application)),
                  "Number 2 of the edge weights in 'nbor_ewgts' is nan");
  application = application_of(weighted_grid(10, 10, 1));
  if (test::rank() == test::size() - 1) application.mine.weights[1] = -1;
  EXPECT_MENTIONS(error_for(callbacks_of(application)),
                  "Number 1 of the weights in 'obj_wgts' is -1");
}

}  // namespace
}  // namespace evenkeel::zoltan_test
