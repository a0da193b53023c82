// Drops drift with the wind past a flame and evaporate near it, in steps as short as the heat asks
// for. A Balancer gives each rank as much to do as the others, wherever the flame is.

#include <evenkeel/evenkeel.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ek = evenkeel;

constexpr double reach = 0.2;    // of the flame
constexpr double margin = 0.02;  // drops and flame approach by less than this in ten steps

struct Drops {
  Kokkos::View<double* [3]> position;  // in a box of length 1; what leaves it comes in again
  Kokkos::View<double*> mass;
  Kokkos::View<int*> cost;  // sub-steps that each has taken in this step, and one for drifting
  Kokkos::View<int*> near;  // the first `near_count` are the drops that the flame may reach
  int near_count = 0;
};

// 50,000 drops, spread evenly; each rank has a slab of the box.
Drops make_drops(int rank, int ranks) {
  const int all = 50000, first = all / ranks * rank;
  const int count = rank + 1 < ranks ? all / ranks : all - first;
  Drops drops{Kokkos::View<double* [3]>("position", count), Kokkos::View<double*>("mass", count),
              Kokkos::View<int*>("cost", count), Kokkos::View<int*>("near", count)};
  Kokkos::parallel_for(
      "make drops", count, KOKKOS_LAMBDA(int i) {
        const double y = 0.7548776662 * (first + i), z = 0.5698402910 * (first + i);
        drops.position(i, 0) = (first + i + 0.5) / all;
        drops.position(i, 1) = y - std::floor(y);
        drops.position(i, 2) = z - std::floor(z);
        drops.mass(i) = 1;
        drops.cost(i) = 1;
      });
  return drops;
}

KOKKOS_INLINE_FUNCTION double distance_to_flame(const Drops& drops, int i, int step) {
  const double x = drops.position(i, 0) - (0.25 + 0.0007 * step);  // the flame wanders along x
  const double y = drops.position(i, 1) - 0.5, z = drops.position(i, 2) - 0.5;
  return std::sqrt(x * x + y * y + z * z);
}

// Lists the drops that the flame may reach in the next ten steps.
void find_near(Drops& drops, int step) {
  const int count = static_cast<int>(drops.mass.extent(0));
  drops.near = Kokkos::View<int*>("near", count);
  const Drops all = drops;
  Kokkos::parallel_scan(
      "find near", Kokkos::RangePolicy<>(0, count),
      KOKKOS_LAMBDA(int i, int& place, bool is_last) {
        if (distance_to_flame(all, i, step) > reach + margin) return;
        if (is_last) all.near(place) = i;
        ++place;
      },
      drops.near_count);
}

void drift(const Drops& drops) {
  Kokkos::parallel_for(
      "drift", drops.mass.extent(0), KOKKOS_LAMBDA(int i) {
        const double x = drops.position(i, 0) + 0.0003;
        drops.position(i, 0) = x < 1 ? x : x - 1;
        drops.cost(i) = 1;
      });
}

void evaporate(const Drops& drops, int step) {
  Kokkos::parallel_for(
      "evaporate", drops.near_count, KOKKOS_LAMBDA(int n) {
        const int i = drops.near(n);
        const double heat = 1 - distance_to_flame(drops, i, step) / reach;
        if (heat <= 0) return;
        const int substeps = 1 + static_cast<int>(2000 * heat);
        drops.cost(i) = 1 + substeps;
        for (int s = 0; s < substeps; ++s)
          drops.mass(i) -= 0.001 * heat / substeps * std::sqrt(drops.mass(i));
      });
  Kokkos::fence();
}

// The mass of all drops on all ranks. The ranks wait for each other here.
double total_mass(const Drops& drops) {
  double mass = 0;
  Kokkos::parallel_reduce(
      "mass", drops.mass.extent(0), KOKKOS_LAMBDA(int i, double& sum) { sum += drops.mass(i); },
      mass);
  MPI_Allreduce(MPI_IN_PLACE, &mass, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return mass;
}

void print_times(int rank, int ranks, double computed, double whole) {
  std::vector<double> all(ranks);
  MPI_Gather(&computed, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < ranks; ++r)
    std::printf("rank %d computed for %.2f s of %.2f s\n", r, all[r], whole);
}

// The arrays that move to other ranks: all that belongs to a drop. Its cost is its weight.
ek::Set as_set(Drops& drops) {
  return ek::set(drops.position, ek::carry(drops.mass, drops.cost), {.weight = drops.cost});
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    const int steps = argc > 1 ? std::atoi(argv[1]) : 500;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    Drops drops = make_drops(rank, ranks);
    ek::Balancer balancer(MPI_COMM_WORLD);
    auto work = balancer.kernel("drops");
    balancer.rebalance(as_set(drops));  // the first distribution

    double computed = 0, mass = 0;
    const double start = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
      const double begin = MPI_Wtime();
      {
        auto timing = work.time();  // ends with the scope
        if (step % 10 == 0) find_near(drops, step);
        drift(drops);
        evaporate(drops, step);
      }
      computed += MPI_Wtime() - begin;
      mass = total_mass(drops);
      if (balancer.step(as_set(drops))) find_near(drops, step + 1);  // drops have other indices
    }
    balancer.finish();
    print_times(rank, ranks, computed, MPI_Wtime() - start);
    if (rank == 0) std::printf("mass that is left: %.6f\n", mass);
  }
  MPI_Finalize();
}
