#include "graph/report.hpp"

#include "graph/borders.hpp"
#include "graph/moves_state.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::report";

// How many other parts the neighbours of a vertex are in.
template <class Instance>
struct CountVolume {
  State state;
  std::int64_t* volume;
  KOKKOS_FUNCTION bool wants(Vertex) const { return true; }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    std::int64_t others = 0;
    for (int i = 0; i < all.size(); ++i) others += all.part(i) != state.parts[v] ? 1 : 0;
    add<Instance>(volume, others);
  }
};

// Of listed vertices.
struct CutEdges {
  RowsView rows;
  const Vertex* list;
  const int* parts;
  const Address* clusters;  // not null: those between vertices of one cluster
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
  const std::int64_t* weights;  // null: each counts once
  int constraints;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    if (homes[v] < 0 || homes[v] == parts[v]) return 0;
    return weights != nullptr ? weights[v * constraints] : 1;
  }
};

template <class Instance>
struct CountParts {
  const int* parts;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (parts[v] >= 0) add<Instance>(&counts[parts[v]], std::int64_t{1});
  }
};
template <class Instance>
struct WeighParts {
  const int* parts;
  const std::int64_t* weights;
  int constraints;
  std::int64_t* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (parts[v] >= 0) add<Instance>(&sums[parts[v]], weights[v * constraints]);
  }
};

// Collective.
std::vector<std::int64_t> counts_of(const Communicator& communicator, const Level& level,
                                    int part_count, const exec::Array<int>& parts) {
  std::vector<std::int64_t> counts;
  vote(communicator, attempt(moves_stage, [&] {
         const auto there = exec::filled<std::int64_t>(level.space, label, part_count, 0);
         with_space(level.space, [&](const auto& instance) {
           using Instance = std::remove_cvref_t<decltype(instance)>;
           exec::for_each(instance, label, level.owned,
                          CountParts<Instance>{parts.data(), there.data()});
         });
         counts = there.on_host();
       }));
  communicator.all_reduce(std::span(counts), Reduction::sum);
  return counts;
}

struct MayLeave {
  const int *parts, *fixed;   // fixed null: none is
  const std::int64_t* gives;  // of each part
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

struct SetParts {
  const std::int64_t* vertices;
  const int* to;
  int* parts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { parts[vertices[i]] = to[i]; }
};

// Parts that weigh something have vertices.
bool has_weightless_part(const Moves& moves) {
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p)
    if (moves.weights[p * static_cast<std::size_t>(moves.goal.constraints)] == 0) return true;
  return false;
}

}  // namespace

Moves surveyed(const Communicator& communicator, GraphRead& read, const Goal& goal,
               exec::Array<int> parts) {
  read.level.has_fixed = read.level.has_stay = false;
  return Moves(communicator, {}, read.level, goal, std::move(parts));
}

GraphReport report_of(const Communicator& communicator, const GraphRead& read, Moves& moves,
                      const Goal& goal, const PerConstraint& heaviest, std::int64_t clusters) {
  GraphReport report;
  const Level& level = read.level;
  const Space& space = level.space;
  const exec::Array<int>& parts = moves.parts;
  report.parts = goal.parts;
  report.vertices = read.vertices;
  report.edges = read.edges;
  report.isolated = read.isolated;
  report.loops = read.loops;
  report.duplicates = read.duplicates;
  report.cut = static_cast<double>(moves.worth.cut >> finer_bits) * read.edge_unit;
  std::vector<int> neighbours(static_cast<std::size_t>(goal.parts), 0);
  for (const Border& border : borders_of(moves))
    ++neighbours[static_cast<std::size_t>(border.from)];
  report.most_neighbours = *std::max_element(neighbours.begin(), neighbours.end());

  std::array<std::int64_t, 5> sums = {};
  vote(communicator, attempt(moves_stage, [&] {
         const auto volume = exec::filled<std::int64_t>(space, label, 1, 0);
         with_space(space, [&](const auto& instance) {
           using Instance = std::remove_cvref_t<decltype(instance)>;
           for_listed(instance, moves, moves.border,
                      CountVolume<Instance>{state_of(moves), volume.data()});
         });
         sums[0] = volume.on_host()[0];
         const RowsView rows(level.rows);
         const auto cut_edges = [&](const Address* within) {
           return exec::sum<std::int64_t>(
               space, moves.border.size(),
               CutEdges{rows, moves.border.data(), parts.data(), within});
         };
         sums[1] = cut_edges(nullptr);
         if (read.has_uncuttable) sums[2] = cut_edges(read.uncuttable.data());
         if (!level.has_homes) return;
         sums[3] = exec::sum<std::int64_t>(
             space, level.owned,
             Moved{parts.data(), level.homes.data(), nullptr, level.constraints});
         sums[4] = exec::sum<std::int64_t>(
             space, level.owned,
             Moved{parts.data(), level.homes.data(), level.weights.data(), level.constraints});
       }));
  communicator.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  report.volume = sums[0];
  report.cut_edges = sums[1] / 2;
  report.broken = sums[2] / 2;
  const auto constraints = static_cast<std::size_t>(goal.constraints);
  for (std::size_t c = 0; c < constraints; ++c) {
    std::int64_t greatest = 0;
    for (std::size_t p = 0; p < neighbours.size(); ++p)
      greatest = std::max(greatest, moves.weights[p * constraints + c]);
    const auto total = static_cast<double>(goal.totals[c]);
    report.lambda.push_back(lambda_of(static_cast<double>(greatest), total, goal.parts));
    report.bound.push_back(lambda_of(
        static_cast<double>(least_bottleneck(goal, c, heaviest, clusters)), total, goal.parts));
  }
  if (has_weightless_part(moves)) {
    const std::vector<std::int64_t> counts = counts_of(communicator, level, goal.parts, parts);
    report.empty = static_cast<int>(std::count(counts.begin(), counts.end(), 0));
  }
  if (level.has_homes) {
    report.moved = static_cast<double>(sums[3]) /
                   static_cast<double>(std::max<std::int64_t>(read.vertices, 1));
    const double total = static_cast<double>(std::max<std::int64_t>(goal.totals[0], 1));
    report.moved_weight = static_cast<double>(sums[4]) / total;
    std::vector<std::int64_t> before;
    vote(communicator, attempt(moves_stage, [&] {
           const auto there = exec::filled<std::int64_t>(space, label, goal.parts, 0);
           with_space(space, [&](const auto& instance) {
             using Instance = std::remove_cvref_t<decltype(instance)>;
             exec::for_each(instance, label, level.owned,
                            WeighParts<Instance>{level.homes.data(), level.weights.data(),
                                                 level.constraints, there.data()});
           });
           before = there.on_host();
         }));
    communicator.all_reduce(std::span(before), Reduction::sum);
    for (const std::int64_t weight : before)
      report.least_moved_weight +=
          static_cast<double>(std::max<std::int64_t>(weight - goal.limits[0], 0)) / total;
  }
  return report;
}

