// Two solvers on one octree: the flow of a burner by finite volumes, and the sound that it makes by
// a discontinuous Galerkin method. A cell belongs to the flow, to the sound, or to both. Their
// costs are not known in advance, and burning cells cost more than others.
//
//   mpirun -n 2 04_multiphysics                        off and on, compared
//   mpirun -n 2 04_multiphysics --weights wrong        from weights that are wrong by a factor of 5
//   mpirun -n 2 04_multiphysics --exchange twice       ranks wait between the solvers, too
//   mpirun -n 4 04_multiphysics --balance on --picture burner.svg
//
// The order of sums does not depend on ranks, so the checksum is the same to the bit for any number
// of ranks, and with or without balancing. docs/multiphysics.md explains the rest.

#include <evenkeel/evenkeel.hpp>

#include "multiphysics/cells.hpp"
#include "multiphysics/picture.hpp"
#include "multiphysics/report.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

struct Settings {
  std::int64_t cells = 20000, steps = 300;
  bool runs_off = true, runs_on = true, shifts = true, exchanges_twice = false;
  std::string weights = "learned", picture = {};

  // The cost of an acoustic cell over that of a flow cell, on the machine of docs/performance.md.
  // The library gets this ratio with `--weights given` only. By default it learns the ratio of this
  // machine.
  static constexpr double true_ratio = 3;
  std::vector<double> type_costs() const {
    if (weights == "learned") return {};
    return {1, weights == "given" ? true_ratio : true_ratio / 5};
  }
};

// --- The solvers, each on its cells --------------------------------------------------------------

void step_flow(const Cells& cells, double time, double dt) {
  const Cells c = cells;
  Kokkos::parallel_for(
      "flow", c.flow_cells.extent(0), KOKKOS_LAMBDA(std::int64_t k) {
        const int i = c.flow_cells(k);
        double u[flow_values], change[flow_values] = {};
        const Gas gas = gas_of(&c.flow(i, 0));
        const double place[3] = {c.x(i, 0), c.x(i, 1), c.x(i, 2)};
        for (int face = 0; face < 6; ++face) {
          const int* beyond = &c.neighbours(i, 4 * face);
          const int parts = beyond[0] == beyond[3] ? 1 : 4;
          for (int part = 0; part < parts; ++part) {
            const int j = beyond[part];
            const bool is_cell = j >= 0 && c.solvers(j, 0) == flow_solver;
            if (!is_cell) flow_beyond(place, j < 0, face, time, gas.u, u);
            add_flux(gas, gas_of(is_cell ? &c.flow(j, 0) : u), face / 2, face % 2 == 1 ? 1 : -1,
                     1.0 / parts, change);
          }
        }
        const double scale = dt / c.tree.width_of(c.id(i));
        for (int v = 0; v < flow_values; ++v) u[v] = c.flow(i, v) + scale * change[v];
        c.heat(i) = burn(u, grid_temperature(place), dt);
        for (int v = 0; v < flow_values; ++v) c.new_flow(i, v) = u[v];
      });
  Kokkos::fence();
}

// Sound comes from heat that is released faster or slower than on average. `newest` is the share of
// this step in that average.
void couple(const Cells& cells, double newest) {
  const Cells c = cells;
  Kokkos::parallel_for(
      "couple", c.owned, KOKKOS_LAMBDA(std::int64_t i) {
        if (c.solvers(i, 0) != flow_solver || c.solvers(i, 1) != sound_solver) return;
        c.mean_heat(i) += newest * (c.heat(i) - c.mean_heat(i));
        c.source(i) = (heat_ratio - 1) * (c.heat(i) - c.mean_heat(i));
      });
  Kokkos::fence();
}

void step_sound(const Cells& cells, double dt) {
  const Cells c = cells;
  Kokkos::parallel_for(
      "sound", c.sound_cells.extent(0), KOKKOS_LAMBDA(std::int64_t k) {
        const int i = c.sound_cells(k);
        const double width = c.tree.width_of(c.id(i));
        double q[waves], integral[waves];
        for (int m = 0; m < waves; ++m) q[m] = c.sound(i, m);
        for (int n = 0; n < nodes; ++n) q[n] += dt * c.source(i);
        add_derivative(&c.integral(i, 0), width, 1, q);
        for (int face = 0; face < 6; ++face)
          for (int quarter = 0; quarter < 4; ++quarter) {
            const int j = c.neighbours(i, 4 * face + quarter);
            const Beyond beyond = j < 0                             ? Beyond::open
                                  : c.solvers(j, 1) != sound_solver ? Beyond::wall
                                                                    : Beyond::cell;
            const std::int64_t other = c.id(j < 0 ? i : j);
            double offset[3];
            for (int axis = 0; axis < 3; ++axis)
              offset[axis] = (c.tree.middle_of(other, axis) - c.x(i, axis)) / width;
            add_face_point(&c.integral(i, 0), width, face, quarter, beyond,
                           &c.integral(j < 0 ? i : j, 0), offset, c.tree.width_of(other) / width,
                           q);
          }
        predict(q, width, dt, integral);
        for (int m = 0; m < waves; ++m) {
          c.sound(i, m) = q[m];
          c.new_integral(i, m) = integral[m];
        }
      });
  Kokkos::fence();
}

