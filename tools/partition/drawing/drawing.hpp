#pragma once

// A partition as a picture in SVG, for browsers and documents: panels with the objects in the
// colours of their parts, and beside them how even the parts are. It has no script and loads
// nothing, follows the reader's choice of light or dark, tells in a title and a description what it
// shows, and has at most about a megabyte, however many objects and parts there are.

#include "partition/drawing/subject.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstddef>
#include <string>

namespace evenkeel::tool {

inline constexpr std::size_t most_drawing_bytes = 1000000;

// Of more objects, cells show them.
inline constexpr std::int64_t most_dots = 20000;
// Of more edges, none is drawn.
inline constexpr std::int64_t most_drawn_edges = 20000;

// Collective. The bytes of the file on rank 0, the same for any number of ranks; empty on others.
std::string svg_of(const Communicator& communicator, const Subject& subject);

}  // namespace evenkeel::tool
