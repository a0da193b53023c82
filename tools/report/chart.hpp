#pragma once

// Draws charts as SVG that fills the width of its container, with axes as text around it. Lines and
// text keep their size, however the chart is stretched.

#include "report/html.hpp"

#include <optional>

namespace evenkeel::tool::report {

// A range that begins and ends at round numbers, and the round numbers in it.
struct ChartAxis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  std::string label;
  // The position of a value, from 0 at the low end to 1 at the high end.
  double place(double value) const noexcept;
};

// An axis with about `wanted` ticks, also for extreme numbers.
ChartAxis round_axis(double low, double high, std::string label, int wanted = 5);
// An axis from `low` to `high` exactly, with round ticks in between.
ChartAxis exact_axis(double low, double high, std::string label, int wanted = 8);

class Plot {
 public:
  Plot(ChartAxis across, ChartAxis up) : across_(std::move(across)), up_(std::move(up)) {}

  // The value over a span of the horizontal axis. It is empty for a gap.
  struct Span {
    double begin, end;
    std::optional<double> value;
  };
  void add_steps(const std::string& style, const std::vector<Span>& spans);
  // Adds a line from the middle of each span with a value to the middle of the next one.
  void add_course(const std::string& style, const std::vector<Span>& spans);
  // Adds an area between two values for each span.
  void add_band(const std::string& style, const std::vector<Span>& from,
                const std::vector<Span>& to);
  void add_dots(const std::string& style, const std::vector<std::pair<double, double>>& dots);
  void add_line(const std::string& style, double x0, double y0, double x1, double y1);
  // Adds a vertical line at each position. If there are very many positions, the lines are short
  // and at the bottom.
  void add_marks(const std::string& style, const std::vector<double>& at);
  // Adds HTML under the drawing, such as a canvas.
  void lay_under(std::string content) { under_ += content; }

  // `name` describes the chart for readers who cannot see it. `style` is a class for its height.
  std::string html(const std::string& name, const std::string& style) const;

 private:
  std::string x(double value) const;
  std::string y(double value) const;

  ChartAxis across_, up_;
  std::string shapes_, under_;
};

// The meanings of the colours of a chart: (style, text).
using LegendEntries = std::vector<std::pair<std::string, std::string>>;
std::string legend(const LegendEntries& entries);

// A bar in a cell of a table. `share` is its length as a share of the longest one.
std::string bar(double share, const std::string& style);

}  // namespace evenkeel::tool::report
