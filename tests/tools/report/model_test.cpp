// Tests the model that a report computes from a journal, and the page as text.

#include "report/chart.hpp"
#include "report/heat_map.hpp"
#include "report/page.hpp"
#include "support/harness.hpp"
#include "tools/report/journals.hpp"

#include <nlohmann/json.hpp>

namespace evenkeel::tool::report::model_test {
namespace {

using test::journal_of;
using test::lines_of;

Model model_of(const std::string& text) {
  ModelBuilder builder;
  const MemorySource source("J.jsonl", text);
  Reading reading = read_journal(source, Care::tolerant, handlers_of(builder));
  return std::move(builder).result(std::move(reading));
}

// --- Lists of bounded length ---------------------------------------------------------------------

struct Range {
  int begin = 0, end = 0;
  void join(const Range& next) {
    EXPECT_EQ(end, next.begin);
    end = next.end;
  }
};

TEST(Folding, JoinsNeighboursAndLosesNone) {
  for (const int count : {0, 1, 7, 8, 9, 16, 17, 63, 64, 65, 1000}) {
    Folding<Range> folding(8);
    for (int i = 0; i < count; ++i) folding.add({i, i + 1});
    const std::vector<Range>& ranges = folding.entries();
    ASSERT_LE(ranges.size(), 8U);
    int end = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_EQ(ranges[i].begin, end);
      end = ranges[i].end;
      if (i + 1 < ranges.size()) {
        EXPECT_EQ(end - ranges[i].begin, static_cast<int>(folding.per_entry()));
      }
    }
    EXPECT_EQ(end, count);
    if (count > 8) {
      EXPECT_GT(ranges.size(), 3U) << "no more than needed";
    }
  }
}

TEST(Thinning, KeepsTheFirstOfAsManyEach) {
  for (const int count : {0, 1, 8, 9, 16, 17, 1000}) {
    Thinning<int> thinning(8);
    for (int i = 0; i < count; ++i) thinning.add(i);
    EXPECT_EQ(thinning.seen(), static_cast<std::size_t>(count));
    const auto stride = static_cast<int>(thinning.stride());
    const std::vector<int> kept = std::move(thinning).take();
    ASSERT_LE(kept.size(), 8U);
    ASSERT_EQ(kept.size(), static_cast<std::size_t>((count + stride - 1) / stride));
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], static_cast<int>(i) * stride);
  }
}

// --- A whole journal -----------------------------------------------------------------------------

TEST(ReportModel, ARunByHand) {
  const Model model = model_of(journal_of({}));
  EXPECT_EQ(model.ranks, 4);
  EXPECT_EQ(model.looks, 40);
  EXPECT_EQ(model.start.name, "fluid");
  EXPECT_EQ(model.summary, "All went well.");
  EXPECT_TRUE(model.reading.is_finished);
  EXPECT_EQ(model.reading.lines, 42);
  EXPECT_EQ(model.reading.broken, 0);
  ASSERT_EQ(model.columns.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) {
    const TimeColumn& column = model.columns[i];
    const double since = static_cast<double>(i % 6), all = static_cast<double>(i);
    EXPECT_EQ(column.begin, static_cast<std::int64_t>(8 * i));
    EXPECT_EQ(column.end, static_cast<std::int64_t>(8 * i + 8));
    EXPECT_NEAR(*column.average.mean(), 1e-3, 1e-12);
    EXPECT_NEAR(*column.slowest.mean(), (1 + since / 10) * 1e-3, 1e-9);
    EXPECT_NEAR(*column.never.mean(), (1 + all / 10) * 1e-3, 1e-9) << i;
    EXPECT_NEAR(*column.lambda.mean(), 1 + since / 10, 1e-6);
    EXPECT_EQ(column.rebalances, i % 6 == 5 ? 1 : 0);
    EXPECT_EQ(column.decision, i % 6 == 5 ? "rebalance" : "hold");
    ASSERT_EQ(column.loads.size(), 4U);
    EXPECT_NEAR(column.loads[0] / column.loads_weight, (1 + since / 10) * 1e-3, 1e-9);
  }
}

