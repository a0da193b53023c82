#include "domains/checks.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel {

namespace {

bool is_permutation_of_parts(const std::vector<int>& ranks, int parts) {
  std::vector<bool> seen(static_cast<std::size_t>(parts));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= parts || seen[static_cast<std::size_t>(rank)]) return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return std::ssize(ranks) == parts;
}

}  // namespace

void check_ranks(const char* stage, int parts, const std::vector<int>& rank_of_part) {
  if (!rank_of_part.empty() && !is_permutation_of_parts(rank_of_part, parts))
    Refusal{stage}("The ranks do not own one part each.", "Name each rank once, or no rank.");
}

void check_has_parts(const char* stage, int parts) {
  if (parts == 0) Refusal{stage}("No rank owns anything yet.", "Ask after the first rebalance.");
}

void check_part(const char* stage, int parts, int part) {
  if (part < 0 || part >= parts)
    Refusal{stage}(
        "Part " + std::to_string(part) + " of " + std::to_string(parts) + " was asked for.",
        "Count parts from 0.");
}

void check_point(const char* stage, const Decomposition& domains, std::span<const double> point) {
  check_has_parts(stage, domains.parts());
  if (std::ssize(point) != domains.dimensions())
    Refusal{stage}("A point of " + std::to_string(point.size()) + " coordinates was asked for in " +
                       std::to_string(domains.dimensions()) + " dimensions.",
                   "Give as many coordinates as the positions have.");
  for (const double place : point)
    if (!std::isfinite(place))
      Refusal{stage}("A coordinate is not finite.", "Give finite coordinates.");
}

void check_width(const char* stage, double width) {
  if (!(width >= 0) || !std::isfinite(width))
    Refusal{stage}("A halo of this width was asked for: " + std::to_string(width) + '.',
                   "Widths are finite and not negative.");
}

void check_halo(const char* stage, const Decomposition& domains, const Box& box, double width) {
  check_has_parts(stage, domains.parts());
  check_width(stage, width);
  for (std::size_t d = 0; d < static_cast<std::size_t>(domains.dimensions()); ++d)
    if (!std::isfinite(box.lower[d]) || !std::isfinite(box.upper[d]) || box.lower[d] > box.upper[d])
      Refusal{stage}("The box whose halo was asked for is not valid.",
                     "Give finite faces, the lower one first.");
}

void refuse_places(const char* stage) {
  Refusal{stage}("The parts of a graph own objects, not regions of space.",
                 "Find objects by their ids, with IdDirectory or Halo::around_ids.");
}

void make_ascending(std::vector<int>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace evenkeel
