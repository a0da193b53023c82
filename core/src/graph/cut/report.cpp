#include "graph/cut/report.hpp"

#include "graph/improve/moves_state.hpp"
#include "graph/improve/ways.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* report_label = "evenkeel::graph::report";

// Adds up the number of other parts in which each vertex has neighbours.
template <class Instance>
struct CountVolume {
  MovesState state;
  std::int64_t* volume;
  KOKKOS_FUNCTION bool wants(Vertex) const { return true; }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    std::int64_t others = 0;
    for (int i = 0; i < all.size(); ++i) others += all.part(i) != state.parts[v] ? 1 : 0;
    add<Instance>(volume, others);
  }
};

// The number of cut edges of a listed vertex.
struct CutEdges {
  RowsView rows;
  const Vertex* list;
  const int* parts;
  const Address* clusters;  // if not null, only edges within one cluster count
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const Vertex v = list[i];
    std::int64_t cut = 0;
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (parts[rows.columns[e]] != parts[v] &&
          (clusters == nullptr || clusters[rows.columns[e]] == clusters[v]))
        ++cut;
    return cut;
  }
};

struct Moved {
  const int *parts, *homes;
  const std::int64_t* stay;     // 0 if the home was chosen for the vertex
  const std::int64_t* weights;  // null if each vertex counts as 1
  int constraints;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    if (stay[v] == 0 || homes[v] == parts[v]) return 0;
    return weights != nullptr ? weights[v * constraints] : 1;
  }
};

template <class Instance>
struct AddUpParts {
  const int* parts;
  const std::int64_t* weights;  // null if each vertex counts as 1
  const std::int64_t* stay;     // if not null, vertices for which it is 0 do not count
  int constraints;
  std::int64_t* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (stay != nullptr && stay[v] == 0) return;
    add<Instance>(&sums[parts[v]], weights != nullptr ? weights[v * constraints] : 1);
  }
};

// Collective. Returns the weight of the vertices of each part, or their number if `weights` is
// null. If `stay` is not null, vertices for which it is 0 do not count.
std::vector<std::int64_t> sums_of(const Communicator& communicator, const Level& level,
                                  int part_count, const exec::Array<int>& parts,
                                  const std::int64_t* weights = nullptr,
                                  const std::int64_t* stay = nullptr) {
  std::vector<std::int64_t> sums;
  vote(communicator, attempt(moves_stage, [&] {
         const auto there = exec::filled<std::int64_t>(level.space, report_label, part_count, 0);
         with_space(level.space, [&](const auto& instance) {
           using Instance = std::remove_cvref_t<decltype(instance)>;
           exec::for_each(
               instance, report_label, level.owned,
               AddUpParts<Instance>{parts.data(), weights, stay, level.constraints, there.data()});
         });
         sums = there.on_host();
       }));
  communicator.all_reduce(std::span(sums), Reduction::sum);
  return sums;
}

struct MayLeave {
  const int *parts, *fixed;   // `fixed` is null if no vertex is fixed
  const std::int64_t* gives;  // the number of vertices that each part can give
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    return gives[parts[v]] > 0 && (fixed == nullptr || fixed[v] < 0);
  }
};

// A vertex that may go to an empty part.
struct Volunteer {
  int part;
  int rank;
  std::int64_t order;
  std::uint64_t name;
  std::int64_t vertex;
  bool operator<(const Volunteer& other) const {
    if (part != other.part) return part < other.part;
    return order != other.order ? order < other.order : name < other.name;
  }
};

// If this is false, each part has weight, and so it has a vertex.
bool has_weightless_part(const Moves& moves) {
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p)
    if (moves.loads.weights[p * static_cast<std::size_t>(moves.goal.constraints)] == 0) return true;
  return false;
}

// Counts over all ranks. Each cut edge is counted at both its ends.
struct CutCounts {
  std::int64_t volume, cut_edges, broken, moved, moved_weight;
};
void combine(CutCounts& into, const CutCounts& from) noexcept {
  into.volume += from.volume;
  into.cut_edges += from.cut_edges;
  into.broken += from.broken;
  into.moved += from.moved;
  into.moved_weight += from.moved_weight;
}

