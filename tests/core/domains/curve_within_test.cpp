// Compares ranks_within with a search through every cell.

#include "core/domains/asking.hpp"

namespace evenkeel::curve_within_test {
namespace {

constexpr CurveKind kinds[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};
constexpr int levels = 3;
// Cells have length 1, and all numbers are eighths. So everything below is exact.
constexpr Box box = {{-2, 1, 0}, {6, 7, 4}};

using Numbers = std::array<double, 3>;

// Returns true if a cell has a point in common with [lower, upper] along an axis. A cell includes
// its lower face, and not its upper one. If the axis is not periodic, the outermost cells have no
// end.
bool meets(std::size_t axis, std::uint32_t cell, bool periodic, double lower, double upper) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double origin = box.lower[axis], length = box.upper[axis] - origin;
  double begin = origin + cell, end = begin + 1;
  if (periodic) {
    for (int shift = -20; shift <= 20; ++shift)
      if (begin + shift * length <= upper && end + shift * length > lower) return true;
    return false;
  }
  if (cell == 0) begin = -infinity;
  if (end == box.upper[axis]) end = infinity;
  return begin <= upper && end > lower;
}

template <int n>
std::set<int> oracle(const CurveDomains& decomposition, const Box& around, double width) {
  const Lattice lattice = lattice_of(decomposition);
  std::set<int> ranks;
  Cell<n> cell;
  const auto visit = [&](const auto& self, int axis) -> void {
    if (axis == n) {
      const int part = owner_of(decomposition.splitters(), lattice.key(cell));
      ranks.insert(decomposition.rank_of(part));
      return;
    }
    const auto a = static_cast<std::size_t>(axis);
    for (cell.at[axis] = 0; cell.at[axis] <= lattice.last_coordinate(axis); ++cell.at[axis])
      if (meets(a, cell.at[axis], decomposition.periodic()[a], around.lower[a] - width,
                around.upper[a] + width))
        self(self, axis + 1);
  };
  visit(visit, 0);
  return ranks;
}

template <int n>
void compare(const CurveDomains& decomposition, const Box& around, double width) {
  const std::vector<int> found = decomposition.ranks_within(around, width);
  const std::set<int> expected = oracle<n>(decomposition, around, width);
  ASSERT_EQ(found, std::vector<int>(expected.begin(), expected.end()))
      << name_of(decomposition.curve().kind) << " in " << n << "-D, " << decomposition.parts()
      << " parts, width " << width << ", from " << around.lower[0] << ' ' << around.lower[1] << ' '
      << around.lower[2] << " to " << around.upper[0] << ' ' << around.upper[1] << ' '
      << around.upper[2];
}

template <int n>
void compare_many() {
  std::mt19937_64 random(3);
  const auto eighths = [&](double from, double to) {
    const auto steps = static_cast<std::uint64_t>((to - from) * 8);
    return from + static_cast<double>(random() % (steps + 1)) / 8;
  };
  for (const CurveKind kind : kinds)
    for (int repeat = 0; repeat < 150; ++repeat) {
      std::array<bool, 3> periodic;
      for (bool& axis : periodic) axis = random() % 2 == 0;
      const int parts = 1 + static_cast<int>(random() % (repeat % 10 == 0 ? 200 : 12));
      const CurveDomains decomposition(1, n, box, periodic,
                                       test::random_splitters(n, parts, random), {kind, levels},
                                       test::shuffled_ranks(parts, random));
      for (int boxes = 0; boxes < 6; ++boxes) {
        Box around;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double one = eighths(-12, 12), other = boxes == 0 ? one : eighths(-12, 12);
          around.lower[axis] = std::min(one, other);
          around.upper[axis] = boxes < 3 ? std::min(std::max(one, other), around.lower[axis] + 2)
                                         : std::max(one, other);
        }
        for (const double width : {0.0, 0.125, 1.0, 2.5, 30.0})
          ASSERT_NO_FATAL_FAILURE(compare<n>(decomposition, around, width));
      }
    }
}

TEST(RanksWithin, AgainstEveryCell) {
  compare_many<2>();
  compare_many<3>();
}

// The finest lattice has too many cells to search. Instead, points of the box must find no other
// owner, and a width as large as the box must find all owners.
TEST(RanksWithin, OnTheFinestLattice) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const CurveKind kind : kinds)
    for (const int n : {2, 3}) {
      const int parts = 500;
      const CurveDomains decomposition(1, n, {{0, 0, 0}, {1, 1, 1}}, {},
                                       test::random_splitters(n, parts, random), {kind, 0});
      for (int repeat = 0; repeat < 20; ++repeat) {
        Box around;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          around.lower[axis] = uniform(random);
          around.upper[axis] = around.lower[axis] + 0.1 * uniform(random);
        }
        const double width = 0.05 * uniform(random);
        const std::vector<int> found = decomposition.ranks_within(around, width);
        std::set<int> owners;
        for (int i = 0; i < 2000; ++i) {
          std::array<double, 3> point;
          for (std::size_t axis = 0; axis < 3; ++axis)
            point[axis] = around.lower[axis] - width +
                          uniform(random) * (around.upper[axis] - around.lower[axis] + 2 * width);
          owners.insert(
              decomposition.owner_of(std::span(point).first(static_cast<std::size_t>(n))));
        }
        EXPECT_TRUE(std::includes(found.begin(), found.end(), owners.begin(), owners.end()));
        EXPECT_LE(found.size(), 3 * owners.size() + 5) << "hardly more than the points find";
      }
      std::set<int> with_keys;
      for (int part = 0; part < parts; ++part)
        if (decomposition.splitters()[static_cast<std::size_t>(part)] <
            decomposition.splitters()[static_cast<std::size_t>(part) + 1])
          with_keys.insert(part);
      const std::vector<int> everywhere = decomposition.ranks_within({{0, 0, 0}, {1, 1, 1}}, 1);
      EXPECT_EQ(everywhere, std::vector<int>(with_keys.begin(), with_keys.end()));
    }
}

TEST(RanksWithin, OfOnePartAndOfOnePoint) {
  const CurveDomains whole(1, 3, box, {}, {{0}, end_of_curve(3)});
  EXPECT_EQ(whole.ranks_within({{0, 2, 1}, {0, 2, 1}}, 0), std::vector<int>{0});
  const CurveDomains flat(1, 3, {{1, 1, 1}, {1, 1, 1}}, {}, {{0}, {1}, end_of_curve(3)});
  EXPECT_EQ(flat.ranks_within({{-5, -5, -5}, {5, 5, 5}}, 1), std::vector<int>{0});
}

TEST(RanksWithin, Misuse) {
  const CurveDomains whole(1, 3, box, {}, {{0}, end_of_curve(3)});
  test::expect_refused_halos(whole);
}

}  // namespace
}  // namespace evenkeel::curve_within_test
