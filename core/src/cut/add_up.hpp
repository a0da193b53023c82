#pragma once

// Adds up the objects of one set by rank, or by part.

#include "cut/units.hpp"

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel {

// Adds up the weights and numbers of objects by rank. Each index handles a short run of objects:
// neighbours often go to the same rank, and then one atomic operation adds their sum.
template <class RankOf, std::int64_t run>
struct AddUpLoads {
  const std::int64_t* objects;  // null if they are 0, 1, 2, ...
  const double* weights;        // null if all weights are the same
  std::int64_t count;
  Units units;
  RankOf rank_of;
  std::int64_t *units_of_rank, *objects_of_rank;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t begin = index * run;
    const std::int64_t end = count - begin < run ? count : begin + run;
    std::int64_t sum = 0, several = 0;
    int rank = -1;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t object = objects == nullptr ? i : objects[i];
      const int next = rank_of(i, object);
      if (next != rank) {
        add(rank, sum, several);
        rank = next;
        sum = several = 0;
      }
      sum += weights == nullptr ? units.one() : units.of(weights[object]);
      ++several;
    }
    add(rank, sum, several);
  }

  KOKKOS_FUNCTION void add(int rank, std::int64_t sum, std::int64_t several) const {
    if (several == 0) return;
    Kokkos::atomic_add(&units_of_rank[rank], sum);
    Kokkos::atomic_add(&objects_of_rank[rank], several);
  }
};

// The numbers of one set that are added up, and the memory for the sums.
struct Summands {
  const std::int64_t* objects;
  const double* weights;
  std::int64_t count;
  Units units;
  std::int64_t* sums;  // first the units of each rank, then the number of objects of each rank
  int ranks;
};

template <class Instance, class RankOf>
void add_up(const Instance& instance, const char* label, const Summands& of,
            const RankOf& rank_of) {
  constexpr std::int64_t run = is_device<Instance> ? 8 : 4096;
  exec::for_each(instance, label, (of.count + run - 1) / run,
                 AddUpLoads<RankOf, run>{of.objects, of.weights, of.count, of.units, rank_of,
                                         of.sums, of.sums + of.ranks});
}

}  // namespace evenkeel
