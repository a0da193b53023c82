// The run in words and in a few numbers, and how its time was used.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace evenkeel::tool::report {

namespace {

std::string figure(const std::string& name, const std::string& value, const std::string& note) {
  return element("div", element("dt", escaped(name)) + element("dd", escaped(value)) +
                            element("dd", {{"class", "note"}}, escaped(note)));
}

LoadSummary load_of(const Model& model) {
  LoadSummary load;
  load.ranks = static_cast<int>(std::min<std::int64_t>(model.ranks, 1 << 30));
  load.sum = model.account.mean * load.ranks;
  load.greatest = model.account.actual;
  return load;
}

std::string memory_of(const RankMemory& rank) {
  return "rank " + std::to_string(rank.rank) + " with " + detail::bytes_of(rank.bytes) + " of " +
         detail::bytes_of(rank.limit);
}

std::string forecast_of(const RankMemory& rank) {
  if (rank.steps_left == RankMemory::never || rank.steps_left == 0) return {};
  return "; rank " + std::to_string(rank.rank) + " is full in " +
         detail::count_of(rank.steps_left) + " steps at this growth";
}

std::string figures(const Model& model) {
  const Amounts amounts(model.is_deterministic);
  const Account& account = model.account;
  const LoadSummary load = load_of(model);
  std::string all = figure("lambda", lambda_text(lambda(load)), "slowest / average; 1 is perfect") +
                    figure("imbalance", detail::fixed(imbalance_percent(load), 1) + " %",
                           "0 is perfect, 100 is one rank alone") +
                    figure("lost to imbalance", amounts.of(account.actual - account.mean),
                           share_of(account.actual - account.mean, account.actual) +
                               " of the slowest ranks' work");
  if (model.last.rebalances > 0) {
    const double saved = account.saved();
    if (!account.knows_never)
      all += figure("saved by balancing", "not known", "no look came before the first rebalance");
    else if (std::abs(saved) < account.uncertainty)
      all += figure("saved by balancing", "not clear",
                    amounts.of(saved) + ", give or take " + amounts.of(account.uncertainty));
    else
      all += figure(saved < 0 ? "lost by balancing" : "saved by balancing",
                    amounts.of(std::abs(saved)),
                    share_of(std::abs(saved), account.never) + " of the time without rebalances");
    all += figure("cost of rebalances", amounts.of(account.spent()),
                  counted(model.last.rebalances - model.last.ledger.gains.unchanged, "rebalance") +
                      detail::and_unchanged(model.last.ledger.gains.unchanged));
  } else if (account.advised > 0) {
    all += figure("would have been saved", amounts.of(account.advised), "nothing was moved");
  }
  if (model.fullest.is_known())
    all += figure("fullest rank", detail::fixed(100 * model.fullest.share(), 0) + " %",
                  memory_of(model.fullest) + "; at the end " + memory_of(model.memory.fullest) +
                      forecast_of(model.memory.soonest));
  return element("dl", {{"class", "figures"}}, all) + '\n';
}

struct Part {
  const char* name;
  const char* style;
  double was, without;
};

std::vector<Part> parts_of(const Account& account) {
  return {{"average rank's work", "average", account.mean, account.mean},
          {"lost to imbalance", "lost", std::max(0.0, account.actual - account.mean),
           std::max(0.0, account.never - account.mean)},
          {"evenkeel's rebalances", "cost", account.own_cost, 0},
          {"the application's rebuild", "rebuild", account.rebuild_cost, 0}};
}

std::string stacked(const std::vector<Part>& parts, double Part::*of, double longest,
                    const std::string& name, const std::string& total) {
  std::string bars;
  for (const Part& part : parts) bars += bar(longest > 0 ? part.*of / longest : 0, part.style);
  return element("div", {{"class", "stack"}},
                 element("span", escaped(name)) +
                     element("div", {{"class", "bars"}, {"aria-hidden", "true"}}, bars) +
                     element("b", escaped(total))) +
         '\n';
}

}  // namespace

std::string summary_section(const Model& model) {
  std::string words;
  std::istringstream lines(model.summary);
  for (std::string line; std::getline(lines, line);) words += paragraph(line);
  if (!(model.account.mean > 0)) return section("summary", "In short", words);
  return section("summary", "In short", figures(model) + words);
}

std::string account_section(const Model& model) {
  if (model.last.rebalances == 0 || !(model.account.mean > 0)) return {};
  const Amounts amounts(model.is_deterministic);
  const std::vector<Part> parts = parts_of(model.account);
  double was = 0, without = 0;
  LegendEntries keys;
  HtmlTable table("Time with and without rebalances", {"part", "as it was", "without rebalances"});
  for (const Part& part : parts) {
    was += part.was;
    without += part.without;
    keys.emplace_back(part.style, part.name);
    table.add({part.name, amounts.of(part.was), amounts.of(part.without)});
  }
  table.add({"together", amounts.of(was), amounts.of(without)});
  const double longest = std::max(was, without);
  std::string note =
      "The bars add the slowest ranks' work in all steps and the cost of rebalances. ";
  note += model.account.knows_never
              ? "Without rebalances, the objects would have stayed in the first domains; looks "
                "determined the load of the ranks there."
              : "The imbalance without rebalances is not known. The lower bar assumes that there "
                "would have been no imbalance.";
  if (model.account.uncertainty > 0)
    note += " The lower bar is known give or take " + amounts.of(model.account.uncertainty) + ".";
  return section("account", "With and without balancing",
                 paragraph(note) + legend(keys) +
                     stacked(parts, &Part::was, longest, "as it was", amounts.of(was)) +
                     stacked(parts, &Part::without, longest, "without", amounts.of(without)) +
                     folded("The same in numbers", table.html()));
}

}  // namespace evenkeel::tool::report
