#pragma once

// What fragments of C++ in pages use without declaring it: the application around them. Only
// declared, since fragments are compiled and not linked. A page whose fragments need other things
// has a header of its own here, by its name.

#include <evenkeel/evenkeel.hpp>

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
