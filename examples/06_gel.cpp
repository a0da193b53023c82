// A gel that collapses: molecular dynamics of 50,653 beads on a network of strands. The gel fills
// its container at first. Then its solvent dries up, and the gel shrinks into the corner that it is
// grafted to. The work moves into this corner, too, and grows to nine times as much.
//
//   mpirun -n 2 06_gel                                   follows the gel
//   mpirun -n 2 06_gel --balance off --method tensor     stays with the uniform grid of the start
//   mpirun -n 2 06_gel --balance advice                  the same, and reports the possible saving
//   mpirun -n 8 06_gel --clock cpu                       ranks that share cores: the critical path
//   mpirun -n 4 06_gel --picture gel.svg
//
// Forces are summed as integers, and random numbers depend only on bead and step. So beads take the
// same way to the last bit on any number of ranks, by any method, and with or without balancing.
// docs/gel.md explains the rest.

#include <evenkeel/evenkeel.hpp>

#include "gel/beads.hpp"
#include "gel/course.hpp"
#include "gel/figures.hpp"
#include "gel/forces.hpp"
#include "gel/motion.hpp"
#include "gel/neighbours.hpp"
#include "gel/picture.hpp"
#include "gel/settings.hpp"

#include <cstdio>
#include <optional>

ek::Options options_for(const Settings& settings, double side) {
  ek::Options options{.method = settings.method,
                      .box = ek::Box{{0, 0, 0}, {side, side, side}},
                      .target_lambda = 1.01,
                      .horizon = settings.steps,
                      .log = ek::LogLevel::summary};
  if (settings.by_cpu_time) options.clock = ek::ClockKind::thread_cpu;
  if (settings.balance != Balance::on) options.trigger = ek::Never{};
  if (settings.balance == Balance::off || settings.table) options.log = ek::LogLevel::off;
  return options;
}

constexpr int steps_of_energy = 100;  // between two measurements of the energy

class Gel {
 public:
  Gel(const ek::Communicator& ranks, const Settings& settings)
      : ranks_(ranks),
        settings_(settings),
        network_{settings.edge},
        beads_(swell(ranks, network_)),
        course_(settings.steps,
                settings.by_cpu_time ? &ek::thread_cpu_nanoseconds : &ek::wall_nanoseconds),
        picture_(settings.picture, network_.side()),
        balancer_(ranks, options_for(settings, network_.side())),
        on_lists_(balancer_.kernel("lists")),
        on_forces_(balancer_.kernel("forces")),
        on_motion_(balancer_.kernel("motion")),
        on_energy_(balancer_.kernel("energy", {.every = steps_of_energy})) {
    beads_.costs_are_given = settings.costs_are_given;
    // The first distribution is a uniform grid, since the gel is the same everywhere.
    balancer_.rebalance(beads_.as_set());
  }

  Figures run() {
    ranks_.barrier();
    const ek::Stopwatch wall;
    ek::CoreWait wait;
    const std::int64_t waited_before = wait.nanoseconds();
    bool lists_are_old = true;
    for (std::int64_t step = 0; step < settings_.steps; ++step) {
      course_.begin_step();
      if (lists_are_old) renew_lists(drying::length_at(step));
      course_.alone(on_forces_, [&] { compute_forces(beads_, network_, lists_); });
      given_ += course_.alone(on_motion_, [&] { return end_step(beads_, step); });
      observe(step);
      const double scale = drying::length_at(step + 1);
      const double way = course_.alone(on_motion_, [&] {
        begin_step(beads_, network_);
        return farthest_way(beads_, lists_, scale);
      });
      lists_are_old = course_.together([&] { return go_on(scale, way); });
    }
    ranks_.barrier();
    Figures figures{.seconds = wall.seconds()};
    figures.waited = ranks_.all_reduce(
        static_cast<double>(wait.nanoseconds() - waited_before) * 1e-9, ek::Reduction::greatest);
    balancer_.finish();
    fill_in(figures);
    return figures;
  }

