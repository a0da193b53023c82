#include "report/page.hpp"

#include "report/amounts.hpp"
#include "report/heat_map.hpp"
#include "report/page_pieces.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/words.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace evenkeel::tool::report {

namespace {

using nlohmann::json;

// Replaces each {{name}} in the form by its value. Does not replace a {{name}} in a value.
std::string filled(std::string_view form, const std::map<std::string_view, std::string>& values) {
  std::string text;
  for (std::size_t at = 0;;) {
    const std::size_t begin = form.find("{{", at), end = form.find("}}", begin);
    text += form.substr(at, begin == form.npos ? begin : begin - at);
    if (begin == form.npos || end == form.npos) return text;
    text += values.at(form.substr(begin + 2, end - begin - 2));
    at = end + 2;
  }
}

// The text that the page shows for the column that a reader points to.
std::string text_of(const TimeColumn& column, const Amounts& amounts, bool has_moved) {
  std::string text = "Steps " + steps_text(column);
  if (column.looks > 1) text += " (" + detail::count_of(column.looks) + " looks)";
  if (column.lambda.mean())
    text += ": lambda " + lambda_text(*column.lambda.mean()) + ", imbalance " +
            detail::fixed(column.imbalance_percent.mean().value_or(0), 0) + " %";
  if (column.slowest.mean())
    text += "; slowest rank " + amounts.of(column.slowest.mean()) + ", average rank " +
            amounts.of(column.average.mean()) + " per step";
  if (has_moved && column.never.mean())
    text += ", without rebalances " + amounts.of(column.never.mean());
  text += ". " + (column.looks > 1 ? "Step " + detail::count_of(column.step) + ": " : "") +
          column.decision;
  if (!column.cause.empty()) text += " (" + column.cause + ")";
  if (!column.reason.empty()) text += ": " + column.reason;
  return text + '.';
}

json data_of(const HeatMap& map) {
  return {{"rows", map.rows},          {"ranks", map.shows_ranks}, {"low", map.low},
          {"high", map.high},          {"bottom", map.bottom},     {"top", map.top},
          {"cells", base64(map.cells)}};
}

// Each plane becomes a list [owner, number of cells, next owner, ..], as in the journal.
json data_of(const DomainSections& domains) {
  json planes = json::array();
  for (const DomainSections::Plane& plane : domains.planes) {
    json runs = json::array();
    for (std::size_t begin = 0, end = 0; begin < plane.owners.size(); begin = end) {
      while (end < plane.owners.size() && plane.owners[end] == plane.owners[begin]) ++end;
      runs.push_back(plane.owners[begin]);
      runs.push_back(end - begin);
    }
    planes.push_back({{"columns", plane.columns}, {"rows", plane.rows}, {"owners", runs}});
  }
  return planes;
}

json data_of(const std::vector<DomainChange>& changes) {
  json all = json::array();
  for (const DomainChange& change : changes)
    all.push_back({{"before", data_of(change.before)}, {"after", data_of(change.after)}});
  return all;
}

// The columns with rebalances, from left to right.
std::vector<std::ptrdiff_t> columns_of_rebalances(const Model& model) {
  std::vector<std::ptrdiff_t> columns;
  for (const Rebalance& each : model.rebalances) {
    if (!each.outcome.moved) continue;
    const auto found = std::ranges::lower_bound(model.columns, each.at, {}, &TimeColumn::end);
    const auto column = std::min(found - model.columns.begin(), std::ssize(model.columns) - 1);
    if (column >= 0 && (columns.empty() || columns.back() != column)) columns.push_back(column);
  }
  return columns;
}

json data_of(const Model& model) {
  const Amounts amounts(model.is_deterministic);
  json begin = json::array(), end = json::array(), text = json::array();
  for (const TimeColumn& column : model.columns) {
    begin.push_back(column.begin);
    end.push_back(column.end);
    text.push_back(text_of(column, amounts, model.last.rebalances > 0));
  }
  json data = {{"begin", std::move(begin)},
               {"end", std::move(end)},
               {"text", std::move(text)},
               {"rebalances", columns_of_rebalances(model)}};
  if (const auto map = heat_map_of(model)) data["heat"] = data_of(*map);
  data["domains"] = data_of(model.domain_changes);
  return data;
}

// Links to the sections that the page has.
std::string contents_of(const std::string& sections) {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"summary", "In short"},        {"account", "With and without"},
      {"time", "Time of a step"},     {"imbalance", "Imbalance"},
      {"loads", "Load of the ranks"}, {"decisions", "Decisions"},
      {"rebalances", "Gains"},        {"stages", "Stages"},
      {"domains", "Domains"},         {"kernels", "Kernels"},
      {"costs", "Learned costs"},     {"options", "Options"}};
  std::string links;
  for (const auto& [id, title] : all)
    if (sections.find("<section id=\"" + id + "\"") != std::string::npos)
      links += element("a", {{"href", "#" + id}}, title) + '\n';
  return links;
}

std::string foot_of(const Model& model) {
  const std::string of = model.start.version.empty()
                             ? std::string()
                             : " from a journal of evenkeel " + model.start.version;
  return paragraph("Made by evenkeel " EVENKEEL_VERSION + of +
                   ". docs/report.md says how to read it.");
}

}  // namespace

std::string page_of(const Model& model, const PageOptions& options) {
  std::string sections;
  for (const auto make : {summary_section, account_section, time_section, imbalance_section,
                          loads_section, decisions_section, rebalances_section, stages_section,
                          domains_section, kernels_section, costs_section, options_section})
    sections += make(model);
  const std::string contents = contents_of(sections);
  const std::string data =
      data_of(model).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string refresh = options.refresh_seconds > 0
                                  ? "<meta http-equiv=\"refresh\" content=\"" +
                                        std::to_string(options.refresh_seconds) + "\">\n"
                                  : "";
  return filled(page_html, {{"title", escaped(title_of(model))},
                            {"refresh", refresh},
                            {"style", std::string(page_css)},
                            {"head", head_section(model)},
                            {"contents", contents},
                            {"sections", std::move(sections)},
                            {"foot", foot_of(model)},
                            {"data", without_tags(data)},
                            {"script", std::string(page_js)}});
}

}  // namespace evenkeel::tool::report
