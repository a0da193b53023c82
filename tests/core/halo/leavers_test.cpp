// Finds the ranks that need copies of each object. One process computes this for many ranks.

#include "core/halo/worlds.hpp"

#include "halo/leavers.hpp"

#include <evenkeel/core/field/array.hpp>

#include <cmath>
#include <limits>

namespace evenkeel::leavers_test {
namespace {

using test::Needed;
using test::Point;

template <class Real, int n>
exec::Array<std::array<Real, n>> stored(const std::vector<Point>& points) {
  std::vector<std::array<Real, n>> places(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t d = 0; d < n; ++d) places[i][d] = static_cast<Real>(points[i][d]);
  return {test::space(), "places", std::span<const std::array<Real, n>>(places)};
}

// The owner of each place at most `width` away needs a copy.
void expect_owners_around(const Domains& domains, const Point& point, double width, int rank,
                          const std::set<Needed>& needed) {
  const Box& box = box_of(domains);
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  for (int corner = 0; corner < 27; ++corner) {
    Point place = {};
    std::array<int, 3> turns = {};
    for (std::size_t d = 0, code = static_cast<std::size_t>(corner); d < n; ++d, code /= 3) {
      place[d] = point[d] + (static_cast<double>(code % 3) - 1) * width;
      if (!test::periodic_of(domains)[d]) continue;
      const double period = box.upper[d] - box.lower[d];
      turns[d] = static_cast<int>(std::floor((place[d] - box.lower[d]) / period));
    }
    const int owner = owner_of(domains, std::span(place).first(n));
    if (owner == rank && turns == std::array{0, 0, 0}) continue;
    ASSERT_TRUE(needed.contains({owner, -turns[0], -turns[1], -turns[2]}))
        << "owner " << owner << " of " << place[0] << ' ' << place[1] << ' ' << place[2];
  }
}

// The copies of each object, as they were found.
template <class Real, int n>
void find(const LeaversTask& task, const std::vector<Point>& points,
          std::vector<std::set<Needed>>& needed) {
  const int parts = task.ranks;
  auto places = stored<Real, n>(points);
  const Leavers found = find_leavers(test::space(), task, set(places));
  const auto objects = found.objects.on_host();
  const auto images = found.images.on_host();
  ASSERT_EQ(found.offsets.size(), static_cast<std::size_t>(parts) + 1);
  ASSERT_EQ(found.offsets.back(), std::ssize(objects));
  needed.resize(points.size());
  for (int to = 0; to < parts; ++to) {
    std::int64_t last = -1;
    for (auto k = found.offsets[static_cast<std::size_t>(to)];
         k < found.offsets[static_cast<std::size_t>(to) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const int* const periods = images[at].periods;
      ASSERT_LE(last, objects[at]);
      last = objects[at];
      ASSERT_TRUE(needed[static_cast<std::size_t>(last)]
                      .insert({to, periods[0], periods[1], periods[2]})
                      .second);
    }
  }
}

// The place of an object, rounded as it is stored.
template <class Real, int n>
Point rounded(const Point& point) {
  Point place = {};
  for (std::size_t d = 0; d < n; ++d) place[d] = static_cast<double>(static_cast<Real>(point[d]));
  return place;
}

template <class Real, int n>
void compare(const Domains& domains, const std::vector<Point>& points, double width, int rank) {
  SCOPED_TRACE(test::description_of(domains, width) + ", rank " + std::to_string(rank));
  std::vector<std::set<Needed>> needed;
  find<Real, n>({domains, width, false, rank, parts_of(domains)}, points, needed);
  if (testing::Test::HasFatalFailure()) return;
  const Domains open = test::opened(domains);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point point = rounded<Real, n>(points[i]);
    ASSERT_EQ(needed[i], test::needed_by(domains, open, point, width, rank))
        << "object " << i << " at " << point[0] << ' ' << point[1] << ' ' << point[2];
    expect_owners_around(domains, point, width, rank, needed[i]);
    Box around;
    for (std::size_t d = 0; d < n; ++d) around.lower[d] = around.upper[d] = point[d];
    std::vector<int> ranks = ranks_within(domains, around, width);
    std::set<int> here;
    for (const Needed& copy : needed[i]) here.insert(std::get<0>(copy));
    here.insert(rank);
    std::erase(ranks, rank);
    here.erase(rank);
    ASSERT_EQ(std::vector<int>(here.begin(), here.end()), ranks);
  }
}

// The straight distance between an image of a point and the nearest place in some boxes. Along axes
// that are not periodic, the point is first brought into the box of the domains.
double distance_to(const std::vector<Box>& boxes, const Domains& domains, const Point& point,
                   const std::array<int, 3>& periods) {
  const Box& all = box_of(domains);
  double least = std::numeric_limits<double>::infinity();
  for (const Box& box : boxes) {
    double square = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d) {
      const double place = test::periodic_of(domains)[d]
                               ? point[d] + periods[d] * (all.upper[d] - all.lower[d])
                               : std::clamp(point[d], all.lower[d], all.upper[d]);
      const double gap = std::max({0.0, box.lower[d] - place, place - box.upper[d]});
      square += gap * gap;
    }
    least = std::min(least, std::sqrt(square));
  }
  return least;
}

// Draws places around a point, most of them nearly a width away. Their owners need copies.
void expect_owners_in_ball(const Domains& domains, const Point& point, double width, int rank,
                           const std::set<Needed>& needed, test::Random& random) {
  const Box& box = box_of(domains);
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  for (int draw = 0; draw < 40; ++draw) {
    Point away = {};
    double square = 0;
    for (std::size_t d = 0; d < n; ++d) {
      away[d] = test::below(2001, random) - 1000;
      square += away[d] * away[d];
    }
    const double stretch = (draw % 4 == 0 ? 0.5 : 0.999) * width / std::sqrt(std::max(square, 1.0));
    Point place = {};
    std::array<int, 3> periods = {};
    for (std::size_t d = 0; d < n; ++d) {
      const bool wraps = test::periodic_of(domains)[d];
      const double period = box.upper[d] - box.lower[d];
      place[d] = point[d] + stretch * away[d];
      if (wraps) periods[d] = -static_cast<int>(std::floor((place[d] - box.lower[d]) / period));
    }
    const int owner = owner_of(domains, std::span(place).first(n));
    if (owner == rank && periods == std::array{0, 0, 0}) continue;
    ASSERT_TRUE(needed.contains({owner, periods[0], periods[1], periods[2]}))
        << "owner " << owner << " of " << place[0] << ' ' << place[1] << ' ' << place[2];
  }
}

// In a straight line, copies are needed by those ranks that need them along the axes, if their
// domains are near enough. Returns the numbers of both.
template <class Real, int n>
std::array<std::size_t, 2> compare_straight(const Domains& domains,
                                            const std::vector<Point>& points, double width,
                                            int rank, test::Random& random) {
  SCOPED_TRACE(test::description_of(domains, width) + ", straight, rank " + std::to_string(rank));
  const double nearer = width * (1 - 1e-9), farther = width * (1 + 1e-9);
  const bool are_boxes = test::are_boxes(domains);
  const int parts = parts_of(domains);
  std::vector<std::vector<Box>> boxes(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part)
    boxes[static_cast<std::size_t>(part)] = boxes_of(domains, part);
  std::vector<std::set<Needed>> straight, along;
  find<Real, n>({domains, width, true, rank, parts}, points, straight);
  find<Real, n>({domains, width, false, rank, parts}, points, along);
  std::array<std::size_t, 2> counts = {};
  for (std::size_t i = 0; i < straight.size() && !testing::Test::HasFatalFailure(); ++i) {
    const Point point = rounded<Real, n>(points[i]);
    counts[0] += straight[i].size();
    counts[1] += along[i].size();
    bool is_inside = true;
    for (std::size_t d = 0; d < n; ++d)
      is_inside = is_inside &&
                  (test::periodic_of(domains)[d] ||
                   (box_of(domains).lower[d] <= point[d] && point[d] <= box_of(domains).upper[d]));
    for (const Needed& copy : straight[i]) EXPECT_TRUE(along[i].contains(copy));
    for (const Needed& copy : along[i]) {
      const auto& [to, x, y, z] = copy;
      const double distance =
          distance_to(boxes[static_cast<std::size_t>(to)], domains, point, {x, y, z});
      const bool is_copied = straight[i].contains(copy);
      EXPECT_FALSE(is_copied && distance > farther + 1e-9) << distance;
      EXPECT_TRUE(!are_boxes || !is_inside || is_copied || distance > nearer - 1e-9) << distance;
    }
    expect_owners_in_ball(domains, point, width * (1 - 1e-9), rank, straight[i], random);
  }
  return counts;
}

template <class Real, int n>
void compare_many(int seed) {
  test::Random random(static_cast<std::uint64_t>(seed));
  for (int method = 0; method < test::methods; ++method)
    for (int repeat = 0; repeat < 60; ++repeat) {
      const int parts = 1 + test::below(repeat % 4 == 0 ? 40 : 8, random);
      const Domains domains = test::random_domains(method, n, parts, random);
      const double width = test::random_width(domains, random);
      std::vector<Point> points;
      // Some clouds are in the order of one axis, so that their blocks have small boxes.
      const int objects = test::below(3, random) == 0 ? 0 : test::below(150, random);
      for (int i = 0; i < objects; ++i)
        points.push_back(i > 0 && test::below(6, random) == 0
                             ? points.back()
                             : test::random_place_in(domains, random));
      if (repeat % 2 == 0) std::sort(points.begin(), points.end());
      const int rank = test::below(parts, random);
      compare<Real, n>(domains, points, width, rank);
      compare_straight<Real, n>(domains, points, width, rank, random);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Leavers, AreTheCopiesThatOthersNeed) {
  compare_many<double, 3>(1);
  compare_many<double, 2>(2);
  compare_many<float, 3>(3);
}

// The places within 1/4 of a domain of 8 are 27/64 of the cube along the axes. In a straight line,
// quarters of a disc at its edges and eighths of a ball at its corner are all that is left: 0.394.
TEST(Leavers, InAStraightLineAreFewer) {
  constexpr int many = 20000, side = 1 << 20;
  test::Random random(4);
  const auto place = [&] { return test::below(side, random) / double{side}; };
  std::vector<Point> points;
  for (int i = 0; i < many; ++i) points.push_back({place(), place(), place()});
  const Box unit = {{0, 0, 0}, {1, 1, 1}};
  const Domains grid = GridDomains::uniform({3, {2, 2, 2}}, unit, GridScheme::tensor, {});
  const auto counts = compare_straight<double, 3>(grid, points, 0.25, 0, random);
  EXPECT_NEAR(static_cast<double>(counts[0]) / (7 * many), 0.394, 0.01);
  EXPECT_NEAR(static_cast<double>(counts[1]) / (7 * many), 27.0 / 64, 0.01);
}

// The rank of a copy owns one of many places that are within the width.
bool is_needed(const Domains& domains, const Point& point, double width, int to,
               test::Random& random) {
  constexpr int draws = 30000, side = 1 << 20;
  for (int draw = 0; draw < draws; ++draw) {
    Point place = point;
    double square = 0;
    for (double& at : place) {
      const double away = width * (test::below(2 * side + 1, random) - side) / side;
      at += away;
      square += away * away;
    }
    if (square <= width * width && owner_of(domains, place) == to) return true;
  }
  return false;
}

// Near corners of cells, ranks may get copies that they do not need. They are few.
TEST(Leavers, InAStraightLineAreNeededByCells) {
  constexpr int many = 200, parts = 20, side = 1 << 20;
  constexpr double width = 0.15;
  test::Random random(5);
  const auto place = [&] { return test::below(side, random) / double{side}; };
  std::vector<PowerSite> sites;
  for (int part = 0; part < parts; ++part)
    sites.push_back(
        {{test::below(1 << 21, random), test::below(1 << 21, random), test::below(1 << 21, random)},
         0});
  const Box unit = {{0, 0, 0}, {1, 1, 1}};
  const Domains cells = VoronoiDomains(1, 3, unit, {true, true, true}, sites);
  std::vector<Point> points;
  for (int i = 0; i < many; ++i) points.push_back({place(), place(), place()});
  std::vector<std::set<Needed>> copies;
  find<double, 3>({cells, width, true, -1, parts}, points, copies);
  int all = 0, needed = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const Needed& copy : copies[i]) {
      ++all;
      needed += is_needed(cells, points[i], width, std::get<0>(copy), random) ? 1 : 0;
    }
  EXPECT_GT(all, 2 * many);
  EXPECT_GT(needed, 0.96 * all) << needed << " of " << all;
}

// The boxes of blocks are small compared to the domains, so most blocks are skipped.
TEST(Leavers, ManyObjectsInOrder) {
  const Box box = {{0, 0, 0}, {8, 8, 8}};
  const Domains domains = GridDomains::uniform({3, {2, 2, 2}}, box, GridScheme::tensor, {true});
  std::vector<Point> points;
  for (int z = 0; z < 16; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x)
        points.push_back({0.125 + x / 4.0, 0.125 + y / 4.0, 0.125 + z / 4.0});
  compare<double, 3>(domains, points, 0.5, 0);
  compare<double, 3>(domains, points, 0.0, 0);
}

}  // namespace
}  // namespace evenkeel::leavers_test
