#include "partition/drawing/legend.hpp"

#include "files/refusal.hpp"
#include "partition/drawing/markup.hpp"
#include "tell/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  void add_heading(const std::string& words) {
    at_ += row_height;
    text_ += text_at(left_, at_ - 5, "strong", words);
  }
  void add_bar_chart(const std::vector<double>& shares, const Paint& paint, double bottom,
                     double per_share);
  void add_ranges(const std::vector<double>& shares, double bottom, double per_share);

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
                                 double bottom, double per_share) {
  const double width = legend_width / static_cast<double>(shares.size());
  for (std::size_t part = 0; part < shares.size(); ++part) {
    const double height = shares[part] * per_share;
    text_ += rectangle(fill_of(paint, part), left_ + width * static_cast<double>(part),
                       bottom - height, std::max(0.8, width - 0.4), height);
  }
}

// The least and the greatest share among the parts behind each column of pixels.
void LegendWriter::add_ranges(const std::vector<double>& shares, double bottom, double per_share) {
  constexpr auto columns = static_cast<std::size_t>(legend_width);
  std::string data;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = shares.size() * column / columns;
    const std::size_t end = std::max(begin + 1, shares.size() * (column + 1) / columns);
    const auto [least, greatest] =
        std::minmax_element(shares.begin() + static_cast<std::ptrdiff_t>(begin),
                            shares.begin() + static_cast<std::ptrdiff_t>(end));
    data += joined({"M", pixels(left_ + static_cast<double>(column) + 0.5), " ",
                    pixels(bottom - *least * per_share + 0.5), "V",
                    pixels(bottom - *greatest * per_share - 0.5)});
  }
  text_ += path("range", data);
}

void LegendWriter::add_bars(const std::vector<double>& shares, const Paint& paint) {
  constexpr double chart_height = 120;
  add_heading("work of each part / average");
  const double greatest = std::max(1.0, std::ranges::max(shares));
  const double top = at_ + 4, bottom = top + chart_height, per_share = chart_height / greatest;
  if (shares.size() <= most_bars)
    add_bar_chart(shares, paint, bottom, per_share);
  else
    add_ranges(shares, bottom, per_share);
  const double average = bottom - per_share;
  text_ += path("average",
                joined({"M", pixels(left_), " ", pixels(average), "h", pixels(legend_width)}));
  at_ = bottom + row_height;
  text_ += text_at(left_, at_ - 4, "muted", "0");
  text_ += text_at(left_ + legend_width, at_ - 4, "muted end",
                   detail::count_of(static_cast<std::int64_t>(shares.size()) - 1));
  text_ += text_at(left_ + legend_width / 2, at_ - 4, "muted middle",
                   joined({"part; line: the average; highest ", fixed_share(greatest)}));
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
