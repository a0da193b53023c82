#include "watch/frame.hpp"

#include "files/printable.hpp"
#include "observe/epoch.hpp"
#include "report/amounts.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace evenkeel::tool::watch {

namespace {

using Lines = std::vector<std::string>;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::string fitted(const std::string& text, int columns, bool has_blocks) {
  if (width_of(text) <= columns) return text;
  std::size_t end = 0;
  int width = 0;
  while (end < text.size() && width < columns - 1) {
    ++end;
    while (end < text.size() && continues(text[end])) ++end;
    ++width;
  }
  return text.substr(0, end) + (has_blocks ? "…" : ">");
}

std::string padded(std::string text, int columns) {
  const int missing = columns - width_of(text);
  if (missing > 0) text.append(static_cast<std::size_t>(missing), ' ');
  return text;
}

// A bar of `length` columns. With blocks, its length is a multiple of an eighth of a column.
std::string bar_of(double length, bool has_blocks) {
  static constexpr std::array<const char*, 8> parts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(length > 0)) return "";
  if (!has_blocks) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  const auto eighths = static_cast<std::size_t>(std::lround(8 * length));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + parts[eighths % 8];
}

std::string fixed(double number) { return report::lambda_text(number); }

// --- Parts of a frame ----------------------------------------------------------------------------

std::string head_of(const View& view, bool has_blocks) {
  const std::string between = has_blocks ? "  ·  " : "  |  ";
  std::string text = view.name.empty() ? "evenkeel" : view.name;
  text += between + report::counted(view.ranks, "rank");
  text += between + "step " + detail::count_of(view.step);
  if (view.slowest > 0 && !view.is_deterministic)
    text += between + report::short_number(1 / view.slowest) + " steps/s";
  if (view.looks > 0)
    text += between + "lambda " + fixed(view.lambda) + between + "imbalance " +
            detail::fixed(view.imbalance_percent, 1) + " %";
  if (const RankMemory& fullest = view.memory.fullest; fullest.is_known())
    text += between + "rank " + std::to_string(fullest.rank) + " is " +
            detail::fixed(100 * fullest.share(), 0) + " % full";
  if (view.slow)
    text += between + "rank " + std::to_string(view.slow.rank) + " is " +
            detail::fixed(view.slow.percent, 0) + " % slower";
  if (view.is_paused) text += between + "paused";
  if (view.summary) text += between + "finished";
  if (view.is_unfinished) text += between + "ended without finish()";
  return text;
}

// The course of lambda. If there are more looks than columns, each column shows the greatest value
// of several looks.
std::string course_of(const View& view, int columns, bool has_blocks) {
  static constexpr std::array<const char*, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<const char*, 8> plain = {"_", ".", ",", "-", "=", "+", "*", "#"};
  const std::size_t all = view.lambdas.size();
  double greatest = 1;
  for (const double lambda : view.lambdas) greatest = std::max(greatest, lambda);
  const std::string range = "  1.00 to " + fixed(greatest);
  const auto room = static_cast<std::size_t>(std::max(1, columns - 8 - width_of(range)));
  const std::size_t shown = std::min(all, room);
  std::string text = "lambda  ";
  for (std::size_t i = 0; i < shown; ++i) {
    double here = 1;
    for (std::size_t j = i * all / shown; j < (i + 1) * all / shown; ++j)
      here = std::max(here, view.lambdas[j]);
    const double height = greatest > 1 ? (here - 1) / (greatest - 1) : 0;
    const auto level = static_cast<std::size_t>(std::lround(height * 7));
    text += has_blocks ? blocks[level] : plain[level];
  }
  return text + range;
}

struct Bar {
  std::string name;
  double value = 0;  // of the average load, or a number of ranks
  std::string said;
};

// A row for each rank. If there are too many ranks, a row shows the heaviest of several neighbours.
std::vector<Bar> bars_of_ranks(const View& view, std::size_t rows) {
  const std::size_t ranks = view.loads.size();
  double mean = 0;
  for (const double load : view.loads) mean += load / static_cast<double>(ranks);
  if (!(mean > 0)) return {};
  const std::size_t each = (ranks + rows - 1) / rows;
  std::vector<Bar> bars;
  for (std::size_t first = 0; first < ranks; first += each) {
    const std::size_t end = std::min(ranks, first + each);
    std::size_t heaviest = first;
    for (std::size_t r = first; r < end; ++r)
      if (view.loads[r] > view.loads[heaviest]) heaviest = r;
    Bar bar;
    bar.name = end == first + 1
                   ? "rank " + std::to_string(first)
                   : "ranks " + std::to_string(first) + " to " + std::to_string(end - 1);
    bar.value = view.loads[heaviest] / mean;
    bar.said = fixed(bar.value);
    if (each > 1) bar.said += " (rank " + std::to_string(heaviest) + ")";
    bars.push_back(std::move(bar));
  }
  return bars;
}

