#include "core/boxes/descents.hpp"
#include "support/sampled.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::cut_test {
namespace {

// --- Objects, the same on all ranks --------------------------------------------------------------

struct Object {
  std::array<double, 3> at;
  double weight;
};
using Objects = std::vector<Object>;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

double clamped(double place) { return std::clamp(place, 0.0, 1.0); }

Object uniform(std::mt19937_64& random) {
  std::uniform_real_distribution<double> any(0, 1);
  return {{any(random), any(random), any(random)}, 1};
}
Object blob(std::mt19937_64& random) {
  std::normal_distribution<double> near(0.3, 0.05);
  return {{clamped(near(random)), clamped(near(random)), clamped(near(random))}, 1};
}
Object of_any_weight(std::mt19937_64& random) {
  Object object = uniform(random);
  object.weight = static_cast<double>(random() % 20);
  return object;
}
Object on_a_mesh(std::mt19937_64& random) {
  const auto place = [&] { return static_cast<double>(random() % 8) / 8; };
  return {{place(), place(), place()}, 1};
}
Object in_a_corner(std::mt19937_64& random) {
  Object object = uniform(random);
  if (random() % 50 != 0)
    for (double& place : object.at) place *= 1e-6;
  return object;
}
Object in_a_plane(std::mt19937_64& random) {
  Object object = uniform(random);
  object.at[1] = 0.25;
  return object;
}
Object at_one_place(std::mt19937_64&) { return {{0.5, 0.5, 0.5}, 1}; }

struct Cloud {
  const char* name;
  Object (*object)(std::mt19937_64&);
};
constexpr Cloud clouds[] = {{"uniform", uniform},
                            {"blob", blob},
                            {"of any weight", of_any_weight},
                            {"on a mesh", on_a_mesh},
                            {"in a corner", in_a_corner},
                            {"in a plane", in_a_plane},
                            {"at one place", at_one_place}};

Objects objects_of(const Cloud& cloud, std::size_t count) {
  std::mt19937_64 random(11);
  Objects objects;
  objects.reserve(count);
  for (std::size_t i = 0; i < count; ++i) objects.push_back(cloud.object(random));
  return objects;
}

double weight_of(const Objects& objects) {
  double sum = 0;
  for (const Object& object : objects) sum += object.weight;
  return sum;
}

double sum_of(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

// --- What one rank brings ------------------------------------------------------------------------

struct Share {
  std::vector<double> places, weights;
  int dimensions;

  Share(const Objects& objects, int of_dimensions, const std::function<bool(std::size_t)>& is_mine)
      : dimensions(of_dimensions) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (!is_mine(i)) continue;
      for (int axis = 0; axis < dimensions; ++axis)
        places.push_back(objects[i].at[static_cast<std::size_t>(axis)]);
      weights.push_back(objects[i].weight);
    }
  }

  WeightedPoints points() {
    RawField<double> position =
        raw_field(places.data(), {.count = std::ssize(weights), .components = dimensions});
    return {field_of(position).layout(), weights};
  }
};

// --- The oracle: all on one rank, sorted and summed up -------------------------------------------

struct Interval {
  double lower, upper;
};

// The objects from a border up to the next one (exclusive). At the upper face of the box, the last
// domain includes the face.
Objects between(const Objects& objects, std::size_t axis, Interval along, double face) {
  Objects inside;
  for (const Object& object : objects)
    if (object.at[axis] >= along.lower &&
        (object.at[axis] < along.upper || (along.upper == face && along.lower < along.upper)))
      inside.push_back(object);
  return inside;
}

// Expects the border to be as near to a share of the weight as a border along this axis can be.
void expect_nearest(Objects objects, std::size_t axis, double border, double share) {
  std::sort(objects.begin(), objects.end(),
            [=](const Object& a, const Object& b) { return a.at[axis] < b.at[axis]; });
  const double wanted = share * weight_of(objects);
  double below = 0, found = 0, best = wanted;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    below += objects[i].weight;
    if (objects[i].at[axis] < border) found = below;
    if (i + 1 == objects.size() || objects[i + 1].at[axis] > objects[i].at[axis])
      best = std::min(best, std::abs(below - wanted));
  }
  // A border at the upper face has all objects below it.
  if (border >= unit.upper[axis]) found = below;
  EXPECT_LE(std::abs(found - wanted), best + 1e-9 * weight_of(objects)) << "border at " << border;
}

