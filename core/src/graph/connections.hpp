#pragma once

// How strongly a vertex is connected to each part among its neighbours' parts. For kernels.

#include "graph/level.hpp"

namespace evenkeel::graphs {

// The parts of the neighbours of most vertices are few.
struct FewConnections {
  static constexpr int most = 16;
  int parts[most];
  std::int64_t weights[most];
  int count = 0;
  bool is_complete = true;  // false: there are more parts

  KOKKOS_FUNCTION void add(int part, std::int64_t weight) {
    for (int i = 0; i < count; ++i)
      if (parts[i] == part) {
        weights[i] += weight;
        return;
      }
    if (count == most) {
      is_complete = false;
      return;
    }
    parts[count] = part;
    weights[count++] = weight;
  }
  KOKKOS_FUNCTION int size() const { return count; }
  KOKKOS_FUNCTION int part(int i) const { return parts[i]; }
  KOKKOS_FUNCTION std::int64_t weight(int i) const { return weights[i]; }
};

// Any number of parts, in memory for all of them, which is all 0 before and must be again after.
struct ManyConnections {
  int* parts;
  std::int64_t* of_part;  // of each part that there is
  int count = 0;

  KOKKOS_FUNCTION void add(int part, std::int64_t weight) {
    if (of_part[part] == 0) parts[count++] = part;
    of_part[part] += weight;
  }
  KOKKOS_FUNCTION int size() const { return count; }
  KOKKOS_FUNCTION int part(int i) const { return parts[i]; }
  KOKKOS_FUNCTION std::int64_t weight(int i) const { return of_part[parts[i]]; }
  KOKKOS_FUNCTION void clear() {
    for (int i = 0; i < count; ++i) of_part[parts[i]] = 0;
    count = 0;
  }
};

}  // namespace evenkeel::graphs