bool fill_empty(const Communicator& communicator, Moves& moves) {
  return has_weightless_part(moves) &&
         fill_empty(communicator, *moves.level, moves.goal.parts, moves.parts, Volunteers::light);
}

bool fill_empty(const Communicator& communicator, const Level& level, int part_count,
                const exec::Array<int>& parts, Volunteers kind) {
  const Space& space = level.space;
  std::vector<std::int64_t> counts = counts_of(communicator, level, part_count, parts);
  const std::int64_t empty = std::count(counts.begin(), counts.end(), 0);
  if (empty == 0) return false;
  std::vector<std::int64_t> gives;
  gives.reserve(counts.size());
  for (const std::int64_t count : counts)
    gives.push_back(std::clamp<std::int64_t>(count - 1, 0, empty));
  std::vector<Volunteer> mine;
  const Status ready = attempt(moves_stage, [&] {
    const exec::Array<std::int64_t> gives_there(space, label, std::span<const std::int64_t>(gives));
    const exec::Array<std::int64_t> free =
        exec::numbers_that(space, label, level.owned,
                           MayLeave{parts.data(), !level.has_fixed ? nullptr : level.fixed.data(),
                                    gives_there.data()});
    const std::vector<std::int64_t> vertices = free.on_host();
    const std::vector<int> their_parts = exec::picked(parts, label, vertices);
    const std::vector<std::uint64_t> names = exec::picked(level.names, label, vertices);
    std::vector<std::int64_t> places;
    places.reserve(vertices.size());
    for (const std::int64_t v : vertices) places.push_back(v * level.constraints);
    const std::vector<std::int64_t> weights = exec::picked(level.weights, label, places);
    std::vector<std::int64_t> ends = vertices;
    for (std::int64_t& v : ends) ++v;
    const std::vector<std::int64_t> row_begins = exec::picked(level.rows.offsets, label, vertices);
    const std::vector<std::int64_t> row_ends = exec::picked(level.rows.offsets, label, ends);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const std::int64_t as_seed = row_begins[i] < row_ends[i] ? -weights[i] : 0;
      mine.push_back({their_parts[i], communicator.rank(),
                      kind == Volunteers::light ? weights[i] : as_seed, names[i], vertices[i]});
    }
    std::sort(mine.begin(), mine.end());
    // No more of a part than may go.
    std::vector<std::int64_t> left = gives;
    std::erase_if(mine, [&](const Volunteer& one) {
      return left[static_cast<std::size_t>(one.part)]-- <= 0;
    });
  });
  std::vector<Volunteer> all =
      all_gather(communicator, ready, std::span<const Volunteer>(mine)).values;
  vote(communicator, attempt(moves_stage, [&] {
         std::sort(all.begin(), all.end());
         // One after the other from the part with the most vertices.
         std::vector<std::size_t> next(counts.size(), all.size());
         for (std::size_t i = all.size(); i-- > 0;) next[static_cast<std::size_t>(all[i].part)] = i;
         std::vector<std::int64_t> vertices;
         std::vector<int> to;
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
           if (one.rank != communicator.rank()) continue;
           vertices.push_back(one.vertex);
           to.push_back(static_cast<int>(p));
         }
         const exec::Array<std::int64_t> vertices_there(space, label,
                                                        std::span<const std::int64_t>(vertices));
         const exec::Array<int> to_there(space, label, std::span<const int>(to));
         exec::for_each(space, label, vertices_there.size(),
                        SetParts{vertices_there.data(), to_there.data(), parts.data()});
         space.fence(label);
       }));
  level.ghosts.refresh(parts);
  return true;
}

}  // namespace evenkeel::graphs
