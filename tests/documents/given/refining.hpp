#pragma once

// Declares what the fragments of docs/refining.md use: cells along a curve, and their change of
// owner.

#include "any_page.hpp"

#include <evenkeel/extras/patches/level_shift.hpp>
#include <evenkeel/extras/string.hpp>

extern ek::exec::Array<double> weights;
extern ek::exec::Array<std::int64_t> parents;
std::vector<double> work_of_children(std::int64_t cell);
double work_of_parent(std::int64_t first_child);
void update(ek::exec::Array<double>& weights, ek::exec::Array<std::int64_t>& parents);
struct Mesh {
  void apply(const ek::LevelShifts& shifts);
};
extern Mesh mesh;

extern const double measured;
extern const std::int64_t cells;
void give(std::int64_t to_left, std::int64_t to_right);
void take(std::int64_t from_left, std::int64_t from_right);
void pack(), send(), unpack();
