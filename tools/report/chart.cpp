#include "report/chart.hpp"

#include "report/amounts.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel::tool::report {

namespace {

constexpr double extent = 1000;  // of the drawing, in both directions

// The least number of the form 1, 2 or 5 times a power of ten that is at least `size`.
double round_up(double size) {
  const double power = std::pow(10.0, std::floor(std::log10(size)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= size * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

double interval_of(double low, double high, int wanted) { return round_up((high - low) / wanted); }

std::vector<double> ticks_within(double low, double high, double interval) {
  std::vector<double> ticks;
  const double slack = interval * 1e-6;
  constexpr int most = 50;
  for (int i = 0; i < most; ++i) {
    const double tick = (std::ceil((low - slack) / interval) + i) * interval;
    if (tick > high + slack) break;
    ticks.push_back(std::abs(tick) < slack ? 0 : tick);
  }
  return ticks;
}

// Widens a range that is too short for the precision of numbers of its size.
std::pair<double, double> widened(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return {0, 1};
  constexpr double most = 1e300, least_share = 1e-9;
  const double from = std::clamp(low, -most, most), to = std::clamp(high, -most, most);
  const double size = std::max(std::abs(from), std::abs(to));
  if (to - from > std::max(least_share * size, 1 / most)) return {from, to};
  const double room = std::max(size * 0.1, 0.5);
  return {from - room, from + room};
}

std::string coordinate(double value) {
  std::string text = detail::fixed(std::clamp(value, -extent, 2 * extent), 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string percent(double share) { return detail::fixed(100 * share, 2) + '%'; }

std::string tick_text(double tick) {
  constexpr double most_whole = 1e15;
  if (tick == std::round(tick) && std::abs(tick) < most_whole)
    return detail::count_of(std::llround(tick));
  return short_number(tick);
}

}  // namespace

double ChartAxis::place(double value) const noexcept {
  const double share = (value - low) / (high - low);
  return std::isfinite(share) ? share : 0;
}

ChartAxis round_axis(double low, double high, std::string label, int wanted) {
  const auto [from, to] = widened(low, high);
  const double interval = interval_of(from, to, wanted);
  ChartAxis axis{std::floor(from / interval + 1e-9) * interval,
                 std::ceil(to / interval - 1e-9) * interval,
                 {},
                 std::move(label)};
  axis.ticks = ticks_within(axis.low, axis.high, interval);
  return axis;
}

ChartAxis exact_axis(double low, double high, std::string label, int wanted) {
  const auto [from, to] = widened(low, high);
  return {from, to, ticks_within(from, to, interval_of(from, to, wanted)), std::move(label)};
}

std::string Plot::x(double value) const { return coordinate(extent * across_.place(value)); }

std::string Plot::y(double value) const { return coordinate(extent * (1 - up_.place(value))); }

void Plot::add_steps(const std::string& style, const std::vector<Span>& spans) {
  std::string path;
  bool is_drawing = false;
  for (const Span& span : spans) {
    if (span.value && is_drawing)
      path += 'V' + y(*span.value);
    else if (span.value)
      path += 'M' + x(span.begin) + ' ' + y(*span.value);
    if (span.value) path += 'H' + x(span.end);
    is_drawing = span.value.has_value();
  }
  if (!path.empty()) shapes_ += element("path", {{"class", style}, {"d", path}}, "") + '\n';
}

void Plot::add_course(const std::string& style, const std::vector<Span>& spans) {
  std::string path;
  for (const Span& span : spans)
    if (span.value)
      path += (path.empty() ? 'M' : 'L') + x((span.begin + span.end) / 2) + ' ' + y(*span.value);
  if (!path.empty()) shapes_ += element("path", {{"class", style}, {"d", path}}, "") + '\n';
}

void Plot::add_band(const std::string& style, const std::vector<Span>& from,
                    const std::vector<Span>& to) {
  std::string path;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i].value || !to[i].value) continue;
    path += 'M' + x(from[i].begin) + ' ' + y(*from[i].value) + 'V' + y(*to[i].value) + 'H' +
            x(from[i].end) + 'V' + y(*from[i].value) + 'Z';
  }
  if (!path.empty()) shapes_ += element("path", {{"class", style}, {"d", path}}, "") + '\n';
}

// Draws lines of length 0: their round ends are dots that stay round if the drawing is stretched.
void Plot::add_dots(const std::string& style, const std::vector<std::pair<double, double>>& dots) {
  std::string path;
  for (const auto& [across, up] : dots) path += 'M' + x(across) + ' ' + y(up) + "h0";
  if (!path.empty()) shapes_ += element("path", {{"class", style}, {"d", path}}, "") + '\n';
}

void Plot::add_line(const std::string& style, double x0, double y0, double x1, double y1) {
  const std::string path = 'M' + x(x0) + ' ' + y(y0) + 'L' + x(x1) + ' ' + y(y1);
  shapes_ += element("path", {{"class", style}, {"d", path}}, "") + '\n';
}

void Plot::add_marks(const std::string& style, const std::vector<double>& at) {
  constexpr std::size_t most = 60;
  const std::string line = at.size() > most ? " 965V1000" : " 0V1000";
  std::string path;
  for (const double value : at) path += 'M' + x(value) + line;
  if (!path.empty()) shapes_ += element("path", {{"class", style}, {"d", path}}, "") + '\n';
}

std::string Plot::html(const std::string& name, const std::string& style) const {
  std::string grid, beside, below;
  for (const double tick : up_.ticks) {
    grid += 'M' + std::string("0 ") + y(tick) + "H1000";
    beside += element("span", {{"style", "bottom:" + percent(up_.place(tick))}}, tick_text(tick));
  }
  for (const double tick : across_.ticks)
    below += element("span", {{"style", "left:" + percent(across_.place(tick))}}, tick_text(tick));
  const std::string drawing =
      element("svg",
              {{"viewBox", "0 0 1000 1000"},
               {"preserveAspectRatio", "none"},
               {"role", "img"},
               {"aria-label", name}},
              element("path", {{"class", "grid"}, {"d", grid}}, "") + '\n' + shapes_);
  return element("div", {{"class", "plot " + style}},
                 element("div", {{"class", "up"}}, escaped(up_.label)) +
                     element("div", {{"class", "beside"}, {"aria-hidden", "true"}}, beside) +
                     element("div", {{"class", "area"}}, under_ + drawing) +
                     element("div", {{"class", "below"}, {"aria-hidden", "true"}}, below) +
                     element("div", {{"class", "across"}}, escaped(across_.label)) + '\n');
}

std::string legend(const LegendEntries& entries) {
  std::string all;
  for (const auto& [style, text] : entries)
    all += element("li", element("i", {{"class", "key " + style}}, "") + escaped(text));
  return element("ul", {{"class", "legend"}}, all) + '\n';
}

std::string bar(double share, const std::string& style) {
  const double width = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
  return element("div", {{"class", "bar " + style}, {"style", "width:" + percent(width)}}, "");
}

}  // namespace evenkeel::tool::report
