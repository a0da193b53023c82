#pragma once

// The names that C++ fragments in pages use without declaring them: the application around them.
// They are only declared, because fragments are compiled and not linked. A page whose fragments
// need other names has a header of its own here, with the name of the page.

#include <evenkeel/evenkeel.hpp>
#include <evenkeel/stages.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace ek = evenkeel;

struct Simulation {
  bool advance();
};
extern Simulation simulation;

extern const ek::Communicator ranks;
extern ek::Balancer balancer;
extern ek::Kernel force;

extern std::vector<std::array<double, 3>> position, velocity;
extern std::vector<double> mass;
extern std::vector<std::int64_t> id;
extern std::int64_t owned;

void compute_forces();
