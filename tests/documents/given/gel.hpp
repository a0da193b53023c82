#pragma once

// Declares what the fragments of docs/gel.md use: the parts of examples/06_gel.cpp.

#include "any_page.hpp"

struct Beads {
  ek::Set as_set();
};
struct Network;
struct Lists;
extern Beads beads;
extern const Network& network;
extern Lists& lists;

extern std::int64_t steps;
extern bool lists_are_old;
void renew_lists();
void compute_forces(Beads& beads, const Network& network, const Lists& lists);
void end_step(Beads& beads, std::int64_t step);
void begin_step(Beads& beads, const Network& network);
bool go_on();

extern std::vector<std::array<double, 3>> x, v;
extern std::vector<double> cost;
