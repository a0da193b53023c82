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

// A state at the pressure of the open, with a speed along x.
KOKKOS_INLINE_FUNCTION void set_state(double u[], double temperature, double speed, double fuel) {
  const double density = 1 / temperature;
  u[0] = density;
  u[1] = density * speed;
  u[2] = u[3] = 0;
  u[4] = 1 / (heat_ratio * (heat_ratio - 1)) + 0.5 * density * speed * speed;
  u[5] = density * fuel;
}

// A flame stands at the end of the tube; fuel comes in pulses.
KOKKOS_INLINE_FUNCTION void flow_at_first(const double place[3], double u[]) {
  const double from_axis = Octree::from_axis(place);
  const bool is_jet = from_axis < Octree::tube_radius;
  const bool burns = is_jet && place[0] > 0.3 && place[0] < 0.6;
  set_state(u, burns ? 3 : 1, is_jet ? 0.4 : 0, is_jet && place[0] <= 0.3 ? 1 : 0);
}
KOKKOS_INLINE_FUNCTION void flow_at_inlet(double time, double u[]) {
  set_state(u, 1, 0.4 + 0.2 * std::sin(40 * time), 1);
}

// Takes off `change` what leaves through a part of a face. `side` is 1 at the upper face, else -1.
KOKKOS_INLINE_FUNCTION void add_flux(const double in[], const double out[], int axis, double side,
                                     double part, double change[]) {
  const double speed_in = in[1 + axis] / in[0], speed_out = out[1 + axis] / out[0];
  const double pressure_in = pressure(in), pressure_out = pressure(out);
  const double fastest_in = std::fabs(speed_in) + std::sqrt(heat_ratio * pressure_in / in[0]);
  const double fastest_out = std::fabs(speed_out) + std::sqrt(heat_ratio * pressure_out / out[0]);
  const double fastest = fastest_in > fastest_out ? fastest_in : fastest_out;
  for (int v = 0; v < flow_values; ++v) {
    double flux = speed_in * in[v] + speed_out * out[v];
    if (v == 1 + axis) flux += pressure_in + pressure_out;
    if (v == 4) flux += speed_in * pressure_in + speed_out * pressure_out;
    change[v] -= 0.5 * part * (side * flux - fastest * (out[v] - in[v]));
  }
}

// Burns fuel at constant volume, in steps in each of which little of it burns: hot cells take many.
// Returns the heat per time.
KOKKOS_INLINE_FUNCTION double burn(double u[], double dt) {
  constexpr double rate = 2900, activation = 8, heating = 2;  // of a gas that is fuel alone
  constexpr double most_burnt = 0.01;                         // in a step, as a share
  const double energy = u[4];
  double temperature = heat_ratio * pressure(u) / u[0], fuel = u[5] / u[0];
  const double asked = rate * std::exp(-activation / temperature) * dt / most_burnt;
  const int steps = 1 + (asked < 63 ? static_cast<int>(asked) : 63);
  double burnt = 0;
  for (int step = 0; step < steps; ++step) {
    const double share = rate * std::exp(-activation / temperature) * dt / steps;
    const double now = fuel * share / (1 + share);
    burnt += now;
    fuel -= now;
    temperature += heating * now;
  }
  u[4] += u[0] * heating * burnt / (heat_ratio * (heat_ratio - 1));
  u[5] = u[0] * fuel;
  return (u[4] - energy) / dt;
}

// What a flow cell sees where no other flow cell is: the inlet, the tube's wall, or the open.
KOKKOS_INLINE_FUNCTION void flow_beyond(const double place[3], bool is_end, int face, double time,
                                        const double in[], double u[]) {
  if (place[0] >= Octree::tube_length) return set_state(u, 1, 0, 0);
  if (is_end) return flow_at_inlet(time, u);
  for (int v = 0; v < flow_values; ++v) u[v] = in[v];
  u[1 + face / 2] = -in[1 + face / 2];
}
