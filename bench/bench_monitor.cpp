// Measures the cost of monitoring. There are four tables:
//   step() at the end of a step in which it has nothing to do, beside a blocking reduction of the
//   same size, which a balancer without this protocol would need at each look;
//   a timed scope, by the cycle counter and by the CPU clock of the thread, beside two bare
//   readings of the same clock;
//   a whole monitor: the CPU time of all threads of the process for steps of fixed work, with a
//   monitor and without it, in blocks that take turns;
//   the memory of a monitor that writes a journal, over steps of 20 microseconds, so that its looks
//   come faster than lines can be written. If it grows by 8 MB, the program fails.
//
//   mpirun -n 2 bench_monitor [steps] [microseconds of work per step] [pairs of blocks]
//     [steps of the last table]

#include "observe/clock.hpp"
#include "observe/epoch.hpp"
#include "observe/truncated_mean.hpp"
#include "operations.hpp"
#include "runtime.hpp"

#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/exec/cycle_counter.hpp>
#include <evenkeel/evenkeel.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace ek = evenkeel;

namespace {

void work_for(std::int64_t nanoseconds) {
  const std::int64_t end = ek::wall_nanoseconds() + nanoseconds;
  while (ek::wall_nanoseconds() < end) {
  }
}

// The nanoseconds of each of `count` calls, sorted.
template <class Prepare, class Call>
std::vector<std::int64_t> times_of(int count, Prepare&& prepare, Call&& call) {
  std::vector<std::int64_t> times;
  times.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    prepare();
    const std::int64_t begin = ek::wall_nanoseconds();
    call();
    times.push_back(ek::wall_nanoseconds() - begin);
  }
  std::ranges::sort(times);
  return times;
}

void print(const char* what, const std::vector<std::int64_t>& times) {
  const auto at = [&](double share) {
    return static_cast<double>(times[static_cast<std::size_t>(share * double(times.size() - 1))]) *
           1e-3;
  };
  const double sum = 1e-3 * std::accumulate(times.begin(), times.end(), 0.0);
  std::printf("%-34s %9.3f %9.3f %9.3f %9.3f\n", what, at(0.5), at(0.9), at(0.99),
              sum / static_cast<double>(times.size()));
}

// Takes the sorted times of each rank. Returns for each k the greatest of the k-th times of all
// ranks.
std::vector<std::int64_t> slowest(const ek::Communicator& ranks, std::vector<std::int64_t> times) {
  ranks.all_reduce(std::span(times), ek::Reduction::greatest);
  return times;
}

void add_totals(ek::Totals& into, const ek::Totals& from) noexcept { ek::combine(into, from); }

void measure_step(const ek::Communicator& ranks, int steps, std::int64_t work_nanoseconds) {
  Kokkos::View<double* [3], Kokkos::HostSpace> position("position", 1000);
  Kokkos::View<double*, Kokkos::HostSpace> mass("mass", 1000);
  const auto busy = [&] { work_for(work_nanoseconds); };
  const bool first = ranks.rank() == 0;
  if (first)
    std::printf(
        "%d rank(s), %d steps of %.0f us; microseconds on the slowest rank\n%-34s %9s %9s "
        "%9s %9s\n",
        ranks.size(), steps, static_cast<double>(work_nanoseconds) * 1e-3, "", "median", "90 %",
        "99 %", "mean");

  ek::Balancer balancer(ranks, {.trigger = ek::Threshold{.lambda = 1000}});
  const ek::Kernel kernel = balancer.kernel("work");
  const auto timed_busy = [&] {
    const auto timing = kernel.time();
    busy();
  };
  const auto step = [&] { static_cast<void>(balancer.step(position, ek::carry(mass))); };
  const auto step_times = slowest(ranks, times_of(steps, timed_busy, step));
  const auto reduction_times =
      slowest(ranks, times_of(steps, busy, [&] {
                static_cast<void>(ek::all_reduce<&add_totals>(ranks, ek::totals_of({}, 0)));
              }));
  balancer.finish();
  if (!first) return;
  print("step", step_times);
  print("blocking reduction of the totals", reduction_times);
}

// --- A timed scope -------------------------------------------------------------------------------

struct Pair {
  const char* what;
  std::function<void(int)> loop;  // makes this many pairs
  std::vector<double> nanoseconds = {};
};

