// Finds domains that are parts of the graph that a set brings.

#include "cut/keep_in_place.hpp"
#include "field/numbers.hpp"
#include "graph/input/given.hpp"
#include "place/loads.hpp"
#include "place/method.hpp"
#include "place/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/graph.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* graph_label = "evenkeel::place::graph";

void require_one_graph(std::span<const Set> sets) {
  if (sets.size() != 1)
    refuse(std::to_string(sets.size()) + " sets were given, but the method graph places only one.",
           "Give the others a Balancer of their own, or let their data travel as payloads.");
  const SetOptions& options = sets.front().options();
  if (!options.graph)
    refuse("The method graph cuts a graph, but the set has no graph.",
           "Give .graph = ek::graph(offsets, columns), on all ranks, or choose another method.");
  if (options.group.given())
    refuse("The set has groups, which the method graph does not support.",
           "Connect the objects of a group in the graph, by edges that are uncuttable.");
}

// --- The graph that is cut -----------------------------------------------------------------------

struct Interleave {
  const double* numbers;  // null if all are 1
  int component, components;
  double* all;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    all[i * components + component] = numbers == nullptr ? 1 : numbers[i];
  }
};

// An array with several numbers for each object. source() refers to it.
class Interleaved {
 public:
  Interleaved(const Space& space, std::int64_t count, int components, const char* name)
      : count_(count),
        components_(components),
        numbers_(space, graph_label, count * components),
        field_(raw_field(numbers_.data(), {.count = count,
                                           .components = components,
                                           .memory = exec::memory_of(space),
                                           .label = name})) {}
  Interleaved(const Interleaved&) = delete;
  Interleaved& operator=(const Interleaved&) = delete;

  // Sets one component. `numbers` is in memory that the space can access; if it is empty, all are
  // 1.
  void set(int component, std::span<const double> numbers) {
    const Space space = numbers_.space();
    exec::for_each(space, graph_label, count_,
                   Interleave{numbers.empty() ? nullptr : numbers.data(), component, components_,
                              numbers_.data()});
    space.fence(graph_label);
  }
  // Copies all components of a field to the components from `first` on.
  void set(int first, const FieldLayout& given) {
    for (int c = 0; c < given.components; ++c)
      set(first + c, read_reals(numbers_.space(), component_of(given, c), count_).span());
  }
  NumberSource source() const { return field_; }

 private:
  std::int64_t count_;
  int components_;
  exec::Array<double> numbers_;
  RawField<double> field_;
};

// The application's graph, with the costs and positions of its vertices. Refers to the
// application's arrays.
class Described {
 public:
  // Each span of `costs` becomes a constraint; the application's own weights are further
  // constraints. In an empty span all costs are 1.
  Described(const Prepared& prepared, std::span<const std::span<const double>> costs) {
    const Space& space = prepared.space;
    const Set& given = prepared.sets.front();
    const Graph& graph = *given.options().graph;
    GraphOptions options = graph.options();
    options.count = given.count();
    const bool has_own = options.weight.given() && given.count() > 0;
    const int first = static_cast<int>(costs.size());
    const int own = has_own ? options.weight.layout().components : 0;
    weights_.emplace(space, given.count(), first + own, "costs of objects");
    for (int c = 0; c < first; ++c) weights_->set(c, costs[static_cast<std::size_t>(c)]);
    if (has_own) weights_->set(first, options.weight.layout());
    options.weight = weights_->source();
    if (!options.position.given() && given.count() > 0) {
      const FieldLayout at = given.position();
      places_.emplace(space, given.count(), at.components, "positions of objects");
      places_->set(0, at);
      options.position = places_->source();
    }
    const std::vector<exec::Array<int>>& held = prepared.bonds.held;
    if (!held.empty() && !held.front().empty()) options.fixed = held.front();
    graph_.emplace(graph.offsets(), graph.columns(), std::move(options));
  }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  const Graph& graph() const noexcept { return *graph_; }

 private:
  std::optional<Interleaved> weights_, places_;
  std::optional<Graph> graph_;
};

// --- The ranks of parts --------------------------------------------------------------------------

// The number of objects that would change their rank, over all ranks.
struct Elsewhere {
  std::int64_t objects = 0;
  static void add(Elsewhere& into, const Elsewhere& from) noexcept { into.objects += from.objects; }
};

