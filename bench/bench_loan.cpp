// Loans in virtual time, on any number of ranks of one machine: how much of the time that perfectly
// even work would save is saved. Cells have stiff chemistry in a front that moves: a tenth of them
// costs 100 times as much as the others. The rival is the rule of DLBFoam (Tekgul, Peltonen,
// Kahila, Kaario, Vuorinen 2021): ranks are sorted by load; the one with the most lends to the one
// with the least, up to the mean, and then the next ones; a lender takes cells in the order of its
// arrays until their last costs reach the amount.
//
//   mpirun -n RANKS bench_loan [cells of all ranks] [calls] [cells that the front moves in a call]
//                              [real]
//
// The time of a call is that of the slowest rank: its work, 5 us for each partner, and its bytes at
// 5 GB/s. With `real`, the time of loans is measured, and a cell keeps its core busy as long as it
// costs.

#include <evenkeel/evenkeel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <vector>

namespace evenkeel {
namespace {

std::int64_t virtual_time = 0;
std::int64_t virtual_now() { return virtual_time; }

constexpr double seconds_per_partner = 5e-6, seconds_per_byte = 1 / 5e9;
constexpr int numbers_per_cell = 10;
using Cell = std::array<double, numbers_per_cell>;

struct Front {
  std::int64_t cells, calls, speed;