// The number of ranks for each share of the average load.
std::vector<Bar> bars_of_shares(const View& view, std::size_t rows) {
  const std::size_t bins = view.histogram.size();
  std::size_t first = bins, end = 0;
  for (std::size_t b = 0; b < bins; ++b)
    if (view.histogram[b] > 0) {
      first = std::min(first, b);
      end = b + 1;
    }
  if (first >= end) return {};
  const std::size_t each = (end - first + rows - 1) / rows;
  const auto share = [](std::size_t bin) {
    return detail::fixed(static_cast<double>(bin) / LoadPicture::bins_per_mean, 2);
  };
  std::vector<Bar> bars;
  for (std::size_t b = first; b < end; b += each) {
    std::int64_t count = 0;
    for (std::size_t i = b; i < std::min(end, b + each); ++i) count += view.histogram[i];
    const bool is_open = b + each >= bins;  // the last bin also counts all loads above it
    bars.push_back({"load " + share(b) + (is_open ? " and more" : " to " + share(b + each)),
                    static_cast<double>(count), report::counted(count, "rank")});
  }
  return bars;
}

void add_bars(const View& view, std::size_t rows, int columns, bool has_blocks, Lines& lines) {
  const std::vector<Bar> bars =
      view.loads.empty() ? bars_of_shares(view, rows) : bars_of_ranks(view, rows);
  int name = 0, said = 0;
  double greatest = 0;
  for (const Bar& bar : bars) {
    name = std::max(name, width_of(bar.name));
    said = std::max(said, width_of(bar.said));
    greatest = std::max(greatest, bar.value);
  }
  const int room = std::max(0, columns - name - said - 4);
  for (const Bar& bar : bars) {
    const double length = greatest > 0 ? bar.value / greatest * room : 0;
    lines.push_back(padded(bar.name, name) + "  " + padded(bar_of(length, has_blocks), room) +
                    "  " + bar.said);
  }
}

void add_decisions(const View& view, std::size_t rows, Lines& lines) {
  const std::size_t shown = std::min(rows, view.decisions.size());
  for (auto it = view.decisions.end() - static_cast<std::ptrdiff_t>(shown);
       it != view.decisions.end(); ++it)
    lines.push_back("step " + detail::count_of(it->step) + "  " + it->word +
                    (it->reason.empty() ? "" : ": " + it->reason));
}

std::string foot_of(const View& view, bool has_blocks) {
  const std::string between = has_blocks ? "  ·  " : "  |  ";
  const report::Amounts amounts(view.is_deterministic);
  std::string text =
      report::counted(view.rebalances, "rebalance") + detail::and_unchanged(view.unchanged);
  if (view.account.steps > 0) text += between + "saved so far " + amounts.of(view.account.saved());
  if (view.next_look)
    text += between + "next look at about step " + detail::count_of(*view.next_look);
  if (view.broken > 0) text += between + report::counted(view.broken, "line") + " not understood";
  return text + between + "q ends";
}

}  // namespace

int width_of(const std::string& text) {
  return static_cast<int>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

std::vector<std::string> frame_of(const View& view, Size size, bool has_blocks) {
  const auto rows = static_cast<std::size_t>(std::max(1, size.rows));
  const int columns = std::max(20, size.columns);
  Lines lines = {head_of(view, has_blocks)};
  if (view.looks == 0) lines.emplace_back("No look yet.");
  // The head, the course, the foot and two empty rows take five rows. Decisions get a third of the
  // others, and bars the rest.
  if (rows > 6 && view.looks > 0) {
    const std::size_t rest = rows - 5, decisions = std::max<std::size_t>(1, rest / 3);
    lines.push_back(course_of(view, columns, has_blocks));
    lines.emplace_back();
    add_bars(view, std::max<std::size_t>(1, rest - decisions), columns, has_blocks, lines);
    lines.emplace_back();
    add_decisions(view, decisions, lines);
  }
  if (rows > 2) lines.push_back(foot_of(view, has_blocks));
  if (lines.size() > rows) lines.resize(rows);
  for (std::string& line : lines) line = fitted(printable_line(line), columns, has_blocks);
  return lines;
}

}  // namespace evenkeel::tool::watch
