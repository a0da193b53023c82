// The costs of types and features as the run has learned them, and the options of the run.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel::tool::report {

namespace {

std::string note_on(const CostTable& costs, const Amounts& amounts) {
  std::string note = "The costs as last learned, give or take one standard error.";
  if (costs.fixed_seconds > 0)
    note.append(" Each rank takes ")
        .append(amounts.of(costs.fixed_seconds))
        .append(" per step, regardless of its objects.");
  if (costs.noise > 0)
    note.append(" Loads scatter by ").append(share_of(costs.noise, 1)).append(".");
  if (costs.frozen > 0)
    note.append(" ")
        .append(counted(costs.frozen, "combination"))
        .append(" of costs cannot be determined from the measurements.");
  return note;
}

std::string name_of(const CostTable::Row& row) {
  return std::string(row.is_feature ? "feature " : "type ").append(std::to_string(row.number));
}

// The sum of a feature may be a fraction.
std::string amount_of(const CostTable::Row& row) {
  constexpr double most = 1e15;
  return std::abs(row.amount) < most ? detail::count_of(std::llround(row.amount))
                                     : short_number(row.amount);
}

}  // namespace

std::string costs_section(const Model& model) {
  if (model.costs.empty()) return {};
  const Amounts amounts(model.is_deterministic);
  double greatest = 0;
  for (const CostTable::Row& row : model.costs.rows) greatest = std::max(greatest, row.seconds);
  HtmlTable table("Cost of one object, or of a unit of a feature, per step",
                  {"what", "set", "how many", "cost", "give or take", ""});
  for (const CostTable::Row& row : model.costs.rows)
    table.add({name_of(row), std::to_string(row.set), amount_of(row), amounts.of(row.seconds),
               share_of(row.error, row.seconds),
               bar(greatest > 0 ? row.seconds / greatest : 0, "slowest")});
  return section("costs", "Learned costs", paragraph(note_on(model.costs, amounts)) + table.html());
}

std::string options_section(const Model& model) {
  if (model.options.empty()) return {};
  HtmlTable table("Options", {"key", "value"});
  table.words_in({1});
  for (const auto& [key, value] : model.options) table.add({escaped(key), escaped(value)});
  return section("options", "Options of the run",
                 folded("Options at the start of the run", table.html()));
}

}  // namespace evenkeel::tool::report
