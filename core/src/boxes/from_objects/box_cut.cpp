#include "boxes/from_objects/box_cut.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

void check_box_cut(const BoxCutOptions& options, int parts, int dimensions) {
  if (parts < 1 || parts > 1 << 24)
    refuse_grid("A cut into " + std::to_string(parts) + " boxes was asked for.",
                "Ask for 1 to 16777216.");
  if (dimensions < 1 || dimensions > 3)
    refuse_grid("A cut in " + std::to_string(dimensions) + " dimensions was asked for.",
                "Use 1, 2 or 3 dimensions.");
  check(options.box, options.periodic);
  check_speeds(Refusal{grid_stage}, options.speeds, parts);
  if (std::any_of(options.least_width.begin(), options.least_width.end(),
                  [](double width) { return !(width >= 0) || !std::isfinite(width); }))
    refuse_grid("A least width is negative or not finite.", "Give 0 where any width is allowed.");
  if (options.target_lambda != 0 && !is_target_lambda(options.target_lambda))
    refuse_grid("target_lambda is " + text_of(options.target_lambda) + '.',
                std::string("Give 0 to cut as evenly as possible, or ") + target_lambdas + '.');
}

void check_points(std::span<const WeightedPoints> points, int dimensions) {
  for (const WeightedPoints& set : points) {
    const FieldLayout& at = set.position;
    if (at.count > 0 && at.components != dimensions)
      refuse_grid("Points of " + std::to_string(at.components) +
                      " coordinates were given to a cut in " + std::to_string(dimensions) +
                      " dimensions.",
                  "Give as many coordinates as the box has.");
    if (at.count > 0 && at.scalar != ScalarType::float32 && at.scalar != ScalarType::float64)
      refuse_grid("Coordinates are neither floats nor doubles.",
                  "Convert them to float or double.");
  }
}

void finish(BoxCut& cut, const Sections& sections, const Census& all) {
  sections.end_work();
  require_finite_sum(cut.weights);
  cut.heaviest_object = all.heaviest;
  cut.reductions = sections.reductions().count();
  cut.bytes_reduced = sections.reductions().bytes();
}

}  // namespace evenkeel
