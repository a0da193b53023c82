#include "partition/methods.hpp"

#include "files/refusal.hpp"
#include "partition/values.hpp"

#include <evenkeel/core/place.hpp>

#include <utility>
#include <vector>

namespace evenkeel::tool {

namespace {

// All methods: the methods of the library, some of which can also be found in rounds; `histogram`,
// a staggered grid that is always cut from the objects; and `graph`.
std::vector<NamedMethod> methods() {
  const std::vector<std::string_view> names = method_names();
  std::vector<NamedMethod> all;
  all.reserve(names.size() + 2);
  for (const std::string_view name : names) {
    const Method method = *method_from_text(name);
    if (places_by_graph(method)) continue;  // has its own row, at the end
    all.push_back({name, method, has_rounds(method)});
  }
  all.push_back({"histogram", Staggered{}});
  all.push_back({"graph", std::nullopt});
  return all;
}

// The names of the methods that satisfy `are_meant`, as a list in a sentence.
template <class Predicate>
std::string names_of(const Predicate& are_meant) {
  std::vector<std::string_view> names;
  for (const NamedMethod& method : methods())
    if (are_meant(method)) names.push_back(method.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text.append(i + 1 == names.size() ? " and " : ", ");
    text.append(names[i]);
  }
  return text;
}

using Given = std::vector<std::pair<std::string_view, const std::optional<std::string>*>>;

template <class Predicate>
void refuse_unless(const Predicate& has_them, const NamedMethod& method, const Given& options) {
  if (has_them(method)) return;
  for (const auto& [option, value] : options)
    if (*value)
      refuse_partition(joined({option, " has no meaning for the method ", method.name, "."}),
                       joined({"It belongs to ", names_of(has_them), "; leave it out."}));
}

}  // namespace

bool has_rounds(const Method& method) {
  return places_in_grid(method) || std::holds_alternative<Voronoi>(method) ||
         std::holds_alternative<Mesh>(method);
}

bool NamedMethod::has_boxes() const {
  return is_bisection() || (method && places_in_grid(*method));
}

NamedMethod method_named(const std::string& name) {
  for (const NamedMethod& method : methods())
    if (name == method.name) return method;
  refuse_partition.value("--method", name, joined({"The methods are ", names_of_methods(), "."}));
}

std::string names_of_methods() {
  return names_of([](const NamedMethod&) { return true; });
}

std::string choice_of_methods() {
  std::string text;
  for (const NamedMethod& method : methods()) {
    if (!text.empty()) text += '|';
    text += method.name;
  }
  return text;
}

void refuse_meaningless(const PartitionArguments& asked, const NamedMethod& method) {
  refuse_unless([](const NamedMethod& one) { return !one.is_graph(); }, method,
                {{"--points", &asked.points},
                 {"--box", &asked.box},
                 {"--work", &asked.work},
                 {"--vtk", &asked.vtk}});
  refuse_unless([](const NamedMethod& one) { return one.has_grid(); }, method,
                {{"--grid", &asked.grid}});
  refuse_unless([](const NamedMethod& one) { return one.has_rounds; }, method,
                {{"--rounds", &asked.rounds}});
  refuse_unless([](const NamedMethod& one) { return one.has_boxes(); }, method,
                {{"--cell-size", &asked.cell_size}, {"--least-width", &asked.least_width}});
  refuse_unless([](const NamedMethod& one) { return one.is_bisection(); }, method,
                {{"--axes", &asked.axes}});
  refuse_unless([](const NamedMethod& one) { return one.is_auto(); }, method,
                {{"--halo", &asked.halo}, {"--ghost-cost", &asked.ghost_cost}});
  refuse_unless([](const NamedMethod& one) { return one.is_graph(); }, method,
                {{"--graph", &asked.graph},
                 {"--from", &asked.from},
                 {"--uncuttable", &asked.uncuttable},
                 {"--effort", &asked.effort},
                 {"--moving-cost", &asked.moving_cost}});
}

}  // namespace evenkeel::tool
