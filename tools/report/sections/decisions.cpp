// The decisions at looks, and their reasons.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <map>
#include <string_view>

namespace evenkeel::tool::report {

namespace {

// The causes as docs/monitor.md and docs/triggers.md explain them, in short.
std::string_view meaning_of(const std::string& cause) {
  static const std::map<std::string_view, std::string_view> meanings = {
      {"outdated", "the domains changed after the load was measured"},
      {"unfit", "a rank had no usable sample"},
      {"no_load", "no kernel ran"},
      {"low_coverage", "kernels cover too little of the steps"},
      {"cooling_down", "too soon after the last rebalance"},
      {"below_floor", "the load is even enough"},
      {"below_threshold", "the load is not uneven enough to act"},
      {"above_threshold", "the load is uneven enough to act"},
      {"not_asked", "the trigger does not look at the load"},
      {"due", "the trigger acts at this step, whatever the load"},
      {"custom", "the application's own rule"},
      {"below_cost", "the loss is less than a rebalance costs"},
      {"above_cost", "the loss is at least what a rebalance costs"},
      {"paused", "a command from outside paused the trigger"},
      {"commanded", "a command from outside asked for a rebalance"},
      {"requested", "the application asked for a rebalance"},
      {"predicted", "objects have changed, and the predicted load is uneven enough to act"},
      {"memory", "a rank is full, or will be soon"},
      {"curable", "the gain of a fresh cut pays for a rebalance"},
      {"goes_back", "earlier domains would be more even"},
      {"below_noise", "a rebalance would gain no more than noise"},
      {"not_curable", "a fresh cut would be as uneven"},
      {"near_end", "the rest of the run is too short to pay for a rebalance"},
      {"in_debt", "rebalances have cost more than they saved"},
      {"shifts", "the domains are shifted"},
      {"returns_to_best", "no shift was better than earlier domains"},
      {"refined", "shifts have made the load as even as they can"}};
  const auto found = meanings.find(cause);
  return found == meanings.end() ? std::string_view() : found->second;
}

std::string table_of_causes(const Model& model) {
  std::vector<std::pair<std::string, Cause>> causes(model.causes.begin(), model.causes.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.looks > b.second.looks; });
  const auto most = static_cast<double>(causes.front().second.looks);
  HtmlTable table("How often each cause decided", {"cause", "decision", "meaning", "times", ""});
  table.words_in({1, 2});
  for (const auto& [name, cause] : causes)
    table.add({escaped(name), escaped(cause.decision), std::string(meaning_of(name)),
               detail::count_of(cause.looks),
               bar(static_cast<double>(cause.looks) / most,
                   cause.decision == "rebalance" ? "cost" : "average")});
  return table.html();
}

std::string table_of_decisions(const Model& model) {
  constexpr std::size_t most_rows = 300;
  const std::size_t stride =
      std::max<std::size_t>(1, (model.columns.size() + most_rows - 1) / most_rows);
  HtmlTable table("Decisions", {"step", "lambda", "decision", "reason"});
  table.words_in({2, 3});
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    const TimeColumn& column = model.columns[i];
    if (i % stride != 0 && column.rebalances == 0) continue;
    table.add({detail::count_of(column.step),
               column.lambda.mean() ? lambda_text(*column.lambda.mean()) : "",
               escaped(column.decision), escaped(column.reason)});
  }
  return folded(stride == 1 && model.looks_per_column == 1 ? "Every decision with its reason"
                                                           : "Decisions with their reasons: all "
                                                             "rebalances, and some others",
                table.html());
}

}  // namespace

std::string decisions_section(const Model& model) {
  if (model.causes.empty()) return {};
  return section("decisions", "Decisions",
                 paragraph("Move over a chart, or use the slider at the foot of the page, to read "
                           "what was decided at each look, and why.") +
                     table_of_causes(model) + table_of_decisions(model));
}

}  // namespace evenkeel::tool::report
