// Finds the ranks that need copies of each object. One process computes this for many ranks.

#include "core/halo/worlds.hpp"

#include "halo/leavers.hpp"

#include <evenkeel/core/field/array.hpp>

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

template <class Real, int n>
void compare(const Domains& domains, const std::vector<Point>& points, double width, int rank) {
  SCOPED_TRACE(test::description_of(domains, width) + ", rank " + std::to_string(rank));
  const int parts = parts_of(domains);
  auto places = stored<Real, n>(points);
  const Leavers found = find_leavers(test::space(), {domains, width, rank, parts}, set(places));
  const auto objects = found.objects.on_host();
  const auto images = found.images.on_host();
  ASSERT_EQ(found.offsets.size(), static_cast<std::size_t>(parts) + 1);
  ASSERT_EQ(found.offsets.back(), std::ssize(objects));
  std::vector<std::set<Needed>> needed(points.size());
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
  const Domains open = test::opened(domains);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Point point = {};
    for (std::size_t d = 0; d < n; ++d)
      point[d] = static_cast<double>(static_cast<Real>(points[i][d]));
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
      compare<Real, n>(domains, points, width, test::below(parts, random));
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Leavers, AreTheCopiesThatOthersNeed) {
  compare_many<double, 3>(1);
  compare_many<double, 2>(2);
  compare_many<float, 3>(3);
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
