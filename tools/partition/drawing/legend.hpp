#pragma once

// What stands beside the panels of a drawing: figures, and the work of each part.

#include "partition/drawing/paint.hpp"
#include "partition/drawing/subject.hpp"

#include <string>
#include <vector>

namespace evenkeel::tool {

struct Legend {
  std::string markup;
  double height = 0;  // in pixels
};

inline constexpr double legend_width = 264;

// A row for each part where they are few, else a bar, and very many are sorted.
Legend legend_of(const Subject& subject, const Paint& paint, double left, double top);

// What is told of each part: "part 3: 167 objects, 1.002 of the average work".
std::vector<std::string> words_on_parts(const Subject& subject);

}  // namespace evenkeel::tool
