// A reacting flow on a fixed mesh of 2-D cells. Heat diffuses between neighbours, and a stiff
// reaction (Robertson's) runs in each cell. It costs much where a flame is, and the flame wanders.
// The program runs three times: without balancing, with a loan of the chemistry, and with
// rebalances that move cells. It prints the work of the slowest rank, summed over steps, and checks
// that all runs give the same bits.
//
//   mpirun -n 4 10_chemistry [cells along x] [steps]

#include <evenkeel/evenkeel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace ek = evenkeel;

// --- The chemistry of one cell -------------------------------------------------------------------

// Three species and the temperature.
using Cell = std::array<double, 4>;

// A step of h by the backward Euler rule, with Newton's method. Returns false if it does not
// converge.
bool react_once(Cell& cell, double speed, double h) {
  const double a = 0.04 * speed * h, b = 1e4 * speed * h, c = 3e7 * speed * h;
  double y = cell[0], z = cell[1];  // the third species is the rest
  const double all = cell[0] + cell[1] + cell[2];
  for (int iteration = 0; iteration < 12; ++iteration) {
    const double w = all - y - z;
    const double f = y - cell[0] + a * y - b * z * w;
    const double g = z - cell[1] - a * y + b * z * w + c * z * z;
    const double fy = 1 + a + b * z, fz = -b * (w - z);
    const double gy = -a - b * z, gz = 1 + b * (w - z) + 2 * c * z;
    const double det = fy * gz - fz * gy;
    const double dy = (f * gz - fz * g) / det, dz = (fy * g - f * gy) / det;
    y -= dy;
    z -= dz;
    if (std::abs(dy) + 1e3 * std::abs(dz) < 1e-12) {
      cell[0] = y;
      cell[1] = z;
      cell[2] = all - y - z;
      return true;
    }
  }
  return false;
}

// Integrates over `span` in steps that are as long as the error allows: one step is compared with
// two half steps. Returns the number of steps.
int react(Cell& cell, double span) {
  constexpr double tolerance = 1e-7;
  const double speed = std::exp(12 * (cell[3] - 1));  // hot cells react fast
  double done = 0, h = span;
  int steps = 0;
  while (done < span) {
    h = std::min(h, span - done);
    Cell whole = cell, halves = cell;
    const bool converges = react_once(whole, speed, h) && react_once(halves, speed, h / 2) &&
                           react_once(halves, speed, h / 2);
    const double error = std::abs(whole[0] - halves[0]) + 1e3 * std::abs(whole[1] - halves[1]);
    ++steps;
    if (converges && error <= tolerance) {
      cell = halves;
      done += h;
    }
    h *= converges ? std::clamp(0.9 * std::sqrt(tolerance / (error + 1e-30)), 0.2, 4.0) : 0.25;
  }
  return steps;
}

// --- The mesh ------------------------------------------------------------------------------------

struct Settings {
  std::int64_t across = 120, steps = 60;  // there are half as many rows as cells along x
  std::int64_t up() const { return across / 2; }
};

struct Cells {
  std::vector<std::array<double, 2>> x;
  std::vector<std::int64_t> id;
  std::vector<Cell> state;
  std::vector<double> cost;  // of the last step
  std::int64_t owned = 0;    // ghosts follow

  ek::Set as_set() {
    return ek::set(x, ek::carry(id, state, cost), {.count = &owned, .weight = cost});
  }
};

constexpr int sides = 4;
using Sides = std::vector<std::array<std::int64_t, sides>>;

// The ids of the neighbours of each cell; a cell at the border is its own neighbour.
Sides neighbours_of(const Cells& cells, const Settings& settings) {
  Sides sides_of;
  for (std::int64_t i = 0; i < cells.owned; ++i) {
    const std::int64_t id = cells.id[static_cast<std::size_t>(i)];
    const std::int64_t column = id % settings.across, row = id / settings.across;
    sides_of.push_back({column > 0 ? id - 1 : id, column + 1 < settings.across ? id + 1 : id,
                        row > 0 ? id - settings.across : id,
                        row + 1 < settings.up() ? id + settings.across : id});
  }
  return sides_of;
}

// Collective. Finds ghosts, and the places of all neighbours.
ek::Halo connect(const ek::Communicator& ranks, const ek::Domains& domains, Cells& cells,
                 Sides& places, const Settings& settings) {
  places = neighbours_of(cells, settings);
  const ek::IdDirectory directory(ranks, cells.id, cells.owned);
  ek::Halo halo = ek::Halo::around_ids(ranks, domains, directory, places, cells.owned);
  halo.make_room(
      ek::set(cells.x, ek::carry(cells.id, cells.state, cells.cost), {.count = &cells.owned}));
  halo.exchange(ek::carry(cells.id));
  ek::LocalIds(cells.id, halo.owned() + halo.ghosts()).write_indices(places, places);
  return halo;
}

