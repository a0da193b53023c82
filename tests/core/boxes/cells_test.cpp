// Bisection with borders between cells. The oracle tries all bisections of a tiny mesh.

#include "support/sampled.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::cells_of_boxes_test {
namespace {

using Place = std::array<double, 3>;
using Cells = std::array<int, 3>;

// --- Objects, the same on all ranks --------------------------------------------------------------

struct Object {
  Place at;  // in the unit cube
  double weight;
};
using Objects = std::vector<Object>;

// Gaussian clouds, and one object in ten anywhere.
Objects clouds_of(int clouds, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> any(0, 1);
  std::normal_distribution<double> normal;
  std::vector<std::pair<Place, double>> all;
  for (int c = 0; c < clouds; ++c)
    all.push_back({{any(random), any(random), any(random)}, 0.04 + 0.12 * any(random)});
  Objects objects;
  while (objects.size() < count) {
    const auto& [centre, width] = all[random() % all.size()];
    Place at = {any(random), any(random), any(random)};
    if (objects.size() % 10 != 0)
      for (std::size_t d = 0; d < 3; ++d)
        at[d] = std::clamp(centre[d] + width * normal(random), 0.0, std::nextafter(1.0, 0.0));
    objects.push_back({at, static_cast<double>(1 + random() % 3)});
  }
  return objects;
}

Objects at_one_place(std::size_t count) { return Objects(count, {{0.3, 0.3, 0.3}, 1}); }
Objects in_a_plane(std::size_t count) {
  Objects objects = clouds_of(2, count, 5);
  for (Object& object : objects) object.at[0] = 0.31;
  return objects;
}
Objects on_planes_of_cells(std::size_t count) {
  Objects objects = clouds_of(2, count, 6);
  for (Object& object : objects)
    for (double& x : object.at) x = std::floor(8 * x) / 8;
  return objects;
}

// --- The oracle ----------------------------------------------------------------------------------

// The weight of any box of cells, and the least weight of the heaviest of `parts` boxes.
class Oracle {
 public:
  Oracle(const Objects& objects, const Cells& cells) : cells_(cells) {
    sums_.resize(index({cells[0], cells[1], cells[2]}) + 1);
    for (const Object& object : objects) {
      std::array<int, 3> cell;
      for (std::size_t d = 0; d < 3; ++d)
        cell[d] = std::min(cells[d] - 1, static_cast<int>(object.at[d] * cells[d])) + 1;
      sums_[index(cell)] += object.weight;
      all_ += object.weight;
    }
    for (std::size_t d = 0; d < 3; ++d)
      for (int x = 1; x <= cells[0]; ++x)
        for (int y = 1; y <= cells[1]; ++y)
          for (int z = 1; z <= cells[2]; ++z) {
            std::array<int, 3> before = {x, y, z};
            --before[d];
            sums_[index({x, y, z})] += sums_[index(before)];
          }
  }

  double best_lambda(int parts) { return least({{0, 0, 0}, cells_}, parts) * parts / all_; }

 private:
  struct Range {
    std::array<int, 3> begin, end;
    auto operator<=>(const Range&) const = default;
  };
  std::size_t index(const std::array<int, 3>& at) const {
    return static_cast<std::size_t>((at[0] * (cells_[1] + 1) + at[1]) * (cells_[2] + 1) + at[2]);
  }
  double weight(const Range& range) const {
    double sum = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
      std::array<int, 3> at;
      for (unsigned d = 0; d < 3; ++d)
        at[d] = (corner >> d & 1U) != 0 ? range.begin[d] : range.end[d];
      sum += (std::popcount(corner) % 2 == 0 ? 1 : -1) * sums_[index(at)];
    }
    return sum;
  }
  double least(const Range& range, int parts) {
    if (parts == 1) return weight(range);
    const auto known = known_.find({range, parts});
    if (known != known_.end()) return known->second;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < 3; ++d)
      for (int border = range.begin[d] + 1; border < range.end[d]; ++border) {
        Range lower = range, upper = range;
        lower.end[d] = upper.begin[d] = border;
        for (int below = 1; below < parts; ++below) {
          const double of_lower = least(lower, below);
          if (of_lower < best)
            best = std::min(best, std::max(of_lower, least(upper, parts - below)));
        }
      }
    known_[{range, parts}] = best;
    return best;
  }

  Cells cells_;
  std::vector<double> sums_;  // of all cells below a corner
  double all_ = 0;
  std::map<std::pair<Range, int>, double> known_;
};

