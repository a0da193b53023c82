#include "tables.hpp"

#include "cut/objects.hpp"
#include "drift.hpp"
#include "heap.hpp"
#include "protocols.hpp"
#include "stages.hpp"

#include <evenkeel/extras/nodes.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <random>

namespace evenkeel::scale {

namespace {

constexpr std::int64_t word = 8;
constexpr double target_lambda = 1.05;            // the usual one
constexpr std::int64_t objects_of_survey = 1024;  // of a rank
constexpr std::int64_t survey_rows = 20;          // domains under which loads are added up
constexpr std::int64_t kept_domains = 18;         // by a Balancer, for surveys and to go back

// --- The objects of one rank ---------------------------------------------------------------------

std::vector<CurveKey> keys_anywhere(std::int64_t count) {
  std::mt19937_64 random(7);
  std::vector<CurveKey> keys(static_cast<std::size_t>(count));
  for (CurveKey& key : keys) key = {random() >> 1U};
  return keys;
}

std::vector<std::array<double, 3>> points_anywhere(std::int64_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::array<double, 3>> points(static_cast<std::size_t>(count));
  for (auto& point : points)
    for (double& coordinate : point) coordinate = uniform(random);
  return points;
}

// --- Memory that grows with the ranks ------------------------------------------------------------

// Two duplicates of the communicator. Each has three lists with an entry for each rank.
std::int64_t bytes_of_communicators(std::int64_t ranks) {
  constexpr std::int64_t bytes_of_rank = 2 * sizeof(int) + sizeof(std::int64_t);
  return 2 * bytes_of_rank * ranks;
}

// The bytes of lists in which each rank has four claims, twice, and of the rank of each part.
std::int64_t bytes_of_claims(std::int64_t ranks) {
  constexpr std::int64_t bytes_of_claim = 16;
  return (std::int64_t{8} * bytes_of_claim + static_cast<std::int64_t>(sizeof(int))) * ranks;
}

void cut_alone(const Communicator& self, const std::vector<CurveKey>& keys, std::int64_t parts) {
  const WeightedKeys set = {keys};
  static_cast<void>(cut(self, std::span(&set, 1), {.parts = static_cast<int>(parts)}));
}

// The bytes of a cut of a few objects, which are negligible beside the lists of parts.
std::int64_t bytes_of_cut(std::int64_t parts) {
  const Communicator self(MPI_COMM_SELF);
  const std::vector<CurveKey> keys = keys_anywhere(1000);
  return most_bytes_during([&] { cut_alone(self, keys, parts); });
}

std::int64_t bytes_of_boxes(const Method& method, std::int64_t parts) {
  auto points = points_anywhere(1000);
  return most_bytes_during([&] {
    static_cast<void>(cut_boxes(method, points, {}, static_cast<int>(parts), target_lambda));
  });
}

// --- Looking -------------------------------------------------------------------------------------

Row look_row(const Setting& setting, std::int64_t ranks) {
  return {"look", ranks, cost_of(setting.network, ranks, look()), 0, bytes_of_communicators(ranks)};
}

// The seconds for filling and reading the sums in all rows of a survey.
double seconds_of_sums(std::int64_t ranks) {
  return cpu_seconds_of([=] {
    const std::vector<std::int64_t> sums(static_cast<std::size_t>(survey_rows * ranks), 1);
    volatile std::int64_t seen = std::ranges::max(sums);
    static_cast<void>(seen);
  });
}

Row survey_row(const Setting& setting, std::int64_t ranks) {
  const Cloud cloud(objects_of_survey * ranks, setting.crowding);
  const Searched found = search(cloud, ranks, 0, keys_anywhere(objects_of_survey));
  const Calls calls = survey(ranks, Lie::anyhow, found.calls);
  return {"survey", ranks, cost_of(setting.network, ranks, calls),
          found.seconds + found.counting + seconds_of_sums(ranks),
          bytes_of_cut(ranks) + (survey_rows + kept_domains) * word * ranks};
}

// --- Along a curve -------------------------------------------------------------------------------

double seconds_of_claims(const Setting& setting, std::int64_t ranks, std::int64_t of_each) {
  return static_cast<double>(of_each * ranks) / setting.sorted_per_second;
}

// The sorted objects of a rank in the middle of the curve. They are between its splitters.
std::vector<CurveKey> keys_at_home(const Splitters& splitters, std::int64_t count) {
  const std::size_t middle = splitters.size() / 2 - 1;
  const std::uint64_t first = splitters[middle].value, end = splitters[middle + 1].value;
  std::vector<CurveKey> keys = keys_anywhere(count);
  for (CurveKey& key : keys) key = {first + key.value % std::max<std::uint64_t>(1, end - first)};
  std::sort(keys.begin(), keys.end());
  return keys;
}

struct CurveRows {
  std::vector<Row> rows;
  Splitters splitters;
  std::vector<CurveKey> anywhere, at_home;  // objects of a rank
};

CurveRows curve_rows(const Setting& setting, std::int64_t ranks) {
  const Cloud cloud(setting.objects_of_rank * ranks, setting.crowding);
  CurveRows all;
  all.anywhere = keys_anywhere(setting.objects_of_rank);
  const Searched found = search(cloud, ranks, 0, all.anywhere);
  all.splitters = found.splitters;
  all.at_home = keys_at_home(all.splitters, setting.objects_of_rank);
  const Searched again = search(cloud, ranks, 0, all.at_home);
  const std::int64_t memory = bytes_of_cut(ranks) + bytes_of_claims(ranks);
  const auto add = [&](const char* name, const CurveCut& how, double processor) {
    all.rows.push_back({name, ranks, cost_of(setting.network, ranks, place_on_curve(ranks, how)),
                        processor, memory});
  };
  add("curve, objects anywhere", {Lie::strayed, false, false, found.calls},
      found.seconds + found.counting + seconds_of_claims(setting, ranks, 4));
  add("curve, strayed", {Lie::strayed, true, false, found.calls},
      again.seconds + again.counting + seconds_of_claims(setting, ranks, 2));
  // A search for all splitters in one object.
  const Communicator self(MPI_COMM_SELF);
  const double in_order = cpu_seconds_of([&] { cut_alone(self, keys_anywhere(1), ranks); });
  add("curve, in order", {Lie::in_order, true, false, {}},
      in_order + seconds_of_claims(setting, ranks, 2));
  add("curve, kept", {Lie::in_order, true, true, {}}, 0);
  return all;
}

// --- Among nodes, then among their ranks ---------------------------------------------------------

// The seconds of cut_by_nodes with the objects of a rank. Its searches are trivial here, since
// there is one rank.
double seconds_of_items(std::span<const CurveKey> mine, double elsewhere) {
  const Communicator self(MPI_COMM_SELF);
  const WeightedKeys set = {mine};
  const Nodes nodes = nodes_of(self, self);
  std::vector<CutObjects::Item> leaving;
  const auto count = static_cast<std::size_t>(elsewhere * static_cast<double>(mine.size()));
  for (const CurveKey key : mine.first(count)) leaving.push_back({key.value, 1});
  return cpu_seconds_of([&] {
    static_cast<void>(evenkeel::cut_by_nodes(self, self, nodes, std::span(&set, 1)));
    sort_items(leaving);
  });
}

struct Elsewhere {
  double share;               // of a rank's objects that belong to another node
  std::int64_t destinations;  // ranks of other nodes that a rank sends to
};

Row nodes_row(const Setting& setting, std::int64_t ranks, const char* name,
              std::span<const CurveKey> mine, const Elsewhere& elsewhere) {
  const std::int64_t per_node = std::min<std::int64_t>(ranks, setting.network.ranks_per_node);
  const std::int64_t nodes = (ranks + per_node - 1) / per_node;
  const Cloud of_all(setting.objects_of_rank * ranks, setting.crowding);
  const Cloud of_node(setting.objects_of_rank * per_node, setting.crowding);
  const Searched among = search(of_all, nodes, 0, mine);
  const Searched within = search(of_node, per_node, 0, mine);
  NodeCut how;
  how.ranks = ranks;
  how.ranks_of_node = per_node;
  how.among = among.calls;
  how.within = within.calls;
  const NodeCutCalls calls = cut_by_nodes(how);
  Cost cost = cost_of(setting.network, ranks, calls.among);
  cost += cost_of(setting.network, per_node, calls.within);
  cost += cost_of(setting.network, ranks, calls.last);
  constexpr std::int64_t bytes_of_item = 16;
  const auto items =
      static_cast<std::int64_t>(elsewhere.share * static_cast<double>(setting.objects_of_rank));
  const std::int64_t messages = std::min(elsewhere.destinations, nodes - 1);
  cost += cost_of_mail(setting.network, {messages, 0, 0});  // notes
  cost += cost_of_mail(setting.network, {messages, items * bytes_of_item, 0});
  const double searches = among.seconds + among.counting + within.seconds + within.counting;
  return {name, ranks, cost, searches + seconds_of_items(mine, elsewhere.share),
          bytes_of_cut(nodes) + bytes_of_cut(per_node) + 4 * word * ranks};
}

// --- In boxes ------------------------------------------------------------------------------------

// The processor time is linear in the number of objects of a rank. So two runs with fewer objects
// for each part determine it.
Row boxes_row(const Setting& setting, std::int64_t ranks, const char* name, const Method& method) {
  const std::int64_t of_part = ranks < 500'000 ? 16 : 8;
  const std::int64_t most = std::max(of_part * ranks, setting.objects_of_rank);
  const auto run = [&](std::int64_t count) {
    auto points = points_anywhere(count);
    return cut_boxes(method, points, {}, static_cast<int>(ranks), target_lambda);
  };
  const BoxesCut whole = run(most);
  double processor = whole.seconds;
  if (most > setting.objects_of_rank) {
    const std::int64_t fewer = most / 2;
    const double slope = (whole.seconds - run(fewer).seconds) / static_cast<double>(most - fewer);
    processor =
        std::max(0.0, whole.seconds - slope * static_cast<double>(most - setting.objects_of_rank));
  }
  const Calls calls = place_in_boxes(ranks, {true, false, whole.calls});
  return {name, ranks, cost_of(setting.network, ranks, calls), processor,
          bytes_of_boxes(method, ranks)};
}

// --- By a graph, and by gathering ----------------------------------------------------------------

Row graph_row(const Setting& setting, std::int64_t ranks) {
  const GraphOnRanks on = graph_on(setting.graph, ranks);
  Cost cost = cost_of(setting.network, ranks, on.collectives);
  cost += cost_of_mail(setting.network, {on.messages, on.bytes_sent, 0});
  return {"graph, from nothing", ranks, cost, 0, on.bytes_of_coarsest};
}

// Sends all weights in the order of the curve to rank 0, which cuts them and sends the splitters
// back.
Row root_row(const Setting& setting, std::int64_t ranks) {
  const std::int64_t all = setting.objects_of_rank * ranks;
  const Calls calls = {{CallKind::gather, word * ranks},
                       {CallKind::gather_to_root, word * all},
                       {CallKind::broadcast, word * ranks}};
  constexpr double seconds_of_object = 1e-9;  // to add it up
  return {"all weights to one rank", ranks, cost_of(setting.network, ranks, calls),
          seconds_of_object * static_cast<double>(all), word * all};
}

// Sends the number of objects in each of many cells to all ranks. Each rank then cuts alone. There
// are 64 cells for each part.
Row cells_row(const Setting& setting, std::int64_t ranks) {
  constexpr std::int64_t cells_of_part = 64;
  const Calls calls = {{CallKind::reduction, word * cells_of_part * ranks}};
  constexpr double seconds_of_cell = 1e-9;
  return {"all cells to all ranks", ranks, cost_of(setting.network, ranks, calls),
          seconds_of_cell * static_cast<double>(cells_of_part * ranks),
          word * cells_of_part * ranks};
}

// --- Moving --------------------------------------------------------------------------------------

struct Moved {
  double across, within;  // shares of a rank's objects that move to other nodes, and to its own
  std::int64_t partners;
};

Row move_row(const Setting& setting, std::int64_t ranks, const char* name, const Moved& moved) {
  Cost cost = cost_of(setting.network, ranks, move({{}, {}, true}));
  const auto mail = [&](std::int64_t bytes) {
    const double all = static_cast<double>(bytes * setting.objects_of_rank);
    return Mail{moved.partners, static_cast<std::int64_t>(moved.across * all),
                static_cast<std::int64_t>(moved.within * all)};
  };
  cost += cost_of_mail(setting.network, {moved.partners, 0, 0});  // notes
  cost += cost_of_mail(setting.network, mail(word));              // keys
  cost += cost_of_mail(setting.network, mail(setting.bytes_of_object));
  return {name, ranks, cost, 0, 2 * word * moved.partners};
}

}  // namespace

std::vector<Row> rows_for(const Setting& setting, std::int64_t ranks) {
  const int per_node = setting.network.ranks_per_node;
  std::vector<Row> rows = {look_row(setting, ranks), survey_row(setting, ranks)};
  const CurveRows curve = curve_rows(setting, ranks);
  rows.insert(rows.end(), curve.rows.begin(), curve.rows.end());
  const Cloud now(setting.objects_of_rank * ranks, setting.crowding, setting.drift);
  const Splitters after = search(now, ranks, 0, {}).splitters;
  const Drift drift = drift_between(now, curve.splitters, after, per_node);
  const auto partners = static_cast<std::int64_t>(drift.partners + 1);
  const double other_nodes =
      1 - std::min(1.0, static_cast<double>(per_node) / static_cast<double>(ranks));
  const std::int64_t everybody = std::min(setting.objects_of_rank, ranks - 1);
  rows.push_back(nodes_row(setting, ranks, "nodes, objects anywhere", curve.anywhere,
                           {other_nodes, everybody}));
  rows.push_back(nodes_row(setting, ranks, "nodes, strayed", curve.at_home,
                           {drift.moved_across_nodes, partners}));
  rows.push_back(boxes_row(setting, ranks, "staggered", Staggered{}));
  rows.push_back(boxes_row(setting, ranks, "tensor", Tensor{}));
  rows.push_back(boxes_row(setting, ranks, "bisection", RecursiveBisection{}));
  if (!setting.graph.empty()) rows.push_back(graph_row(setting, ranks));
  rows.push_back(cells_row(setting, ranks));
  rows.push_back(root_row(setting, ranks));
  rows.push_back(
      move_row(setting, ranks, "move, from anywhere", {other_nodes, 1 - other_nodes, everybody}));
  rows.push_back(
      move_row(setting, ranks, "move, after a drift",
               {drift.moved_across_nodes, drift.moved - drift.moved_across_nodes, partners}));
  std::fprintf(stderr,
               "%lld ranks: a drift moves %.2f %% of the objects, %.2f %% across nodes, to %.1f "
               "ranks, %lld at most\n",
               static_cast<long long>(ranks), 100 * drift.moved, 100 * drift.moved_across_nodes,
               drift.partners, static_cast<long long>(drift.most_partners));
  return rows;
}

namespace {

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, bytes < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes,
                units[unit]);
  return text;
}

