// How safe rounds are: grids from one number of work per domain, on many random clouds, with exact
// work and with noise. Counted, not timed.
//
//   bench_rounds [clouds]
//
// A cloud has 5,000 points in the unit cube: one to five Gaussian blobs with centres uniform in it,
// deviations from 0.01 to 0.3 in equal ratios and shares from 0.1 to 1.1, and in seven of ten
// clouds up to 1.5 uniform. Points outside are drawn again. Work is the number of points; noise
// multiplies that of each domain by a Gaussian around 1.

#include "clouds.hpp"
#include "runtime.hpp"

#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace evenkeel::bench {
namespace {

using clouds::Point;
using clouds::Random;
using Work = std::vector<double>;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr int points_of_a_cloud = 5000, rounds_of_a_cloud = 8;
constexpr double clearly_worse = 1.05;

struct Blob {
  Point centre;
  double deviation, share;  // 0: uniform
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

bool is_inside(const Point& point) {
  return std::all_of(point.begin(), point.end(),
                     [](double place) { return place >= 0 && place <= 1; });
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

Work work_of(const GridDomains& grid, const std::vector<Point>& points) {
  Work work(static_cast<std::size_t>(grid.parts()));
  const PartOfPoint part_of = grid.part_of_point();
  for (const Point& point : points) ++work[static_cast<std::size_t>(part_of(point.data()))];
  return work;
}

double lambda_of(const Work& work) {
  double all = 0;
  for (const double domain : work) all += domain;
  return *std::max_element(work.begin(), work.end()) * static_cast<double>(work.size()) / all;
}

bool has_widths(const GridDomains& grid, const std::array<double, 3>& least) {
  for (int part = 0; part < grid.parts(); ++part) {
    const Box box = grid.box_of(part);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (box.upper[axis] - box.lower[axis] < least[axis] * (1 - 0x1p-48)) return false;
  }
  return true;
}

struct Case {
  GridShape shape;
  GridScheme scheme;
  double noise;
  bool has_widths;  // at least half of what an even grid has
};

struct Found {
  bool got_worse = false;       // a round, clearly
  bool returned_worse = false;  // the best grid than one that was seen
  bool too_narrow = false;
  bool is_even = false;  // the best grid to 1.05
};

Found found_on(const Case& of, std::int64_t cloud) {
  const std::vector<Point> points = points_of(cloud);
  GridRoundsOptions options;
  if (of.has_widths)
    for (std::size_t axis = 0; axis < 3; ++axis)
      options.least_width[axis] = 0.5 / of.shape.extents[axis];
  GridRounds rounds(GridDomains::uniform(of.shape, unit, of.scheme), options);
  Random random(13, cloud);
  Found found;
  double before = 0, least_measured = 0;
  for (int round = 0; round <= rounds_of_a_cloud; ++round) {
    Work work = work_of(rounds.current(), points);
    const double lambda = lambda_of(work);
    found.got_worse = found.got_worse || (round > 0 && lambda > clearly_worse * before);
    found.too_narrow = found.too_narrow || !has_widths(rounds.current(), options.least_width);
    before = lambda;
    for (double& domain : work) domain *= std::max(0.0, 1 + of.noise * random.gaussian());
    const double measured = lambda_of(work);
    least_measured = round == 0 ? measured : std::min(least_measured, measured);
    rounds.next(work);
  }
  // With noise the best is the best of means, which a single lucky round may undercut.
  const double best = lambda_of(work_of(rounds.best(), points));
  found.returned_worse = best > least_measured * (1 + 4 * of.noise) * (1 + 1e-12);
  found.is_even = best <= clearly_worse;
  return found;
}

void measure(const Case& of, int clouds) {
  int worse = 0, returned_worse = 0, narrow = 0, even = 0;
  for (int cloud = 0; cloud < clouds; ++cloud) {
    const Found found = found_on(of, cloud);
    worse += found.got_worse ? 1 : 0;
    returned_worse += found.returned_worse ? 1 : 0;
    narrow += found.too_narrow ? 1 : 0;
    even += found.is_even ? 1 : 0;
  }
  const auto share = [=](int count) { return 100.0 * count / clouds; };
  std::printf("| %dx%dx%d %s | %g | %s | %.1f | %.1f | %d | %.0f |\n", of.shape.extents[0],
              of.shape.extents[1], of.shape.extents[2], name_of(of.scheme), of.noise,
              of.has_widths ? "yes" : "no", share(worse), share(returned_worse), narrow,
              share(even));
  std::fflush(stdout);
}

void measure_all(int clouds) {
  std::printf(
      "%d clouds, %d rounds each; in %% of the clouds\n\n"
      "| grid | noise | least widths | a round was worse by 5 %% | the returned grid was worse | "
      "too narrow (clouds) | even to 1.05 |\n|---|---|---|---|---|---|---|\n",
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
  evenkeel::bench::measure_all(static_cast<int>(runtime.number(1, 1000, 1)));
  return 0;
}