CutCounts counts_here(const GraphRead& read, Moves& moves) {
  const Level& level = read.level;
  const Space& space = level.space;
  const int* const parts = moves.vertices.parts.data();
  const VertexList& border = moves.lists.border;
  CutCounts counts = {};
  const auto volume = exec::filled<std::int64_t>(space, report_label, 1, 0);
  with_space(space, [&](const auto& instance) {
    using Instance = std::remove_cvref_t<decltype(instance)>;
    for_listed(instance, moves, border, CountVolume<Instance>{state_of(moves), volume.data()});
  });
  counts.volume = volume.on_host()[0];
  const auto cut_edges = [&](const Address* within) {
    return exec::sum<std::int64_t>(space, border.size(),
                                   CutEdges{RowsView(level.rows), border.data(), parts, within});
  };
  counts.cut_edges = cut_edges(nullptr);
  if (read.has_uncuttable) counts.broken = cut_edges(read.uncuttable.data());
  if (!level.wishes.has_homes) return counts;
  const auto moved = [&](const std::int64_t* weights) {
    return exec::sum<std::int64_t>(space, level.owned,
                                   Moved{parts, level.wishes.homes.data(), level.wishes.stay.data(),
                                         weights, level.constraints});
  };
  counts.moved = moved(nullptr);
  counts.moved_weight = moved(level.weights.data());
  return counts;
}

int most_neighbours(const std::vector<Border>& borders, int parts) {
  std::vector<int> neighbours(static_cast<std::size_t>(parts), 0);
  for (const Border& border : borders) ++neighbours[static_cast<std::size_t>(border.from)];
  return *std::max_element(neighbours.begin(), neighbours.end());
}

void report_evenness(const Moves& moves, const Goal& goal, GraphReport& report) {
  const auto constraints = static_cast<std::size_t>(goal.constraints);
  for (std::size_t c = 0; c < constraints; ++c) {
    double greatest = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(goal.parts); ++p)
      greatest = std::max(greatest, static_cast<double>(moves.loads.weights[p * constraints + c]) /
                                        goal.share_of(p, 1));
    const auto total = static_cast<double>(goal.totals[c]);
    report.lambda.push_back(lambda_of(greatest, total, goal.parts));
    report.bound.push_back(lambda_of(static_cast<double>(goal.bottlenecks[c]), total, goal.parts));
  }
}

// Collective. Returns the weight that must move in any cut, as a share of `total`: the weight by
// which parts exceed the limit if all vertices with a given home are there.
double least_moved(const Communicator& communicator, const Level& level, const Goal& goal,
                   double total) {
  double least = 0;
  std::size_t part = 0;
  for (const std::int64_t weight : sums_of(communicator, level, goal.parts, level.wishes.homes,
                                           level.weights.data(), level.wishes.stay.data())) {
    const std::int64_t excess = weight - goal.limit_of(part++, 0);
    least += static_cast<double>(std::max<std::int64_t>(excess, 0)) / total;
  }
  return least;
}

// Returns the vertices of this rank that may go to an empty part, sorted. Part p contributes at
// most gives[p] of them.
std::vector<Volunteer> volunteers_here(const Level& level, int rank, const exec::Array<int>& parts,
                                       const std::vector<std::int64_t>& gives, Volunteers kind) {
  const Space& space = level.space;
  const exec::Array<std::int64_t> gives_there(space, report_label,
                                              std::span<const std::int64_t>(gives));
  const int* const fixed = level.wishes.has_fixed ? level.wishes.fixed.data() : nullptr;
  const std::vector<std::int64_t> vertices =
      exec::numbers_that(space, report_label, level.owned,
                         MayLeave{parts.data(), fixed, gives_there.data()})
          .on_host();
  const std::vector<int> their_parts = exec::picked(parts, report_label, vertices);
  const std::vector<std::uint64_t> names = exec::picked(level.names, report_label, vertices);
  std::vector<std::int64_t> places = vertices, ends = vertices;
  for (std::int64_t& v : places) v *= level.constraints;
  for (std::int64_t& v : ends) ++v;
  const std::vector<std::int64_t> weights = exec::picked(level.weights, report_label, places);
  const std::vector<std::int64_t> row_begins =
      exec::picked(level.rows.offsets, report_label, vertices);
  const std::vector<std::int64_t> row_ends = exec::picked(level.rows.offsets, report_label, ends);
  std::vector<Volunteer> mine;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::int64_t as_seed = row_begins[i] < row_ends[i] ? -weights[i] : 0;
    mine.push_back({their_parts[i], rank, kind == Volunteers::light ? weights[i] : as_seed,
                    names[i], vertices[i]});
  }
  std::sort(mine.begin(), mine.end());
  std::vector<std::int64_t> left = gives;
  std::erase_if(
      mine, [&](const Volunteer& one) { return left[static_cast<std::size_t>(one.part)]-- <= 0; });
  return mine;
}

// Vertices of this rank, and the empty parts that they go to.
struct Transfers {
  std::vector<std::int64_t> vertices;
  std::vector<int> to;
};