TEST(ReportModel, TheAccountAndRebalancesByHand) {
  const Model model = model_of(journal_of({}));
  double actual = 0, never = 0;
  for (int i = 0; i < 40; ++i) {
    actual += 8e-3 * (1 + 0.1 * (i % 6));
    never += 8e-3 * (1 + 0.1 * i);
  }
  EXPECT_NEAR(model.account.mean, 40 * 8e-3, 1e-9);
  EXPECT_NEAR(model.account.actual, actual, 1e-9);
  EXPECT_NEAR(model.account.never, never, 1e-6);
  EXPECT_NEAR(model.account.own_cost, 6 * 2e-3, 1e-9);
  EXPECT_NEAR(model.account.rebuild_cost, 6 * 1e-3, 1e-9);
  ASSERT_EQ(model.rebalances.size(), 6U);
  EXPECT_EQ(model.changing, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const Rebalance& each = model.rebalances[i];
    EXPECT_EQ(each.at, static_cast<std::int64_t>(48 * (i + 1)));
    EXPECT_EQ(each.kind, RebalanceKind::fresh);
    EXPECT_NEAR(*each.lambda_before, 1.5, 1e-6);
    EXPECT_NEAR(*each.lambda_after, 1, 1e-6);
    ASSERT_TRUE(each.realised.has_value());
    // Under the previous domains, rank 0 would have taken 0.6 ms more in each of the 48 steps (32
    // after the last rebalance). The cost was 3 ms.
    const double steps = i < 5 ? 48 : 32;
    EXPECT_NEAR(*each.realised, steps * 0.6e-3 - 3e-3, 1e-6) << i;
  }
  EXPECT_NEAR(model.stages.at("cut"), 6 * 0.5e-3, 1e-12);
  EXPECT_NEAR(model.stages.at("exchange"), 6 * 1.5e-3, 1e-12);
  EXPECT_EQ(model.causes.at("above_threshold").looks, 6);
  EXPECT_EQ(model.causes.at("below_threshold").looks, 34);
  EXPECT_EQ(model.costs.rows.at(1).seconds, 7e-6);
  EXPECT_NEAR(*model.kernels.at("force").average.mean(), 1e-3, 1e-9);
}

TEST(ReportModel, DomainsBeforeAreThoseOfTheLastRebalance) {
  const Model model = model_of(journal_of({}));
  ASSERT_EQ(model.domain_changes.size(), 6U);
  EXPECT_TRUE(model.domain_changes[0].before.planes.empty());
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(model.domain_changes[i].before, model.domain_changes[i - 1].after);
    EXPECT_NE(model.domain_changes[i].after, model.domain_changes[i].before);
  }
  // If there are many changes, some are left out, but the last one stays.
  const Model longer = model_of(journal_of({.looks = 6 * 100 + 3}));
  EXPECT_LE(longer.domain_changes.size(), 13U);
  EXPECT_GE(longer.domain_changes.size(), 6U);
  EXPECT_EQ(longer.domain_changes.back().step, 8 * 600);
}

TEST(ReportModel, LinesThatTheRunHasLeftOut) {
  auto lines = lines_of({});
  EXPECT_EQ(page_of(model_of(test::text_of(lines))).find("left out"), std::string::npos);
  lines[9] = left_out_line(72) + '\n';
  lines[19] = left_out_line(152) + '\n';
  const Model model = model_of(test::text_of(lines));
  EXPECT_EQ(model.looks, 38);
  EXPECT_EQ(model.reading.broken, 0);
  EXPECT_EQ(model.reading.left_out_from, 72);
  EXPECT_MENTIONS(page_of(model), "From step 72 on the run has left out lines");
  EXPECT_TRUE(
      name_of_journal("1.2.3", 4, model.reading).ends_with("on 4 ranks, with lines left out"));
  EXPECT_TRUE(std::holds_alternative<JournalLeftOut>(line_from(left_out_line(7), Care::exact)));
}

