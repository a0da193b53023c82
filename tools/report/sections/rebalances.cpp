// Each rebalance: its predicted gain, its real gain, and the stages that took its time.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel::tool::report {

namespace {

std::string lambda_or_none(const std::optional<double>& lambda) {
  return lambda ? lambda_text(*lambda) : "";
}

std::optional<double> foreseen_by(const Outcome& outcome) {
  return outcome.lambda > 0 ? std::optional(outcome.lambda) : std::nullopt;
}

std::string kind_of(const Rebalance& rebalance) {
  if (rebalance.is_first) return "first distribution";
  return name_of(rebalance.kind) + std::string(rebalance.outcome.moved ? "" : ", changed nothing");
}

std::string table_of(const Model& model, const Amounts& amounts) {
  constexpr std::size_t most_rows = 200;
  const std::size_t stride =
      std::max<std::size_t>(1, (model.rebalances.size() + most_rows - 1) / most_rows);
  HtmlTable table("Rebalances",
                  {"after step", "decided at", "kind", "lambda before", "predicted", "after",
                   "objects moved", "bytes", "took", "predicted gain", "realised gain", "reason"});
  table.words_in({2, 11});
  for (std::size_t i = 0; i < model.rebalances.size(); i += stride) {
    const Rebalance& each = model.rebalances[i];
    table.add({detail::count_of(each.at), detail::count_of(each.decided_at), kind_of(each),
               lambda_or_none(each.lambda_before), lambda_or_none(foreseen_by(each.outcome)),
               lambda_or_none(each.lambda_after), detail::count_of(each.outcome.objects_moved),
               detail::bytes_of(each.outcome.bytes_moved), Amounts(false).of(each.outcome.seconds),
               amounts.of(each.predicted), amounts.of(each.realised), escaped(each.reason)});
  }
  const std::size_t one_in = stride * model.one_in;
  const std::string title =
      one_in == 1 ? "Every rebalance" : "One rebalance of " + std::to_string(one_in);
  return folded(title, table.html());
}

using Gains = std::vector<std::pair<double, double>>;

Gains gains_of(const Model& model) {
  Gains gains;
  for (const Rebalance& each : model.rebalances)
    if (each.outcome.moved && each.predicted && each.realised)
      gains.emplace_back(*each.predicted, *each.realised);
  return gains;
}

std::string scatter_of(const Gains& gains, const Amounts& amounts) {
  double least = 0, most = 0;
  for (const auto& [predicted, realised] : gains) {
    least = std::min({least, predicted, realised});
    most = std::max({most, predicted, realised});
  }
  const Amounts::Unit unit = amounts.unit_for(std::max(most, -least));
  const auto axis = [&](const char* what) {
    return round_axis(least / unit.seconds, most / unit.seconds,
                      std::string(what) + " gain, " + unit.name);
  };
  const ChartAxis across = axis("predicted"), up = axis("realised");
  Gains dots;
  for (const auto& [predicted, realised] : gains)
    dots.emplace_back(predicted / unit.seconds, realised / unit.seconds);
  Plot plot(across, up);
  plot.add_line("unity", across.low, across.low, across.high, across.high);
  plot.add_line("zero", across.low, 0, across.high, 0);
  plot.add_dots("dots", dots);
  return plot.html("Realised over predicted gain of each rebalance", "square");
}

std::string words_on(const Gains& gains, std::size_t one_in) {
  const auto paid =
      std::count_if(gains.begin(), gains.end(), [](const auto& gain) { return gain.second >= 0; });
  return detail::count_of(paid) + " of " + counted(std::ssize(gains), "rebalance") +
         " whose gain is known paid for " + (gains.size() == 1 ? "itself" : "themselves") +
         ". Gains are net of the cost. On the dashed line both are the same; below the horizontal "
         "line at 0, a rebalance cost more than it gained." +
         (one_in > 1 ? " Shown is one of " + std::to_string(one_in) + "." : "");
}

}  // namespace

std::string rebalances_section(const Model& model) {
  if (model.rebalances.empty()) return {};
  const Amounts amounts(model.is_deterministic);
  const Gains gains = gains_of(model);
  std::string content;
  if (!gains.empty())
    content = paragraph(words_on(gains, model.one_in)) + scatter_of(gains, amounts);
  else
    content = paragraph("The gain of rebalances is not known: no usable look followed one.");
  return section("rebalances", "Predicted and realised gain", content + table_of(model, amounts));
}

std::string stages_section(const Model& model) {
  const Amounts amounts(false);  // a rebalance is timed in any run
  std::vector<std::pair<std::string, double>> stages(model.stages.begin(), model.stages.end());
  double all = 0, longest = 0;
  for (const auto& [name, took] : stages) {
    all += took;
    longest = std::max(longest, took);
  }
  if (!(all > 0)) return {};
  std::stable_sort(stages.begin(), stages.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  HtmlTable table("Stages of all rebalances together, on the slowest rank of each",
                  {"stage", "time", "share", "for one rebalance", ""});
  const auto count =
      static_cast<double>(std::max<std::int64_t>(1, model.changing + model.unchanging));
  for (const auto& [name, took] : stages)
    table.add({escaped(name), amounts.of(took), share_of(took, all), amounts.of(took / count),
               bar(took / longest, "cost")});
  return section("stages", "Time of a rebalance by stage", table.html());
}

}  // namespace evenkeel::tool::report
