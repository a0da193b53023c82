// Cuts into boxes, and into cells. The first table has grids that are found from one number of work
// per domain. For the model, and for the relaxation of each border against its neighbours, it shows
// the lambda of each round and the time of a round. The second table has domains that are found
// from objects. Its times are from points in memory to the part of each point, from barrier to
// barrier on the slowest rank, beside recursive bisection by Zoltan if it was found.
// docs/performance.md says how to read the tables.
//
//   mpirun -n 2 bench_grid [objects of all ranks] [repetitions]
//
// The first table has three clouds of 300,000 points. All clouds are those of clouds.hpp.

#include "runtime.hpp"
#include "ways.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/place.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Point;
namespace densities = clouds::densities;

// --- From the work of domains --------------------------------------------------------------------

struct Course {
  std::vector<double> lambdas;  // of each round, from 0 on
  double milliseconds = 0;      // median of a round, without counting
};

Course course_of(const std::vector<Point>& points, GridScheme scheme, GridRule rule, int rounds) {
  GridRounds grids(GridDomains::uniform({3, {4, 4, 4}}, unit_box, scheme), {.rule = rule});
  Course course;
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const std::vector<double> work = work_of(grids.current(), points);
    course.lambdas.push_back(lambda_of(work));
    const Stopwatch watch;
    grids.next(work);
    times.push_back(1e3 * watch.seconds());
  }
  course.milliseconds = median(times);
  return course;
}

// The first round that is this even, or "-" if no round is.
std::string rounds_to(const Course& course, double lambda) {
  const auto first =
      std::ranges::find_if(course.lambdas, [=](double found) { return found <= lambda; });
  return first == course.lambdas.end() ? "-" : std::to_string(first - course.lambdas.begin());
}

void print_rounds() {
  constexpr int rounds = 400;
  std::printf("64 domains 4x4x4 from their work alone, up to %d rounds\n\n", rounds);
  std::printf(
      "| cloud | scheme | rule | rounds to 1.05 | to 1.02 | lambda after 0, 1, 2, 3, 4, 5, "
      "10, 20, 100 | ms per round |\n|---|---|---|---|---|---|---|\n");
  for (const auto& cloud : {densities::gauss, densities::pair, densities::corner}) {
    const std::vector<Point> points = cloud.points(5, 300'000);
    for (const GridScheme scheme : {GridScheme::staggered, GridScheme::tensor})
      for (const GridRule rule : {GridRule::model, GridRule::relaxation}) {
        const Course course = course_of(points, scheme, rule, rounds);
        std::printf("| %s | %s | %s | %s | %s |", cloud.name, name_of(scheme),
                    rule == GridRule::model ? "model" : "relaxation",
                    rounds_to(course, 1.05).c_str(), rounds_to(course, 1.02).c_str());
        for (const std::size_t round : {0U, 1U, 2U, 3U, 4U, 5U, 10U, 20U, 100U})
          std::printf(" %.3f", course.lambdas[round]);
        std::printf(" | %.2f |\n", course.milliseconds);
      }
  }
  std::fflush(stdout);
}

// --- From objects --------------------------------------------------------------------------------

constexpr double target_lambda = 1.01;

class Ours {
 public:
  Ours(const Communicator& ranks, std::vector<Point>& points)
      : ranks_(ranks), points_(points), parts_(points.size()) {}

  std::span<const int> bisected(int parts) {
    BisectionOptions options;
    prepare(options);
    options.parts = parts;
    const WeightedPoints points{set(points_).position()};
    BisectionCut cut = bisect(ranks_, std::span(&points, 1), options);
    const TreeDomains tree(1, 3, options.box, {}, std::move(cut.nodes));
    tree.write_parts(space_, set(points_), parts_.data());
    return parts_;
  }

  std::span<const int> gridded(int parts, GridScheme scheme) {
    GridCutOptions options;
    prepare(options);
    options.shape = factored(parts, 3);
    options.scheme = scheme;
    const WeightedPoints points{set(points_).position()};
    GridCut cut = cut_grid(ranks_, std::span(&points, 1), options);
    const GridDomains grid(1, options.shape, options.box, {}, std::move(cut.borders));
    grid.write_parts(space_, set(points_), parts_.data());
    return parts_;
  }

  std::span<const int> with_cells(int parts) {
    const Set all = set(points_);
    const Bounds found = bounds(space_, ranks_, all);
    const PlaceOptions options = {.method = Voronoi{}};
    const PreparedToCut ready =
        prepare_to_cut(Status(), {&all, 1}, {3, {found.lower, found.upper}, false}, options);
    const std::span<const double> weights;
    const FreshCut cut = cut_anew(ranks_, Status(), ready, Weights(&weights, 1),
                                  {.target_lambda = target_lambda, .parts = parts}, {});
    evenkeel::write_parts(space_, cut.domains, all, parts_.data());
    return parts_;
  }

 private:
  void prepare(BoxCutOptions& options) const {
    const Bounds found = bounds(space_, ranks_, set(points_));
    options.box = {found.lower, found.upper};
    options.target_lambda = target_lambda;
  }

  const Communicator& ranks_;
  std::vector<Point>& points_;
  Space space_ = Space::where(MemoryKind::host);
  std::vector<int> parts_;
};

void compare(const Communicator& ranks, const char* title, std::vector<Point>& points, int parts,
             int repetitions) {
  Ours ours(ranks, points);
  const auto nothing = [] {};
  std::vector<Way> ways = {
      {"evenkeel, bisection", nothing, [&] { return ours.bisected(parts); }},
      {"evenkeel, staggered", nothing, [&] { return ours.gridded(parts, GridScheme::staggered); }},
      {"evenkeel, tensor", nothing, [&] { return ours.gridded(parts, GridScheme::tensor); }},
      {"evenkeel, voronoi", nothing, [&] { return ours.with_cells(parts); }}};
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
  ways.push_back(way_of_zoltan("Zoltan RCB", {{"LB_METHOD", "RCB"}}, "1.01", points, parts));
#endif
  take_turns(ranks, ways, parts, repetitions);
  if (ranks.rank() != 0) return;
  std::printf(
      "\n%s, %d parts, %d rank(s)\n\n| | ms | least ms | lambda | x bisection |\n"
      "|---|---|---|---|---|\n",
      title, parts, ranks.size());
  const double unit_of_time = median(ways.front().milliseconds);
  for (const Way& way : ways)
    std::printf("| %s | %.1f | %.1f | %.5f | %.2f |\n", way.name.c_str(), median(way.milliseconds),
                std::ranges::min(way.milliseconds), way.lambda,
                median(way.milliseconds) / unit_of_time);
  std::fflush(stdout);
}

void measure(std::int64_t objects, int repetitions) {
  const Communicator ranks = Communicator::world();
  if (ranks.rank() == 0) print_rounds();
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  for (const clouds::Kind kind : {clouds::Kind::uniform, clouds::Kind::clustered}) {
    std::vector<Point> points = clouds::points_of(kind, mine.begin, mine.end);
    for (const int parts : {64, 1024}) compare(ranks, name_of(kind), points, parts, repetitions);
  }
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure(runtime.number<std::int64_t>(1, 2'000'000, 1000),
                           runtime.number(2, 5, 1));
  return 0;
}
