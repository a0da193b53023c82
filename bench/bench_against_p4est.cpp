// Times a rebalance of objects that are already in order. evenkeel and p4est take turns in one run.
// The objects are the octants of a cube along the Morton curve. Octants in a ball weigh 20 times as
// much as others. The ball jumps from one place to another and back. A time includes the
// computation of weights and the move of the octants. It is taken from barrier to barrier on the
// slowest rank. docs/comparison.md says how to read the table.
//
//   mpirun -n 2 bench_against_p4est [level of the octants] [jumps]
//
// In p4est, part p always belongs to rank p. evenkeel runs in the same way, and also with its
// default, in which ranks may exchange parts so that fewer octants move.

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/evenkeel.hpp>

#include <p8est.h>
#include <p8est_extended.h>

namespace evenkeel::bench {
namespace {

using clouds::Point;

double center = 0;  // of the ball, along each axis; p4est's function of weights has no argument

int weight_at(const Point& point) {
  constexpr double radius = 0.2;
  double squared = 0;
  for (const double x : point) squared += (x - center) * (x - center);
  return squared < radius * radius ? 20 : 1;
}

class P4est {
 public:
  explicit P4est(int level) : cube_(p8est_connectivity_new_unitcube()) {
    forest_ = p8est_new_ext(MPI_COMM_WORLD, cube_, 0, level, 1, 0, nullptr, nullptr);
  }
  P4est(const P4est&) = delete;
  P4est& operator=(const P4est&) = delete;
  ~P4est() {
    p8est_destroy(forest_);
    p8est_connectivity_destroy(cube_);
  }

  // Returns the number of octants that have moved.
  std::int64_t rebalance() { return p8est_partition_ext(forest_, 0, &weight); }

 private:
  static int weight(p8est_t*, p4est_topidx_t, p8est_quadrant_t* octant) {
    constexpr double unit = 1.0 / P8EST_ROOT_LEN;
    const double half = 0.5 * P8EST_QUADRANT_LEN(octant->level);
    return weight_at(
        {(octant->x + half) * unit, (octant->y + half) * unit, (octant->z + half) * unit});
  }

  p8est_connectivity_t* cube_;
  p8est_t* forest_;
};

// The middles of the octants in this rank's share of the curve.
std::vector<Point> octants(const Communicator& ranks, int level) {
  const std::int64_t all = std::int64_t{1} << (3 * level);
  const auto [begin, end] = clouds::share_of(all, ranks.rank(), ranks.size());
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(end - begin));
  for (std::int64_t number = begin; number < end; ++number) {
    Point point;
    for (int d = 0; d < 3; ++d) {
      std::int64_t at = 0;
      for (int bit = 0; bit < level; ++bit) at |= ((number >> (3 * bit + d)) & 1) << bit;
      point[static_cast<std::size_t>(d)] =
          (static_cast<double>(at) + 0.5) / static_cast<double>(std::int64_t{1} << level);
    }
    points.push_back(point);
  }
  return points;
}

class Evenkeel {
 public:
  Evenkeel(const Communicator& ranks, int level, bool keeps_parts)
      : points_(octants(ranks, level)), balancer_(ranks, options(ranks, keeps_parts)) {}
  ~Evenkeel() { balancer_.finish(); }
  Evenkeel(const Evenkeel&) = delete;
  Evenkeel& operator=(const Evenkeel&) = delete;

  std::int64_t rebalance() {
    weights_.resize(points_.size());
    std::ranges::transform(points_, weights_.begin(), &weight_at);
    return balancer_.rebalance(points_, {}, {.weight = weights_}).objects;
  }

 private:
  static Options options(const Communicator& ranks, bool keeps_parts) {
    Options options{.method = Morton{},
                    .trigger = Never{},
                    .box = Box{{0, 0, 0}, {1, 1, 1}},
                    .target_lambda = 0,
                    .log = LogLevel::off};
    if (keeps_parts) {
      options.rank_of_part.resize(static_cast<std::size_t>(ranks.size()));
      std::iota(options.rank_of_part.begin(), options.rank_of_part.end(), 0);
    }
    return options;
  }

  std::vector<Point> points_;
  std::vector<double> weights_;
  Balancer balancer_;
};

struct Row {
  const char* name;
  std::vector<double> milliseconds = {};
  std::int64_t moved = 0;
};

void print(const std::vector<Row>& rows) {
  std::printf("\n| %-28s | %8s | %8s | %10s | x p4est       |\n|---|---|---|---|---|\n", "", "ms",
              "least ms", "moved");
  const auto least = [](const Row& row) { return std::ranges::min(row.milliseconds); };
  for (const Row& row : rows)
    std::printf("| %-28s | %8.2f | %8.2f | %10lld | %5.2f (%5.2f) |\n", row.name,
                median(row.milliseconds), least(row), static_cast<long long>(row.moved),
                median(row.milliseconds) / median(rows[0].milliseconds),
                least(row) / least(rows[0]));
}

void measure(int level, int jumps) {
  const Communicator ranks = Communicator::world();
  P4est peer(level);
  Evenkeel like_it(ranks, level, true), by_default(ranks, level, false);
  std::vector<Row> rows = {
      {"p8est_partition_ext"}, {"evenkeel, parts stay"}, {"evenkeel, parts are exchanged"}};
  for (int jump = 0; jump <= jumps; ++jump) {  // the first jump is a warm-up
    center = jump % 2 == 0 ? 0.7 : 0.3;
    const auto take = [&](Row& row, auto& who) {
      const double milliseconds = slowest_milliseconds(ranks, [&] { row.moved = who.rebalance(); });
      if (jump > 0) row.milliseconds.push_back(milliseconds);
    };
    take(rows[0], peer);
    take(rows[1], like_it);
    take(rows[2], by_default);
  }
  if (ranks.rank() != 0) return;
  std::printf("%lld octants, %d ranks, medians of %d jumps and the least of all\n",
              1LL << (3 * level), ranks.size(), jumps);
  print(rows);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
  p4est_init(nullptr, SC_LP_ERROR);
  evenkeel::bench::measure(runtime.number(1, 7, 1), runtime.number(2, 20, 1));
  sc_finalize();
  return 0;
}
