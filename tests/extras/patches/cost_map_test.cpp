#include "support/harness.hpp"

#include <evenkeel/extras/patches/patch_model.hpp>

namespace evenkeel::cost_map_test {
namespace {

constexpr Refinement by_two = {2, 2};

CellRange flat(std::int64_t i, std::int64_t j, std::int64_t ie, std::int64_t je) {
  return {{i, j, 0}, {ie, je, 1}};
}
CellRange cell(std::int64_t i, std::int64_t j) { return flat(i, j, i + 1, j + 1); }

// Makes two children of 2 and 6 cells in a map of 16.
std::vector<ChildPatch> two_children() { return {{flat(0, 0, 2, 1), 8}, {flat(1, 2, 4, 4), 12}}; }

CostMap map_of(const std::vector<ChildPatch>& children, CostSpread spread,
               const Refinement& refinement = {2, 1}) {
  CostMap map(2, flat(0, 0, 4, 4));
  map.set_children(children, spread, refinement);
  return map;
}

TEST(CostMap, NothingCostsAnythingAtFirst) {
  const CostMap map(2, flat(2, 2, 6, 6));
  EXPECT_EQ(map.children_in(map.cells()), 0);
  EXPECT_EQ(map.descendants_in(map.cells()), 0);
}

TEST(CostMap, EachOverItsOwnCells) {
  const CostMap map = map_of(two_children(), CostSpread::own_cells);
  EXPECT_EQ(map.children_in(cell(0, 0)), 4);
  EXPECT_EQ(map.children_in(cell(1, 2)), 2);
  EXPECT_EQ(map.children_in(cell(3, 0)), 0);
  EXPECT_EQ(map.children_in(map.cells()), 20);
}

TEST(CostMap, TogetherOverAllCoveredCells) {
  const CostMap map = map_of(two_children(), CostSpread::covered_cells);
  EXPECT_EQ(map.children_in(cell(0, 0)), 2.5);
  EXPECT_EQ(map.children_in(cell(1, 2)), 2.5);
  EXPECT_EQ(map.children_in(cell(3, 0)), 0);
  EXPECT_EQ(map.children_in(map.cells()), 20);
}

TEST(CostMap, TogetherOverTheWholeMap) {
  const CostMap map = map_of(two_children(), CostSpread::all_cells);
  EXPECT_EQ(map.children_in(cell(0, 0)), 1.25);
  EXPECT_EQ(map.children_in(cell(3, 0)), 1.25);
  EXPECT_EQ(map.children_in(map.cells()), 20);
}

TEST(CostMap, StepsWithinAStep) {
  const CostMap map = map_of(two_children(), CostSpread::own_cells, {2, 3});
  EXPECT_EQ(map.children_in(map.cells()), 60);
}

TEST(CostMap, NewCostsReplaceOldOnes) {
  for (const CostSpread spread :
       {CostSpread::own_cells, CostSpread::covered_cells, CostSpread::all_cells}) {
    CostMap map = map_of(two_children(), spread);
    map.set_children(std::vector<ChildPatch>{{cell(3, 3), 5}}, spread, {2, 1});
    EXPECT_EQ(map.children_in(map.cells()), 5);
    map.set_children({}, spread, {2, 1});
    EXPECT_EQ(map.children_in(map.cells()), 0);
  }
}

// A child of 4x2 cells covers 2x1 cells of its parent, which takes half as many steps.
TEST(CostMap, DescendantsAreCoarsened) {
  CostMap child(2, flat(2, 4, 6, 6)), parent(2, flat(0, 0, 4, 4));
  child.set_children(std::vector<ChildPatch>{{flat(2, 4, 4, 6), 8}, {cell(5, 5), 3}},
                     CostSpread::own_cells, {2, 1});
  parent.add_descendants(child, by_two);
  EXPECT_EQ(parent.descendants_in(cell(1, 2)), 16);
  EXPECT_EQ(parent.descendants_in(cell(2, 2)), 6);
  EXPECT_EQ(parent.descendants_in(parent.cells()), 22);
  EXPECT_EQ(parent.children_in(parent.cells()), 0);

  CostMap root(2, flat(0, 0, 2, 2));
  root.add_descendants(parent, by_two);
  EXPECT_EQ(root.descendants_in(cell(0, 1)), 32) << "of a level below the child, twice two steps";
  EXPECT_EQ(root.descendants_in(cell(1, 1)), 12);
}

TEST(CostMap, CellsBelowZero) {
  CostMap child(2, flat(-4, -2, 0, 0)), parent(2, flat(-2, -1, 0, 0));
  child.set_children(std::vector<ChildPatch>{{cell(-3, -1), 5}}, CostSpread::own_cells, {2, 1});
  parent.add_descendants(child, {2, 1});
  EXPECT_EQ(parent.descendants_in(cell(-2, -1)), 5);
}

// However costs are spread, a map that is coarsened to the root must hold the costs of all patches.
TEST(CostMap, NothingIsLostOnTheWayUp) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> seconds(0, 1);
  for (const CostSpread spread :
       {CostSpread::own_cells, CostSpread::covered_cells, CostSpread::all_cells})
    for (const int dimensions : {2, 3}) {
      const std::int64_t deep = dimensions == 3 ? 4 : 1;
      CostMap root(dimensions, {{0, 0, 0}, {4, 4, deep}});
      std::vector<ChildPatch> children;
      double all_below = 0, all = 0;
      for (std::int64_t i = 0; i < 4; i += 2) {
        const CellRange covered = {{i, 1, 0}, {i + 2, 3, deep}};
        children.push_back({covered, seconds(random)});
        all += 2 * children.back().seconds;
        CostMap map(dimensions, {{2 * i, 2, 0}, {2 * i + 4, 6, dimensions == 3 ? 8 : 1}});
        const double below = seconds(random);
        map.set_children(std::vector<ChildPatch>{{{{2 * i + 1, 3, 0}, {2 * i + 3, 4, 1}}, below}},
                         spread, by_two);
        all_below += 4 * below;
        root.add_descendants(map, by_two);
      }
      root.set_children(children, spread, by_two);
      EXPECT_NEAR(root.children_in(root.cells()), all, 1e-12);
      EXPECT_NEAR(root.descendants_in(root.cells()), all_below, 1e-12);
    }
}

TEST(CostMap, TakesOverWhatBothHave) {
  CostMap before = map_of(two_children(), CostSpread::own_cells);
  CostMap below(2, flat(0, 0, 8, 8));
  below.set_children(std::vector<ChildPatch>{{flat(2, 4, 4, 6), 7}}, CostSpread::own_cells, {2, 1});
  before.add_descendants(below, {2, 1});
  CostMap after(2, flat(1, 1, 6, 6));
  after.take_over(before);
  EXPECT_EQ(after.children_in(after.cells()), 12);
  EXPECT_EQ(after.descendants_in(after.cells()), 7);
  EXPECT_EQ(after.children_in(flat(0, 0, 100, 100)), 12) << "cells beyond it cost nothing";
}

TEST(CostMap, PredictsAChildAndItsDescendants) {
  const PatchModel model{2, 0.5, {2, 1, 0}, 3};
  CostMap map(2, flat(0, 0, 4, 4)), below(2, flat(0, 0, 8, 8));
  below.set_children(std::vector<ChildPatch>{{flat(0, 0, 4, 4), 8}}, CostSpread::own_cells, {2, 1});
  map.add_descendants(below, {2, 1});
  map.set_children(two_children(), CostSpread::own_cells, {2, 1});  // does not count
  const double own = 0.5 * ((4 + 2) * (2 + 1) + 3);
  EXPECT_EQ(map.predict(flat(1, 0, 3, 1), model, {2, 1}), own + 2);
  EXPECT_EQ(map.predict(flat(1, 0, 3, 1), model, {2, 5}), 5 * own + 2);
}

TEST(CostMap, BadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CostMap map(2, flat(0, 0, 4, 4));
  const auto set = [&](const std::vector<ChildPatch>& children, const Refinement& refinement) {
    map.set_children(children, CostSpread::own_cells, refinement);
  };
  set({{cell(0, 0), 6}}, {2, 1});
  EXPECT_ERROR(set({{flat(0, 0, 0, 2), 1}}, {2, 1}), "A child has no cells: [0, 0)");
  EXPECT_ERROR(set({{flat(3, 0, 5, 2), 1}}, {2, 1}), "which its parent [0, 4)");
  EXPECT_ERROR(set({{flat(0, 0, 2, 2), 1}, {flat(1, 1, 3, 3), 1}}, {2, 1}),
               "Two children cover the cell 1, 1, 0.");
  for (const double seconds : {-1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_ERROR(set({{cell(0, 0), seconds}}, {2, 1}), "A child costs");
  EXPECT_ERROR(set({{cell(0, 0), 1e308}, {cell(1, 0), 1e308}}, {2, 1}), "more than a number");
  EXPECT_ERROR(set({}, {1, 1}), "A refinement by 1 was given.");
  EXPECT_ERROR(set({}, {2, 0}), "A child makes 0 steps per parent step.");
  EXPECT_EQ(map.children_in(map.cells()), 6) << "an Error changes nothing";

  EXPECT_ERROR(CostMap(2, flat(0, 0, 0, 4)), "A patch has no cells");
  EXPECT_ERROR(CostMap(1, flat(0, 0, 4, 4)), "A cost map in 1 dimensions was asked for.");
  EXPECT_ERROR(map.add_descendants(CostMap(2, flat(1, 0, 4, 4)), {2, 1}),
               "which do not fill cells");
  EXPECT_ERROR(map.add_descendants(CostMap(2, flat(0, 0, 10, 4)), {2, 1}), "which its parent");
  EXPECT_ERROR(map.add_descendants(CostMap(3, {{0, 0, 0}, {2, 2, 2}}), {2, 1}), "3 dimensions");
  const PatchModel model;
  EXPECT_ERROR(map.predict(flat(0, 0, 9, 1), model, {2, 1}), "which its parent");
  EXPECT_ERROR(map.predict(flat(0, 0, 0, 1), model, {2, 1}), "A child has no cells");
  EXPECT_ERROR(map.predict(cell(0, 0), model, {0, 1}), "A refinement by 0 was given.");
}

}  // namespace
}  // namespace evenkeel::cost_map_test
