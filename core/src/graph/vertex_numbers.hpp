#pragma once

// Numbers of vertices that the library makes, or makes of those that the application gives: in one
// array, which a graph is then described with.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/graph/description.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace evenkeel::graphs {

// So many numbers for each of `count` vertices. Its source refers to it.
class VertexNumbers {
 public:
  VertexNumbers() = default;
  VertexNumbers(const Space& space, std::int64_t count, int components, const char* name);
  VertexNumbers(const VertexNumbers&) = delete;
  VertexNumbers& operator=(const VertexNumbers&) = delete;
  VertexNumbers(VertexNumbers&&) = delete;

  // The numbers of one component, in memory that the space reaches; empty: all 1.
  void set(int component, std::span<const double> numbers);
  // Those of the application, as components from `first` on.
  void set(int first, const FieldLayout& given);
  void multiply(int component, double factor);
  double sum_of(int component) const;

  int components() const noexcept { return components_; }
  NumberSource source() const { return field_; }

 private:
  std::int64_t count_ = 0;
  int components_ = 1;
  exec::Array<double> numbers_;
  RawField<double> field_;
};

// The weights of the application as they are, or ones; none where they are too few or no numbers.
std::optional<VertexNumbers>& read_weights(const Space& space, const evenkeel::Graph& graph,
                                           std::optional<VertexNumbers>& into);

// A graph whose vertices cost together what the rank has measured: their weights of the first
// constraint, in proportion. Refers to the graph that is given.
class Scaled {
 public:
  // Local. Where the weights make no sense, they are left as they are, for those who check them.
  Scaled(const Space& space, const evenkeel::Graph& graph, double load);
  const evenkeel::Graph& graph() const noexcept { return *graph_; }

 private:
  std::optional<VertexNumbers> weights_;
  std::optional<evenkeel::Graph> graph_;
};

}  // namespace evenkeel::graphs