  // Nanoseconds of a cell. Costs in the front differ by a factor of up to 4.
  std::int64_t cost(std::int64_t cell, std::int64_t call) const {
    const std::int64_t ahead = ((cell - speed * call) % cells + cells) % cells;
    if (ahead >= cells / 10) return 1000;
    const auto within = static_cast<double>(ahead) / (static_cast<double>(cells) / 10);
    return static_cast<std::int64_t>(100'000 * (0.4 + 1.2 * within * (2 - within) * 0.75));
  }
};

struct Share {
  std::int64_t begin, end;
};
Share share_of(const Communicator& ranks, std::int64_t cells) {
  return {cells * ranks.rank() / ranks.size(), cells * (ranks.rank() + 1) / ranks.size()};
}

// Seconds over all calls but the first two: without lending, with perfectly even work, and by a
// rule.
struct Times {
  double never = 0, ideal = 0, taken = 0;
  double partners = 0, bytes = 0;  // of a rank in a call, on average
  double reached() const { return (never - taken) / (never - ideal); }
};

void add_bounds(const Communicator& ranks, const std::vector<std::int64_t>& costs, Times& times) {
  const auto mine =
      static_cast<double>(std::accumulate(costs.begin(), costs.end(), std::int64_t{0}));
  times.never += 1e-9 * ranks.all_reduce(mine, Reduction::greatest);
  times.ideal += 1e-9 * ranks.all_reduce(mine, Reduction::sum) / ranks.size();
}

std::vector<std::int64_t> costs_of(const Front& front, const Share& share, std::int64_t call) {
  std::vector<std::int64_t> costs;
  for (std::int64_t cell = share.begin; cell < share.end; ++cell)
    costs.push_back(front.cost(cell, call));
  return costs;
}

void keep_busy(std::int64_t nanoseconds) {
  const Stopwatch watch;
  while (watch.seconds() * 1e9 < static_cast<double>(nanoseconds)) continue;
}

Times by_loan(const Communicator& ranks, const Front& front, bool knows_costs, bool is_real) {
  Options options;
  if (!is_real) options.own_clock = &virtual_now;
  options.log = LogLevel::off;
  Monitor monitor(ranks, options);
  Loan loan = monitor.loan("chemistry");
  const Share share = share_of(ranks, front.cells);
  std::vector<Cell> cells(static_cast<std::size_t>(share.end - share.begin));
  const auto firsts = ranks.all_gather(share.begin);
  std::int64_t call = 0;
  const Loan::Kernel kernel = [&](const Batch& batch) {
    const auto value = batch.field<double>(0);
    const auto cost = batch.cost();
    for (std::int64_t i = 0; i < batch.count(); ++i) {
      const std::int64_t cell = firsts[static_cast<std::size_t>(batch.owner())] + batch.index()(i);
      value(i) += 1;
      cost(i) = static_cast<double>(front.cost(cell, call));
      if (is_real)
        keep_busy(front.cost(cell, call));
      else
        virtual_time += front.cost(cell, call);
    }
  };
  Times times;
  for (call = 0; call < front.calls; ++call) {
    const std::vector<std::int64_t> costs = costs_of(front, share, call);
    Loan::Objects objects;
    if (knows_costs) objects.weight = costs;
    ranks.barrier();
    const Stopwatch watch;
    const Loan::Report report = loan.run(carry(cells), objects, kernel);
    const double taken = watch.seconds();
    if (call < 2) continue;
    add_bounds(ranks, costs, times);
    const double mine = is_real ? taken
                                : report.seconds + seconds_per_partner * report.partners +
                                      seconds_per_byte * static_cast<double>(report.bytes_sent);
    times.taken += ranks.all_reduce(mine, Reduction::greatest);
    times.partners += ranks.all_reduce(1.0 * report.partners, Reduction::sum) / ranks.size();
    times.bytes += ranks.all_reduce(1.0 * static_cast<double>(report.bytes_sent), Reduction::sum) /
                   ranks.size();
  }
  monitor.finish();
  times.partners /= static_cast<double>(front.calls - 2);
  times.bytes /= static_cast<double>(front.calls - 2);
  return times;
}

// The rule of DLBFoam, by the costs of the last call.
Times by_rule(const Communicator& ranks, const Front& front) {
  const Share share = share_of(ranks, front.cells);
  const auto count = static_cast<std::size_t>(ranks.size());
  const double bytes_each = sizeof(Cell);
  Times times;
  for (std::int64_t call = 2; call < front.calls; ++call) {
    const std::vector<std::int64_t> costs = costs_of(front, share, call),
                                    last = costs_of(front, share, call - 1);
    add_bounds(ranks, costs, times);
    const std::vector<double> loads = ranks.all_gather(
        static_cast<double>(std::accumulate(last.begin(), last.end(), std::int64_t{0})));
    const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / ranks.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
    std::vector<double> excess(loads), work(count), partners(count), bytes(count);
    for (double& each : excess) each -= mean;
    std::size_t next = 0;  // cell of this rank
    for (std::size_t low = 0, high = count - 1; low < high;) {
      const std::size_t from = order[high], to = order[low];
      const double amount = std::min(excess[from], -excess[to]);
      if (amount > 0) {
        partners[from] += 1;
        partners[to] += 1;
        for (double sent = 0; static_cast<int>(from) == ranks.rank() && sent < amount; ++next) {
          sent += static_cast<double>(last[next]);
          work[to] += static_cast<double>(costs[next]);
          bytes[from] += bytes_each;
          bytes[to] += bytes_each;
        }
      }
      excess[from] -= amount;
      excess[to] += amount;
      excess[from] <= 1e-6 * mean ? --high : ++low;
    }
    for (; next < costs.size(); ++next)
      work[static_cast<std::size_t>(ranks.rank())] += static_cast<double>(costs[next]);
    ranks.all_reduce(std::span<double>(work), Reduction::sum);
    ranks.all_reduce(std::span<double>(bytes), Reduction::sum);
    double most = 0;
    for (std::size_t r = 0; r < count; ++r) {
      most = std::max(
          most, 1e-9 * work[r] + seconds_per_partner * partners[r] + seconds_per_byte * bytes[r]);
      times.partners += partners[r] / ranks.size() / static_cast<double>(front.calls - 2);
      times.bytes += bytes[r] / ranks.size() / static_cast<double>(front.calls - 2);
    }
    times.taken += most;
  }
  return times;
}

void print(const Communicator& ranks, const char* name, const Times& times) {
  if (ranks.rank() != 0) return;
  std::printf("| %-28s | %8.4f | %8.4f | %8.4f | %5.1f %% | %5.2f | %9.0f |\n", name, times.never,
              times.ideal, times.taken, 100 * times.reached(), times.partners, times.bytes);
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  using namespace evenkeel;
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  Kokkos::initialize(argc, argv);
  {
    const Communicator ranks = Communicator::world();
    Front front = {100'000, 50, 1};
    if (argc > 1) front.cells = std::atol(argv[1]);
    if (argc > 2) front.calls = std::max(3L, std::atol(argv[2]));
    if (argc > 3) front.speed = std::atol(argv[3]);
    const bool is_real = argc > 4 && std::string_view(argv[4]) == "real";
    if (ranks.rank() == 0)
      std::printf(
          "%d ranks, %lld cells, %lld calls, the front moves %lld cells in each\n"
          "| rule | never, s | ideal, s | taken, s | reached | partners | bytes |\n",
          ranks.size(), static_cast<long long>(front.cells), static_cast<long long>(front.calls),
          static_cast<long long>(front.speed));
    print(ranks, "loan, costs of the last call", by_loan(ranks, front, false, is_real));
    print(ranks, "loan, costs known", by_loan(ranks, front, true, is_real));
    if (!is_real) print(ranks, "rule of DLBFoam, last costs", by_rule(ranks, front));
  }
  Kokkos::finalize();
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return 0;
}
