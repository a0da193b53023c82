#pragma once

// The results of a run, printed in lines for people or in one line for programs.

#include "course.hpp"
#include "forces.hpp"
#include "settings.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

// A measurement of the gel at a step, over all ranks.
struct Look {
  double energy = 0;      // of the gel
  double given = 0;       // energy that the solvent has taken so far
  double neighbours = 0;  // in lists
  double strands = 0;     // strands that are not torn
};

// Collective.
inline Look sum_of(const ek::Communicator& ranks, const Look& mine) {
  std::array<double, 4> sums = {mine.energy, mine.given, mine.neighbours, mine.strands};
  ranks.all_reduce(std::span<double>(sums), ek::Reduction::sum);
  return {sums[0], sums[1], sums[2], sums[3]};
}

// The greatest change of the energy of gel and solvent together since the first measurement.
class EnergyBalance {
 public:
  void note(const Look& look) {
    const double all = look.energy + look.given;
    if (!first_) first_ = all;
    drift_ = std::max(drift_, std::abs(all - *first_));
  }
  double drift() const { return drift_; }

 private:
  std::optional<double> first_ = std::nullopt;
  double drift_ = 0;
};

struct Figures {
  double seconds = 0;  // of all steps: wall time, or time along the critical path
  double waited = 0;   // seconds for which other programs had the core of the most disturbed rank
  Course::Totals course = {};
  ek::Account account = {};
  std::int64_t beads = 0;  // of all ranks
  Look first = {}, last = {};
  double drift = 0;
  std::uint64_t checksum = 0;

  // The seconds that the run would have saved if all ranks had had the same work.
  double ideal_gain() const { return course.load.greatest - course.load.average(); }
  double per_bead(double value) const { return value / static_cast<double>(beads); }
};

// Collective. The checksum of all bits of all places and velocities, in any order of beads.
inline std::uint64_t checksum_of(const ek::Communicator& ranks, const Beads& beads) {
  const Kokkos::HostSpace host;
  const auto x = Kokkos::create_mirror_view_and_copy(host, beads.x);
  const auto v = Kokkos::create_mirror_view_and_copy(host, beads.v);
  const auto id = Kokkos::create_mirror_view_and_copy(host, beads.id);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(beads.owned); ++i) {
    std::uint64_t bits = scramble(static_cast<std::uint64_t>(id(i)));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(x(i, axis)));
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(v(i, axis)));
    }
    sum += bits;
  }
  return ranks.all_reduce(sum, ek::Reduction::sum);
}

namespace figures {

inline void print_for_programs(const Figures& f, const Settings& settings) {
  const Course::Totals& course = f.course;
  std::printf(
      "seconds=%.3f waited_seconds=%.3f steps_per_second=%.2f lambda=%.4f imbalance_percent=%.2f "
      "lambda_before=%.4f lambda_after=%.4f worst_lambda=%.4f rebalances=%lld cost_seconds=%.4f "
      "advised_seconds=%.4f ",
      f.seconds, f.waited, static_cast<double>(settings.steps) / f.seconds, ek::lambda(course.load),
      ek::imbalance_percent(course.load), ek::lambda(course.before), ek::lambda(course.after),
      course.worst_lambda, static_cast<long long>(course.rebalances), f.account.spent(),
      f.account.advised);
  // The monitor may not have measured enough to know.
  if (f.account.knows_never) std::printf("saved_seconds=%.4f ", f.account.saved());
  std::printf("ideal_gain_seconds=%.4f neighbours=%.2f drift=%.6f checksum=%016llx\n",
              f.ideal_gain(), f.per_bead(f.last.neighbours), f.per_bead(f.drift),
              static_cast<unsigned long long>(f.checksum));
}

inline void print_for_people(const Figures& f, const Settings& settings) {
  const Course::Totals& course = f.course;
  std::printf("%lld beads, %lld steps in %.2f s%s: %.1f steps/s\n", static_cast<long long>(f.beads),
              static_cast<long long>(settings.steps), f.seconds,
              settings.by_cpu_time ? " along the critical path" : "",
              static_cast<double>(settings.steps) / f.seconds);
  std::printf("lambda %.3f, imbalance %.1f %%", ek::lambda(course.load),
              ek::imbalance_percent(course.load));
  if (settings.balance == Balance::on)
    std::printf("; %lld rebalances took %.3f s: lambda %.3f -> %.3f",
                static_cast<long long>(course.rebalances), f.account.spent(),
                ek::lambda(course.before), ek::lambda(course.after));
  if (settings.balance == Balance::on && f.account.knows_never)
    std::printf("; saved %.2f s net", f.account.saved());
  if (settings.balance == Balance::advice)
    std::printf("; balancing would have saved %.2f s", f.account.advised);
  std::printf("\n%.1f neighbours per bead at first, %.1f at last\n", f.per_bead(f.first.neighbours),
              f.per_bead(f.last.neighbours));
  std::printf("energy per bead %.3f -> %.3f, and %.3f to the solvent: off by %.4f at most\n",
              f.per_bead(f.first.energy), f.per_bead(f.last.energy), f.per_bead(f.last.given),
              f.per_bead(f.drift));
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(f.checksum));
}

}  // namespace figures

inline void print(const Figures& f, const Settings& settings) {
  if (settings.table)
    figures::print_for_programs(f, settings);
  else
    figures::print_for_people(f, settings);
}
