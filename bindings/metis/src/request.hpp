#pragma once

// A cut as METIS and ParMETIS ask for it, and the same for ek::cut_graph.

#include <evenkeel/c.h>

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/graph.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace evenkeel::metis {

inline constexpr const char* stage_name = "metis";
inline constexpr Refusal refuse{stage_name};

// Lists may be null, as METIS allows.
template <class Index, class Real>
struct Request {
  std::int64_t vertices = 0;
  int constraints = 1, parts = 1;
  Index numbering = 0;
  const Index *offsets = nullptr, *columns = nullptr, *weights = nullptr, *edge_weights = nullptr;
  const Real *shares = nullptr, *tolerances = nullptr;
  double tolerance = 1.03;  // if there is no list
  Effort effort = Effort::good;
  const Index* from = nullptr;   // present parts, counted from 0
  const Index* sizes = nullptr;  // of vertices that move
  double moving_cost = 0;
  const Real* position = nullptr;
  int dimensions = 0;
};

// The speeds of parts in proportion to their shares of the weight. Empty if shares are equal.
template <class Index, class Real>
std::vector<double> speeds_of(const Request<Index, Real>& request) {
  std::vector<double> speeds;
  if (request.shares == nullptr) return speeds;
  const auto several = static_cast<std::size_t>(request.constraints);
  for (std::size_t p = 0; p < static_cast<std::size_t>(request.parts); ++p) {
    const double share = static_cast<double>(request.shares[p * several]);
    for (std::size_t c = 1; c < several; ++c)
      if (std::abs(static_cast<double>(request.shares[p * several + c]) - share) > 1e-6 * share)
        refuse("Part " + std::to_string(p) + " has different shares (tpwgts) of its constraints.",
               "Give each part the same share of all constraints.");
    if (!(share > 0))
      refuse("The share (tpwgts) of part " + std::to_string(p) + " is not positive.",
             "Give each part a positive share.");
    speeds.push_back(share);
  }
  return speeds;
}

template <class Index, class Real>
double tolerance_of(const Request<Index, Real>& request) {
  double least = request.tolerance;
  for (int c = 0; request.tolerances != nullptr && c < request.constraints; ++c) {
    const auto next = static_cast<double>(request.tolerances[c]);
    least = c == 0 ? next : std::min(least, next);
  }
  return least;
}

// A request in the terms of cut_graph. GraphOptions and GraphCutOptions refer to the other members.
template <class Index, class Real>
struct CutInput {
  std::vector<std::int64_t> offsets, columns;
  std::vector<double> sizes;
  std::optional<RawField<Index>> weights, edges, from;
  std::optional<RawField<Real>> position;
  GraphOptions properties;
  GraphCutOptions options;
  ByGraph method;

  // Throws an Error if the request is not valid.
  void read(const Request<Index, Real>& request) {
    if (request.offsets == nullptr || request.vertices < 0)
      refuse("There is no list of offsets.", "Give the graph.");
    if (request.parts < 1)
      refuse("There are " + std::to_string(request.parts) + " parts.", "Ask for one part or more.");
    if (request.weights == nullptr && request.constraints != 1)
      refuse("There are several constraints, but no weights.", "Give weights, or one constraint.");
    for (std::int64_t v = 0; v <= request.vertices; ++v)
      offsets.push_back(static_cast<std::int64_t>(request.offsets[v]) - request.numbering);
    if (offsets.back() > 0 && request.columns == nullptr)
      refuse("There is no list of neighbours.", "Give the graph.");
    for (std::int64_t e = 0; e < offsets.back(); ++e)
      columns.push_back(static_cast<std::int64_t>(request.columns[e]) - request.numbering);
    read_properties(request);
    options.parts = request.parts;
    options.speeds = speeds_of(request);
    if (request.from != nullptr) {
      from = list(request.from, request.vertices, 1);
      options.from = *from;
    }
    method.target_lambda = std::max(1.0, tolerance_of(request));
    method.moving_cost = request.moving_cost;
    method.effort = request.effort;
  }

 private:
  // A list of the program, which is only read.
  template <class T>
  static RawField<T> list(const T* values, std::int64_t count, int components) {
    return raw_field(const_cast<T*>(values), RawShape{.count = count, .components = components});
  }
  void read_properties(const Request<Index, Real>& request) {
    properties.count = request.vertices;
    if (request.weights != nullptr) {
      weights = list(request.weights, request.vertices, request.constraints);
      properties.weight = *weights;
    }
    if (request.edge_weights != nullptr) {
      edges = list(request.edge_weights, offsets.back(), 1);
      properties.edge_weight = *edges;
    }
    if (request.position != nullptr && request.dimensions >= 2) {
      position = list(request.position, request.vertices, request.dimensions);
      properties.position = *position;
    }
    if (request.sizes != nullptr) {
      for (std::int64_t v = 0; v < request.vertices; ++v)
        sizes.push_back(static_cast<double>(request.sizes[v]));
      properties.bytes = sizes;
    }
  }
};

// Collective. Writes the parts and returns the weight of the cut edges.
template <class Index, class Real>
std::int64_t cut(const Communicator& ranks, const Request<Index, Real>& request, Index* part) {
  CutInput<Index, Real> input;
  stages::vote(ranks, stages::attempt(stage_name, [&] {
                 if (part == nullptr) refuse("There is no room for the parts.", "Give a list.");
                 input.read(request);
               }));
  const GraphCut found =
      cut_graph(Space::where(MemoryKind::host), ranks,
                graph(input.offsets, input.columns, input.properties), input.options, input.method);
  const std::vector<int> parts = found.parts.on_host();
  for (std::size_t v = 0; v < parts.size(); ++v)
    part[v] = static_cast<Index>(parts[v]) + request.numbering;
  return std::llround(found.report.cut);
}

// Starts Kokkos if it does not run; then it ends with the program.
inline void start() {
  if (ek_start() != EK_SUCCESS) refuse(ek_message(), "See above.");
  static const int at_exit = std::atexit([] { ek_stop(); });
  static_cast<void>(at_exit);
}

// Calls function() and turns what it throws into a status; METIS' programs show no texts.
template <class Function>
int guarded(int ok, int bad_input, int no_memory, int other, Function&& function) noexcept {
  const stages::Status status =
      stages::attempt(stage_name, std::forward<Function>(function), ErrorKind::internal);
  if (status.ok()) return ok;
  std::fprintf(stderr, "%s\n", status.error()->what());
  switch (status.error()->kind()) {
    case ErrorKind::bad_input:
    case ErrorKind::disagreement: return bad_input;
    case ErrorKind::out_of_memory: return no_memory;
    default: return other;
  }
}

}  // namespace evenkeel::metis