struct CountObjectsOfParts {
  const int* parts;
  std::int64_t* objects;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_add(&objects[parts[i]], std::int64_t{1});
  }
};

// Collective. Gives each part the number of the rank that holds most of its objects, if clearly
// more objects then stay on their rank.
void keep_where_they_are(const PlaceTask& task, exec::Array<int>& parts) {
  const Space& space = task.prepared.space;
  std::vector<std::int64_t> objects;
  const Status counted = attempt(stage_name, [&] {
    const auto counts = exec::filled<std::int64_t>(space, graph_label, task.parts(), 0);
    exec::for_each(space, graph_label, parts.size(),
                   CountObjectsOfParts{parts.data(), counts.data()});
    objects = counts.on_host();
  });
  const std::vector<int> ranks =
      keep_in_place({task.communicator, counted}, objects, {.speeds = task.speeds()});
  if (ranks.empty()) return;  // empty on all ranks, or on no rank
  vote(task.communicator, attempt(stage_name, [&] {
         const exec::Reached<int> reached(space, graph_label, ranks);
         exec::for_each(space, graph_label, parts.size(),
                        exec::Pick{reached.data(), parts.data(), parts.data()});
         space.fence(graph_label);
       }));
}

struct CutFound {
  GraphCut cut;
  double from_nothing = 0;  // the cut of the last division that did not begin from present parts
};

GraphCutOptions cut_options_of(const PlaceTask& task) {
  const std::span<const double> speeds = task.speeds();
  return {.parts = task.parts(), .speeds = {speeds.begin(), speeds.end()}};
}

// Collective. Makes a new division that does not begin from the present parts.
GraphCut cut_from_nothing(const PlaceTask& task, const Graph& graph, const ByGraph& method) {
  GraphCutOptions cutting;
  vote(task.communicator, attempt(stage_name, [&] { cutting = cut_options_of(task); }));
  GraphCut cut = cut_graph(task.prepared.space, task.communicator, graph, cutting, method);
  const bool are_held = task.prepared.region.is_bound;  // bonds hold objects on their ranks
  if (!are_held && task.fresh == nullptr) keep_where_they_are(task, cut.parts);
  return cut;
}

// Collective. Improves the present division, as long as its cut is not far above the cut of a new
// division. A new division has a better cut, but moves many more objects.
CutFound find_cut(const PlaceTask& task, const Graph& graph, const ByGraph& method) {
  constexpr double may_have_drifted = 1.1, has_drifted = 1.2;
  const bool has_parts = parts_of(task.last) == task.communicator.size();
  if (!has_parts || task.fresh != nullptr) {
    GraphCut cut = cut_from_nothing(task, graph, method);
    const double edges = cut.report.cut;
    return {std::move(cut), edges};
  }
  exec::Array<int> here;
  GraphCutOptions cutting;
  vote(task.communicator, attempt(stage_name, [&] {
         here = exec::filled(task.prepared.space, graph_label, task.prepared.set(0).count(),
                             task.communicator.rank());
         cutting = cut_options_of(task);
         cutting.from = here;
       }));
  GraphCut kept = cut_graph(task.prepared.space, task.communicator, graph, cutting, method);
  const auto* last = std::get_if<GraphDomains>(&task.last);
  const double measure = last == nullptr ? 0 : last->cut_from_nothing();
  if (kept.report.cut <= may_have_drifted * measure) return {std::move(kept), measure};
  GraphCut anew = cut_from_nothing(task, graph, method);
  const double edges = anew.report.cut;
  const bool is_worse = kept.report.cut > has_drifted * edges;
  return {is_worse ? std::move(anew) : std::move(kept), edges};
}

GraphGoal goal_of(const PlaceTask& task) {
  const auto* const its = std::get_if<GraphGoal>(&task.goal);
  return its != nullptr ? *its : GraphGoal{task.target_lambda()};
}

// Returns the costs of objects: one span for each phase, or a single span if there are no phases.
std::span<const std::span<const double>> costs_of(const PlaceTask& task) {
  const PhaseCosts phases = goal_of(task).phases;
  return phases.empty() ? task.weights.first(1) : Weights(phases.front());
}

// Returns the number of ranks without objects that could have some.
std::int64_t needlessly_empty(const std::vector<std::int64_t>& objects_of_rank) {
  const std::int64_t objects =
      std::accumulate(objects_of_rank.begin(), objects_of_rank.end(), std::int64_t{0});
  const std::int64_t ranks = std::ssize(objects_of_rank);
  return std::count(objects_of_rank.begin(), objects_of_rank.end(), 0) -
         std::max<std::int64_t>(ranks - objects, 0);
}

