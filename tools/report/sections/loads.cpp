// The loads of single ranks over the run, and of kernels.

#include "report/amounts.hpp"
#include "report/heat_map.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <limits>

namespace evenkeel::tool::report {

namespace {

struct RankShare {
  double sum = 0, least = std::numeric_limits<double>::max(), greatest = 0;
  std::int64_t columns = 0;
};

// The load of each rank, as a share of the average rank's load.
std::vector<RankShare> shares_of(const Model& model) {
  std::vector<RankShare> ranks;
  for (const TimeColumn& column : model.columns) {
    double sum = 0;
    for (const double load : column.loads) sum += load;
    if (!(sum > 0)) continue;
    ranks.resize(std::max(ranks.size(), column.loads.size()));
    for (std::size_t rank = 0; rank < column.loads.size(); ++rank) {
      const double share = column.loads[rank] * static_cast<double>(column.loads.size()) / sum;
      RankShare& of = ranks[rank];
      of.sum += share;
      of.least = std::min(of.least, share);
      of.greatest = std::max(of.greatest, share);
      ++of.columns;
    }
  }
  return ranks;
}

std::string table_of_ranks(const Model& model) {
  HtmlTable table("Load of each rank, as a share of the average rank's",
                  {"rank", "mean", "least", "greatest"});
  const std::vector<RankShare> ranks = shares_of(model);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankShare& of = ranks[rank];
    if (of.columns == 0) continue;
    table.add({std::to_string(rank), detail::fixed(of.sum / static_cast<double>(of.columns), 2),
               detail::fixed(of.least, 2), detail::fixed(of.greatest, 2)});
  }
  return table.html();
}

// The share of ranks whose load is at least this share of the mean load.
double above(const TimeColumn& column, double share) {
  const auto first = static_cast<std::size_t>(share * LoadPicture::bins_per_mean);
  double sum = 0;
  for (std::size_t bin = first; bin < column.loads.size(); ++bin) sum += column.loads[bin];
  return sum;
}

std::string table_of_shares(const Model& model) {
  constexpr std::size_t most_rows = 100;
  const std::size_t stride = (model.columns.size() + most_rows - 1) / most_rows;
  HtmlTable table("Share of all ranks at each load",
                  {"steps", "half the average and more", "the average and more", "1.25 and more",
                   "1.5 and more", "twice and more"});
  for (std::size_t i = 0; i < model.columns.size(); i += std::max<std::size_t>(1, stride)) {
    const TimeColumn& column = model.columns[i];
    if (!(column.loads_weight > 0)) continue;
    std::vector<std::string> cells = {steps_text(column)};
    for (const double share : {0.5, 1.0, 1.25, 1.5, 2.0})
      cells.push_back(share_of(above(column, share), column.loads_weight));
    table.add(cells);
  }
  return table.html();
}

std::string canvas(const HeatMap& map) {
  return element("canvas",
                 {{"id", "heat"},
                  {"width", "1024"},
                  {"height", std::to_string(map.rows)},
                  {"aria-hidden", "true"}},
                 "") +
         element("noscript", "The map is drawn by a script. The table below has its numbers.");
}

std::string scale(const std::string& low, const std::string& high, const std::string& what) {
  return element("p", {{"class", "scale"}},
                 escaped(what) + " " + element("span", escaped(low)) +
                     element("i", {{"class", "ramp"}, {"aria-hidden", "true"}}, "") +
                     element("span", escaped(high))) +
         '\n';
}

ChartAxis rank_axis(const HeatMap& map) {
  const auto rows = static_cast<double>(map.rows);
  ChartAxis axis = exact_axis(-0.5, rows - 0.5, "rank", 6);
  std::erase_if(axis.ticks, [](double tick) {
    return tick != static_cast<double>(static_cast<std::int64_t>(tick));
  });
  std::swap(axis.low, axis.high);  // rank 0 is at the top
  return axis;
}

std::string map_of_ranks(const Model& model, const HeatMap& map) {
  Plot plot(steps_axis(model), rank_axis(map));
  plot.lay_under(canvas(map));
  plot.add_marks("rebalance", steps_of_rebalances(model));
  const std::string style = map.rows <= 8 ? "time low" : map.rows <= 64 ? "time high" : "time tall";
  return scale(detail::fixed(map.low, 2), detail::fixed(map.high, 2),
               "Load as a share of the average rank's:") +
         plot.html("Load of each rank over the steps of the run", style + " heat") +
         folded("Each rank in numbers", table_of_ranks(model));
}

std::string map_of_shares(const Model& model, const HeatMap& map) {
  Plot plot(steps_axis(model), exact_axis(map.bottom, map.top, "load / average load", 6));
  plot.lay_under(canvas(map));
  plot.add_marks("rebalance", steps_of_rebalances(model));
  plot.add_line("unity", static_cast<double>(model.columns.front().begin), 1,
                static_cast<double>(model.last_step), 1);
  plot.add_steps("slowest", spans_of(model, &TimeColumn::lambda, 1));
  return scale("no rank", "all ranks", "Ranks with that load:") +
         legend({{"line", "the slowest rank: lambda"}}) +
         plot.html("The number of ranks at each share of the average load, over the steps",
                   "time tall heat") +
         folded("The same as a table", table_of_shares(model));
}

std::string slow_ranks(const Model& model) {
  if (model.slow.empty()) return {};
  HtmlTable table(
      "Ranks that were slower than the others, whatever their work was",
      {"rank", "slower by", "waited for a core", "counted with speed", "after step", "to step"});
  for (const SlowSpell& spell : model.slow)
    table.add({std::to_string(spell.rank.rank),
               detail::fixed(spell.rank.percent, 0) + " +- " +
                   detail::fixed(std::max(1.0, spell.rank.error), 0) + " %",
               detail::fixed(spell.rank.waiting, 0) + " % of its time",
               detail::fixed(spell.rank.speed, 2), detail::count_of(spell.rank.since),
               detail::count_of(spell.last)});
  return table.html();
}

}  // namespace