// Calls visit(objects, axis, row) for all rows of a level and of the levels inside it.
void for_each_row(
    const GridBorders& borders, const GridShape& shape, const Objects& objects, std::size_t depth,
    std::size_t index, std::array<int, 3> at,
    const std::function<void(const Objects&, std::size_t, std::span<const double>)>& visit,
    const std::function<void(const Objects&, int)>& leaf) {
  if (depth == 3 || depth == static_cast<std::size_t>(shape.dimensions))
    return leaf(objects, shape.part_at(at));
  const auto axis = static_cast<std::size_t>(borders.axes[depth]);
  const auto domains = static_cast<std::size_t>(shape.extents[axis]);
  const auto row = std::span(borders.levels[depth]).subspan(index * (domains + 1), domains + 1);
  visit(objects, axis, row);
  for (std::size_t d = 0; d < domains; ++d) {
    at[axis] = static_cast<int>(d);
    for_each_row(borders, shape, between(objects, axis, {row[d], row[d + 1]}, unit.upper[axis]),
                 depth + 1, index * domains + d, at, visit, leaf);
  }
}

class BoxCutOn : public test::OnRanks {
 protected:
  Share mine(const Objects& objects, int dimensions) const {
    return Share(objects, dimensions, [this](std::size_t i) {
      return static_cast<int>(i % static_cast<std::size_t>(size)) == rank;
    });
  }
  // The last rank has no objects unless it is the only one.
  Share mine_in_blocks(const Objects& objects, int dimensions) const {
    const auto ranks = static_cast<std::size_t>(std::max(1, size - 1));
    return Share(objects, dimensions, [&, ranks](std::size_t i) {
      return static_cast<int>(i * ranks / objects.size()) == rank;
    });
  }

  // The weights of parts must not depend on the ranks of the objects.
  template <class CutPoints>
  auto cut_twice(const Objects& objects, int dimensions, const CutPoints& cut_points) const {
    Share share = mine(objects, dimensions), other = mine_in_blocks(objects, dimensions);
    const WeightedPoints points = share.points(), others = other.points();
    const auto found = cut_points(std::span(&points, 1)), again = cut_points(std::span(&others, 1));
    EXPECT_EQ(found.weights, again.weights) << "depends on who has the objects";
    return std::pair(found, again);
  }
  GridCut cut(const Objects& objects, const GridCutOptions& options) {
    const auto [found, again] =
        cut_twice(objects, options.shape.dimensions, [&](std::span<const WeightedPoints> points) {
          return cut_grid(communicator, points, options);
        });
    EXPECT_EQ(found.borders, again.borders);
    return found;
  }
  BisectionCut bisection(const Objects& objects, const BisectionOptions& options) {
    const auto [found, again] =
        cut_twice(objects, options.dimensions, [&](std::span<const WeightedPoints> points) {
          return bisect(communicator, points, options);
        });
    EXPECT_EQ(found.nodes, again.nodes);
    return found;
  }
};

GridCutOptions staggered(const GridShape& shape) {
  GridCutOptions options;
  options.box = unit;
  options.shape = shape;
  return options;
}

BisectionOptions into(int parts, int dimensions = 3) {
  BisectionOptions options;
  options.box = unit;
  options.parts = parts;
  options.dimensions = dimensions;
  return options;
}

constexpr GridShape shapes[] = {{3, {4, 4, 4}}, {3, {2, 3, 5}}, {3, {1, 1, 7}}, {3, {7, 1, 1}},
                                {2, {3, 4, 1}}, {1, {6, 1, 1}}, {3, {1, 1, 1}}};

// --- Staggered grids -----------------------------------------------------------------------------