// --- Cuts ----------------------------------------------------------------------------------------

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

BisectionOptions into(int parts, const Cells& cells, int dimensions = 3) {
  BisectionOptions options;
  options.box = unit;
  options.parts = parts;
  options.dimensions = dimensions;
  for (std::size_t d = 0; d < 3; ++d) options.cell_size[d] = 1.0 / cells[d];
  return options;
}

class BoxesOfCells : public test::OnRanks {
 protected:
  // The objects are in the unit cube; they are moved into the box of the options.
  BisectionCut cut(const Objects& objects, const BisectionOptions& options, int stride = 1) {
    std::vector<double> places, weights;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (static_cast<int>(i / static_cast<std::size_t>(stride)) % size != rank) continue;
      for (std::size_t d = 0; d < static_cast<std::size_t>(options.dimensions); ++d)
        places.push_back(std::lerp(options.box.lower[d], options.box.upper[d], objects[i].at[d]));
      weights.push_back(objects[i].weight);
    }
    const exec::Array<double> there(test::space(), "places", std::span<const double>(places));
    const exec::Array<double> heavy(test::space(), "weights", std::span<const double>(weights));
    RawField<double> position = raw_field(
        there.data(),
        {.count = std::ssize(weights), .components = options.dimensions, .memory = there.memory()});
    const WeightedPoints points = {field_of(position).layout(), heavy.span()};
    return bisect(communicator, std::span(&points, 1), options);
  }

  // Checks all that must always hold, and returns the cut.
  BisectionCut checked(const Objects& objects, const BisectionOptions& options) {
    const BisectionCut found = cut(objects, options);
    EXPECT_EQ(found.nodes, cut(objects, options, 7).nodes) << "depends on who has the objects";
    const TreeDomains tree(1, options.dimensions, options.box, options.periodic, found.nodes);
    std::vector<double> weights(found.weights.size());
    for (const Object& object : objects) {
      Place at = {};
      for (std::size_t d = 0; d < 3; ++d)
        at[d] = std::lerp(options.box.lower[d], options.box.upper[d], object.at[d]);
      weights[static_cast<std::size_t>(tree.leaf_of_point()(at.data()))] += object.weight;
    }
    EXPECT_EQ(found.weights, weights);
    for (const Bisection& node : found.nodes) {
      const auto d = static_cast<std::size_t>(node.axis);
      EXPECT_TRUE(options.divided_axes[d]);
      if (!(options.cell_size[d] > 0)) continue;
      const double cell = options.cell_size[d], lower = options.box.lower[d];
      EXPECT_EQ(node.border, lower + std::round((node.border - lower) / cell) * cell);
    }
    for (int part = 0; part < options.parts; ++part) {
      const Box box = tree.box_of(part);
      for (std::size_t d = 0; d < static_cast<std::size_t>(options.dimensions); ++d) {
        const double width = box.upper[d] - box.lower[d];
        EXPECT_GE(width, options.least_width[d] * (1 - 1e-12));
        const double length = options.box.upper[d] - options.box.lower[d];
        EXPECT_GE(width, std::min(length, options.cell_size[d]) * (1 - 1e-9));
      }
    }
    return found;
  }
  double lambda(const Objects& objects, const BisectionOptions& options) {
    return lambda_of(checked(objects, options).weights, options.speeds);
  }
};