// Heat diffuses, and a spark that wanders around heats fresh fuel.
void transport(Cells& cells, const Sides& places, std::int64_t step) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(step) / 100;
  const std::array<double, 2> spark = {0.5 + 0.35 * std::cos(angle), 0.25 + 0.15 * std::sin(angle)};
  std::vector<double> heat(static_cast<std::size_t>(cells.owned));
  for (std::size_t i = 0; i < heat.size(); ++i) {
    heat[i] = 0.2 * cells.state[i][3];
    for (const std::int64_t side : places[i])
      heat[i] += 0.2 * cells.state[static_cast<std::size_t>(side)][3];
  }
  for (std::size_t i = 0; i < heat.size(); ++i) {
    const double away = std::hypot(cells.x[i][0] - spark[0], cells.x[i][1] - spark[1]);
    const bool burns = away < 0.07;
    cells.state[i][3] = burns ? 1.2 : 0.95 * heat[i];
    if (burns) cells.state[i] = {1, 0, 0, 1.2};
  }
}

// --- The run -------------------------------------------------------------------------------------

struct Result {
  double seconds = 0;  // of the slowest rank, in work
  std::uint64_t checksum = 0;
  std::int64_t lent = 0, moved = 0;
};

std::uint64_t checksum_of(const Cells& cells) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(cells.owned); ++i)
    for (const double value : cells.state[i])
      sum += std::rotl(std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15U,
                       static_cast<int>(cells.id[i] % 64));
  return sum;
}

enum class How { as_it_is, lend, rebalance };

Result simulate(const ek::Communicator& ranks, const Settings& settings, How how) {
  Cells cells;
  const std::int64_t all = settings.across * settings.up();
  const std::int64_t begin = all * ranks.rank() / ranks.size();
  cells.owned = all * (ranks.rank() + 1) / ranks.size() - begin;
  for (std::int64_t id = begin; id < begin + cells.owned; ++id) {
    const double width = 1.0 / static_cast<double>(settings.across);
    const std::int64_t row = id / settings.across;
    cells.x.push_back({(static_cast<double>(id % settings.across) + 0.5) * width,
                       (static_cast<double>(row) + 0.5) * width});
    cells.id.push_back(id);
  }
  cells.state.assign(cells.x.size(), {1, 0, 0, 0});
  cells.cost.assign(cells.x.size(), 1);

  ek::Options options;
  options.log = ek::LogLevel::off;
  if (how != How::rebalance) options.trigger = ek::Never{};
  ek::Balancer balancer(ranks, options);
  balancer.adopt(cells.as_set());
  const auto flow = balancer.kernel("flow", {.phase = 1});
  ek::Loan chemistry = balancer.loan(
      "chemistry",
      {.lend = how == How::lend ? ek::Loan::Lend::when_it_pays : ek::Loan::Lend::never});

  Sides places;
  ek::Halo halo = connect(ranks, balancer.domains(), cells, places, settings);
  Result result;
  for (std::int64_t step = 1; step <= settings.steps; ++step) {
    halo.exchange(ek::carry(cells.state));
    const ek::Stopwatch stopwatch;
    {
      const auto timing = flow.time();
      transport(cells, places, step);
    }
    double seconds = stopwatch.seconds();
    const auto report =
        chemistry.run(ek::carry(cells.state), {.count = cells.owned, .cost = ek::carry(cells.cost)},
                      [](const ek::Batch& batch) {
                        const auto state = batch.field<double>(0), cost = batch.cost();
                        for (std::int64_t i = 0; i < batch.count(); ++i) {
                          Cell cell = {state(i, 0), state(i, 1), state(i, 2), state(i, 3)};
                          cost(i) = react(cell, 0.3);
                          for (int c = 0; c < 4; ++c)
                            state(i, c) = cell[static_cast<std::size_t>(c)];
                        }
                      });
    seconds = ranks.all_reduce(seconds, ek::Reduction::greatest) + report.most_seconds;
    result.seconds += seconds;
    result.lent += ranks.all_reduce(report.objects_lent, ek::Reduction::sum);
    if (const auto moved = balancer.step(cells.as_set())) {
      result.moved += moved.objects;
      halo = connect(ranks, balancer.domains(), cells, places, settings);
    }
  }
  balancer.finish();
  result.checksum = ranks.all_reduce(checksum_of(cells), ek::Reduction::sum);
  return result;
}

int main(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.across = std::max(8L, std::atol(argv[1]));
  if (argc > 2) settings.steps = std::max(1L, std::atol(argv[2]));
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  Kokkos::initialize(argc, argv);
  bool same = true;
  {
    const auto ranks = ek::Communicator::world();
    std::uint64_t checksum = 0;
    for (const How how : {How::as_it_is, How::lend, How::rebalance}) {
      const Result result = simulate(ranks, settings, how);
      if (how == How::as_it_is) checksum = result.checksum;
      same = same && result.checksum == checksum;
      if (ranks.rank() == 0)
        std::printf(
            "%-10s  work of the slowest rank %6.3f s, cells lent %8lld, cells moved %8lld\n",
            how == How::as_it_is ? "as it is"
            : how == How::lend   ? "lent"
                                 : "rebalanced",
            result.seconds, static_cast<long long>(result.lent),
            static_cast<long long>(result.moved));
    }
    if (ranks.rank() == 0)
      std::printf("the results are %s, checksum %016llx\n", same ? "the same" : "not the same",
                  static_cast<unsigned long long>(checksum));
  }
  Kokkos::finalize();
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return same ? 0 : 1;
}
