// Molecular dynamics with forces of a short range: the loop of a real code, in which ranks migrate
// leavers, exchange ghosts, and may rebalance only when they rebuild their cells.
//
//   mpirun -n 4 08_short_range --balance off
//   mpirun -n 4 08_short_range --balance on
//
// Soft particles fill a periodic cube; a ball of them is thrown through the others, so that the
// work moves. Positions are multiples of 2^-40 and forces are added up as integers. So rounding
// does not depend on the order of sums, and the checksum is the same to the bit for any number of
// ranks, any method, and with or without balancing.

#include <evenkeel/evenkeel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ek = evenkeel;

constexpr double side = 16;        // of the cube; a power of two, so that periods are exact
constexpr double range = 1;        // of forces
constexpr double skin = 0.25;      // how far ghosts reach beyond it
constexpr int steps_of_cells = 8;  // no distance along an axis shrinks by more than the skin
constexpr double dt = 1.0 / 128;
constexpr double grain = 0x1p-40, force_grain = 0x1p-32;

using Vectors = Kokkos::View<double* [3], Kokkos::LayoutRight>;
using Integers = Kokkos::View<std::int64_t* [3], Kokkos::LayoutRight>;

KOKKOS_INLINE_FUNCTION std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}
KOKKOS_INLINE_FUNCTION double in_grains(double value, double of) {
  return of * std::rint(value / of);
}

// The particles of this rank. The first `owned` particles are its own, and behind them are the
// ghosts.
struct Particles {
  Vectors x, v;
  Kokkos::View<std::int64_t*> id;
  Integers force;
  std::int64_t owned = 0;

  // The arrays that move together. Views keep room for ghosts.
  ek::Set as_set() {
    return ek::set(x, ek::carry(v, id), {.count = &owned, .key = id, .reserve = 1.5});
  }
};

// Makes this rank's share of the particles. One particle in three belongs to the ball. The place of
// a particle depends only on its id.
Particles make_particles(const ek::Communicator& ranks, std::int64_t all) {
  const std::int64_t first = all * ranks.rank() / ranks.size();
  const std::int64_t count = all * (ranks.rank() + 1) / ranks.size() - first;
  Particles made{Vectors("x", count), Vectors("v", count), Kokkos::View<std::int64_t*>("id", count),
                 Integers("force", 0), count};
  const Vectors x = made.x, v = made.v;
  const Kokkos::View<std::int64_t*> id = made.id;
  Kokkos::parallel_for(
      "place", count, KOKKOS_LAMBDA(std::int64_t i) {
        id(i) = first + i;
        const bool in_ball = id(i) % 3 == 0;
        for (int axis = 0; axis < 3; ++axis) {
          const std::uint64_t bits = scramble(static_cast<std::uint64_t>(3 * id(i) + axis + 1));
          const double share = static_cast<double>(bits >> 11U) * 0x1p-53;
          x(i, axis) = in_grains(in_ball ? 2 + 3 * share : side * share, grain);
          v(i, axis) = in_ball ? 1.0 + 0.5 * axis : 0;
        }
      });
  return made;
}

// --- Cells: at least range + skin wide, around all particles of this rank ------------------------

struct Cells {
  double lower[3], width[3];
  int count[3];
  Kokkos::View<int*> cell;                     // of each particle
  Kokkos::View<std::int64_t*> first, members;  // by cell

  KOKKOS_INLINE_FUNCTION int at(const Vectors& x, std::int64_t i, int axis) const {
    const int place = static_cast<int>((x(i, axis) - lower[axis]) / width[axis]);
    return place < 0 ? 0 : place >= count[axis] ? count[axis] - 1 : place;
  }
};