// Measures all pairs in one run, and in turns.
void measure_pairs(const ek::Communicator& ranks, std::vector<Pair> all) {
  constexpr int rounds = 20, pairs = 50000;
  for (int round = 0; round < rounds; ++round)
    for (Pair& pair : all) {
      const std::int64_t begin = ek::wall_nanoseconds();
      pair.loop(pairs);
      pair.nanoseconds.push_back(static_cast<double>(ek::wall_nanoseconds() - begin) / pairs);
    }
  if (ranks.rank() == 0)
    std::printf("\n%d x %d pairs; nanoseconds per pair\n%-50s %9s %9s %9s\n", rounds, pairs, "",
                "least", "median", "90 %");
  for (auto& [what, loop, nanoseconds] : all) {
    ranks.all_reduce(std::span(nanoseconds), ek::Reduction::greatest);
    std::ranges::sort(nanoseconds);
    if (ranks.rank() == 0)
      std::printf("%-50s %9.1f %9.1f %9.1f\n", what, nanoseconds[0], nanoseconds[rounds / 2],
                  nanoseconds[rounds * 9 / 10]);
  }
}

volatile std::int64_t sink = 0;  // keeps the compiler from removing the readings

template <std::int64_t (*now)() noexcept>
void read_twice(int pairs) {
  for (int i = 0; i < pairs; ++i) {
    const std::int64_t begin = now();
    sink = now() - begin;
  }
}

void measure_scopes(const ek::Communicator& ranks) {
  constexpr int per_step = 100;
  const auto cycles = ek::Clock::by_cycles(), cpu = ek::Clock::make(&ek::thread_cpu_nanoseconds);
  const ek::Kernel by_cycles = cycles->kernel("work"), by_cpu = cpu->kernel("work");
  const auto in_steps = [&](ek::Clock& clock, const ek::Kernel& kernel) {
    return [&clock, &kernel](int pairs) {
      for (int i = 0; i < pairs; i += per_step) {
        for (int k = 0; k < per_step; ++k) const auto timing = kernel.time();
        static_cast<void>(clock.end_step());
      }
    };
  };
  measure_pairs(ranks,
                {{"two readings of the cycle counter", &read_twice<&ek::cycle_ticks>},
                 {"two readings of the wall clock", &read_twice<&ek::wall_nanoseconds>},
                 {"two readings of the thread CPU clock", &read_twice<&ek::thread_cpu_nanoseconds>},
                 {"kernel begin + end, cycle counter, and draining", in_steps(*cycles, by_cycles)},
                 {"kernel begin + end, thread CPU clock, and draining", in_steps(*cpu, by_cpu)}});
}

// --- A monitor as a whole ------------------------------------------------------------------------

std::int64_t process_cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

class WholeMonitor {
 public:
  explicit WholeMonitor(const ek::Communicator& ranks) : ranks_(ranks), monitor_(ranks) {
    for (const char* name : {"neighbours", "forces", "bonds", "push", "fields"})
      kernels_.push_back(monitor_.kernel(name));
    per_kernel_ = static_cast<std::int64_t>(ek::bench::operations_in(ranks, step_milliseconds)) /
                  std::ssize(kernels_);
  }

  void measure(int pairs) {
    std::mt19937 random(1);  // the same on all ranks
    std::vector<std::int64_t> watched, bare;
    for (int pair = 0; pair < pairs; ++pair) {
      const bool watched_first = random() % 2 == 0;
      if (watched_first) watched.push_back(block(true));
      bare.push_back(block(false));
      if (!watched_first) watched.push_back(block(true));
    }
    monitor_.finish();
    ranks_.all_reduce(std::span(watched), ek::Reduction::sum);
    ranks_.all_reduce(std::span(bare), ek::Reduction::sum);
    if (ranks_.rank() == 0) print_difference(watched, bare);
  }

 private:
  static constexpr double step_milliseconds = 1;
  static constexpr int steps_per_block = 50;

