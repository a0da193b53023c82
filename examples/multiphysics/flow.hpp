#pragma once

// The flow solver: a burning gas by finite volumes. Compressible Euler equations with Rusanov's
// flux, and a fuel that burns by Arrhenius' law. Units: ambient density, temperature and speed of
// sound are 1, so that the pressure is 1 / heat_ratio.

#include "octree.hpp"

constexpr double heat_ratio = 1.4;
constexpr int flow_values = 6;  // per volume: density, momentum along x, y, z, energy, fuel

using FlowValues = Kokkos::View<double* [flow_values], Kokkos::LayoutRight>;

KOKKOS_INLINE_FUNCTION double pressure(const double u[]) {
  return (heat_ratio - 1) * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

// Sets a state at the pressure of the open air, with a speed along x.
KOKKOS_INLINE_FUNCTION void set_state(double u[], double temperature, double speed, double fuel) {
  const double density = 1 / temperature;
  u[0] = density;
  u[1] = density * speed;
  u[2] = u[3] = 0;
  u[4] = 1 / (heat_ratio * (heat_ratio - 1)) + 0.5 * density * speed * speed;
  u[5] = density * fuel;
}

// A hot grid at the end of the tube lights the fuel. Returns its temperature; 0 outside of the
// grid.
KOKKOS_INLINE_FUNCTION double grid_temperature(const double place[3]) {
  return std::fabs(place[0] - 0.57) < 0.03 && Octree::from_axis(place) < Octree::tube_radius ? 3
                                                                                             : 0;
}
KOKKOS_INLINE_FUNCTION void flow_at_first(const double place[3], double u[]) {
  const double from_axis = Octree::from_axis(place);
  const bool is_jet = from_axis < Octree::tube_radius;
  const bool burns = is_jet && place[0] > 0.55;
  set_state(u, burns ? 3 : 1, is_jet ? 0.5 : 0, is_jet && place[0] <= 0.55 ? 1 : 0);
}
KOKKOS_INLINE_FUNCTION void flow_at_inlet(double time, double u[]) {
  set_state(u, 1, 0.5 + 0.25 * std::sin(15 * time), 1);
}

// The gas on one side of a face.
struct Gas {
  const double* u;
  double pressure, sound_speed;
};
KOKKOS_INLINE_FUNCTION Gas gas_of(const double* u) {
  const double p = pressure(u);
  return {u, p, std::sqrt(heat_ratio * p / u[0])};
}

// Subtracts from `change` the outflow through a share `part` of a face. `side` is 1 at the upper
// face, else -1.
KOKKOS_INLINE_FUNCTION void add_flux(const Gas& in, const Gas& out, int axis, double side,
                                     double part, double change[]) {
  const double speed_in = in.u[1 + axis] / in.u[0], speed_out = out.u[1 + axis] / out.u[0];
  const double wave_in = std::fabs(speed_in) + in.sound_speed;
  const double wave_out = std::fabs(speed_out) + out.sound_speed;
  const double fastest = wave_in > wave_out ? wave_in : wave_out;
  for (int v = 0; v < flow_values; ++v) {
    double flux = speed_in * in.u[v] + speed_out * out.u[v];
    if (v == 1 + axis) flux += in.pressure + out.pressure;
    if (v == 4) flux += speed_in * in.pressure + speed_out * out.pressure;
    change[v] -= 0.5 * part * (side * flux - fastest * (out.u[v] - in.u[v]));
  }
}

KOKKOS_INLINE_FUNCTION double burning_rate(double temperature) {
  return 120 * std::exp(-8 / temperature);
}

// Burns fuel at constant volume. Each sub-step burns little of the fuel, so hot cells take many.
// Fuel burns at least as fast as at the temperature `kept_hot`. Returns the heat per time.
KOKKOS_INLINE_FUNCTION double burn(double u[], double kept_hot, double dt) {
  constexpr double heating = 2;          // of pure fuel
  constexpr double most_burnt = 0.0003;  // in a step, as a share
  const double energy = u[4];
  double temperature = heat_ratio * pressure(u) / u[0], fuel = u[5] / u[0];
  const double asked =
      burning_rate(temperature > kept_hot ? temperature : kept_hot) * dt / most_burnt;
  const int steps = 1 + (asked < 99 ? static_cast<int>(asked) : 99);
  double burnt = 0;
  for (int step = 0; step < steps; ++step) {
    const double share = burning_rate(temperature > kept_hot ? temperature : kept_hot) * dt / steps;
    const double now = fuel * share / (1 + share);
    burnt += now;
    fuel -= now;
    temperature += heating * now;
  }
  u[4] += u[0] * heating * burnt / (heat_ratio * (heat_ratio - 1));
  u[5] = u[0] * fuel;
  return (u[4] - energy) / dt;
}

// Sets the state beyond a face without a flow cell: the state of the inlet, of the wall of the
// tube, or of the open air.
KOKKOS_INLINE_FUNCTION void flow_beyond(const double place[3], bool is_end, int face, double time,
                                        const double in[], double u[]) {
  if (place[0] >= Octree::tube_length) return set_state(u, 1, 0, 0);
  if (is_end) return flow_at_inlet(time, u);
  for (int v = 0; v < flow_values; ++v) u[v] = in[v];
  u[1 + face / 2] = -in[1 + face / 2];
}
