#include "domains/checks.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel {

namespace {

[[noreturn]] void refuse(const char* stage, const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage}, problem, remedy);
}

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
    refuse(stage, "The ranks do not own one part each.", "Name each rank once, or none.");
}

void check_has_parts(const char* stage, int parts) {
  if (parts == 0) refuse(stage, "Nobody owns anything yet.", "Ask after the first rebalance.");
}

void check_part(const char* stage, int parts, int part) {
  if (part < 0 || part >= parts)
    refuse(stage,
           "Part " + std::to_string(part) + " of " + std::to_string(parts) + " was asked for.",
           "Count parts from 0.");
}

void check_point(const char* stage, int dimensions, std::span<const double> point) {
  if (std::ssize(point) != dimensions)
    refuse(stage,
           "A point of " + std::to_string(point.size()) + " coordinates was asked for in " +
               std::to_string(dimensions) + " dimensions.",
           "Give as many coordinates as the positions have.");
  for (const double place : point)
    if (!std::isfinite(place))
      refuse(stage, "A coordinate is not finite.", "Give finite coordinates.");
}

void check_halo(const char* stage, int dimensions, const Box& box, double width) {
  if (!(width >= 0) || !std::isfinite(width))
    refuse(stage, "A halo of this width was asked for: " + std::to_string(width) + '.',
           "Widths are finite and not negative.");
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    if (!std::isfinite(box.lower[d]) || !std::isfinite(box.upper[d]) || box.lower[d] > box.upper[d])
      refuse(stage, "The box whose halo was asked for is not valid.",
             "Give finite faces, the lower one first.");
}

void refuse_places(const char* stage) {
  refuse(stage, "The parts of a graph own objects, not places.",
         "Ask for objects by their ids: IdDirectory, Halo::around_ids.");
}

void make_ascending(std::vector<int>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace evenkeel