TEST_F(BoxesOfCells, NearlyAsEvenAsTheBestOfAllBisections) {
  double ratios = 0, greatest = 0;
  int count = 0;
  for (const Cells& cells : {Cells{6, 5, 1}, Cells{3, 4, 3}, Cells{12, 1, 1}})
    for (unsigned seed = 0; seed < test::sampled(5U); ++seed) {
      const Objects objects = clouds_of(1 + static_cast<int>(seed % 3), 700, seed);
      Oracle oracle(objects, cells);
      for (const int parts : {2, 3, 5, 6, 7}) {
        const double found = lambda(objects, into(parts, cells)), best = oracle.best_lambda(parts);
        EXPECT_GE(found, best * (1 - 1e-12));
        greatest = std::max(greatest, found / best);
        ratios += found / best;
        ++count;
      }
    }
  EXPECT_LT(ratios / count, 1.03);
  EXPECT_LT(greatest, 1.25);
}

// If each half got half of the work, whatever the numbers of parts, lambda would be 1.5.
TEST_F(BoxesOfCells, PartsNeedNotBeAPowerOfTwo) {
  for (const int parts : {3, 6, 12})
    for (const unsigned seed : {1U, 2U, 3U})
      EXPECT_LT(lambda(clouds_of(3, 20000, seed), into(parts, {64, 64, 64})), 1.09) << parts;
}

TEST_F(BoxesOfCells, EvenWorkIsDividedExactly) {
  Objects objects;
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 12; ++y) objects.push_back({{(x + 0.5) / 12, (y + 0.5) / 12, 0.5}, 1});
  for (const int parts : {1, 2, 3, 4, 6, 9, 12, 16, 36, 48, 72, 144})
    EXPECT_EQ(lambda(objects, into(parts, {12, 12, 1})), 1) << parts;
  BisectionOptions options = into(4, {12, 12, 1});
  const std::vector<double> speeds = {1, 2, 3, 6};
  options.speeds = speeds;
  EXPECT_EQ(lambda(objects, options), 1);
}

TEST_F(BoxesOfCells, HoldsAnywhere) {
  const std::vector<double> speeds = {1, 5, 0.5, 2, 2, 1, 3};
  for (const Objects& objects : {clouds_of(2, 900, 1), at_one_place(100), in_a_plane(500),
                                 on_planes_of_cells(700), Objects()})
    for (const int parts : {1, 3, 7, 12})
      for (const int dimensions : {1, 3}) {
        BisectionOptions options = into(parts, {16, 13, 8}, dimensions);
        checked(objects, options);
        if (parts == 7) options.speeds = speeds;
        options.target_lambda = 1.1;
        checked(objects, options);
        options.least_width = {1.0 / 16, 0.1, 0.25};
        options.cell_size = {1.0 / 64, 0, 0.03};  // the second axis has no cells
        options.periodic = {true, false, true};
        checked(objects, options);
        options.box = {{-3, 1e5, 0.25}, {5, 1e5 + 0.5, 0.26}};
        options.cell_size = {0.5, 0.02, 0.0003};
        options.least_width = {};
        checked(objects, options);
      }
}

TEST_F(BoxesOfCells, WithoutWorkDomainsGetEqualRoom) {
  const BisectionCut found = checked({}, into(5, {10, 1, 1}));
  const TreeDomains tree(1, 3, unit, {}, found.nodes);
  for (int part = 0; part < 5; ++part) {
    const Box box = tree.box_of(part);
    EXPECT_NEAR(box.upper[0] - box.lower[0], 0.2, 1e-12) << part;
  }
}

TEST_F(BoxesOfCells, AsManyPartsAsCells) {
  for (const Cells& cells : {Cells{5, 1, 1}, Cells{3, 4, 1}, Cells{2, 3, 2}, Cells{1, 1, 1}}) {
    const int parts = cells[0] * cells[1] * cells[2];
    for (const Objects& objects : {clouds_of(2, 300, 3), at_one_place(20)})
      checked(objects, into(parts, cells));
  }
  BisectionOptions tight = into(12, {9, 8, 4});
  tight.least_width = {0.33, 0.5, 0.5};  // 3 cells, 4 cells, 2 cells
  checked(clouds_of(1, 300, 3), tight);
}

