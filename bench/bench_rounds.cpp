// Counts the random clouds in which some round makes a grid clearly worse. Each round finds a new
// grid from one number per domain, its work, which is exact or has noise. This program takes no
// times.
//
//   bench_rounds [clouds]
//
// A cloud has 5,000 points in the unit cube, in one to five Gaussian blobs. Centres are uniform in
// the cube. Deviations are log-uniform from 0.01 to 0.3. The share of a blob is from 0.1 to 1.1.
// Seven of ten clouds also have uniform points, with a share of up to 1.5. Points outside are drawn
// again. Work is the number of points; noise multiplies the work of each domain by a Gaussian
// around 1.

#include "points.hpp"
#include "runtime.hpp"

namespace evenkeel::bench {
namespace {

using clouds::Point;
using clouds::Random;

constexpr int points_of_a_cloud = 5000, rounds_of_a_cloud = 8;
constexpr double clearly_worse = 1.05;

struct Blob {
  Point centre;
  double deviation, share;  // a deviation of 0 means uniform
};

std::vector<Blob> blobs_of(std::int64_t cloud) {
  Random random(11, cloud);
  std::vector<Blob> blobs;
  const int count = 1 + static_cast<int>(5 * random.uniform());
  for (int b = 0; b < count; ++b) {
    const Point centre = random.point();
    const double deviation = 0.01 * std::pow(30, random.uniform());
    blobs.push_back({centre, deviation, 0.1 + random.uniform()});
  }
  if (random.uniform() > 0.3) blobs.push_back({{}, 0, 1.5 * random.uniform()});
  return blobs;
}

std::vector<Point> points_of(std::int64_t cloud) {
  const std::vector<Blob> blobs = blobs_of(cloud);
  double shares = 0;
  for (const Blob& blob : blobs) shares += blob.share;
  Random random(12, cloud);
  std::vector<Point> points;
  points.reserve(points_of_a_cloud);
  while (std::ssize(points) < points_of_a_cloud) {
    double which = shares * random.uniform();
    const auto blob = std::find_if(blobs.begin(), blobs.end() - 1,
                                   [&](const Blob& b) { return (which -= b.share) < 0; });
    Point point = blob->deviation > 0 ? blob->centre : random.point();
    if (blob->deviation > 0) clouds::step(point, random, blob->deviation);
    if (is_inside(point)) points.push_back(point);
  }
  return points;
}

struct Case {
  GridShape shape;
  GridScheme scheme;
  double noise;
  bool has_widths;  // at least half the widths of an even grid
};

// True if a round was clearly worse than the one before it.
bool gets_worse(const Case& of, std::int64_t cloud) {
  const std::vector<Point> points = points_of(cloud);
  GridRoundsOptions options;
  if (of.has_widths)
    for (std::size_t axis = 0; axis < 3; ++axis)
      options.least_width[axis] = 0.5 / of.shape.extents[axis];
  GridRounds rounds(GridDomains::uniform(of.shape, unit_box, of.scheme), options);
  Random random(13, cloud);
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds_of_a_cloud; ++round) {
    std::vector<double> work = work_of(rounds.current(), points);
    const double lambda = lambda_of(work);
    if (lambda > clearly_worse * before) return true;
    before = lambda;
    for (double& domain : work) domain *= std::max(0.0, 1 + of.noise * random.gaussian());
    rounds.next(work);
  }
  return false;
}

void measure(const Case& of, int clouds) {
  int worse = 0;
  for (int cloud = 0; cloud < clouds; ++cloud) worse += gets_worse(of, cloud) ? 1 : 0;
  std::printf("| %dx%dx%d %s | %g | %s | %.1f |\n", of.shape.extents[0], of.shape.extents[1],
              of.shape.extents[2], name_of(of.scheme), of.noise, of.has_widths ? "yes" : "no",
              100.0 * worse / clouds);
  std::fflush(stdout);
}

void measure_all(int clouds) {
  std::printf(
      "%d clouds, %d rounds each; in %% of the clouds\n\n"
      "| grid | noise | least widths | a round was worse by 5 %% |\n|---|---|---|---|\n",
      clouds, rounds_of_a_cloud);
  const struct {
    GridShape shape;
    GridScheme scheme;
  } grids[] = {{{3, {4, 1, 1}}, GridScheme::staggered},
               {{3, {16, 1, 1}}, GridScheme::staggered},
               {{3, {4, 4, 1}}, GridScheme::staggered},
               {{3, {4, 4, 4}}, GridScheme::staggered},
               {{3, {4, 4, 4}}, GridScheme::tensor}};
  for (const auto& grid : grids)
    for (const double noise : {0.0, 0.05})
      for (const bool widths : {false, true})
        measure({grid.shape, grid.scheme, noise, widths}, clouds);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure_all(runtime.number(1, 1000, 1));
  return 0;
}