Cells make_cells(const Vectors& x, std::int64_t particles) {
  Cells cells;
  int all = 1;
  for (int axis = 0; axis < 3; ++axis) {
    Kokkos::MinMaxScalar<double> ends{};
    Kokkos::parallel_reduce(
        "ends", particles,
        KOKKOS_LAMBDA(std::int64_t i, Kokkos::MinMaxScalar<double> & found) {
          found.min_val = x(i, axis) < found.min_val ? x(i, axis) : found.min_val;
          found.max_val = x(i, axis) > found.max_val ? x(i, axis) : found.max_val;
        },
        Kokkos::MinMax<double>(ends));
    if (particles == 0) ends.min_val = ends.max_val = 0;
    cells.lower[axis] = ends.min_val;
    const double extent = ends.max_val - ends.min_val;
    cells.count[axis] = std::max(1, static_cast<int>(extent / (range + skin)));
    cells.width[axis] = std::max(extent, range) / cells.count[axis];
    all *= cells.count[axis];
  }
  cells.cell = Kokkos::View<int*>("cell", particles);
  cells.first = Kokkos::View<std::int64_t*>("first", all + 1);
  cells.members = Kokkos::View<std::int64_t*>("members", particles);
  const Cells made = cells;
  Kokkos::parallel_for(
      "count", particles, KOKKOS_LAMBDA(std::int64_t i) {
        made.cell(i) = (made.at(x, i, 2) * made.count[1] + made.at(x, i, 1)) * made.count[0] +
                       made.at(x, i, 0);
        Kokkos::atomic_fetch_add(&made.first(made.cell(i)), std::int64_t{1});
      });
  Kokkos::parallel_scan(
      "sum", all + 1, KOKKOS_LAMBDA(int c, std::int64_t& sum, bool last) {
        sum += made.first(c);
        if (last) made.first(c) = sum;  // the end; the loop below counts down to the beginning
      });
  Kokkos::parallel_for(
      "fill", particles, KOKKOS_LAMBDA(std::int64_t i) {
        made.members(Kokkos::atomic_fetch_add(&made.first(made.cell(i)), std::int64_t{-1}) - 1) = i;
      });
  return cells;
}

// --- Physics -------------------------------------------------------------------------------------

// Each particle sums the forces that its neighbours exert. The positions of ghosts must be up to
// date.
void compute_forces(const Particles& particles, const Cells& cells) {
  const Vectors x = particles.x;
  const Integers force = particles.force;
  Kokkos::parallel_for(
      "forces", particles.owned, KOKKOS_LAMBDA(std::int64_t i) {
        std::int64_t sum[3] = {0, 0, 0};
        int from[3], to[3];
        for (int axis = 0; axis < 3; ++axis) {
          const int here = cells.at(x, i, axis);
          from[axis] = here > 0 ? here - 1 : 0;
          to[axis] = here + 1 < cells.count[axis] ? here + 1 : here;
        }
        for (int cz = from[2]; cz <= to[2]; ++cz)
          for (int cy = from[1]; cy <= to[1]; ++cy)
            for (int cx = from[0]; cx <= to[0]; ++cx) {
              const std::int64_t c = (std::int64_t{cz} * cells.count[1] + cy) * cells.count[0] + cx;
              for (std::int64_t k = cells.first(c); k < cells.first(c + 1); ++k) {
                const std::int64_t j = cells.members(k);
                const double d[3] = {x(i, 0) - x(j, 0), x(i, 1) - x(j, 1), x(i, 2) - x(j, 2)};
                const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if (j == i || square >= range * range) continue;
                const double push = 40 * (1 - square);
                for (int axis = 0; axis < 3; ++axis)
                  sum[axis] += static_cast<std::int64_t>(std::rint(push * d[axis] / force_grain));
              }
            }
        for (int axis = 0; axis < 3; ++axis) force(i, axis) = sum[axis];
      });
  Kokkos::fence();
}