void add_objections(std::int64_t& into, const std::int64_t& from) noexcept { into += from; }

// Collective. Returns true if the graph allows all objects to stay on their ranks.
bool graph_allows_to_stay(const PlaceTask& task, const std::vector<std::int64_t>& objects_of_rank) {
  std::int64_t mine = 0;
  const Status looked = attempt(stage_name, [&] {
    const Graph& graph = *task.prepared.set(0).options().graph;
    GraphOptions options = graph.options();
    options.count = task.prepared.set(0).count();
    if (!task.prepared.bonds.held.empty() && !task.prepared.bonds.held.front().empty())
      options.fixed = {};  // pins take its place
    const int rank = task.communicator.rank();
    const auto first =
        std::accumulate(objects_of_rank.begin(), objects_of_rank.begin() + rank, std::int64_t{0});
    mine = graphs::objections_to_staying(
        task.prepared.space, {graph.offsets(), graph.columns(), std::move(options)}, rank, first);
  });
  return vote<&add_objections>(task.communicator, looked, mine) == 0;
}

// Collective. Returns true if all objects may stay on their ranks, and then sets `found`.
bool may_stay(const PlaceTask& task, Found& found) {
  if (task.fresh != nullptr || !(task.target_lambda() > 0) ||
      !std::holds_alternative<GraphDomains>(task.last) ||
      parts_of(task.last) != task.communicator.size())
    return false;
  vote(
      task.communicator, attempt(stage_name, [&] {
        found.parts.push_back(exec::filled(task.prepared.space, graph_label,
                                           task.prepared.set(0).count(), task.communicator.rank()));
      }));
  double lambda = 1;
  Loads loads;
  for (const std::span<const double> cost : costs_of(task)) {
    loads =
        loads_by_object(task.communicator, Status(), task.prepared, Weights(&cost, 1), found.parts);
    lambda = std::max(lambda, loads.lambda(task.speeds()));
  }
  found.lambda = lambda;
  found.is_kept = lambda <= task.target_lambda() && needlessly_empty(loads.objects) == 0 &&
                  graph_allows_to_stay(task, loads.objects);
  if (!found.is_kept) found = Found();
  return found.is_kept;
}

}  // namespace

Found find_by_graph(const PlaceTask& task) {
  vote(task.communicator, attempt(stage_name, [&] {
         if (!task.status.ok()) throw Error(*task.status.error());
         require_one_graph(task.prepared.sets);
       }));
  Found found;
  if (may_stay(task, found)) {
    found.status =
        attempt(stage_name, [&] { found.domains = renumbered(task.last, task.generation()); });
    return found;
  }
  ByGraph method = std::get<ByGraph>(task.prepared.options.method);
  method.target_lambda = 1 + (method.target_lambda - 1) * goal_of(task).tightened;
  std::optional<Described> described;
  vote(task.communicator,
       attempt(stage_name, [&] { described.emplace(task.prepared, costs_of(task)); }));
  CutFound cut = find_cut(task, described->graph(), method);
  Elsewhere mine;
  const Status counted = attempt(stage_name, [&] {
    const exec::Array<int>& parts = cut.cut.parts;
    mine.objects = exec::sum<std::int64_t>(task.prepared.space, parts.size(),
                                           exec::IsOther{parts.data(), task.communicator.rank()});
  });
  const bool is_changed = vote<&Elsewhere::add>(task.communicator, counted, mine).objects > 0;
  const auto* last = std::get_if<GraphDomains>(&task.last);
  const bool is_same = last != nullptr && !is_changed && last->parts() == task.parts();
  const Region& region = task.prepared.region;
  found.lambda = *std::max_element(cut.cut.report.lambda.begin(), cut.cut.report.lambda.end());
  found.status = attempt(stage_name, [&] {
    GraphDomains domains(task.generation(), is_same ? last->division() : task.generation(),
                         region.dimensions, region.box, task.prepared.options.periodic,
                         std::move(cut.cut.report));
    domains.set_cut_from_nothing(cut.from_nothing);
    found.domains = std::move(domains);
    found.parts.push_back(std::move(cut.cut.parts));
  });
  return found;
}

}  // namespace evenkeel