// --- The run -------------------------------------------------------------------------------------

Course simulate(const ek::Communicator& ranks, const Settings& settings, bool is_balanced) {
  Cells cells = make_cells(ranks, settings.cells);
  const double dt = 0.08 * cells.tree.width(2);
  ek::Options options{.box = ek::Box{{0, 0, 0}, {1, 1, 1}},
                      .target_lambda = 1.01,
                      .horizon = settings.steps,
                      .expected_cost = 2,  // in steps, until the first rebalance is measured
                      // Ranks may share cores, and this machine may have other users.
                      .clock = ek::ClockKind::thread_cpu};
  // A shift evens out the sum of the phases. If ranks wait between phases, a step takes longer than
  // this sum, so shifts stay off.
  if (settings.shifts && !settings.exchanges_twice) options.shift = {.rounds = 8};
  if (!is_balanced) options.trigger = ek::Never{};
  ek::Balancer balancer(ranks, options);
  // If ranks wait for each other between two kernels, the kernels belong to different phases.
  const int phase_of_sound = settings.exchanges_twice ? 1 : 0;
  const auto flow = balancer.kernel("flow", {.phase = 0, .types = {flow_solver}});
  const auto sound = balancer.kernel("sound", {.phase = phase_of_sound, .types = {sound_solver}});
  const auto coupling = balancer.kernel("coupling");

  ek::Halo halo;
  const auto all = [&] { return cells.as_set(settings.type_costs()); };
  balancer.rebalance(all());
  halo = connect(ranks, balancer.domains(), cells);
  Course course;
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    const ek::Stopwatch watch;
    Course::Step& took = course.begin_step(cells);
    if (settings.exchanges_twice)
      halo.exchange(ek::carry(cells.flow));
    else
      halo.exchange(ek::carry(cells.flow, cells.integral));
    took.of(flow, Course::flow, [&] { step_flow(cells, static_cast<double>(step) * dt, dt); });
    took.of(coupling, Course::coupling, [&] { couple(cells, step == 0 ? 1 : 4 * dt); });
    if (settings.exchanges_twice) halo.exchange(ek::carry(cells.integral));
    took.of(sound, Course::sound, [&] { step_sound(cells, dt); });
    std::swap(cells.flow, cells.new_flow);
    std::swap(cells.integral, cells.new_integral);

    const ek::ThreadCpuStopwatch upkeep;
    const ek::MoveReport moved = balancer.step(all());
    if (moved) halo = connect(ranks, balancer.domains(), cells);
    took.seconds[Course::upkeep] = upkeep.seconds();
    took.wall = watch.seconds();
    took.has_moved = moved.has_new_domains();
  }
  balancer.finish();
  course.costs = balancer.costs();
  course.result = result_of(ranks, cells);
  if (!settings.picture.empty()) draw(ranks, cells, settings.picture);
  return course;
}

bool read(int argc, char** argv, Settings& settings) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    const long long number = std::atoll(argv[i + 1]);
    if (option == "--balance" && (value == "on" || value == "off" || value == "both")) {
      settings.runs_off = value != "on";
      settings.runs_on = value != "off";
    } else if (option == "--weights" &&
               (value == "learned" || value == "wrong" || value == "given")) {
      settings.weights = value;
    } else if (option == "--exchange" && (value == "once" || value == "twice")) {
      settings.exchanges_twice = value == "twice";
    } else if (option == "--shift" && (value == "on" || value == "off")) {
      settings.shifts = value == "on";
    } else if (option == "--cells" && number > 0) {
      settings.cells = number;
    } else if (option == "--steps" && number > 0) {
      settings.steps = number;
    } else if (option == "--picture") {
      settings.picture = value;
    } else {
      return false;
    }
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
        std::fputs(
            "usage: 04_multiphysics [--balance both|off|on] [--weights learned|wrong|given]\n"
            "         [--exchange once|twice] [--shift on|off] [--cells N] [--steps N]\n"
            "         [--picture FILE.svg]\n",
            stderr);
      return 2;
    }
    Report report(ranks, settings.exchanges_twice);
    if (settings.runs_off) report.add("off", simulate(ranks, settings, false));
    if (settings.runs_on) report.add("on", simulate(ranks, settings, true));
    report.print();
    return report.is_consistent() ? 0 : 1;
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
