#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/extras/nodes.hpp>

#include "cut/marks.hpp"
#include "cut/objects.hpp"
#include "cut/units.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "extras/nodes";
constexpr Refusal refuse{stage_name};
using Item = CutObjects::Item;

void require_consecutive(const Communicator& ranks, std::span<const std::int64_t> first_of_node) {
  if (first_of_node[0] == first_of_node[1]) return;
  refuse("The ranks of the node of rank " + std::to_string(ranks.rank()) +
             " are not consecutive in the communicator of all ranks.",
         "Make the communicator of each node from consecutive ranks.");
}

void require_nodes_of(const Communicator& ranks, const Communicator& node, const Nodes& nodes) {
  const bool fit = nodes.count() >= 1 && nodes.first_ranks.back() == ranks.size() &&
                   nodes.here >= 0 && nodes.here < nodes.count() &&
                   nodes.ranks_of(nodes.here) == node.size();
  if (!fit)
    refuse("The nodes do not belong to these communicators.",
           "Ask nodes_of() with the same two communicators.");
}

// --- Among nodes ---------------------------------------------------------------------------------

// Cuts the curve among nodes. The share of a node is proportional to the number of its ranks.
Cut cut_among(const Communicator& ranks, const Nodes& nodes, const Status& status,
              std::span<const WeightedKeys> sets, int dimensions) {
  Marks marks;
  CutOptions options;
  std::vector<std::int64_t> before;
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    before.assign(nodes.first_ranks.begin() + 1, nodes.first_ranks.end() - 1);
    marks = {ranks.size(), before};
    options.parts = nodes.count();
    options.dimensions = dimensions;
  });
  return cut_at({ranks, ready}, sets, options, marks);
}

// --- To the nodes --------------------------------------------------------------------------------

// The items of this rank, sorted by the node whose range contains them.
struct Sorted {
  std::vector<Item> here, elsewhere;
  std::vector<Note<std::int64_t>> notes;  // counts of items in `elsewhere`, in order of ranks
};

std::vector<CutObjects::KeyRange> range_of(const Splitters& splitters, int node) {
  const auto n = static_cast<std::size_t>(node);
  if (splitters[n] == splitters[n + 1]) return {};
  return {{splitters[n].value, splitters[n + 1].value - 1}};
}

// The parts of the curve before and after the range of a node.
std::vector<CutObjects::KeyRange> ranges_beside(const Splitters& splitters, int node) {
  const auto n = static_cast<std::size_t>(node);
  std::vector<CutObjects::KeyRange> ranges;
  if (splitters[n].value > 0) ranges.push_back({0, splitters[n].value - 1});
  if (splitters[n + 1] < splitters.back())
    ranges.push_back({splitters[n + 1].value, splitters.back().value - 1});
  return ranges;
}

// Each item goes to one of the ranks of its node. The choice depends on the sender, so that the
// ranks of the node share the items.
Sorted sorted_by_node(const Communicator& node, const Nodes& nodes, const CutObjects& objects,
                      const Splitters& splitters) {
  Sorted sorted;
  if (const auto range = range_of(splitters, nodes.here); !range.empty())
    sorted.here = objects.items_in(range);
  if (const auto ranges = ranges_beside(splitters, nodes.here); !ranges.empty())
    sorted.elsewhere = objects.items_in(ranges);
  sort_items(sorted.elsewhere);
  const auto end = sorted.elsewhere.end();
  for (auto first = sorted.elsewhere.begin(); first != end;) {
    const int to = owner_of(splitters, CurveKey{first->key});
    const std::uint64_t behind = splitters[static_cast<std::size_t>(to) + 1].value;
    const auto last =
        std::partition_point(first, end, [=](const Item& item) { return item.key < behind; });
    const int rank =
        nodes.first_ranks[static_cast<std::size_t>(to)] + node.rank() % nodes.ranks_of(to);
    sorted.notes.push_back({rank, last - first});
    first = last;
  }
  return sorted;
}

// Collective over `ranks`. Returns the items of this node's range that were sent to this rank, in
// any order. The votes report failures.
std::vector<Item> items_of_node(const Communicator& ranks, const Status& status, Sorted sorted) {
  Status ready = status;
  const std::vector<Note<std::int64_t>> arriving = announce(ranks, stage_name, ready, sorted.notes);
  std::vector<Item> items = std::move(sorted.here);
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      const std::size_t here = items.size();
      std::size_t all = here;
      for (const Note<std::int64_t>& note : arriving) all += static_cast<std::size_t>(note.content);
      items.resize(all);
      const auto itself = [](std::int64_t count) { return count; };
      std::vector<Send> sends;
      std::vector<Receive> receives;
      add_messages(sends, sorted.notes, sorted.elsewhere.data(), MemoryKind::host, itself);
      add_messages(receives, arriving, items.data() + here, MemoryKind::host, itself);
      transfer.emplace(Space::where(MemoryKind::host), ranks, sends, receives);
    });
  vote(ranks, ready);
  const Status sent = attempt(stage_name, [&] { transfer->run(); });
  vote(ranks, sent);
  return items;
}

