#pragma once

// Declares what the fragments of docs/grids.md use: a code that owns a grid of cells and moves them
// itself.

#include <evenkeel/evenkeel.hpp>

#include <array>
#include <vector>

namespace ek = evenkeel;

struct Simulation {
  bool advance();
};
extern Simulation simulation;

extern const int ranks, rank;
extern const ek::Box box;
extern const ek::CellMesh mesh;
extern const double h;
extern std::vector<double> cells, costs;
extern std::vector<std::array<double, 3>> centres;
extern const std::array<double, 3> centre_of_work;
void compute_fluxes(std::vector<double>& cells);
void exchange(std::vector<double>& cells, const std::vector<ek::CellMoves::Parcel>& leaving,
              const std::vector<ek::CellMoves::Parcel>& entering);
