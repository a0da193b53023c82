#pragma once

// Charts as SVG that is as wide as its place, with axes as text around it. Lines keep their width,
// and text its size, however the chart is stretched.

#include "report/html.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::tool::report {

// A range that begins and ends at round numbers, and the round numbers in it.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  std::string label;
  // Where a value is, from 0 at the low end to 1 at the high end.
  double place(double value) const noexcept;
};

// About `wanted` ticks; whatever the numbers are, there are few.
Axis round_axis(double low, double high, std::string label, int wanted = 5);
// From end to end, with round ticks within.
Axis exact_axis(double low, double high, std::string label, int wanted = 8);

class Plot {
 public:
  Plot(Axis across, Axis up) : across_(std::move(across)), up_(std::move(up)) {}

  // A value for a stretch of the axis across; nothing: there is a gap.
  struct Stretch {
    double begin, end;
    std::optional<double> value;
  };
  void add_steps(const std::string& style, const std::vector<Stretch>& stretches);
  // From the middle of one stretch with a value to that of the next.
  void add_course(const std::string& style, const std::vector<Stretch>& stretches);
  // Between two values for each stretch.
  void add_band(const std::string& style, const std::vector<Stretch>& from,
                const std::vector<Stretch>& to);
  void add_dots(const std::string& style, const std::vector<std::pair<double, double>>& dots);
  void add_line(const std::string& style, double x0, double y0, double x1, double y1);
  // A line from top to bottom for each; of very many, short ones at the bottom.
  void add_marks(const std::string& style, const std::vector<double>& at);
  // HTML over the drawing, such as a canvas.
  void lay_under(std::string content) { under_ += content; }

  // `name`: what a reader that cannot see it is told. `style`: a class for its height.
  std::string html(const std::string& name, const std::string& style) const;

 private:
  std::string x(double value) const;
  std::string y(double value) const;

  Axis across_, up_;
  std::string shapes_, under_;
};

// What the colours of a chart mean: (style, text).
std::string legend(const std::vector<std::pair<std::string, std::string>>& entries);

// A bar in a cell of a table, by its share of the longest.
std::string bar(double share, const std::string& style);

}  // namespace evenkeel::tool::report