// A run that continues or was killed has no last line. The data from its looks must be the same.
TEST(ReportModel, WithoutTheLastLine) {
  const Model whole = model_of(journal_of({})), open = model_of(journal_of({.finishes = false}));
  EXPECT_FALSE(open.reading.is_finished);
  EXPECT_EQ(open.account.actual, whole.account.actual);
  EXPECT_EQ(open.account.never, whole.account.never);
  EXPECT_EQ(open.last.rebalances, whole.last.rebalances);
  EXPECT_MENTIONS(open.summary, "6 rebalances cost 18.00 ms");
  EXPECT_MENTIONS(page_of(open), "does not say how the run has ended");
  EXPECT_EQ(page_of(whole).find("is incomplete"), std::string::npos);
}

TEST(ReportModel, TheLastLineIsARebalance) {
  const Model model = model_of(journal_of({.looks = 6, .finishes = false}));
  EXPECT_EQ(model.last.rebalances, 1);
  ASSERT_EQ(model.rebalances.size(), 1U);
  EXPECT_FALSE(model.rebalances[0].realised.has_value());
}

TEST(ReportModel, RebalancesThatChangedNothingCountApart) {
  const Model model = model_of(journal_of({.some_change_nothing = true}));
  EXPECT_EQ(model.changing, 3);
  EXPECT_EQ(model.unchanging, 3);
  ASSERT_EQ(model.rebalances.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(model.rebalances[i].outcome.moved, i % 2 == 0) << i;
  const std::string page = page_of(model);
  EXPECT_MENTIONS(page, "40 looks, 3 rebalances, and 3 that changed nothing");
  EXPECT_MENTIONS(page, "fresh, changed nothing");
  // The second rebalance is the last line.
  const Model open =
      model_of(journal_of({.looks = 12, .finishes = false, .some_change_nothing = true}));
  EXPECT_EQ(open.unchanging, 1);
  EXPECT_EQ(open.last.ledger.gains.unchanged, 1);
}

// The line of a look comes some steps after the look. A rebalance that no look has asked for may
// have its line before it, but belongs to the steps of the next look.
TEST(ReportModel, ARebalanceWithoutALookMayStandBeforeAnEarlierLook) {
  auto lines = lines_of({.looks = 7, .finishes = false});
  for (const std::int64_t step : {34, 35})
    lines.insert(lines.begin() + step - 30, to_json(test::due_after(step)) + '\n');
  const Model model = model_of(test::text_of(lines));
  EXPECT_EQ(model.reading.broken, 0);
  EXPECT_EQ(model.looks, 7);
  EXPECT_EQ(model.changing, 3);
  ASSERT_EQ(model.columns.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    const TimeColumn& column = model.columns[i];
    EXPECT_EQ(column.begin, static_cast<std::int64_t>(8 * i));
    EXPECT_EQ(column.end, static_cast<std::int64_t>(8 * i + 8));
    EXPECT_EQ(column.looks, 1);
    EXPECT_EQ(column.rebalances, i == 4 ? 2 : i == 5 ? 1 : 0) << i;
  }
  EXPECT_EQ(model.columns[4].step, 35);
  EXPECT_EQ(model.columns[4].cause, "due");
}

TEST(HostileJournal, LinesInAnotherOrderAreLeftOut) {
  auto lines = lines_of({.looks = 7, .finishes = false});
  std::swap(lines[2], lines[3]);
  for (const std::int64_t step : {35, 34}) lines.push_back(to_json(test::due_after(step)) + '\n');
  const Model model = model_of(test::text_of(lines));
  EXPECT_EQ(model.reading.broken, 2);
  EXPECT_EQ(model.looks, 6);
}

// --- Many ranks, many looks ----------------------------------------------------------------------

TEST(ReportModel, ManyLooksAreJoined) {
  const Model model = model_of(journal_of({.looks = 5000, .has_domains = false}));
  ASSERT_LE(model.columns.size(), 1024U);
  EXPECT_EQ(model.looks_per_column, 8U);
  EXPECT_EQ(model.columns.front().begin, 0);
  EXPECT_EQ(model.columns.back().end, 40000);
  std::int64_t looks = 0, rebalances = 0;
  for (const TimeColumn& column : model.columns) {
    looks += column.looks;
    rebalances += column.rebalances;
    EXPECT_EQ(column.decision == "rebalance", column.rebalances > 0);
  }
  EXPECT_EQ(looks, 5000);
  EXPECT_EQ(rebalances, 833);
  EXPECT_EQ(model.changing, 833);
  EXPECT_NEAR(model.columns[0].worst_lambda, 1.5, 1e-6);
  EXPECT_NEAR(*model.columns[0].lambda.mean(), (6 + 1.5 + 1 + 1.1) / 8, 1e-6);
}

TEST(HeatMap, OfRanks) {
  const auto map = heat_map_of(model_of(journal_of({})));
  ASSERT_TRUE(map.has_value());
  EXPECT_TRUE(map->shows_ranks);
  ASSERT_EQ(map->rows, 4U);
  ASSERT_EQ(map->columns, 40U);
  const auto share = [&](std::size_t rank, std::size_t column) {
    return map->low + (map->high - map->low) * map->cells[rank * 40 + column] / HeatMap::most;
  };
  EXPECT_NEAR(map->low + map->high, 2, 1e-9) << "the average is in the middle";
  for (std::size_t i = 0; i < 40; ++i) {
    const double above = 0.1 * static_cast<double>(i % 6), step = (map->high - map->low) / 254;
    EXPECT_NEAR(share(0, i), 1 + above, step);
    EXPECT_NEAR(share(3, i), 1 - above / 3, step);
  }
}

TEST(HeatMap, OfSharesAboveTwoHundredAndFiftySixRanks) {
  const Model model = model_of(journal_of({.ranks = 1000}));
  EXPECT_FALSE(model.shows_ranks);
  const auto map = heat_map_of(model);
  ASSERT_TRUE(map.has_value());
  EXPECT_FALSE(map->shows_ranks);
  EXPECT_LE(map->top, 1.5 + 6.0 / 64);
  EXPECT_GE(map->top, 1.5);
  // The first look knows no earlier average. At each other look, every rank is in one of the bins.
  for (std::size_t i = 0; i < 40; ++i) {
    double ranks = 0;
    for (std::size_t row = 0; row < map->rows; ++row) {
      const std::uint8_t cell = map->cells[row * 40 + i];
      EXPECT_EQ(cell == HeatMap::unknown, i == 0);
      if (i > 0) ranks += std::pow(cell / 254.0, 4);
    }
    if (i > 0) {
      EXPECT_NEAR(ranks, 1, 0.01) << i;
    }
  }
}

TEST(HeatMap, Base64) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({'M'}), "TQ==");
  EXPECT_EQ(base64({'M', 'a'}), "TWE=");
  EXPECT_EQ(base64({'M', 'a', 'n', 255}), "TWFu/w==");
}

