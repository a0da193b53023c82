#include "partition/drawing/legend.hpp"

#include "files/refusal.hpp"
#include "partition/drawing/markup.hpp"
#include "tell/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

namespace evenkeel::tool {

namespace {

constexpr std::size_t most_rows = 20, most_bars = 128;
constexpr double row_height = 18;

// Work over the average; 0 where there is no work.
std::vector<double> shares_of(const std::vector<double>& work) {
  const double average = std::accumulate(work.begin(), work.end(), 0.0) /
                         static_cast<double>(std::max<std::size_t>(1, work.size()));
  std::vector<double> shares(work.size(), 0);
  if (average > 0)
    std::ranges::transform(work, shares.begin(), [&](double one) { return one / average; });
  return shares;
}

std::string fixed_share(double share) { return detail::fixed(share, 3); }

std::string fill_of(const Paint& paint, std::size_t part) {
  return joined({"f", std::to_string(paint.colours[part])});
}

std::string upright(double x, double top, double bottom) {
  return path("average", joined({"M", pixels(x), " ", pixels(top), "V", pixels(bottom)}));
}

class LegendWriter {
 public:
  LegendWriter(double left, double top) : left_(left), top_(top), at_(top) {}

  void add_figures(const std::vector<Figure>& figures) {
    for (const Figure& figure : figures) {
      at_ += row_height;
      text_ += text_at(left_, at_ - 5, "muted", figure.name);
      text_ += text_at(left_ + legend_width, at_ - 5, "end", figure.value);
    }
    at_ += 14;
  }

  void add_rows(const Subject& subject, const std::vector<double>& shares, const Paint& paint);
  void add_bars(const std::vector<double>& shares, const Paint& paint);

  Legend result() && { return {std::move(text_), at_ - top_}; }

 private:
  // A chart of differences to the average: pixels for each, and where it is zero.
  struct Scale {
    double zero, pixels;
  };
  void add_bar_chart(const std::vector<double>& shares, const Paint& paint, const Scale& scale);
  void add_slope(std::vector<double> shares, const Scale& scale);

  double left_, top_, at_;
  std::string text_;
};

void LegendWriter::add_rows(const Subject& subject, const std::vector<double>& shares,
                            const Paint& paint) {
  constexpr double bars_begin = 128, bars_width = 90;
  const double greatest = std::max(1.0, std::ranges::max(shares));
  at_ += row_height;
  text_ += text_at(left_, at_ - 5, "strong", "part");
  text_ += text_at(left_ + 116, at_ - 5, "muted end", subject.objects);
  text_ += text_at(left_ + legend_width, at_ - 5, "muted end", "work / average");
  const double first = at_;
  for (std::size_t part = 0; part < shares.size(); ++part) {
    at_ += row_height;
    const std::string colour = fill_of(paint, part);
    text_ += rectangle(colour, left_, at_ - 15, 12, 12);
    text_ += text_at(left_ + 20, at_ - 5, "", std::to_string(part));
    text_ += text_at(left_ + 116, at_ - 5, "end", detail::count_of(subject.counts[part]));
    text_ +=
        rectangle(colour, left_ + bars_begin, at_ - 14, bars_width * shares[part] / greatest, 10);
    text_ += text_at(left_ + legend_width, at_ - 5, "end", fixed_share(shares[part]));
  }
  text_ += upright(left_ + bars_begin + bars_width / greatest, first + 2, at_ - 1);
}

void LegendWriter::add_bar_chart(const std::vector<double>& shares, const Paint& paint,
                                 const Scale& scale) {
  const double width = legend_width / static_cast<double>(shares.size());
  for (std::size_t part = 0; part < shares.size(); ++part) {
    const double difference = (shares[part] - 1) * scale.pixels;
    text_ += rectangle(fill_of(paint, part), left_ + width * static_cast<double>(part),
                       scale.zero - std::max(0.0, difference), std::max(0.8, width - 0.4),
                       std::abs(difference));
  }
}

// From the most work to the least: a column of pixels shows one part of several.
void LegendWriter::add_slope(std::vector<double> shares, const Scale& scale) {
  constexpr auto columns = static_cast<std::size_t>(legend_width);
  std::ranges::sort(shares, std::greater<>());
  std::string data;
  for (std::size_t column = 0; column < columns; ++column) {
    const double share = shares[column * (shares.size() - 1) / (columns - 1)];
    data += joined({"M", pixels(left_ + static_cast<double>(column) + 0.5), " ", pixels(scale.zero),
                    "V", pixels(scale.zero - (share - 1) * scale.pixels)});
  }
  text_ += path("slope", data);
}

void LegendWriter::add_bars(const std::vector<double>& shares, const Paint& paint) {
  constexpr double chart_height = 120;
  const auto percent = [](double share) { return joined({digits_of(100 * share, 3), " %"}); };
  const double most = std::max(0.0, std::ranges::max(shares) - 1);
  const double least = std::min(0.0, std::ranges::min(shares) - 1);
  at_ += row_height;
  text_ += text_at(left_, at_ - 5, "strong", "work of each part, against the average");
  at_ += row_height;
  if (!(most > least)) {
    text_ += text_at(left_, at_ - 5, "muted", "all the same");
    return;
  }
  text_ += text_at(left_, at_ - 5, "muted", joined({"+", percent(most)}));
  const Scale scale = {at_ + chart_height * most / (most - least), chart_height / (most - least)};
  const bool has_bars = shares.size() <= most_bars;
  if (has_bars)
    add_bar_chart(shares, paint, scale);
  else
    add_slope(shares, scale);
  text_ += path("average",
                joined({"M", pixels(left_), " ", pixels(scale.zero), "h", pixels(legend_width)}));
  at_ += chart_height + row_height;
  text_ += text_at(left_, at_ - 4, "muted", percent(least));
  const auto last = static_cast<std::int64_t>(shares.size()) - 1;
  text_ += text_at(left_ + legend_width, at_ - 4, "muted end",
                   has_bars ? joined({"parts 0 to ", detail::count_of(last)})
                            : "parts, from the most work to the least");
}

}  // namespace

Legend legend_of(const Subject& subject, const Paint& paint, double left, double top) {
  LegendWriter writer(left, top);
  writer.add_figures(subject.figures);
  const std::vector<double> shares = shares_of(subject.work);
  if (shares.size() <= most_rows)
    writer.add_rows(subject, shares, paint);
  else
    writer.add_bars(shares, paint);
  return std::move(writer).result();
}

std::vector<std::string> words_on_parts(const Subject& subject) {
  const std::vector<double> shares = shares_of(subject.work);
  std::vector<std::string> words;
  words.reserve(shares.size());
  for (std::size_t part = 0; part < shares.size(); ++part)
    words.push_back(
        joined({"part ", std::to_string(part), ": ", detail::count_of(subject.counts[part]), " ",
                subject.counts[part] == 1 ? subject.object : subject.objects, ", ",
                fixed_share(shares[part]), " of the average work"}));
  return words;
}

}  // namespace evenkeel::tool
