#pragma once

// In which shapes a part is drawn: its colour, and what is told of it where a pointer rests.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partition/drawing/markup.hpp"

namespace evenkeel::tool {

struct Paint {
  std::vector<std::uint8_t> colours;  // of each part
  std::vector<std::string> words;     // on each part; empty: there are too many to tell apart

  std::size_t parts() const noexcept { return colours.size(); }
};

// Strokes by part and shade, or by colour and shade where parts have no words of their own.
class Coat {
 public:
  explicit Coat(const Paint& paint) : paint_(paint) {}

  Strokes& of(std::int32_t part, int shade);
  // A path for each, in ascending order.
  std::string markup() const;

 private:
  const Paint& paint_;
  std::map<std::pair<std::size_t, int>, Strokes> strokes_;
};

}  // namespace evenkeel::tool
