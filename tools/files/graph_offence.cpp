#include "files/graph_offence.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr const char* stage = "tools/files";

// An entry of a row, which is sent to the rank that owns the row of the neighbour.
struct Arc {
  std::int64_t vertex, neighbour;
  double weight;
};

// A neighbour in a row, and the weight of the edge.
struct Link {
  std::int64_t neighbour;
  double weight;

  std::pair<std::int64_t, double> order() const { return {neighbour, weight}; }
};

// Vertices are distributed by exec::share_of.
int owner_of(std::int64_t vertex, std::int64_t vertices, std::int64_t ranks) {
  const std::int64_t each = vertices / ranks, rest = vertices % ranks;
  const std::int64_t in_longer = (each + 1) * rest;
  const std::int64_t owner =
      vertex < in_longer ? vertex / (each + 1) : rest + (vertex - in_longer) / each;
  return static_cast<int>(owner);
}

bool has_row(const GraphFile& graph, std::int64_t vertex) {
  return vertex >= graph.first && vertex - graph.first < graph.rows();
}

template <class Body>
void for_each_arc(const GraphFile& graph, const Body& body) {
  for (std::int64_t row = 0; row < graph.rows(); ++row)
    for (std::int64_t e = graph.offsets[static_cast<std::size_t>(row)];
         e < graph.offsets[static_cast<std::size_t>(row) + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      body(Arc{graph.first + row, graph.columns[entry],
               graph.edge_weights.empty() ? 1.0 : graph.edge_weights[entry]});
    }
}

// --- Arcs to other ranks -------------------------------------------------------------------------

// Returns the arcs to rows of other ranks, sorted by neighbour. So they are also sorted by the rank
// that owns the row, since higher ranks own higher rows. Fills `partners` with the number of arcs
// to each such rank.
std::vector<Arc> leaving(const Communicator& communicator, const GraphFile& graph,
                         std::vector<Note<std::int64_t>>& partners) {
  std::vector<Arc> arcs;
  for_each_arc(graph, [&](const Arc& arc) {
    if (!has_row(graph, arc.neighbour)) arcs.push_back(arc);
  });
  std::ranges::sort(arcs, {}, [](const Arc& arc) { return std::pair(arc.neighbour, arc.vertex); });
  for (const Arc& arc : arcs) {
    const int owner = owner_of(arc.neighbour, graph.vertices, communicator.size());
    if (partners.empty() || partners.back().rank != owner) partners.push_back({owner, 0});
    ++partners.back().content;
  }
  return arcs;
}

// Collective. Returns the arcs from all other ranks to rows of this rank.
std::vector<Arc> exchange(const Communicator& communicator, const GraphFile& graph) {
  if (communicator.size() == 1) return {};
  std::vector<Arc> out, in;
  std::vector<Note<std::int64_t>> to, from;
  const Status found = attempt(stage, [&] { out = leaving(communicator, graph, to); });
  vote(communicator, found);
  std::optional<Transfer> transfer;
  const Status announced = attempt(stage, [&] {
    from = announce(communicator, std::span<const Note<std::int64_t>>(to));
    std::int64_t arriving = 0;
    for (const auto& note : from) arriving += note.content;
    in.resize(static_cast<std::size_t>(arriving));
    constexpr auto each = static_cast<std::int64_t>(sizeof(Arc));
    std::vector<Send> sends;
    std::vector<Receive> receives;
    const Arc* next_out = out.data();
    for (const auto& note : to) {
      sends.push_back({note.rank, next_out, note.content * each});
      next_out += note.content;
    }
    Arc* next_in = in.data();
    for (const auto& note : from) {
      receives.push_back({note.rank, next_in, note.content * each});
      next_in += note.content;
    }
    transfer.emplace(Space::where(MemoryKind::host), communicator, sends, receives);
  });
  vote(communicator, announced);
  transfer->run();
  return in;
}

// --- Rows ----------------------------------------------------------------------------------------

// The transposed rows of the portion: for each vertex, the vertices that have it as a neighbour.
class Transposed {
 public:
  Transposed(const GraphFile& graph, const std::vector<Arc>& arrived)
      : starts_(static_cast<std::size_t>(graph.rows()) + 1) {
    const auto for_each_in = [&](const auto& body) {
      for_each_arc(graph, [&](const Arc& arc) {
        if (has_row(graph, arc.neighbour)) body(arc);
      });
      for (const Arc& arc : arrived) body(arc);
    };
    const auto row_of = [&](const Arc& arc) {
      return static_cast<std::size_t>(arc.neighbour - graph.first);
    };
    for_each_in([&](const Arc& arc) { ++starts_[row_of(arc) + 1]; });
    for (std::size_t r = 1; r < starts_.size(); ++r) starts_[r] += starts_[r - 1];
    links_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for_each_in([&](const Arc& arc) { links_[next[row_of(arc)]++] = {arc.vertex, arc.weight}; });
  }

  std::span<Link> row(std::size_t r) {
    return std::span(links_).subspan(starts_[r], starts_[r + 1] - starts_[r]);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<Link> links_;
};

// Both lists are sorted. If a neighbour is only in `back`, the check of its own row finds the
// offence.
std::optional<GraphOffence> offence_in(std::int64_t vertex, std::span<const Link> row,
                                       std::span<const Link> back) {
  auto other = back.begin();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto& [neighbour, weight] = row[i];
    if (neighbour == vertex) return GraphOffence{OffenceKind::loop, vertex, neighbour};
    if (i + 1 < row.size() && row[i + 1].neighbour == neighbour)
      return GraphOffence{OffenceKind::duplicate, vertex, neighbour};
    while (other != back.end() && other->neighbour < neighbour) ++other;
    if (other == back.end() || other->neighbour != neighbour)
      return GraphOffence{OffenceKind::one_way, vertex, neighbour};
    if (other->weight != weight)
      return GraphOffence{OffenceKind::unequal, vertex, neighbour, weight, other->weight};
  }
  return std::nullopt;
}

std::optional<GraphOffence> first_here(const GraphFile& graph, const std::vector<Arc>& arrived) {
  Transposed transposed(graph, arrived);
  std::vector<Link> links;
  for (std::size_t r = 0; r < static_cast<std::size_t>(graph.rows()); ++r) {
    links.clear();
    for (std::int64_t e = graph.offsets[r]; e < graph.offsets[r + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      links.push_back(
          {graph.columns[entry], graph.edge_weights.empty() ? 1.0 : graph.edge_weights[entry]});
    }
    std::ranges::sort(links, {}, &Link::order);
    std::ranges::sort(transposed.row(r), {}, &Link::order);
    if (auto offence =
            offence_in(graph.first + static_cast<std::int64_t>(r), links, transposed.row(r)))
      return offence;
  }
  return std::nullopt;
}

void combine(GraphOffence& into, const GraphOffence& from) noexcept {
  if (std::tie(from.vertex, from.neighbour) < std::tie(into.vertex, into.neighbour)) into = from;
}

}  // namespace

std::optional<GraphOffence> first_offence(const Communicator& communicator,
                                          const GraphFile& graph) {
  const std::vector<Arc> arrived = exchange(communicator, graph);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  GraphOffence mine;
  mine.vertex = none;
  const Status looked = attempt(stage, [&] {
    if (const auto found = first_here(graph, arrived)) mine = *found;
  });
  const GraphOffence first = vote<&combine>(communicator, looked, mine);
  return first.vertex == none ? std::nullopt : std::optional(first);
}

std::string sentence_on(const GraphOffence& offence, int first_number) {
  const std::string vertex = std::to_string(offence.vertex + first_number);
  const std::string neighbour = std::to_string(offence.neighbour + first_number);
  switch (offence.kind) {
    case OffenceKind::loop: return joined({"Vertex ", vertex, " is its own neighbour."});
    case OffenceKind::duplicate:
      return joined({"Vertex ", vertex, " has the neighbour ", neighbour, " twice."});
    case OffenceKind::one_way:
      return joined({"Vertex ", vertex, " has the neighbour ", neighbour, ", but vertex ",
                     neighbour, " does not have the neighbour ", vertex, "."});
    case OffenceKind::unequal: break;
  }
  return joined({"The edge between the vertices ", vertex, " and ", neighbour, " weighs ",
                 text_of(offence.weight), " in the row of the former and ",
                 text_of(offence.weight_back), " in the row of the latter."});
}

}  // namespace evenkeel::tool