TEST_F(BoxesOfCells, OnlyAlongSomeAxes) {
  const Objects objects = clouds_of(2, 4000, 8);
  for (const std::array<bool, 3> axes :
       {std::array{true, true, false}, {false, false, true}, {true, false, true}})
    for (const bool has_cells : {false, true}) {
      BisectionOptions options = into(7, {32, 32, 32});
      if (!has_cells) options.cell_size = {};
      options.divided_axes = axes;
      const BisectionCut found = checked(objects, options);
      EXPECT_LT(lambda_of(found.weights), has_cells ? 1.6 : 1.01);
    }
}

TEST_F(BoxesOfCells, AnEarlierTreeStays) {
  Objects objects = clouds_of(3, 20000, 4);
  BisectionOptions options = into(12, {24, 24, 24});
  const BisectionCut first = checked(objects, options);
  const TreeDomains earlier(1, 3, unit, {}, first.nodes);
  options.earlier = &earlier;
  EXPECT_EQ(checked(objects, options).nodes, first.nodes);
  for (Object& object : objects) object.at[0] = std::min(object.at[0] + 1e-3, 0.999);
  EXPECT_EQ(checked(objects, options).nodes, first.nodes) << "hardly anything has changed";
  for (Object& object : objects) object.at[0] = 1 - object.at[0];
  const double again = lambda(objects, options);
  options.earlier = nullptr;
  EXPECT_LT(again, 1.15 * lambda(objects, options));
}

TEST_F(BoxesOfCells, GreatNumbersAndSmallCells) {
  const Objects objects = clouds_of(2, 300, 9);
  constexpr double most = std::numeric_limits<double>::max();
  BisectionOptions options = into(6, {1, 1, 1});
  options.box = {{-most, -1e300, 0}, {most, 1e300, 1e-300}};
  options.cell_size = {most / 8, 1e299, 1e-302};
  const TreeDomains tree(1, 3, options.box, {}, cut(objects, options).nodes);
  EXPECT_EQ(tree.parts(), 6);
  // Every number is a multiple of such cells.
  options = into(6, {1, 1, 1});
  const std::vector<Bisection> without = [&] {
    options.cell_size = {};
    return cut(objects, options).nodes;
  }();
  options.cell_size = {1e-310, 1e-300, 1e-17};
  EXPECT_EQ(cut(objects, options).nodes, without);
}

TEST_F(BoxesOfCells, MisuseIsTheSameErrorOnAllRanks) {
  const auto refused = [&](const BisectionOptions& options, const std::string& told) {
    EXPECT_ERROR_EVERYWHERE(cut(clouds_of(1, 40, 1), options), told);
  };
  refused(
      into(13, {3, 4, 1}),
      "The box has no room for 13 domains, but only for 3 along x, 4 along y and 1 along z. Ask "
      "for fewer parts, smaller cells or smaller least widths, or let boxes be divided along "
      "more axes.");
  BisectionOptions options = into(5, {8, 8, 8});
  options.least_width = {0.3, 0.5, 0.9};
  refused(options, "no room for 5 domains, but only for 2 along x, 2 along y and 1 along z.");
  options.least_width = {0, 0, 1.1};
  refused(options, "8 along x, 8 along y and 0 along z.");
  options = into(5, {1, 1, 4}, 3);
  options.cell_size[0] = 7;  // longer than the box
  options.divided_axes = {true, true, false};
  refused(options, "only for 1 along x, 1 along y and 1 along z.");
  options.least_width = {2, 0, 0};
  refused(options, "only for 0 along x, 1 along y and 1 along z.");
  options = into(2, {1, 1, 4}, 2);
  options.cell_size = {};
  options.divided_axes = {false, false, true};
  refused(options, "no room for 2 domains, but only for 1 along x and 1 along y.");
  for (const double cell : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    options = into(2, {1, 1, 4});
    options.cell_size[1] = cell;
    refused(options,
            "A cell size is negative or not finite. Give 0 where borders may be anywhere.");
  }
}

}  // namespace
}  // namespace evenkeel::cells_of_boxes_test