TEST_F(BoxCutOn, EachBorderOfAStaggeredGridIsNearestToItsShare) {
  for (const Cloud& cloud : clouds)
    for (const GridShape& shape : shapes) {
      SCOPED_TRACE(std::string(cloud.name) + ", " + std::to_string(shape.extents[0]) + "x" +
                   std::to_string(shape.extents[1]) + "x" + std::to_string(shape.extents[2]));
      const Objects objects = objects_of(cloud, 700);
      const GridCut found = cut(objects, staggered(shape));
      for_each_row(
          found.borders, shape, objects, 0, 0, {},
          [](const Objects& in_row, std::size_t axis, std::span<const double> row) {
            ASSERT_EQ(row.front(), unit.lower[axis]);
            ASSERT_EQ(row.back(), unit.upper[axis]);
            ASSERT_TRUE(std::is_sorted(row.begin(), row.end()));
            for (std::size_t b = 1; b + 1 < row.size(); ++b)
              expect_nearest(in_row, axis, row[b],
                             static_cast<double>(b) / static_cast<double>(row.size() - 1));
          },
          [&](const Objects& in_part, int part) {
            EXPECT_EQ(found.weights[static_cast<std::size_t>(part)], weight_of(in_part)) << part;
          });
    }
}

TEST_F(BoxCutOn, AnyOrderOfAxes) {
  const Objects objects = objects_of(clouds[1], 3000);
  GridCutOptions options = staggered({3, {3, 2, 4}});
  for (const std::vector<int>& axes :
       {std::vector{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    options.axes = axes;
    const GridCut found = cut(objects, options);
    EXPECT_TRUE(std::equal(axes.begin(), axes.end(), found.borders.axes.begin()));
    EXPECT_LT(lambda_of(found.weights), 1.05);
    EXPECT_EQ(std::ssize(found.borders.levels[0]),
              options.shape.extents[static_cast<std::size_t>(axes[0])] + 1);
  }
}

TEST_F(BoxCutOn, WithinTheTargetInOneRound) {
  const Objects objects = objects_of(clouds[1], 64000);
  GridCutOptions options = staggered({3, {4, 4, 4}});
  const GridCut exact = cut(objects, options);
  EXPECT_LT(lambda_of(exact.weights), 1.003);
  options.target_lambda = 1.02;
  const GridCut enough = cut(objects, options);
  EXPECT_LE(lambda_of(enough.weights), 1.02);
  EXPECT_LE(enough.reductions, exact.reductions);
}

TEST_F(BoxCutOn, BySpeeds) {
  const Objects objects = objects_of(clouds[0], 20000);
  GridCutOptions options = staggered({2, {3, 2, 1}});
  const std::vector<double> speeds = {1, 2, 3, 4, 5, 1};
  options.speeds = speeds;
  const GridCut found = cut(objects, options);
  for (std::size_t p = 0; p < speeds.size(); ++p)
    EXPECT_NEAR(found.weights[p], 20000 * speeds[p] / 16, 5) << p;
}

TEST_F(BoxCutOn, WithoutObjectsBordersStandAtEqualDistances) {
  const GridCut found = cut({}, staggered({2, {2, 4, 1}}));
  EXPECT_EQ(found.borders.levels[0], (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(found.borders.levels[1],
            (std::vector<double>{0, 0.5, 1, 0, 0.5, 1, 0, 0.5, 1, 0, 0.5, 1}));
  EXPECT_EQ(found.weights, std::vector<double>(8));
  EXPECT_EQ(found.reductions, 0);
}

// These cells are so small that every floating-point number here is a multiple of them.
TEST_F(BoxCutOn, CellsThatAreTooSmallToTellChangeNothing) {
  const Objects objects = objects_of(clouds[0], 300);
  const GridCutOptions without = staggered({2, {2, 4, 1}});
  for (const double cell : {1e-310, 1e-300, 1e-17}) {
    GridCutOptions options = without;
    options.cell_size = {cell, cell, cell};
    EXPECT_EQ(cut(objects, options).borders, cut(objects, without).borders) << cell;
  }
}

TEST_F(BoxCutOn, WidthsAndCellsAlwaysHold) {
  for (const Cloud& cloud : clouds) {
    GridCutOptions options = staggered({3, {4, 3, 5}});
    options.least_width = {0.2, 0.3, 0.2};  // 5 domains of 0.2 fill the box exactly
    const GridCut found = cut(objects_of(cloud, 900), options);
    for (std::size_t depth = 0; depth < 3; ++depth) {
      const auto axis = static_cast<std::size_t>(found.borders.axes[depth]);
      const auto row = static_cast<std::size_t>(options.shape.extents[axis]) + 1;
      const std::vector<double>& level = found.borders.levels[depth];
      for (std::size_t b = 0; b < level.size(); ++b) {
        if (b % row == 0) continue;
        EXPECT_GE(level[b] - level[b - 1], options.least_width[axis] * (1 - 1e-14))
            << cloud.name << ", axis " << axis;
      }
    }
    options.least_width = {0.1, 0.1, 0.1};
    options.cell_size = {1.0 / 64, 1.0 / 32, 1.0 / 16};
    const Objects objects = objects_of(cloud, 900);
    const GridCut aligned = cut(objects, options);
    double counted = 0;
    for_each_row(
        aligned.borders, options.shape, objects, 0, 0, {},
        [&](const Objects&, std::size_t axis, std::span<const double> borders) {
          for (std::size_t b = 0; b < borders.size(); ++b) {
            const double cells = borders[b] / options.cell_size[axis];
            EXPECT_EQ(cells, std::round(cells));
            if (b > 0) {
              EXPECT_GE(borders[b] - borders[b - 1], 0.1);
            }
          }
        },
        [&](const Objects& in_part, int part) {
          EXPECT_EQ(aligned.weights[static_cast<std::size_t>(part)], weight_of(in_part));
          counted += weight_of(in_part);
        });
    EXPECT_EQ(counted, weight_of(objects));
  }
}

// --- Tensor grids --------------------------------------------------------------------------------

GridCutOptions tensor(const GridShape& shape) {
  GridCutOptions options = staggered(shape);
  options.scheme = GridScheme::tensor;
  return options;
}

TEST_F(BoxCutOn, ATensorGridIsNearlyAsEvenAsTheBestOfManyDescents) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  for (const Cloud& cloud : {clouds[0], clouds[1], clouds[4]})
    for (const GridShape& shape : {GridShape{3, {4, 4, 4}}, GridShape{3, {2, 3, 5}}}) {
      SCOPED_TRACE(cloud.name);
      const Objects objects = objects_of(cloud, 3000);
      const GridCut found = cut(objects, tensor(shape));
      const GridDomains grid(1, shape, unit, {}, found.borders);
      const PartOfPoint part_of = grid.part_of_point();
      test::Descents::Places places;
      std::vector<double> weights(found.weights.size());
      for (const Object& object : objects) {
        places.push_back(object.at);
        weights[static_cast<std::size_t>(part_of(object.at.data()))] += object.weight;
      }
      EXPECT_EQ(found.weights, weights);
      test::Descents descents(places, shape, places.size());
      EXPECT_LE(
          lambda_of(found.weights),
          1.1 * descents.best_lambda(test::sampled(20), 8, test::Descents::Start::in_unit_cube));
    }
}

TEST_F(BoxCutOn, ATensorGridOfAnything) {
  for (const Cloud& cloud : clouds)
    for (const GridShape& shape : shapes) {
      SCOPED_TRACE(cloud.name);
      const Objects objects = objects_of(cloud, 300);
      EXPECT_EQ(sum_of(cut(objects, tensor(shape)).weights), weight_of(objects));
    }
}

// With 70400 bins along one axis, the number that is stored for each object takes more than 16
// bits.
TEST_F(BoxCutOn, ATensorGridOfManySlabs) {
  const Objects objects = objects_of(clouds[0], 8000);
  const GridShape slabs = {3, {1100, 1, 1}};
  const double exact = lambda_of(cut(objects, staggered(slabs)).weights);
  EXPECT_LE(lambda_of(cut(objects, tensor(slabs)).weights), 1.5 * exact);
}

// --- Bisection -----------------------------------------------------------------------------------

// Descends the tree. Expects each border to be nearest to its share.
void expect_tree(const BisectionCut& cut, const Objects& objects, BisectionRange range, Box box) {
  if (range.parts() == 1) {
    EXPECT_EQ(cut.weights[static_cast<std::size_t>(range.begin)], weight_of(objects))
        << range.begin;
    return;
  }
  const Bisection& node = cut.nodes[static_cast<std::size_t>(range.node)];
  const auto axis = static_cast<std::size_t>(node.axis);
  ASSERT_GT(node.middle, range.begin);
  ASSERT_LT(node.middle, range.end);
  ASSERT_GE(node.border, box.lower[axis]);
  ASSERT_LE(node.border, box.upper[axis]);
  if (weight_of(objects) > 0)
    expect_nearest(objects, axis, node.border,
                   static_cast<double>(node.middle - range.begin) / range.parts());
  Objects below, above;
  for (const Object& object : objects)
    (object.at[axis] < node.border || node.border >= unit.upper[axis] ? below : above)
        .push_back(object);
  Box lower = box, upper = box;
  lower.upper[axis] = upper.lower[axis] = node.border;
  expect_tree(cut, below, range.below(node.middle), lower);
  expect_tree(cut, above, range.above(node.middle), upper);
}

TEST_F(BoxCutOn, EachBorderOfABisectionIsNearestToItsShare) {
  for (const Cloud& cloud : clouds)
    for (const int parts : {1, 2, 3, 7, 16, 37})
      for (const int dimensions : {1, 2, 3}) {
        SCOPED_TRACE(std::string(cloud.name) + ", " + std::to_string(parts) + " parts in " +
                     std::to_string(dimensions) + " dimensions");
        const Objects objects = objects_of(cloud, 500);
        const BisectionCut found = bisection(objects, into(parts, dimensions));
        ASSERT_EQ(std::ssize(found.nodes), parts - 1);
        expect_tree(found, objects, {0, 0, parts}, unit);
      }
}

TEST_F(BoxCutOn, BisectionWithinTheTarget) {
  const Objects objects = objects_of(clouds[1], 64000);
  BisectionOptions options = into(60);
  EXPECT_LT(lambda_of(bisection(objects, options).weights), 1.005);
  options.target_lambda = 1.01;
  EXPECT_LE(lambda_of(bisection(objects, options).weights), 1.01);
  options.axes = {2, 0, 1};
  const BisectionCut in_turn = bisection(objects, options);
  EXPECT_EQ(in_turn.nodes[0].axis, 2);
  EXPECT_EQ(in_turn.nodes[1].axis, 0);
  EXPECT_LE(lambda_of(in_turn.weights), 1.01);
}

TEST_F(BoxCutOn, AnEarlierTreeStays) {
  BisectionOptions options = into(12);
  options.target_lambda = 1.1;
  Objects objects = objects_of(clouds[1], 24000);
  const BisectionCut first = bisection(objects, options);
  const TreeDomains earlier(1, 3, unit, {}, first.nodes);
  options.earlier = &earlier;
  const BisectionCut same = bisection(objects, options);
  EXPECT_EQ(same.nodes, first.nodes);
  // This cloud is far from the first one. The axes must stay; the borders must not.
  for (Object& object : objects) object.at[0] = object.at[0] / 2 + 0.5;
  const BisectionCut moved = bisection(objects, options);
  EXPECT_NE(moved.nodes, first.nodes);
  for (std::size_t n = 0; n < moved.nodes.size(); ++n)
    EXPECT_EQ(moved.nodes[n].axis, first.nodes[n].axis);
  EXPECT_LE(lambda_of(moved.weights), 1.1);
}

void expect_widths(const BisectionCut& cut, const std::array<double, 3>& widths, int dimensions,
                   BisectionRange range, Box box) {
  if (range.parts() == 1) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
      EXPECT_GE(box.upper[axis] - box.lower[axis], widths[axis] * (1 - 1e-12)) << range.begin;
    return;
  }
  const Bisection& node = cut.nodes[static_cast<std::size_t>(range.node)];
  const auto axis = static_cast<std::size_t>(node.axis);
  Box lower = box, upper = box;
  lower.upper[axis] = upper.lower[axis] = node.border;
  expect_widths(cut, widths, dimensions, range.below(node.middle), lower);
  expect_widths(cut, widths, dimensions, range.above(node.middle), upper);
}

TEST_F(BoxCutOn, WidthsOfABisectionAlwaysHold) {
  struct Case {
    int parts, dimensions;
    std::array<double, 3> widths;
  };
  for (const Case& now : {Case{9, 2, {1.0 / 3, 1.0 / 3, 0}},
                          {27, 3, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
                          {6, 3, {0.3, 0.4, 0.9}},
                          {12, 2, {0.25, 0.3, 0}},
                          {5, 1, {0.2, 0, 0}},
                          {10, 3, {0, 0.15, 0.5}},
                          {40, 3, {0.1, 0.2, 0.25}}})
    for (const Cloud& cloud : clouds) {
      SCOPED_TRACE(std::string(cloud.name) + ", " + std::to_string(now.parts) + " parts");
      const Objects objects = objects_of(cloud, 600);
      BisectionOptions options = into(now.parts, now.dimensions);
      options.least_width = now.widths;
      const BisectionCut found = bisection(objects, options);
      expect_widths(found, now.widths, now.dimensions, {0, 0, now.parts}, unit);
      EXPECT_EQ(sum_of(found.weights), weight_of(objects));
      // The earlier tree is that of another cloud.
      const TreeDomains earlier(1, now.dimensions, unit, {}, found.nodes);
      options.earlier = &earlier;
      options.target_lambda = 1.05;
      const BisectionCut again = bisection(objects_of(clouds[0], 600), options);
      expect_widths(again, now.widths, now.dimensions, {0, 0, now.parts}, unit);
    }
  BisectionOptions options = into(10, 2);
  options.least_width = {0.4, 0.4, 0};
  EXPECT_ERROR(bisection(objects_of(clouds[0], 50), options),
               "The box has no room for 10 domains of the given least widths. With the same "
               "proportions, widths of at most 0.25, 0.25 fit.");
  options.box = {{0.5, 0.5, 0}, {0.5, 0.5, 0}};  // a point
  EXPECT_ERROR(bisection({}, options),
               "The box has no room for 10 domains of the given least widths. With the same "
               "proportions, widths of at most 0, 0 fit.");
}

// --- Misuse --------------------------------------------------------------------------------------

TEST_F(BoxCutOn, MisuseIsTheSameErrorOnAllRanks) {
  const Objects objects = objects_of(clouds[0], 50);
  const auto refused = [&](const std::string& told, const auto& spoil) {
    Share share = mine(objects, 3);
    WeightedPoints points = share.points();
    GridCutOptions options = staggered({3, {2, 2, 2}});
    spoil(options, points);
    EXPECT_ERROR_EVERYWHERE(cut_grid(communicator, std::span(&points, 1), options), told);
  };
  refused("the largest width that fits is 0.5", [](auto& o, auto&) { o.least_width[1] = 0.6; });
  refused("the largest width that fits is 0.4", [](auto& o, auto&) {
    o.least_width[1] = 0.45;
    o.cell_size[1] = 0.4;
  });
  refused("A least width is negative or not finite.",
          [](auto& o, auto&) { o.least_width[0] = -1; });
  refused("The least width and the cell size along x must be finite and not negative.",
          [](auto& o, auto&) { o.cell_size[0] = -1; });
  refused("does not name each axis once", [](auto& o, auto&) { o.axes = {0, 1, 1}; });
  refused("core/domains", [](auto& o, auto&) { o.shape.extents = {0, 1, 1}; });
  refused("target_lambda is -1.", [](auto& o, auto&) { o.target_lambda = -1; });
  refused(
      "target_lambda is 0.03. Give 0 to cut as evenly as possible, or a lambda (greatest over "
      "average) of at least 1: 1.03 allows 3 % above the average.",
      [](auto& o, auto&) { o.target_lambda = 0.03; });
  const std::vector<double> few = {1, 2}, none(8, 0.0);
  refused("2 speeds came for 8 parts.", [&](auto& o, auto&) { o.speeds = few; });
  refused("A speed is zero, negative, NaN or infinite.", [&](auto& o, auto&) { o.speeds = none; });
  refused("Points of 2 coordinates", [this](auto&, auto& p) {
    if (rank == size - 1) p.position.components = 2;
  });
  refused("A weight is negative, NaN or infinite.", [this](auto&, auto& p) {
    if (rank == size - 1) const_cast<double&>(p.weights[0]) = -1;
  });
}

}  // namespace
}  // namespace evenkeel::cut_test
