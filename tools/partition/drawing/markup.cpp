#include "partition/drawing/markup.hpp"

#include "files/refusal.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace evenkeel::tool {

std::string pixels(double length) {
  const long long tenths = std::llround(10 * length);
  std::string text = std::to_string(std::abs(tenths) / 10);
  if (tenths % 10 != 0) text.append(".").append(std::to_string(std::abs(tenths) % 10));
  return tenths < 0 ? joined({"-", text}) : text;
}

std::string digits_of(double number, int digits) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::general, digits);
  return {text.data(), error == std::errc() ? end : text.data()};
}

void Strokes::line(int x, int y, int right, int down) {
  if (text_.empty())
    text_.append("M").append(std::to_string(x)).append(" ").append(std::to_string(y));
  else if (x != x_ || y != y_ || (right == 0 && down == 0))
    text_.append("m").append(std::to_string(x - x_)).append(" ").append(std::to_string(y - y_));
  x_ = x;
  y_ = y;
  on(right, down);
}

void Strokes::on(int right, int down) {
  if (down == 0)
    text_.append("h").append(std::to_string(right));
  else if (right == 0)
    text_.append("v").append(std::to_string(down));
  else
    text_.append("l").append(std::to_string(right)).append(" ").append(std::to_string(down));
  x_ += right;
  y_ += down;
}

std::string path(std::string_view style, std::string_view data, double unit, double width) {
  const std::string scale = unit == 1
                                ? ""
                                : joined({" transform=\"scale(", digits_of(unit, 6),
                                          ")\" stroke-width=\"", digits_of(width / unit, 6), "\""});
  return joined({"<path class=\"", style, "\"", scale, " d=\"", data, "\"/>\n"});
}

std::string rectangle(std::string_view style, double x, double y, double width, double height) {
  return joined({"<rect class=\"", style, "\" x=\"", pixels(x), "\" y=\"", pixels(y), "\" width=\"",
                 pixels(width), "\" height=\"", pixels(height), "\"/>\n"});
}

std::string text_at(double x, double y, std::string_view style, std::string_view text) {
  return joined({"<text class=\"", style, "\" x=\"", pixels(x), "\" y=\"", pixels(y), "\">", text,
                 "</text>\n"});
}

}  // namespace evenkeel::tool
