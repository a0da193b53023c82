#include "partition/drawing/colours.hpp"

#include <algorithm>
#include <cstddef>

namespace evenkeel::tool {

namespace {

struct Neighbour {
  std::size_t part;
  std::int64_t length;
};

using Neighbours = std::vector<std::vector<Neighbour>>;

Neighbours neighbours_of(std::size_t parts, const std::vector<Contact>& contacts) {
  Neighbours neighbours(parts);
  for (const Contact& contact : contacts) {
    const auto first = static_cast<std::size_t>(contact.first);
    const auto second = static_cast<std::size_t>(contact.second);
    neighbours[first].push_back({second, contact.length});
    neighbours[second].push_back({first, contact.length});
  }
  return neighbours;
}

// The colour that touches itself least; of equals the first from the part's number on, so that
// numbers that follow one another differ even without contact.
std::uint8_t best_colour(std::size_t part, const std::vector<Neighbour>& beside,
                         const std::vector<std::uint8_t>& colours) {
  std::array<std::int64_t, palette.size()> touched = {};
  for (const Neighbour& neighbour : beside)
    if (colours[neighbour.part] < palette.size())
      touched[colours[neighbour.part]] += neighbour.length;
  std::size_t best = part % palette.size();
  for (std::size_t i = 1; i < palette.size(); ++i) {
    const std::size_t next = (part + i) % palette.size();
    if (touched[next] < touched[best]) best = next;
  }
  return static_cast<std::uint8_t>(best);
}

}  // namespace

// Greedy in the order of numbers; later rounds mend what the first could not know.
std::vector<std::uint8_t> colours_of(std::size_t parts, const std::vector<Contact>& contacts) {
  constexpr int rounds = 4;
  constexpr auto no_colour = static_cast<std::uint8_t>(palette.size());
  std::vector<std::uint8_t> colours(parts, no_colour);
  if (parts <= palette.size()) {
    for (std::size_t part = 0; part < parts; ++part)
      colours[part] = static_cast<std::uint8_t>(part);
    return colours;
  }
  const Neighbours neighbours = neighbours_of(parts, contacts);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t part = 0; part < parts; ++part) {
      const auto& beside = neighbours[part];
      const bool clashes = std::ranges::any_of(beside, [&](const Neighbour& neighbour) {
        return colours[neighbour.part] == colours[part];
      });
      if (round == 0 || clashes) colours[part] = best_colour(part, beside, colours);
    }
  return colours;
}

}  // namespace evenkeel::tool