 private:
  // Moves beads to the owners of their places, and finds the neighbours of each bead.
  void renew_lists(double scale) {
    course_.together([&] {
      balancer_.migrate(beads_.as_set());
      halo_ = ek::Halo(ranks_, balancer_.domains(), beads_.as_set(), interaction::reach);
      halo_.make_room(beads_.with_ghosts());
      halo_.exchange(beads_.with_ghosts());
    });
    course_.alone(on_lists_,
                  [&] { find_neighbours(beads_, halo_.ghosts(), network_, scale, lists_); });
  }

  // Ends the step for all ranks. Returns true if the lists are old. Beads may move to other ranks
  // only then, since new lists are made in any case. If the lists are valid, ghosts follow their
  // beads.
  bool go_on(double scale, double way) {
    const double farthest = ranks_.all_reduce(way, ek::Reduction::greatest);
    if (farthest > interaction::reach)
      throw ek::Error(ek::ErrorKind::application, ek::Where{"gel"}, "Beads fly off.",
                      "Make the time step shorter.");
    const bool are_old = lists_.are_old(scale, farthest);
    if (settings_.balance != Balance::off && balancer_.step(beads_.as_set(), {.may_move = are_old}))
      course_.note_rebalance();
    if (!are_old) halo_.exchange(beads_.places());
    return are_old;
  }

  // Measures the gel at some steps, at a point where places and velocities belong to the same time.
  void observe(std::int64_t step) {
    const bool is_last = step + 1 == settings_.steps;
    if (step == 0 || step == settings_.steps / 3 || is_last) picture_.take(beads_);
    if (step % steps_of_energy != 0 && !is_last) return;
    const Energy mine =
        course_.alone(on_energy_, [&] { return energy_of(beads_, network_, lists_); });
    Look look{mine.potential + mine.kinetic, given_, count_of(lists_), mine.strands};
    course_.together([&] { look = sum_of(ranks_, look); });
    if (step == 0) first_ = look;
    last_ = look;
    energy_balance_.note(look);
  }

  void fill_in(Figures& figures) const {
    figures.course = course_.over(ranks_);
    if (settings_.by_cpu_time) figures.seconds = figures.course.critical_path();
    figures.account = balancer_.account();
    figures.beads = ranks_.all_reduce(beads_.owned, ek::Reduction::sum);
    figures.first = first_;
    figures.last = last_;
    figures.drift = energy_balance_.drift();
    figures.checksum = checksum_of(ranks_, beads_);
    picture_.write(ranks_);
  }

  const ek::Communicator& ranks_;
  const Settings& settings_;
  Network network_;
  Beads beads_;
  Neighbours lists_ = {};
  ek::Halo halo_ = {};
  double given_ = 0;  // energy that the solvent has taken from this rank's beads
  Look first_ = {}, last_ = {};
  EnergyBalance energy_balance_ = {};
  Course course_;
  Picture picture_;
  ek::Balancer balancer_;
  ek::Kernel on_lists_, on_forces_, on_motion_, on_energy_;
};

// Returns true if no bead and no strand was lost. If `tells` is true, prints the losses.
bool is_whole(const Figures& figures, const Network& network, bool tells) {
  const auto lost = static_cast<long long>(network.beads() - figures.beads);
  const auto torn = static_cast<long long>(network.strands() - std::llround(figures.last.strands));
  if (tells && lost != 0) std::fprintf(stderr, "%lld beads are lost\n", lost);
  if (tells && torn != 0) std::fprintf(stderr, "%lld strands are torn\n", torn);
  return lost == 0 && torn == 0;
}

int run(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);  // removes Kokkos's own arguments
  try {
    const ek::Communicator ranks = ek::Communicator::world();
    const std::optional<Settings> settings = read_settings(argc, argv);
    if (!settings) {
      if (ranks.rank() == 0) std::fputs(Settings::usage, stderr);
      return 2;
    }
    const Figures figures = Gel(ranks, *settings).run();
    if (ranks.rank() == 0) print(figures, *settings);
    return is_whole(figures, {settings->edge}, ranks.rank() == 0) ? 0 : 1;
  } catch (const ek::Error& error) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
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