// One after the other, each empty part gets a volunteer from the part that has the most vertices at
// that time. counts[p] is the number of vertices of part p.
Transfers transfers_of(std::vector<Volunteer> all, std::vector<std::int64_t> counts, int rank) {
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> next(counts.size(), all.size());
  for (std::size_t i = all.size(); i-- > 0;) next[static_cast<std::size_t>(all[i].part)] = i;
  Transfers mine;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (counts[p] > 0) continue;
    std::size_t donor = counts.size();
    for (std::size_t q = 0; q < counts.size(); ++q) {
      const bool has_more = next[q] < all.size() && all[next[q]].part == static_cast<int>(q);
      if (has_more && counts[q] > 1 && (donor == counts.size() || counts[q] > counts[donor]))
        donor = q;
    }
    if (donor == counts.size()) break;
    const Volunteer& one = all[next[donor]++];
    --counts[donor];
    ++counts[p];
    if (one.rank != rank) continue;
    mine.vertices.push_back(one.vertex);
    mine.to.push_back(static_cast<int>(p));
  }
  return mine;
}

}  // namespace

Moves surveyed(const Communicator& communicator, GraphRead& read, const Goal& goal,
               exec::Array<int> parts) {
  read.level.wishes.has_fixed = read.level.wishes.has_stay = false;
  return Moves(communicator, {}, read.level, goal, std::move(parts));
}

GraphReport report_of(const Communicator& communicator, const GraphRead& read, Moves& moves,
                      const Goal& goal) {
  GraphReport report;
  const Level& level = read.level;
  report.parts = goal.parts;
  report.vertices = read.counts.vertices;
  report.edges = read.counts.edges;
  report.isolated = read.counts.isolated;
  report.loops = read.counts.loops;
  report.duplicates = read.counts.duplicates;
  report.cut = static_cast<double>(moves.worth.cut >> finer_bits);
  const std::vector<Border> borders = borders_of(moves);

  CutCounts mine = {};
  const Status counted = attempt(moves_stage, [&] {
    report.lambda.reserve(static_cast<std::size_t>(goal.constraints));
    report.bound.reserve(static_cast<std::size_t>(goal.constraints));
    report.most_neighbours = most_neighbours(borders, goal.parts);
    mine = counts_here(read, moves);
  });
  const CutCounts all = vote<&combine>(communicator, counted, mine);
  report.volume = all.volume;
  report.cut_edges = all.cut_edges / 2;
  report.broken = all.broken / 2;
  report_evenness(moves, goal, report);
  if (has_weightless_part(moves)) {
    const std::vector<std::int64_t> vertices =
        sums_of(communicator, level, goal.parts, moves.vertices.parts);
    report.empty = static_cast<int>(std::count(vertices.begin(), vertices.end(), 0));
  }
  if (level.wishes.has_homes) {
    const auto vertices = static_cast<double>(std::max<std::int64_t>(read.counts.vertices, 1));
    const auto total = static_cast<double>(std::max<std::int64_t>(goal.totals[0], 1));
    report.moved = static_cast<double>(all.moved) / vertices;
    report.moved_weight = static_cast<double>(all.moved_weight) / total;
    report.least_moved_weight = least_moved(communicator, level, goal, total);
  }
  return report;
}

bool fill_empty(const Communicator& communicator, Moves& moves) {
  return has_weightless_part(moves) && fill_empty(communicator, *moves.level, moves.goal.parts,
                                                  moves.vertices.parts, Volunteers::light);
}

bool fill_empty(const Communicator& communicator, const Level& level, int part_count,
                const exec::Array<int>& parts, Volunteers kind) {
  const std::vector<std::int64_t> counts = sums_of(communicator, level, part_count, parts);
  const std::int64_t empty = std::count(counts.begin(), counts.end(), 0);
  if (empty == 0) return false;
  std::vector<Volunteer> mine;
  const Status ready = attempt(moves_stage, [&] {
    std::vector<std::int64_t> gives = counts;
    for (std::int64_t& count : gives) count = std::clamp<std::int64_t>(count - 1, 0, empty);
    mine = volunteers_here(level, communicator.rank(), parts, gives, kind);
  });
  std::vector<Volunteer> all =
      all_gather(communicator, ready, std::span<const Volunteer>(mine)).values;
  vote(communicator, attempt(moves_stage, [&] {
         const Transfers to_do = transfers_of(std::move(all), counts, communicator.rank());
         const exec::Array<std::int64_t> vertices(level.space, report_label,
                                                  std::span<const std::int64_t>(to_do.vertices));
         const exec::Array<int> to(level.space, report_label, std::span<const int>(to_do.to));
         exec::for_each(level.space, report_label, vertices.size(),
                        exec::Put{to.data(), vertices.data(), parts.data()});
         level.space.fence(report_label);
       }));
  level.ghosts.refresh(parts);
  return true;
}

}  // namespace evenkeel::graphs
