#pragma once

// In units of the beads' diameter, their mass and the depth of their attraction.
constexpr double time_step = 0.01;
