#pragma once

// The options of `evenkeel partition` as the user wrote them, its methods by name, and the options
// that each method has.

#include <evenkeel/core/place/method.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::tool {

// The values of the options on the command line; empty for options that were not given.
struct PartitionArguments {
  std::optional<std::string> parts, method, weights, speeds, target_lambda, out;
  std::optional<std::string> points, box, work, vtk, memory, bytes;  // of objects
  std::optional<std::string> grid, rounds;                           // of grid methods
  std::optional<std::string> cell_size, least_width;  // of methods whose domains are boxes
  std::optional<std::string> axes;                    // of bisection
  std::optional<std::string> halo, ghost_cost;        // of auto
  std::optional<std::string> graph, from, uncuttable, effort, moving_cost;
  bool json = false;
};

struct NamedMethod {
  std::string_view name;
  std::optional<Method> method;  // empty if the method cuts a graph
  bool has_rounds = false;

  bool is_graph() const { return !method; }
  bool is_auto() const { return method && std::holds_alternative<Auto>(*method); }
  bool has_grid() const { return method && extents_of(*method); }
  bool is_bisection() const {
    return method && std::holds_alternative<RecursiveBisection>(*method);
  }
  bool has_boxes() const;
};

// True if the domains of a method can be found in rounds, from the work of domains.
bool has_rounds(const Method& method);

// Throws an Error if no method has this name.
NamedMethod method_named(const std::string& name);

// "hilbert, morton, .. and graph".
std::string names_of_methods();
std::string choice_of_methods();  // "hilbert|morton|..|graph"

// Throws an Error if an option was given that the method does not have.
void refuse_meaningless(const PartitionArguments& asked, const NamedMethod& method);

}  // namespace evenkeel::tool