// --- Hostile journals ----------------------------------------------------------------------------

TEST(HostileJournal, CutOffAnywhereItTellsOfWhatIsThere) {
  const std::string whole = journal_of({.looks = 7});
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t end = first; end < whole.size(); end += 997) {
    const Model model = model_of(whole.substr(0, end));
    const bool is_whole = whole[end - 1] == '\n';
    EXPECT_EQ(model.reading.is_cut_off, !is_whole);
    EXPECT_EQ(model.reading.broken, 0);
    EXPECT_EQ(page_of(model).find("cut off") != std::string::npos, !is_whole);
  }
}

TEST(HostileJournal, ABrokenLineIsCountedAndNamed) {
  auto lines = lines_of({});
  lines[5] = lines[5].substr(0, lines[5].size() / 2) + '\n';
  lines[9] = "[1,2]\n";
  lines[12] = "{\"step\":104}\n";
  const Model model = model_of(test::text_of(lines));
  EXPECT_EQ(model.reading.broken, 3);
  ASSERT_EQ(model.reading.first.size(), 3U);
  EXPECT_EQ(model.reading.first[0].line, 6);
  EXPECT_EQ(model.reading.first[1].line, 10);
  EXPECT_EQ(model.reading.first[1].reason, "it is not an object");
  EXPECT_EQ(model.looks, 37);
  const std::string page = page_of(model);
  EXPECT_MENTIONS(page, "3 lines of 42 cannot be understood and are left out");
  EXPECT_MENTIONS(page, "Line 10: it is not an object");
}