  // CPU nanoseconds of all threads of this rank for a block of steps. The time of this thread in
  // the barrier after each step does not count: ranks wait for each other there, as in any coupled
  // code.
  std::int64_t block(bool watched) {
    ranks_.barrier();
    std::int64_t in_barriers = 0;
    const std::int64_t begin = process_cpu_nanoseconds();
    for (int step = 0; step < steps_per_block; ++step) {
      if (watched)
        watched_step();
      else
        for (std::size_t k = 0; k < kernels_.size(); ++k) ek::bench::compute(per_kernel_);
      const std::int64_t arrived = ek::thread_cpu_nanoseconds();
      ranks_.barrier();
      in_barriers += ek::thread_cpu_nanoseconds() - arrived;
    }
    return process_cpu_nanoseconds() - begin - in_barriers;
  }

  void watched_step() {
    for (const ek::Kernel& kernel : kernels_) {
      const auto timing = kernel.time();
      ek::bench::compute(per_kernel_);
    }
    if (const auto advice = monitor_.step()) ++advised_;
  }

  // Other users of the machine disturb some pairs by far more than the cost of a monitor. The
  // truncated mean leaves these pairs out. It keeps the cost of looks, since each block has several
  // looks.
  void print_difference(const std::vector<std::int64_t>& watched,
                        const std::vector<std::int64_t>& bare) const {
    const auto count = static_cast<double>(bare.size());
    std::vector<std::int64_t> differences(bare.size());
    std::transform(watched.begin(), watched.end(), bare.begin(), differences.begin(),
                   std::minus<>());
    const double total = std::accumulate(bare.begin(), bare.end(), 0.0);
    const double percent = 100 / total;
    const double all = std::accumulate(differences.begin(), differences.end(), 0.0) * percent;
    const double mean = static_cast<double>(ek::truncated_sum(differences)) * percent;
    const double reach = 1.96 * std::sqrt(ek::truncated_sum_variance(differences)) * percent;
    std::printf(
        "\nwhole monitor: %.0f pairs of blocks of %d steps; CPU time of a step of one rank without "
        "it %.1f us\ndifference with it: 25 %% truncated mean %+.3f %% (95 %%: %+.3f to %+.3f), "
        "mean %+.3f %%; %d times advised\n",
        count, steps_per_block, total / count / steps_per_block / ranks_.size() * 1e-3, mean,
        mean - reach, mean + reach, all, advised_);
  }

  const ek::Communicator& ranks_;
  ek::Monitor monitor_;
  std::vector<ek::Kernel> kernels_;
  std::int64_t per_kernel_ = 0;
  int advised_ = 0;
};

// --- Memory --------------------------------------------------------------------------------------

double resident_megabytes() {
  std::int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) * 1e-6;
}

// Returns true if the memory of no rank has grown by 8 MB since the first tenth of the steps.
bool measure_memory(const ek::Communicator& ranks, int steps) {
  constexpr std::int64_t work_nanoseconds = 20'000;
  constexpr double most_growth = 8;
  const auto journal = std::filesystem::temp_directory_path() /
                       ("evenkeel-bench-" + std::to_string(getpid()) + ".jsonl");
  std::vector<double> megabytes(2);  // after a tenth of the steps; the greatest growth
  {
    ek::Monitor monitor(ranks, {.log = ek::LogLevel::summary, .journal = journal.string()});
    const ek::Kernel kernel = monitor.kernel("work");
    for (int step = 1; step <= steps; ++step) {
      {
        const auto timing = kernel.time();
        work_for(work_nanoseconds);
      }
      static_cast<void>(monitor.step());
      if (step == steps / 10) megabytes[0] = resident_megabytes();
      if (step > steps / 10 && step % 1000 == 0)
        megabytes[1] = std::max(megabytes[1], resident_megabytes() - megabytes[0]);
    }
    monitor.finish();
  }
  std::filesystem::remove(journal);
  ranks.all_reduce(std::span(megabytes), ek::Reduction::greatest);
  if (ranks.rank() == 0)
    std::printf(
        "\nmemory of %d steps of 20 us with a journal: %.1f MB, then at most %.1f MB more\n", steps,
        megabytes[0], megabytes[1]);
  return megabytes[1] < most_growth;
}

}  // namespace

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const ek::Communicator ranks = ek::Communicator::world();
  measure_step(ranks, runtime.number(1, 5000, 10), std::int64_t{1000} * runtime.number(2, 200, 0));
  measure_scopes(ranks);
  WholeMonitor(ranks).measure(runtime.number(3, 100, 2));
  return measure_memory(ranks, runtime.number(4, 1'000'000, 10)) ? 0 : 1;
}