std::string seconds_text(double seconds) {
  const char* units[] = {"s", "ms", "us"};
  std::size_t unit = 0;
  for (; seconds < 1 && unit + 1 < std::size(units); ++unit) seconds *= 1000;
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.1f %s" : "%.0f %s", seconds, units[unit]);
  return text;
}

template <class Text>
void print_table(const char* title, const std::vector<std::vector<Row>>& by_ranks,
                 const Text& text_of_row) {
  std::printf("\n%s\n\n|", title);
  for (const auto& rows : by_ranks)
    std::printf(" | %lld", static_cast<long long>(rows.front().ranks));
  std::printf(" |\n|---");
  for (std::size_t i = 0; i < by_ranks.size(); ++i) std::printf("|---");
  std::printf("|\n");
  for (std::size_t i = 0; i < by_ranks.front().size(); ++i) {
    std::printf("| %s", by_ranks.front()[i].protocol.c_str());
    for (const auto& rows : by_ranks) std::printf(" | %s", text_of_row(rows[i]).c_str());
    std::printf(" |\n");
  }
}

}  // namespace

void print_tables(const std::vector<std::vector<Row>>& by_ranks) {
  print_table("Seconds", by_ranks, [](const Row& row) { return seconds_text(row.seconds()); });
  print_table("of which on the network", by_ranks,
              [](const Row& row) { return seconds_text(row.network.seconds); });
  print_table("Rounds", by_ranks,
              [](const Row& row) { return std::to_string(row.network.rounds); });
  print_table("Bytes that a rank sends", by_ranks,
              [](const Row& row) { return bytes_text(static_cast<double>(row.network.bytes)); });
  print_table("Memory of a rank", by_ranks,
              [](const Row& row) { return bytes_text(static_cast<double>(row.memory)); });
}

}  // namespace evenkeel::scale
