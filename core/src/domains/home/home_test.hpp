#pragma once

// Finds the objects of a rank that may have left its domain. Many codes ask for them after every
// step, and nearly all objects are in the domain. So a test is prepared once, and then answers
// quickly.

#include "domains/home/cell_table.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/field.hpp>

#include <memory>

namespace evenkeel {

// A test for the domain of one rank. Positions are in memory that a given space can access.
class EVENKEEL_API HomeTest {
 public:
  HomeTest() = default;
  HomeTest(const HomeTest&) = delete;
  HomeTest& operator=(const HomeTest&) = delete;
  virtual ~HomeTest() = default;

  // Returns the suspects, in ascending order: all objects outside the domain, all objects whose
  // positions are not finite, and possibly some objects inside. Blocks.
  virtual exec::Array<std::int64_t> suspects_among(const Space& space,
                                                   const FieldLayout& at) const = 0;
};

// Returns the test of a domain that is a box, or that contains a box with most of its objects. A
// box contains its lower faces, but not its upper faces. It must be inside the box of all domains,
// so that periods do not matter.
std::unique_ptr<HomeTest> home_in_box(const Box& box);

// Returns the test of a range of a curve. `inner` must contain only places in own cells of the
// table.
std::unique_ptr<HomeTest> home_in_cells(const Lattice& lattice, CellTable table, const Box& inner);

}  // namespace evenkeel
