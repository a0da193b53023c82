// Finds parts that follow a hot spot: a ball crosses the domain, and vertices in it weigh more.
// Each method continues from its own parts, step by step. If a method starts from scratch, its new
// parts are renamed to fit its previous ones. The curve is cut again, and its parts keep their
// order.

#include "graph_modes.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace evenkeel::bench {
namespace {

using graphs::Graph;

// The weight of a vertex outside the ball. It is large, so that whole weights in the ball have fine
// steps.
constexpr std::int64_t cold = 16;

// For each axis, the coordinate below which the given share of all vertices is, by a sample.
std::array<double, 3> quantile(const Graph& graph, const std::array<double, 3>& shares) {
  std::array<double, 3> place = {};
  for (int axis = 0; axis < graph.dimensions; ++axis) {
    std::vector<double> along;
    for (std::int64_t v = 0; v < graph.vertices(); v += 7)
      along.push_back(graph.positions[static_cast<std::size_t>(v * graph.dimensions + axis)]);
    const auto a = static_cast<std::size_t>(axis);
    const auto at = along.begin() +
                    static_cast<std::ptrdiff_t>(shares[a] * static_cast<double>(along.size() - 1));
    std::nth_element(along.begin(), at, along.end());
    place[a] = *at;
  }
  return place;
}

// The ball moves from a place with few vertices below it on all axes to a place with many. Midway,
// it contains 6 % of all vertices.
class HotSpot {
 public:
  HotSpot(const Graph& graph, int steps) : graph_(graph), steps_(steps) {
    const std::array<double, 3> midway = center(0.5 * steps);
    std::vector<double> distances;
    for (std::int64_t v = 0; v < graph.vertices(); ++v)
      distances.push_back(squared_distance(v, midway));
    const auto at = distances.begin() + std::ssize(distances) * 6 / 100;
    std::nth_element(distances.begin(), at, distances.end());
    squared_radius_ = *at;
  }

  std::vector<std::int64_t> weights(int step, double heat) const {
    const std::array<double, 3> here = center(step);
    std::vector<std::int64_t> weights(static_cast<std::size_t>(graph_.vertices()), cold);
    for (std::int64_t v = 0; v < graph_.vertices(); ++v)
      if (squared_distance(v, here) <= squared_radius_)
        weights[static_cast<std::size_t>(v)] = std::llround(heat * static_cast<double>(cold));
    return weights;
  }

 private:
  std::array<double, 3> center(double step) const {
    const double share = step / steps_;
    return quantile(graph_, {0.2 + 0.6 * share, 0.3 + 0.4 * share, 0.4 + 0.2 * share});
  }
  double squared_distance(std::int64_t vertex, const std::array<double, 3>& from) const {
    double sum = 0;
    for (int axis = 0; axis < graph_.dimensions; ++axis) {
      const double difference =
          graph_.positions[static_cast<std::size_t>(vertex * graph_.dimensions + axis)] -
          from[static_cast<std::size_t>(axis)];
      sum += difference * difference;
    }
    return sum;
  }

  const Graph& graph_;
  int steps_;
  double squared_radius_ = 0;
};

// Parts of equal weight along the order of the vertices, which is the order of a curve.
std::vector<int> parts_along_order(std::span<const std::int64_t> weights, int parts) {
  const auto all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::vector<int> result(weights.size());
  std::int64_t before = 0;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    result[v] = static_cast<int>(before * parts / all);
    before += weights[v];
  }
  return result;
}

// Finds the weight of hot vertices for which parts along the curve have the wanted lambda after a
// step, on average. Lambda depends on the places of parts, but hardly on the method.
double heat_for(const HotSpot& spot, int parts, const GraphOptions& options) {
  const auto mean_lambda = [&](double heat) {
    double sum = 0;
    std::vector<std::int64_t> before = spot.weights(0, heat);
    for (int step = 1; step <= options.steps; ++step) {
      std::vector<std::int64_t> weights = spot.weights(step, heat);
      sum += graphs::lambda_of(graphs::loads_of(weights, parts_along_order(before, parts), parts));
      before = std::move(weights);
    }
    return sum / options.steps;
  };
  double least = 1, greatest = 64;
  for (int halvings = 0; halvings < 9; ++halvings) {
    const double middle = std::sqrt(least * greatest);
    (mean_lambda(middle) < options.lambda ? least : greatest) = middle;
  }
  return std::sqrt(least * greatest);
}

