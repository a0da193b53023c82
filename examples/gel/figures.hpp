#pragma once

// What came of a run, and how it is told: in lines for people, or in one line for programs.

#include "course.hpp"
#include "forces.hpp"
#include "settings.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>

// Of all ranks: heat that the solvent got, and how far energy and heat together have been off what
// they were at first.
struct BalanceOfEnergy {
  double heat = 0, drift = 0;

  void note(double energy, double heat_so_far) {
    heat = heat_so_far;
    const double all = energy + heat;
    if (!first_) first_ = all;
    drift = std::max(drift, std::abs(all - *first_));
  }

 private:
  std::optional<double> first_ = std::nullopt;
};

struct Figures {
  double seconds = 0;  // of all steps: by the clock on the wall, or along the critical path
  Course::Totals course;
  ek::Account account;
  std::int64_t beads = 0, strands = 0;  // at last, of all ranks; strands that are not torn
  double heat = 0;                      // that the solvent got, per bead
  double drift = 0;  // of energy and heat together, per bead: the farthest that it was off
  std::uint64_t checksum = 0;

  // What the run would have taken less, had all ranks worked alike.
  double ideal_gain() const { return course.load.greatest - course.load.average(); }
};

// Collective. Of all bits of all places and velocities, in any order.
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
  const ek::Account& account = f.account;
  std::printf(
      "seconds=%.3f steps_per_second=%.2f lambda=%.4f imbalance_percent=%.2f lambda_before=%.4f "
      "lambda_after=%.4f worst_lambda=%.4f rebalances=%lld cost_seconds=%.4f "
      "predicted_seconds=%.4f realised_seconds=%.4f saved_seconds=%.4f advised_seconds=%.4f "
      "ideal_gain_seconds=%.4f heat=%.4f drift=%.6f checksum=%016llx\n",
      f.seconds, static_cast<double>(settings.steps) / f.seconds, ek::lambda(f.course.load),
      ek::imbalance_percent(f.course.load), ek::lambda(f.course.before), ek::lambda(f.course.after),
      f.course.worst_lambda, static_cast<long long>(f.course.rebalances), account.spent(),
      account.foreseen, account.gained - account.spent(), account.saved(), account.advised,
      f.ideal_gain(), f.heat, f.drift, static_cast<unsigned long long>(f.checksum));
}

inline void print_for_people(const Figures& f, const Settings& settings) {
  const ek::Account& account = f.account;
  std::printf("%lld beads, %lld strands, %lld steps in %.2f s%s: %.1f steps/s\n",
              static_cast<long long>(f.beads), static_cast<long long>(f.strands),
              static_cast<long long>(settings.steps), f.seconds,
              settings.by_cpu_time ? " along the critical path" : "",
              static_cast<double>(settings.steps) / f.seconds);
  std::printf("lambda %.3f, imbalance %.1f %%", ek::lambda(f.course.load),
              ek::imbalance_percent(f.course.load));
  if (settings.balance == Balance::on)
    std::printf("; %lld rebalances took %.3f s and saved %.2f s net; lambda %.3f -> %.3f",
                static_cast<long long>(f.course.rebalances), account.spent(), account.saved(),
                ek::lambda(f.course.before), ek::lambda(f.course.after));
  if (settings.balance == Balance::advice)
    std::printf("; balancing would have saved %.2f s", account.advised);
  std::printf("\n%.2f of heat per bead went to the solvent; energy and heat drifted by %.4f\n",
              f.heat, f.drift);
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(f.checksum));
}

}  // namespace figures

inline void print(const Figures& f, const Settings& settings) {
  if (settings.table)
    figures::print_for_programs(f, settings);
  else
    figures::print_for_people(f, settings);
}
