#pragma once

// The methods of `evenkeel partition` by name, and which options each of them has.

#include "partition/arguments.hpp"

#include <evenkeel/core/place/method.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::tool {

struct NamedMethod {
  std::string_view name;
  std::optional<Method> method;  // nothing: cuts a graph, not objects by their places
  bool has_rounds = false;

  bool is_graph() const { return !method; }
  bool has_grid() const { return method && extents_of(*method); }
};

// An Error for other names.
NamedMethod method_named(const std::string& name);

// "hilbert, morton, .. and graph".
std::string names_of_methods();
std::string choice_of_methods();  // "hilbert|morton|..|graph"

// An Error if an option was given that the method does not have.
void refuse_meaningless(const PartitionArguments& asked, const NamedMethod& method);

}  // namespace evenkeel::tool
