#pragma once

// The text of shapes in SVG: as short as can be, and the same on all machines.

#include <cstdint>
#include <string>
#include <string_view>

namespace evenkeel::tool {

// A length in pixels to a tenth: "12.3", "12".
std::string pixels(double length);

// At most so many significant digits, whatever the locale: "0.2395", "1e+30".
std::string digits_of(double number, int digits);

// The data of a path that is made of lines; all but the first begin where the last ended, so that
// numbers stay small.
class Strokes {
 public:
  // From a place, so far to the right and down. Both 0: a dot, where ends are round.
  void line(int x, int y, int right, int down);
  // Goes on from where the last line ended.
  void on(int right, int down);

  bool empty() const noexcept { return text_.empty(); }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  int x_ = 0, y_ = 0;
};

// <path .../> whose numbers are multiples of `unit` pixels; its lines are so many pixels wide.
std::string path(std::string_view style, std::string_view data, double unit = 1, double width = 1);

std::string rectangle(std::string_view style, double x, double y, double width, double height);

// A line of text at a place, with the given class. It must hold none of < & ".
std::string text_at(double x, double y, std::string_view style, std::string_view text);

}  // namespace evenkeel::tool
