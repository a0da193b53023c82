// Times cuts for a step of several phases. Peers in the same run are cuts by one weight per object:
// the sum of its costs ("sum"), or the sum of its shares of the totals of the phases ("shares").
// Times are the least milliseconds from barrier to barrier on the slowest rank. docs/performance.md
// says how to read the table.
//
//   mpirun -n 2 bench_phases [objects of all ranks] [repetitions]
//
// T / bound is the time of a step divided by the lower bound of this time for any cut.

#include "points.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/core/cut.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Kind;
using clouds::Point;

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// A cloud, with the cost of each object in each phase.
struct Case {
  const char* name;
  Kind kind;
  int phases;
  std::array<double, 3> (*costs)(const Point& point, std::int64_t object);
};

constexpr Point centre = {0.5, 0.5, 0.5};

const std::array cases = {
    Case{"two solvers, mixed by chance", Kind::uniform, 2,
         [](const Point&, std::int64_t i) {
           const bool first = clouds::Random(7, i).uniform() < 0.8;
           return std::array{first ? 1.0 : 0.0, first ? 0.0 : 3.0, 0.0};
         }},
    Case{"two solvers apart, 9 : 1", Kind::uniform, 2,
         [](const Point& x, std::int64_t) {
           return std::array{x[0] < 0.5 ? 9.0 : 0.0, x[0] < 0.5 ? 0.0 : 1.0, 0.0};
         }},
    Case{"a small solver inside of a large one", Kind::uniform, 2,
         [](const Point& x, std::int64_t) {
           return std::array{1.0, distance(x, centre) < 0.2 ? 10.0 : 0.0, 0.0};
         }},
    Case{"opposite gradients", Kind::uniform, 2,
         [](const Point& x, std::int64_t) {
           return std::array{x[0], 1 - x[0], 0.0};
         }},
    Case{"heavy objects in the second phase", Kind::clustered, 2,
         [](const Point&, std::int64_t i) {
           return std::array{1.0, std::pow(clouds::weight_of(i), 1.5) / 50, 0.0};
         }},
    Case{"field, clustered particles, a layer of chemistry", Kind::clustered, 3,
         [](const Point& x, std::int64_t i) {
           const double layer = std::abs(x[2] - 0.3) < 0.1 ? 4 : 0;
           return std::array{1.0, distance(x, centre) < 0.4 ? clouds::weight_of(i) / 20 : 0, layer};
         }},
};

// The objects of this rank, in the order of their keys or in random order.
struct Objects {
  std::vector<CurveKey> keys;
  std::vector<std::vector<double>> costs;
  std::vector<std::span<const double>> spans;
};

Objects objects_of(const Communicator& ranks, const Case& made_of, std::int64_t objects,
                   bool sorted) {
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  std::vector<Point> points = clouds::points_of(made_of.kind, mine.begin, mine.end);
  const std::vector<CurveKey> keys = keys_of(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sorted)
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  Objects made;
  made.costs.resize(static_cast<std::size_t>(made_of.phases));
  for (const std::size_t i : order) {
    made.keys.push_back(keys[i]);
    const auto costs = made_of.costs(points[i], mine.begin + static_cast<std::int64_t>(i));
    for (std::size_t phase = 0; phase < made.costs.size(); ++phase)
      made.costs[phase].push_back(costs[phase]);
  }
  made.spans.assign(made.costs.begin(), made.costs.end());
  return made;
}

template <class Work>
double least_of(const Communicator& ranks, int repetitions, const Work& work) {
  return std::ranges::min(repeated_milliseconds(ranks, repetitions, work));
}

// One weight per object: the sum of its costs, each divided by the unit of its phase.
std::vector<double> weights_of(const Objects& objects, const std::vector<double>& units) {
  std::vector<double> weights(objects.keys.size());
  for (std::size_t phase = 0; phase < units.size(); ++phase)
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] += objects.costs[phase][i] / units[phase];
  return weights;
}

struct Row {
  PhaseCut cut;
  double single_ms = 0, phases_ms = 0, weights_ms = 0, sum = 0, shares = 0;  // T / bound
};

Row measure(const Communicator& ranks, const Objects& objects, int parts, int repetitions) {
  const PhasedKeys phased = {objects.keys, objects.spans};
  const std::span<const PhasedKeys> sets(&phased, 1);
  const PhaseOptions options{.parts = parts, .phases = static_cast<int>(objects.costs.size())};
  Row row;
  row.phases_ms = least_of(ranks, repetitions, [&] { row.cut = cut_phases(ranks, sets, options); });
  row.weights_ms = least_of(ranks, repetitions, [&] { phase_weights(sets, row.cut); });
  std::vector<double> ones(objects.costs.size(), 1.0), totals;
  for (const PhaseLoad& load : row.cut.loads.phases) totals.push_back(load.sum);
  const auto step_by = [&](const std::vector<double>& units) {
    const std::vector<double> weights = weights_of(objects, units);
    const WeightedKeys single = {objects.keys, weights};
    Cut found;
    row.single_ms = least_of(ranks, repetitions,
                             [&] { found = cut(ranks, std::span(&single, 1), {.parts = parts}); });
    const PhaseLoads loads = measure_phases(ranks, sets, options, found.splitters).loads;
    return loads.step / loads.bound;
  };
  row.shares = step_by(totals);
  row.sum = step_by(ones);
  return row;
}

void print(const Case& of, bool sorted, int parts, const Row& row) {
  std::printf("| %-48s | %-6s | %5d | %6.2f | %6.2f | %5.1f | %6.2f | %6.3f | %6.3f | %6.3f |",
              of.name, sorted ? "sorted" : "random", parts, row.single_ms, row.phases_ms,
              row.phases_ms / row.single_ms, row.weights_ms, row.sum, row.shares,
              row.cut.loads.step / row.cut.loads.bound);
  for (const PhaseLoad& load : row.cut.loads.phases) std::printf(" %.2f", load.lambda);
  std::printf(" | %d | %.2f |\n", row.cut.reductions,
              static_cast<double>(row.cut.bytes_reduced) / 1e6);
  std::fflush(stdout);
}

void measure_all(const Communicator& ranks, std::int64_t objects, int repetitions) {
  if (ranks.rank() == 0)
    std::printf(
        "| phases | keys | parts | one weight, ms | phases, ms | ratio | weights, ms | T / bound: "
        "sum | shares | phases | lambda of each | reductions | MB |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const bool sorted : {true, false})
    for (const Case& of : cases) {
      const Objects made = objects_of(ranks, of, objects, sorted);
      for (const int parts : {64, 1024}) {
        const Row row = measure(ranks, made, parts, repetitions);
        if (ranks.rank() == 0) print(of, sorted, parts, row);
      }
    }
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  using namespace evenkeel;
  const bench::Runtime runtime(argc, argv);
  const std::int64_t objects = runtime.number<std::int64_t>(1, 2'000'000, 1000);
  const int repetitions = runtime.number(2, 5, 1);
  const Communicator ranks = Communicator::world();
  if (ranks.rank() == 0)
    std::printf("%lld objects on %d rank(s)\n\n", static_cast<long long>(objects), ranks.size());
  bench::measure_all(ranks, objects, repetitions);
  return 0;
}