TEST(HostileJournal, TheFirstLineIsMissing) {
  auto lines = lines_of({});
  lines.erase(lines.begin());
  const Model model = model_of(test::text_of(lines));
  EXPECT_EQ(model.ranks, 4);
  EXPECT_EQ(model.looks, 40);
  EXPECT_MENTIONS(page_of(model), "first line is missing");
}

TEST(HostileJournal, WhatIsNoJournalIsRefused) {
  for (const std::string text :
       {"", "\n", "{}\n", "hello\n", "[]\n[]\n", "{\"step\":1}\n", "{\"version\":\"0.1.0\"}\n",
        "null\n", "{\"version\":1,\"ranks\":2}"}) {
    EXPECT_THROW(model_of(text), Error) << text;
  }
  const std::string nested(100'000, '[');
  EXPECT_THROW(model_of(nested + '\n'), Error);
}

TEST(HostileJournal, OnlyAHeader) {
  const std::string page = page_of(model_of(journal_of({.looks = 0, .finishes = false})));
  EXPECT_MENTIONS(page, "the load is not known");
}

// Replaces each number and text of a line in turn. The report must be made, or the line left out.
TEST(HostileJournal, AnyValueMayBeWrong) {
  using nlohmann::json;
  const auto lines = lines_of({.looks = 7});
  const auto bad = split(
      "null -1 1e308 -1e308 18446744073709551615 -9223372036854775808 0.5 \"x\" [] {} true "
      "[[[]]] NaN 1e999",
      ' ');
  const std::size_t stride = test::is_sanitized ? 9 : 1;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{6}, lines.size() - 1}) {
    const json flat = json::parse(lines[at]).flatten();
    std::size_t number = 0;
    for (const auto& [key, value] : flat.items()) {
      if (++number % stride != 0) continue;
      json changed = flat;
      const std::string mark = "\"@@\"";
      changed[key] = "@@";
      std::string line = changed.unflatten().dump();
      line.replace(line.find(mark), mark.size(), bad[number / stride % bad.size()]);
      auto hostile = lines;
      hostile[at] = line + '\n';
      const Model model = model_of(test::text_of(hostile));
      const std::string page = page_of(model);
      EXPECT_EQ(page.find(">nan"), std::string::npos) << line;
      EXPECT_LE(model.reading.broken, 1);
      EXPECT_LT(page.size(), 1U << 20U);
    }
  }
}

// Names of a journal must stay text between tags. The page must not load or run anything in them.
TEST(HostileJournal, NamesStayText) {
  const std::string evil = "</script><script>alert('x\"')</script><img src=x onerror=alert(1)>&";
  const std::string page = page_of(model_of(journal_of({.name = evil, .kernel = evil})));
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2U) << "the data and the page's own";
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_MENTIONS(page, "&lt;/script&gt;&lt;script&gt;alert(&#39;x&quot;&#39;)");
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size(), end = page.find("</script>", begin);
  EXPECT_TRUE(nlohmann::json::accept(page.substr(begin, end - begin)));
}

// --- Axes ----------------------------------------------------------------------------------------

TEST(Axis, IsRoundAndHasFewTicks) {
  const ChartAxis axis = round_axis(0, 1.87, "x");
  EXPECT_EQ(axis.low, 0);
  EXPECT_EQ(axis.high, 2);
  EXPECT_EQ(axis.ticks.size(), 5U);
  EXPECT_EQ(axis.place(1), 0.5);
  constexpr double most = std::numeric_limits<double>::max();
  const double ends[] = {0,     1,      -1,    1e-300,    1e300,    most,
                         -most, 1e-320, 12345, 1 + 1e-16, INFINITY, NAN};
  for (const double low : ends)
    for (const double high : ends) {
      for (const ChartAxis& each : {round_axis(low, high, ""), exact_axis(low, high, "")}) {
        EXPECT_LE(each.ticks.size(), 50U);
        EXPECT_TRUE(std::isfinite(each.place(low + 1)) && each.low < each.high)
            << low << ' ' << high;
      }
    }
}

}  // namespace
}  // namespace evenkeel::tool::report::model_test
