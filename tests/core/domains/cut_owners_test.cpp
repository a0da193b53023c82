// The weights that a cut reports for its parts must be those that queries for owners find, at any
// places of the objects.

#include "support/harness.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::cut_owners_test {
namespace {

using Place = std::array<double, 3>;
using Places = std::vector<Place>;

constexpr Box boxes[] = {{{0, 0, 0}, {1, 1, 1}},
                         {{99, -100, 1e6}, {100, -99, 1e6 + 1e-3}},
                         {{-1, 0.5, 0}, {3, 0.5, 1e-300}}};  // no extent in y, hardly any in z

// Draws a place that is on a face, beyond a face, or anywhere.
double any_place(double lower, double upper, int upper_of_ten, std::mt19937_64& random) {
  const double length = upper - lower;
  const auto choice = static_cast<int>(random() % 10);
  if (choice < upper_of_ten) return upper;
  std::uniform_real_distribution<double> within(0, 1);
  switch (random() % 8) {
    case 0: return lower;
    case 1: return std::nextafter(upper, lower);
    case 2: return std::nextafter(lower, -2e6);
    case 3: return upper + 2.5 * length;
    case 4: return lower - 0.25 * length;
    default: return lower + length * within(random);
  }
}

Places any_places(const Box& box, int upper_of_ten, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Places places(count);
  for (Place& place : places)
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] = any_place(box.lower[axis], box.upper[axis], upper_of_ten, random);
  return places;
}

template <class PartOf>
std::vector<double> weights_by(const PartOf& part_of, int parts, const Places& places) {
  std::vector<double> weights(static_cast<std::size_t>(parts));
  for (const Place& place : places) ++weights[static_cast<std::size_t>(part_of(place.data()))];
  return weights;
}

struct Case {
  Box box;
  std::array<bool, 3> periodic;
  double target;
  Places places;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  unsigned seed = 0;
  for (const Box& box : boxes)
    for (const bool periodic : {false, true})
      for (const double target : {0.0, 1.1})
        for (const int upper_of_ten : {0, 3, 7})
          for (const std::size_t count : {8U, 100U}) {
            const bool wraps = periodic && box.upper[1] > box.lower[1];
            all.push_back(
                {box, {wraps, wraps, false}, target, any_places(box, upper_of_ten, count, ++seed)});
          }
  return all;
}

class CutOwners : public test::OnRanks {
 protected:
  // This rank's share: every size-th place.
  Places mine(const Places& places) const {
    Places share;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (static_cast<int>(i % static_cast<std::size_t>(size)) == rank) share.push_back(places[i]);
    return share;
  }
  static FieldLayout position_of(Places& places, int dimensions) {
    FieldLayout position = set(places).position();
    position.components = dimensions;
    return position;
  }
  // Eight cells along each axis, or any borders.
  static void set_cells(BoxCutOptions& options, bool has_cells) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      options.cell_size[axis] =
          has_cells ? (options.box.upper[axis] - options.box.lower[axis]) / 8 : 0;
  }
  static void prepare(BoxCutOptions& options, const Case& of) {
    options.box = of.box;
    options.periodic = of.periodic;
    options.target_lambda = of.target;
  }
};

TEST_F(CutOwners, OfGrids) {
  for (const Case& of : cases())
    for (const GridScheme scheme : {GridScheme::staggered, GridScheme::tensor})
      for (const GridShape& shape :
           {GridShape{1, {4, 1, 1}}, GridShape{2, {3, 2, 1}}, GridShape{3, {2, 2, 3}}}) {
        GridCutOptions options;
        prepare(options, of);
        options.scheme = scheme;
        options.shape = shape;
        Places share = mine(of.places);
        const WeightedPoints points{position_of(share, shape.dimensions)};
        GridCut cut = cut_grid(communicator, std::span(&points, 1), options);
        const GridDomains grid(1, shape, of.box, of.periodic, std::move(cut.borders));
        EXPECT_EQ(cut.weights, weights_by(grid.part_of_point(), shape.parts(), of.places))
            << name_of(scheme) << " in " << shape.dimensions << " dimensions";
      }
}

TEST_F(CutOwners, OfBisections) {
  for (const Case& of : cases())
    for (const int dimensions : {1, 2, 3})
      for (const auto& [parts, has_cells] :
           {std::pair(2, false), {4, false}, {7, false}, {7, true}}) {
        BisectionOptions options;
        prepare(options, of);
        set_cells(options, has_cells);
        options.dimensions = dimensions;
        options.parts = parts;
        Places share = mine(of.places);
        const WeightedPoints points{position_of(share, dimensions)};
        const BisectionCut cut = bisect(communicator, std::span(&points, 1), options);
        const TreeDomains tree(1, dimensions, of.box, of.periodic, cut.nodes);
        EXPECT_EQ(cut.weights, weights_by(tree.leaf_of_point(), parts, of.places))
            << parts << " parts in " << dimensions << " dimensions"
            << (has_cells ? ", of cells" : "");
        // The second cut keeps as much of the first tree as possible.
        options.earlier = &tree;
        const BisectionCut again = bisect(communicator, std::span(&points, 1), options);
        const TreeDomains kept(2, dimensions, of.box, of.periodic, again.nodes);
        EXPECT_EQ(again.weights, weights_by(kept.leaf_of_point(), parts, of.places));
      }
}

// The heaviest place is the upper face itself. It must get its own domain, as thin as possible.
TEST_F(CutOwners, TheUpperFaceCanBeADomain) {
  Places places;
  for (const double x : {0.1, 0.2, 0.3, 0.8, 0.9, 1.0, 1.0, 1.0}) places.push_back({x, 0, 0});
  BisectionOptions options;
  options.box = boxes[0];
  options.dimensions = 1;
  options.parts = 4;
  Places share = mine(places);
  const WeightedPoints points{position_of(share, 1)};
  const BisectionCut cut = bisect(communicator, std::span(&points, 1), options);
  EXPECT_EQ(cut.weights[3], 3);
}

}  // namespace
}  // namespace evenkeel::cut_owners_test
