// Counts the rounds in which cells of a power diagram, and the hexahedra of a mesh, become even
// from the work of each domain alone, with and without its centre of work. One process measures all
// domains.
//
//   bench_work_rounds [domains] [seeds] [rounds]
//
// The clouds have 300,000 points of equal work in the unit cube; each seed makes another one.
//
//   gauss     a Gaussian of deviation 0.12 in the middle
//   twin      two Gaussians of 0.1 and 0.06 off centre with 45 % of the points each, and 10 %
//             uniform points
//   shell     a sphere of radius 0.4, 0.005 thick
//   helix     a thread of four turns, 0.008 thick
//   corner    98 % of the points in a corner of side 0.02
//
// Points outside are drawn again.

#include "points.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/boxes/rounds.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Point;
using clouds::Random;

constexpr std::int64_t points_of_a_cloud = 300'000;
constexpr double even_lambda = 1.05;

Point near(Random& random, const Point& centre, double deviation) {
  Point point;
  do {
    point = centre;
    clouds::step(point, random, deviation);
  } while (!is_inside(point));
  return point;
}

struct Cloud {
  const char* name;
  Point (*point)(Random& random);
};

constexpr Cloud all_clouds[] = {
    {"uniform", [](Random& random) { return random.point(); }},
    {"gauss",
     [](Random& random) {
       return near(random, {0.5, 0.5, 0.5}, 0.12);
     }},
    {"twin",
     [](Random& random) {
       const double which = random.uniform();
       if (which < 0.45) return near(random, {0.3, 0.35, 0.7}, 0.1);
       return which < 0.9 ? near(random, {0.72, 0.6, 0.25}, 0.06) : random.point();
     }},
    {"shell",
     [](Random& random) {
       Point way = {random.gaussian(), random.gaussian(), random.gaussian()};
       const double length = std::hypot(way[0], way[1], way[2]);
       const double radius = 0.4 + 0.005 * random.gaussian();
       for (double& along : way) along = 0.5 + along / length * radius;
       return way;
     }},
    {"helix",
     [](Random& random) {
       const double turn = random.uniform(), angle = 8 * std::numbers::pi * turn;
       return near(random,
                   {0.5 + 0.35 * std::cos(angle), 0.5 + 0.35 * std::sin(angle), 0.1 + 0.8 * turn},
                   0.008);
     }},
    {"corner", [](Random& random) {
       const double scale = random.uniform() < 0.98 ? 0.02 : 1;
       Point point = random.point();
       for (double& place : point) place *= scale;
       return point;
     }}};

// The work of all domains, with their centres of work.
std::vector<WorkRounds::Measured> measured(const Domains& domains, std::vector<Point>& points) {
  std::vector<int> owners(points.size());
  write_ranks(Space::where(MemoryKind::host), domains, set(points), owners.data());
  std::vector<WorkRounds::Measured> all(static_cast<std::size_t>(parts_of(domains)));
  for (std::size_t i = 0; i < points.size(); ++i) {
    WorkRounds::Measured& its = all[static_cast<std::size_t>(owners[i])];
    if (!its.centre) its.centre.emplace();
    for (std::size_t d = 0; d < 3; ++d) (*its.centre)[d] += points[i][d];
    ++its.work;
  }
  for (WorkRounds::Measured& its : all)
    for (std::size_t d = 0; its.centre && d < 3; ++d) (*its.centre)[d] /= its.work;
  return all;
}

struct Course {
  std::vector<double> lambdas;  // of each round, from 0 on
  std::vector<double> seconds;
};

Course course_of(const Domains& start, std::vector<Point>& points, bool has_centres, int rounds) {
  const Communicator self = Communicator::self();
  WorkRounds course(start, {});
  Course found;
  for (int round = 0; round <= rounds; ++round) {
    std::vector<WorkRounds::Measured> all = measured(course.current(), points);
    std::vector<double> work;
    for (WorkRounds::Measured& its : all) {
      work.push_back(its.work);
      if (!has_centres) its.centre.reset();
    }
    found.lambdas.push_back(lambda_of(work));
    if (found.lambdas.back() <= even_lambda) break;
    const Stopwatch watch;
    course.next(self, all);
    found.seconds.push_back(watch.seconds());
  }
  return found;
}

void measure(const Cloud& cloud, const Domains& start, bool has_centres, int seeds, int rounds) {
  std::vector<std::size_t> needed;
  std::vector<double> seconds, first;
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<Point> points;
    for (std::int64_t i = 0; i < points_of_a_cloud; ++i) {
      Random random(static_cast<std::uint64_t>(17 + seed), i);
      points.push_back(cloud.point(random));
    }
    const Course course = course_of(start, points, has_centres, rounds);
    if (seed == 0) first = course.lambdas;
    const bool is_even = course.lambdas.back() <= even_lambda;
    needed.push_back(is_even ? course.lambdas.size() - 1 : static_cast<std::size_t>(rounds) + 1);
    seconds.insert(seconds.end(), course.seconds.begin(), course.seconds.end());
  }
  std::ranges::sort(needed);
  std::printf("| %s | %s | %s | %zu to %zu |", cloud.name,
              std::holds_alternative<MeshDomains>(start) ? "mesh" : "voronoi",
              has_centres ? "yes" : "no", needed.front(), needed.back());
  for (std::size_t i = 0; i < std::min<std::size_t>(first.size(), 9); ++i)
    std::printf(" %.3f", first[i]);
  std::printf(" | %.3f |\n", seconds.empty() ? 0 : median(seconds));
  std::fflush(stdout);
}

void measure_all(int domains, int seeds, int rounds) {
  std::printf(
      "%d domains, %d seeds, up to %d rounds (%d: never)\n\n"
      "| cloud | domains | centres | rounds to %.2f | lambda of the first seed | s per round |\n"
      "|---|---|---|---|---|---|\n",
      domains, seeds, rounds, rounds + 1, even_lambda);
  for (const bool is_mesh : {false, true}) {
    WorkRounds::Start begin = {.box = unit_box, .parts = domains};
    if (is_mesh) begin.mesh = std::array{0, 0, 0};
    const Domains start = WorkRounds::even(Communicator::self(), begin, {});
    for (const bool has_centres : {true, false})
      for (const Cloud& cloud : all_clouds) measure(cloud, start, has_centres, seeds, rounds);
  }
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure_all(runtime.number(1, 64, 2), runtime.number(2, 8, 1),
                               runtime.number(3, 16, 1));
  return 0;
}
