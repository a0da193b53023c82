#pragma once

// Space-filling curves, on host and device: HilbertCurve, MortonCurve and SnakeCurve are function
// objects from a cell to its key and back, in 2-D and 3-D, with keys of 32 and 64 bits; a Lattice
// lays one of them through a box.

#include <evenkeel/core/curve/hilbert.hpp>
#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/curve/morton.hpp>
#include <evenkeel/core/curve/snake.hpp>
