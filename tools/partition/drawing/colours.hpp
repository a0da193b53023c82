#pragma once

// A colour for each part. People who see few colours can tell the eight apart, on light paper and
// on dark: under simulated protanopia, deuteranopia and tritanopia (Machado, Oliveira and
// Fernandes, IEEE TVCG 15(6), 2009) no two come nearer to each other than 0.11 in Oklab.

#include "partition/drawing/regions.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace evenkeel::tool {

inline constexpr std::array<std::string_view, 8> palette = {
    "#355ac7", "#f29f2b", "#00d29e", "#ac3600", "#afaaff", "#80457b", "#0d92be", "#a98260"};
// The same on dark paper.
inline constexpr std::array<std::string_view, palette.size()> dark_palette = {
    "#6468db", "#ffb107", "#42f2ab", "#cc3d07", "#c4c4ff", "#a35a87", "#17a4d7", "#ae9476"};

// The colour of each of `parts` parts, as a number of the palette. Up to eight parts have a colour
// of their own; of more, parts in contact differ, or as few edges of cells as possible lie between
// parts of one colour.
std::vector<std::uint8_t> colours_of(std::size_t parts, const std::vector<Contact>& contacts);

}  // namespace evenkeel::tool
