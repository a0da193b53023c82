#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace evenkeel::scale {

namespace {

// Which protocols are drawn, and how they are called.
struct Curve {
  const char* protocol;
  const char* label;
  const char* colour;
};
constexpr Curve curves[] = {{"look", "a look", "#4477aa"},
                            {"survey", "a survey", "#66ccee"},
                            {"curve, in order", "curve, in order", "#228833"},
                            {"curve, strayed", "curve, strayed", "#ccbb44"},
                            {"nodes, strayed", "nodes, then ranks", "#ee6677"},
                            {"staggered", "staggered", "#aa3377"},
                            {"bisection", "bisection", "#994455"},
                            {"graph, from nothing", "graph", "#555555"},
                            {"all weights to one rank", "all weights to one", "#bbbbbb"}};

constexpr double left = 70, right = 560, top = 20, bottom = 440;
constexpr int least_power = -5, greatest_power = 4;  // of seconds

double height_of(double seconds) {
  const double power =
      std::clamp<double>(std::log10(std::max(seconds, 1e-9)), least_power, greatest_power);
  return bottom - (bottom - top) * (power - least_power) / (greatest_power - least_power);
}

class Drawing {
 public:
  Drawing(const std::string& file, std::int64_t least, std::int64_t greatest)
      : out_(file), first_(std::log10(least)), last_(std::log10(std::max(greatest, least + 1))) {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 490\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"720\" height=\"490\" fill=\"white\"/>\n";
    for (int power = least_power; power <= greatest_power; ++power) grid_line(power);
    for (int power = static_cast<int>(first_); power <= static_cast<int>(last_); ++power) {
      const double x = place_of(std::pow(10, power));
      out_ << "<text x=\"" << x << "\" y=\"" << bottom + 20 << "\" text-anchor=\"middle\">10"
           << "<tspan dy=\"-5\" font-size=\"10\">" << power << "</tspan></text>\n";
    }
    out_ << "<text x=\"" << (left + right) / 2 << "\" y=\"" << bottom + 42
         << "\" text-anchor=\"middle\">ranks</text>\n";
  }
  void draw(const Curve& curve, const std::vector<const Row*>& rows) {
    out_ << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << curve.colour
         << "\" points=\"";
    for (const Row* row : rows)
      out_ << place_of(static_cast<double>(row->ranks)) << ',' << height_of(row->seconds()) << ' ';
    out_ << "\"/>\n";
    labels_.push_back({height_of(rows.back()->seconds()), &curve});
  }
  // Labels that would overlap move apart.
  bool end() {
    std::sort(labels_.begin(), labels_.end(),
              [](const Label& a, const Label& b) { return a.height < b.height; });
    double above = 0;
    for (const Label& label : labels_) {
      above = std::max(label.height, above + 15);
      out_ << "<text x=\"" << right + 8 << "\" y=\"" << above + 4 << "\" fill=\""
           << label.curve->colour << "\">" << label.curve->label << "</text>\n";
    }
    out_ << "</svg>\n";
    return static_cast<bool>(out_.flush());
  }

 private:
  struct Label {
    double height;
    const Curve* curve;
  };

  double place_of(double ranks) const {
    return left + (right - left) * (std::log10(ranks) - first_) / (last_ - first_);
  }
  void grid_line(int power) {
    const double y = height_of(std::pow(10, power));
    const char* units[] = {"us", "ms", "s"};
    const int unit = power < -3 ? 0 : power < 0 ? 1 : 2;
    const double in_unit = std::pow(10, power + 6 - 3 * unit);
    out_ << "<path d=\"M" << left << ' ' << y << 'H' << right << "\" stroke=\"#dddddd\"/>\n"
         << "<text x=\"" << left - 8 << "\" y=\"" << y + 4 << "\" text-anchor=\"end\">" << in_unit
         << ' ' << units[unit] << "</text>\n";
  }

  std::ofstream out_;
  double first_, last_;
  std::vector<Label> labels_;
};

}  // namespace

bool write_picture(const std::string& file, const std::vector<std::vector<Row>>& by_ranks) {
  Drawing drawing(file, by_ranks.front().front().ranks, by_ranks.back().front().ranks);
  for (const Curve& curve : curves) {
    std::vector<const Row*> rows;
    for (const std::vector<Row>& of_ranks : by_ranks)
      for (const Row& row : of_ranks)
        if (row.protocol == curve.protocol) rows.push_back(&row);
    if (!rows.empty()) drawing.draw(curve, rows);
  }
  return drawing.end();
}

}  // namespace evenkeel::scale