// The results of one method over all steps.
struct Course {
  const GraphMethod* method;
  std::vector<int> parts;
  double lambda_before = 0, bound = 0, moved_vertices = 0, moved_weight = 0;  // sums
  double cut = 0, worst_cut = 0, last_cut = 0, seconds = 0;                   // relative to METIS
  double worst_lambda = 0;
  int empty = 0;
};

void advance(Course& course, const GraphProblem& given, const GraphOptions& options,
             double metis_cut, double metis_seconds) {
  GraphProblem problem = given;
  problem.old_parts = course.parts;
  const auto before = graphs::loads_of(problem.weights, course.parts, problem.parts);
  GraphResult result = solve(*course.method, problem, options);
  if (!course.method->is_ours && !course.method->is_curve)
    result.parts = graphs::relabelled(problem.weights, course.parts, result.parts, problem.parts);
  const auto after = graphs::loads_of(problem.weights, result.parts, problem.parts);
  course.lambda_before += graphs::lambda_of(before);
  course.bound += graphs::excess_of(before, problem.target_lambda);
  course.moved_vertices += graphs::moved_share({}, course.parts, result.parts);
  course.moved_weight += graphs::moved_share(problem.weights, course.parts, result.parts);
  course.last_cut =
      static_cast<double>(graphs::cut_of(*problem.graph, {}, result.parts)) / metis_cut;
  course.cut += course.last_cut;
  course.worst_cut = std::max(course.worst_cut, course.last_cut);
  course.seconds += result.cpu_seconds / metis_seconds;
  course.worst_lambda = std::max(course.worst_lambda, graphs::lambda_of(after));
  course.empty += graphs::parts_without(after);
  course.parts = std::move(result.parts);
}

void print(const std::string& graph, int parts, double heat, const std::vector<Course>& courses,
           int steps) {
  for (const Course& course : courses)
    std::printf(
        "| %-7s | %3d | %4.2f | %-18s | %5.3f | %5.2f | %5.2f | %5.2f | %5.2f | %5.3f | %5.3f | "
        "%5.3f | %6.4f | %d | %5.2f |\n",
        graph.c_str(), parts, heat, course.method->name.c_str(), course.lambda_before / steps,
        100 * course.bound / steps, 100 * course.moved_vertices / steps,
        100 * course.moved_weight / steps,
        course.bound > 0 ? course.moved_weight / course.bound : 0, course.cut / steps,
        course.last_cut, course.worst_cut, course.worst_lambda, course.empty,
        course.seconds / steps);
  std::fflush(stdout);
}

void follow(const Graph& graph, int parts, const std::vector<GraphMethod>& methods,
            const GraphOptions& options) {
  const HotSpot spot(graph, options.steps);
  const double heat = heat_for(spot, parts, options);
  const GraphMethod& metis = methods.front();
  std::vector<std::int64_t> weights = spot.weights(0, heat);
  GraphProblem problem = whole_problem(graph, parts, options);
  problem.weights = weights;
  const std::vector<int> start = metis.solve(problem).parts;
  std::vector<Course> courses;
  for (const GraphMethod& method : methods)
    if (fits(method, graph))
      courses.push_back({&method, method.is_curve ? method.solve(problem).parts : start});
  for (int step = 1; step <= options.steps; ++step) {
    weights = spot.weights(step, heat);
    problem.weights = weights;
    const GraphResult scratch = solve(metis, problem, options);
    const auto cut = static_cast<double>(graphs::cut_of(graph, {}, scratch.parts));
    for (Course& course : courses) advance(course, problem, options, cut, scratch.cpu_seconds);
  }
  print(graph.name, parts, heat, courses, options.steps);
}

}  // namespace

void repartition(const GraphOptions& options) {
  const std::vector<GraphMethod> methods = methods_of(options);
  if (methods.empty() || methods.front().name != graph_baseline)
    graphs::fail("repartition compares with METIS: build with METIS, and choose it");
  std::printf(
      "Means over %d steps. The bound is the weight, in %%, by which parts exceed the target. "
      "Cut and CPU time are relative to METIS from scratch.\n\n"
      "| graph | parts | heat | method | lambda before | bound %% | moved %% | moved weight %% | "
      "of "
      "bound | cut | last | worst | worst lambda | empty | time "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      options.steps);
  for (const std::string& name : names_of_graphs(options, {"tri2d", "aniso2d", "tet3d"})) {
    const Graph graph = graph_of(name, options);
    if (graph.dimensions == 0)
      graphs::fail("a hot spot needs positions: give another graph than " + name);
    for (const int count : numbers_of_parts(options, {8, 64}))
      follow(graph, count, methods, options);
  }
}

}  // namespace evenkeel::bench