// --- On a node -----------------------------------------------------------------------------------

// The part of the whole curve that a rank owns.
struct PartOfRank {
  CurveKey first;
  double weight;
};

// Collective over `node`. If the node has no objects, divides its range evenly.
Cut cut_within(const Communicator& node, std::span<const Item> items, const Units& units,
               CurveKey from, CurveKey to, int dimensions) {
  std::vector<CurveKey> keys;
  std::vector<double> weights;
  const Status ready = attempt(stage_name, [&] {
    keys.reserve(items.size());
    weights.reserve(items.size());
    for (const Item& item : items) {
      keys.push_back({item.key});
      weights.push_back(units.weight_of(item.weight));
    }
  });
  std::array<std::int64_t, 2> sums = {std::ssize(items), 0};  // objects and weight
  for (const Item& item : items) sums[1] += item.weight;
  const WeightedKeys set = {keys, weights};
  Cut cut = evenkeel::cut({node, ready}, std::span(&set, 1),
                          {.parts = node.size(), .dimensions = dimensions});
  node.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  // If all objects weigh nothing, a cut reports numbers of objects as weights.
  if (sums[1] == 0) std::fill(cut.weights.begin(), cut.weights.end(), 0.0);
  const auto parts = static_cast<std::uint64_t>(node.size());
  const std::uint64_t length = to.value - from.value;
  for (std::size_t p = 0; p <= parts; ++p)
    cut.splitters[p] = sums[0] > 0
                           ? std::clamp(cut.splitters[p], from, to)
                           : CurveKey{from.value + length / parts * p + length % parts * p / parts};
  return cut;
}

}  // namespace

Nodes nodes_of(const Communicator& ranks, const Communicator& node) {
  // The least candidate for the first rank of the node, and the negated greatest candidate.
  const std::int64_t first = ranks.rank() - node.rank();
  std::array<std::int64_t, 2> extremes = {first, -first};
  node.all_reduce(std::span<std::int64_t>(extremes), Reduction::least);
  extremes[1] = -extremes[1];
  std::vector<char> begins;
  Nodes nodes;
  vote(ranks, attempt(stage_name, [&] {
         require_consecutive(ranks, extremes);
         begins.resize(static_cast<std::size_t>(ranks.size()));
         nodes.first_ranks.reserve(begins.size() + 1);
       }));
  ranks.all_gather(static_cast<char>(node.rank() == 0 ? 1 : 0), std::span(begins));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (begins[static_cast<std::size_t>(rank)] != 0) nodes.first_ranks.push_back(rank);
    if (rank == ranks.rank()) nodes.here = static_cast<int>(nodes.first_ranks.size()) - 1;
  }
  nodes.first_ranks.push_back(ranks.size());
  nodes.first_ranks.shrink_to_fit();
  return nodes;
}

Cut cut_by_nodes(const Voters& voters, const Communicator& node, const Nodes& nodes,
                 std::span<const WeightedKeys> sets, int dimensions) {
  const Communicator& ranks = voters.communicator();
  const exec::Region shown("evenkeel::cut");
  Census mine;
  std::unique_ptr<CutObjects> objects;
  Cut result;
  std::vector<PartOfRank> parts;
  const Status prepared = attempt(stage_name, [&] {
    voters.require_success();
    require_nodes_of(ranks, node, nodes);
    mine = census(sets, dimensions);
    objects = objects_of(sets, 1);
    const auto count = static_cast<std::size_t>(ranks.size());
    parts.resize(count);
    result.weights.resize(count);
    result.splitters.resize(count + 1);
  });
  const Cut among = cut_among(ranks, nodes, prepared, sets, dimensions);
  const Units units(vote<&combine>(ranks, Status(), mine));
  objects->weigh(units);
  Sorted sorted;
  const Status chosen =
      attempt(stage_name, [&] { sorted = sorted_by_node(node, nodes, *objects, among.splitters); });
  const std::vector<Item> items = items_of_node(ranks, chosen, std::move(sorted));

  const auto here = static_cast<std::size_t>(nodes.here);
  Cut within;
  const Status divided = attempt(stage_name, [&] {
    within = cut_within(node, items, units, among.splitters[here], among.splitters[here + 1],
                        dimensions);
  });
  vote(ranks, divided);
  const auto part = static_cast<std::size_t>(node.rank());
  ranks.all_gather(PartOfRank{within.splitters[part], within.weights[part]}, std::span(parts));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    result.splitters[p] = parts[p].first;
    result.weights[p] = parts[p].weight;
  }
  result.splitters.back() = among.splitters.back();
  result.heaviest_object = among.heaviest_object;
  result.reductions = among.reductions + within.reductions;
  result.bytes_reduced = among.bytes_reduced + within.bytes_reduced;
  require_finite_sum(result.weights);
  return result;
}

}  // namespace evenkeel
