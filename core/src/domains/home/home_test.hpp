#pragma once

// Finds the objects of a rank that may have left its domain. Some preparation is worth it for quick
// answers: many codes ask after every step, and nearly all objects are at home.

#include "domains/home/cell_table.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/field.hpp>

#include <memory>

namespace evenkeel {

// The test of one domain, for positions in memory that a space reaches.
class EVENKEEL_API HomeTest {
 public:
  HomeTest() = default;
  HomeTest(const HomeTest&) = delete;
  HomeTest& operator=(const HomeTest&) = delete;
  virtual ~HomeTest() = default;

  // All objects that are outside, those whose positions are not finite, and a few others, in
  // ascending order. Blocks.
  virtual exec::Array<std::int64_t> suspects_among(const Space& space,
                                                   const FieldLayout& at) const = 0;
};

// The test of a domain that is a box, or contains one in which most objects are. Objects inside are
// at or above the lower faces and below the upper ones. They are inside the box of all domains as
// well, so its periods do not matter.
std::unique_ptr<HomeTest> home_in_box(const Box& box);

// The test of a range of a curve. `inner` contains only places in own cells.
std::unique_ptr<HomeTest> home_in_cells(const Lattice& lattice, CellTable table, const Box& inner);

}  // namespace evenkeel
