// Counts the rounds in which cells of a power diagram, and the hexahedra of a mesh, become even
// from the work of each domain alone, with and without its centre of work. One process measures all
// domains.
//
//   bench_work_rounds [domains] [seeds] [rounds]
//
// The clouds of clouds.hpp have 300,000 points of equal work; each seed makes another one.

#include "points.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/boxes/rounds.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Point;
namespace densities = clouds::densities;

constexpr std::int64_t points_of_a_cloud = 300'000;
constexpr double even_lambda = 1.05;

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

void measure(const clouds::Density& cloud, const Domains& start, bool has_centres, int seeds,
             int rounds) {
  std::vector<std::size_t> needed;
  std::vector<double> seconds, first;
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<Point> points =
        cloud.points(17 + static_cast<std::uint64_t>(seed), points_of_a_cloud);
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
      for (const auto& cloud : {densities::uniform, densities::gauss, densities::pair,
                                densities::shell, densities::helix, densities::corner})
        measure(cloud, start, has_centres, seeds, rounds);
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
