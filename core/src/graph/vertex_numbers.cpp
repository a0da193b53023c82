#include "graph/vertex_numbers.hpp"

#include "field/numbers.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/graph.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::numbers";

struct Interleave {
  const double* numbers;  // null: all 1
  int component, components;
  double* all;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    all[i * components + component] = numbers == nullptr ? 1 : numbers[i];
  }
};

struct Multiply {
  double factor;
  int component, components;
  double* all;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    all[i * components + component] *= factor;
  }
};

struct NumberAt {
  const double* all;
  int component, components;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return all[i * components + component];
  }
};

}  // namespace

VertexNumbers::VertexNumbers(const Space& space, std::int64_t count, int components,
                             const char* name)
    : count_(count),
      components_(components),
      numbers_(space, label, count * components),
      field_(raw_field(numbers_.data(), {.count = count,
                                         .components = components,
                                         .memory = exec::memory_of(space),
                                         .label = name})) {}

void VertexNumbers::set(int component, std::span<const double> numbers) {
  const Space space = numbers_.space();
  exec::for_each(space, label, count_,
                 Interleave{numbers.empty() ? nullptr : numbers.data(), component, components_,
                            numbers_.data()});
  space.fence(label);
}

void VertexNumbers::set(int first, const FieldLayout& given) {
  for (int c = 0; c < given.components; ++c)
    set(first + c, read_reals(numbers_.space(), component_of(given, c), count_).span());
}

void VertexNumbers::multiply(int component, double factor) {
  const Space space = numbers_.space();
  exec::for_each(space, label, count_, Multiply{factor, component, components_, numbers_.data()});
  space.fence(label);
}

double VertexNumbers::sum_of(int component) const {
  return exec::sum<double>(numbers_.space(), count_,
                           NumberAt{numbers_.data(), component, components_});
}

std::optional<VertexNumbers>& read_weights(const Space& space, const evenkeel::Graph& graph,
                                           std::optional<VertexNumbers>& into) {
  const GraphOptions& options = graph.options();
  if (!graph.offsets().given()) return into;
  const std::int64_t rows = std::max<std::int64_t>(graph.offsets().layout().count - 1, 0);
  const std::int64_t count = options.count.given() ? options.count.value() : rows;
  const bool has_weights = options.weight.given();
  const FieldLayout given = has_weights ? options.weight.layout() : FieldLayout();
  const bool are_numbers = given.count >= count && given.scalar != ScalarType::none;
  if (count <= 0 || (has_weights && !are_numbers)) return into;
  into.emplace(space, count, has_weights ? given.components : 1, "weights");
  if (has_weights)
    into->set(0, given);
  else
    into->set(0, std::span<const double>());
  return into;
}

Scaled::Scaled(const Space& space, const evenkeel::Graph& graph, double load) {
  if (!std::isfinite(load) || load < 0)
    throw Error(ErrorKind::bad_input, Where{"core/graph"},
                "The load of this rank, which its vertices share, is " + std::to_string(load) + '.',
                "Give the seconds that were measured: finite, and not negative.");
  GraphOptions options = graph.options();
  if (read_weights(space, graph, weights_)) {
    double sum = weights_->sum_of(0);
    if (sum == 0) {
      weights_->set(0, std::span<const double>());
      sum = weights_->sum_of(0);
    }
    if (std::isfinite(sum) && sum > 0) weights_->multiply(0, load / sum);
    options.weight = weights_->source();
  }
  graph_.emplace(graph.offsets(), graph.columns(), std::move(options));
}

}  // namespace evenkeel::graphs

namespace evenkeel {

double weight_of(const Space& space, const Graph& graph) {
  std::optional<graphs::VertexNumbers> weights;
  return graphs::read_weights(space, graph, weights) ? weights->sum_of(0) : 0;
}

}  // namespace evenkeel