// Advances velocities by half a step. If `and_drift` is true, also advances positions by a whole
// step. Positions may leave the cube until cells are rebuilt, since a jump would separate particles
// from their ghosts.
void kick(const Particles& particles, bool and_drift) {
  const Vectors x = particles.x, v = particles.v;
  const Integers force = particles.force;
  Kokkos::parallel_for(
      "kick", particles.owned, KOKKOS_LAMBDA(std::int64_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          v(i, axis) += dt / 2 * force_grain * static_cast<double>(force(i, axis));
          const double fastest = skin / 2 / (steps_of_cells * dt);
          v(i, axis) = v(i, axis) > fastest    ? fastest
                       : v(i, axis) < -fastest ? -fastest
                                               : v(i, axis);
          if (and_drift) x(i, axis) += in_grains(dt * v(i, axis), grain);
        }
      });
  Kokkos::fence();
}

// --- The run -------------------------------------------------------------------------------------

struct Settings {
  std::int64_t particles = 30000, steps = 200;
  bool balance = true;
};

std::uint64_t simulate(const ek::Communicator& ranks, const Settings& settings) {
  Particles particles = make_particles(ranks, settings.particles);
  ek::Options options{.box = ek::Box{{0, 0, 0}, {side, side, side}},
                      .periodic = {true, true, true},
                      .wrap = true,
                      .horizon = settings.steps};
  if (!settings.balance) options.trigger = ek::Never{};
  ek::Balancer balancer(ranks, options);
  auto pairs = balancer.kernel("pairs");
  balancer.rebalance(particles.as_set());

  ek::Halo halo;
  Cells cells;
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    if (step % steps_of_cells == 0) {
      balancer.migrate(particles.as_set());
      halo = ek::Halo(ranks, balancer.domains(), particles.as_set(), range + skin,
                      ek::Halo::Distance::straight);
      halo.make_room(particles.as_set());
      halo.exchange(particles.as_set());
      cells = make_cells(particles.x, halo.owned() + halo.ghosts());
      Kokkos::realloc(particles.force, particles.owned);
      compute_forces(particles, cells);
    }
    kick(particles, true);
    halo.exchange(particles.as_set());  // sends the new places to ghosts
    {
      auto timing = pairs.time();
      compute_forces(particles, cells);
    }
    kick(particles, false);
    // Objects may move only where cells are rebuilt in any case.
    balancer.step(particles.as_set(), {.may_move = (step + 1) % steps_of_cells == 0});
  }
  balancer.finish();

  const Kokkos::HostSpace host;
  const auto x = Kokkos::create_mirror_view_and_copy(host, particles.x);
  const auto id = Kokkos::create_mirror_view_and_copy(host, particles.id);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(particles.owned); ++i) {
    std::uint64_t bits = scramble(static_cast<std::uint64_t>(id(i)) + 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = x(i, axis) - side * std::floor(x(i, axis) / side);
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(place));
    }
    sum += bits;
  }
  return ranks.all_reduce(sum, ek::Reduction::sum);
}

bool read(int argc, char** argv, Settings& settings) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    if (option == "--balance" && (value == "on" || value == "off"))
      settings.balance = value == "on";
    else if (option == "--particles" && std::atoll(argv[i + 1]) > 0)
      settings.particles = std::atoll(argv[i + 1]);
    else if (option == "--steps" && std::atoll(argv[i + 1]) > 0)
      settings.steps = std::atoll(argv[i + 1]);
    else
      return false;
  }
  return argc % 2 == 1;
}

int run(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const ek::Communicator ranks = ek::Communicator::world();
    Settings settings;
    if (!read(argc, argv, settings)) {
      if (ranks.rank() == 0)
        std::fputs("usage: 08_short_range [--particles N] [--steps N] [--balance on|off]\n",
                   stderr);
      return 2;
    }
    ranks.barrier();
    const ek::Stopwatch watch;
    const std::uint64_t checksum = simulate(ranks, settings);
    const double seconds = ranks.all_reduce(watch.seconds(), ek::Reduction::greatest);
    if (ranks.rank() == 0)
      std::printf("%.2f s: %.1f steps/s; checksum %016llx\n", seconds,
                  static_cast<double>(settings.steps) / seconds,
                  static_cast<unsigned long long>(checksum));
  } catch (const ek::Error& error) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  const int status = run(argc, argv);
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return status;
}
