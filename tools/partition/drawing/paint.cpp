#include "partition/drawing/paint.hpp"

namespace evenkeel::tool {

Strokes& Coat::of(std::int32_t part, int shade) {
  const auto number = static_cast<std::size_t>(part);
  return strokes_[{paint_.words.empty() ? paint_.colours[number] : number, shade}];
}

std::string Coat::markup() const {
  std::string all;
  for (const auto& [key, strokes] : strokes_) {
    const auto& [number, shade] = key;
    const bool is_part = !paint_.words.empty();
    const std::size_t colour = is_part ? paint_.colours[number] : number;
    all.append("<path class=\"c").append(std::to_string(colour));
    if (shade >= 0) all.append(" s").append(std::to_string(shade));
    all.append("\" d=\"").append(strokes.text()).append("\"");
    if (is_part)
      all.append("><title>").append(paint_.words[number]).append("</title></path>\n");
    else
      all.append("/>\n");
  }
  return all;
}

}  // namespace evenkeel::tool
