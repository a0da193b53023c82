#pragma once

// Declares what the fragments of docs/moving.md use: arrays of objects, and the data that move with
// them.

#include "any_page.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>

using Positions = std::vector<std::array<double, 3>>;
void push(Positions& position, Positions& velocity, std::int64_t owned);
void deposit(const Positions& position, std::int64_t owned);

extern const ek::Domains domains;
extern const std::span<const ek::Set> sets;

extern const ek::stages::SetPlan set;
extern std::vector<double> old, fresh;
void pack(int rank, double value);
double unpack(int rank);
void exchange(const std::vector<ek::Parcel>& exports, const std::vector<ek::Parcel>& imports);

extern const int objects, all_values;
extern Positions centre;
extern std::vector<std::int64_t> key, family;
extern std::vector<int> level;
extern int coarsest;

extern std::vector<int> neighbours;
void rebuild(std::int64_t received);

struct Halo {};
Halo find_halo(const ek::Domains& domains);
void exchange(const Halo& halo);
