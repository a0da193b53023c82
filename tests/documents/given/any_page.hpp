#pragma once

// Declares the names of the surrounding application that C++ fragments in pages use. There are no
// definitions, since fragments are compiled and not linked. If the fragments of a page need other
// names, there is a header with the name of the page here.

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
