#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>

namespace evenkeel::tool::report {

std::string section(const std::string& id, const std::string& title, const std::string& content) {
  const std::string heading = id + "-title";
  return element("section", {{"id", id}, {"aria-labelledby", heading}},
                 '\n' + element("h2", {{"id", heading}}, title) + '\n' + content) +
         '\n';
}

std::string paragraph(const std::string& text) { return element("p", escaped(text)) + '\n'; }

std::string folded(const std::string& title, const std::string& content) {
  return element("details", element("summary", title) + '\n' + content) + '\n';
}

std::string title_of(const Model& model) {
  return model.start.name.empty() ? "Load balance" : "Load balance of " + model.start.name;
}

ChartAxis steps_axis(const Model& model) {
  const std::int64_t begin = model.columns.empty() ? model.first_step : model.columns.front().begin;
  return exact_axis(static_cast<double>(begin), static_cast<double>(model.last_step), "step");
}

std::string steps_text(const TimeColumn& column) {
  return detail::count_of(column.begin + 1) + " to " + detail::count_of(column.end);
}

std::vector<Plot::Span> spans_of(const Model& model, OverSteps TimeColumn::*values, double unit) {
  std::vector<Plot::Span> all;
  all.reserve(model.columns.size());
  for (const TimeColumn& column : model.columns) {
    std::optional<double> value = (column.*values).mean();
    if (value) *value /= unit;
    all.push_back({static_cast<double>(column.begin), static_cast<double>(column.end), value});
  }
  return all;
}

std::vector<double> steps_of_rebalances(const Model& model) {
  std::vector<double> steps;
  for (const Rebalance& each : model.rebalances)
    if (each.outcome.moved)
      steps.push_back(static_cast<double>(std::min(each.at, model.last_step)));
  return steps;
}

}  // namespace evenkeel::tool::report
