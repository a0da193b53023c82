// Charts over the steps of the run: the time of a step, and its imbalance.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <array>

namespace evenkeel::tool::report {

namespace {

constexpr std::size_t most_table_rows = 100;  // of a table that repeats a chart

// A table has one row for every stride_of(model) columns, so that it stays readable.
std::size_t stride_of(const Model& model) {
  return std::max<std::size_t>(1, (model.columns.size() + most_table_rows - 1) / most_table_rows);
}

std::string title_of_table(const Model& model) {
  const std::size_t stride = stride_of(model);
  return stride == 1 ? "The same as a table"
                     : "The same as a table, with one row of " + std::to_string(stride);
}

double greatest_of(const std::vector<Plot::Span>& spans) {
  double greatest = 0;
  for (const Plot::Span& span : spans) greatest = std::max(greatest, span.value.value_or(0));
  return greatest;
}

std::string note_on_columns(const Model& model) {
  if (model.looks_per_column == 1) return {};
  return " Each point covers " +
         detail::count_of(static_cast<std::int64_t>(model.looks_per_column)) + " looks.";
}

std::string times_table(const Model& model, const Amounts& amounts) {
  HtmlTable table("Time of a step",
                  {"steps", "slowest rank", "average rank", "without rebalances"});
  for (std::size_t i = 0; i < model.columns.size(); i += stride_of(model)) {
    const TimeColumn& column = model.columns[i];
    table.add({steps_text(column), amounts.of(column.slowest.mean()),
               amounts.of(column.average.mean()), amounts.of(column.never.mean())});
  }
  return table.html();
}

// Seconds per step. The time without rebalances may be far above the real one. Then its line leaves
// the chart.
struct Heights {
  double of_chart = 0, without = 0;
  bool leaves() const noexcept { return without > of_chart; }
};

Heights heights_of(const Model& model) {
  constexpr double most_above = 3;
  const double seen = greatest_of(spans_of(model, &TimeColumn::slowest, 1));
  const double without =
      model.last.rebalances > 0 ? greatest_of(spans_of(model, &TimeColumn::never, 1)) : 0;
  return {std::max(seen, std::min(without, most_above * seen)), without};
}

std::string note_on_times(const Model& model, const Heights& heights, const Amounts& amounts) {
  std::string note =
      "All ranks wait for the slowest. The gap between it and the average rank is lost.";
  note += note_on_columns(model);
  if (heights.leaves())
    note.append(" Without rebalances a step would have taken up to ")
        .append(amounts.of(heights.without))
        .append(", which is beyond the chart.");
  return note;
}

std::string plot_of_times(const Model& model, const Heights& heights, const Amounts& amounts) {
  const Amounts::Unit unit = amounts.unit_for(heights.of_chart);
  const auto slowest = spans_of(model, &TimeColumn::slowest, unit.seconds);
  const auto average = spans_of(model, &TimeColumn::average, unit.seconds);
  const double most = heights.of_chart > 0 ? heights.of_chart / unit.seconds : 1;
  Plot plot(steps_axis(model), round_axis(0, most, unit.name + " per step"));
  plot.add_marks("rebalance", steps_of_rebalances(model));
  plot.add_band("gap", average, slowest);
  if (model.last.rebalances > 0)
    plot.add_course("never", spans_of(model, &TimeColumn::never, unit.seconds));
  plot.add_steps("average", average);
  plot.add_steps("slowest", slowest);
  return plot.html("Work per step of the slowest and the average rank, over the steps of the run",
                   "time high");
}

std::string imbalance_table(const Model& model) {
  HtmlTable table("Imbalance", {"steps", "lambda", "greatest lambda", "imbalance", "greatest"});
  for (std::size_t i = 0; i < model.columns.size(); i += stride_of(model)) {
    const TimeColumn& column = model.columns[i];
    if (!column.lambda.mean()) continue;
    table.add({steps_text(column), lambda_text(*column.lambda.mean()),
               lambda_text(column.worst_lambda),
               detail::fixed(column.imbalance_percent.mean().value_or(0), 1) + " %",
               detail::fixed(column.worst_imbalance_percent, 1) + " %"});
  }
  return table.html();
}

std::string plot_of(const Model& model, OverSteps TimeColumn::*mean, double TimeColumn::*worst,
                    const std::string& label, double least, const std::string& name) {
  const auto means = spans_of(model, mean, 1);
  auto greatest = means;
  for (std::size_t i = 0; i < greatest.size(); ++i)
    if (greatest[i].value) greatest[i].value = model.columns[i].*worst;
  Plot plot(steps_axis(model),
            round_axis(least, std::max(greatest_of(greatest), least + 0.1), label, 4));
  plot.add_marks("rebalance", steps_of_rebalances(model));
  if (model.looks_per_column > 1) plot.add_band("worst", means, greatest);
  plot.add_steps("slowest", means);
  return plot.html(name, "time low");
}

}  // namespace

std::string time_section(const Model& model) {
  if (model.columns.empty()) return {};
  const Amounts amounts(model.is_deterministic);
  LegendEntries keys = {{"slowest", "slowest rank"}, {"average", "average rank"}};
  if (model.last.rebalances > 0) keys.emplace_back("never", "slowest rank without rebalances");
  keys.emplace_back("rebalance", "rebalance");
  const Heights heights = heights_of(model);
  return section("time", "Time of a step",
                 paragraph(note_on_times(model, heights, amounts)) + legend(keys) +
                     plot_of_times(model, heights, amounts) +
                     folded(title_of_table(model), times_table(model, amounts)));
}

std::string imbalance_section(const Model& model) {
  if (model.columns.empty()) return {};
  LegendEntries keys = {{"slowest", model.looks_per_column > 1 ? "mean" : "at each look"}};
  if (model.looks_per_column > 1) keys.emplace_back("worst", "up to the greatest");
  keys.emplace_back("rebalance", "rebalance");
  return section(
      "imbalance", "Imbalance",
      paragraph("lambda is the greatest load over the average one: 1 is perfect. Imbalance in "
                "percent: 0 is perfect, 100 is one rank working alone." +
                note_on_columns(model)) +
          legend(keys) +
          plot_of(model, &TimeColumn::lambda, &TimeColumn::worst_lambda, "lambda", 1,
                  "lambda over the steps of the run") +
          plot_of(model, &TimeColumn::imbalance_percent, &TimeColumn::worst_imbalance_percent,
                  "imbalance, percent", 0, "Imbalance in percent over the steps of the run") +
          folded(title_of_table(model), imbalance_table(model)));
}

}  // namespace evenkeel::tool::report