std::string loads_section(const Model& model) {
  const std::optional<HeatMap> map = heat_map_of(model);
  if (!map) return {};
  const std::string slow = slow_ranks(model);
  if (map->shows_ranks)
    return section("loads", "Load of the ranks",
                   paragraph("A row for each rank. After a good rebalance all rows have the colour "
                             "of the middle.") +
                       map_of_ranks(model, *map) + slow);
  return section(
      "loads", "Load of the ranks",
      paragraph("A journal of " + detail::count_of(model.ranks) +
                " ranks does not hold the load of each rank. It holds how many ranks had each "
                "share of the average load; the average is that of the look before. After a good "
                "rebalance all ranks are near 1. All ranks wait for those far above 1.") +
          map_of_shares(model, *map) + slow);
}

std::string kernels_section(const Model& model) {
  const Amounts amounts(model.is_deterministic);
  double longest = 0;
  for (const auto& [name, kernel] : model.kernels)
    longest = std::max(longest, kernel.greatest.mean().value_or(0));
  HtmlTable table("Work per step, mean over the run",
                  {"kernel", "least rank", "average rank", "slowest rank", "lambda", ""});
  for (const auto& [name, kernel] : model.kernels) {
    const double average = kernel.average.mean().value_or(0);
    const double greatest = kernel.greatest.mean().value_or(0);
    table.add({escaped(name), amounts.of(kernel.least.mean()), amounts.of(kernel.average.mean()),
               amounts.of(kernel.greatest.mean()),
               average > 0 ? lambda_text(greatest / average) : "",
               bar(longest > 0 ? greatest / longest : 0, "lost") +
                   bar(longest > 0 ? average / longest : 0, "average over")});
  }
  if (table.empty()) return {};
  return section("kernels", "Kernels",
                 legend({{"average", "average rank"}, {"lost", "slowest rank"}}) + table.html());
}

}  // namespace evenkeel::tool::report
