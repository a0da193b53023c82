#pragma once

// Units are the diameter of a bead, its mass, and the depth of the attraction between two beads.

constexpr double time_step = 0.01;
