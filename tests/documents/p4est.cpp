// Checks the snippet for p4est on the page docs/howto/own_blocks.md with p4est itself. CMake writes
// the snippet to snippet_for_p4est.hpp.

#include <evenkeel/evenkeel.hpp>
#include <evenkeel/stages.hpp>

#include <p4est_algorithms.h>
#include <p4est_extended.h>

#include <cstdio>

namespace ek = evenkeel;

#include "snippet_for_p4est.hpp"

// The costs of this rank's quadrants. Those in the left quarter of the square cost nine times as
// much as others.
std::vector<double> costs_of(p4est_t* forest) {
  std::vector<double> costs;
  for (p4est_topidx_t t = forest->first_local_tree; t <= forest->last_local_tree; ++t) {
    p4est_tree_t* const tree = p4est_tree_array_index(forest->trees, t);
    for (std::size_t q = 0; q < tree->quadrants.elem_count; ++q) {
      const p4est_quadrant_t* const quadrant = p4est_quadrant_array_index(&tree->quadrants, q);
      costs.push_back(quadrant->x < P4EST_ROOT_LEN / 4 ? 9 : 1);
    }
  }
  return costs;
}

double sum_of(const std::vector<double>& costs) {
  double sum = 0;
  for (const double cost : costs) sum += cost;
  return sum;
}

bool is_even_after_partition(const ek::Communicator& ranks) {
  p4est_connectivity_t* const square = p4est_connectivity_new_unitsquare();
  p4est_t* const forest = p4est_new_ext(MPI_COMM_WORLD, square, 0, 5, 1, 0, nullptr, nullptr);
  const double before = sum_of(costs_of(forest));
  partition(forest, ranks, costs_of(forest));
  const double after = sum_of(costs_of(forest));
  const double mean = ranks.all_reduce(after, ek::Reduction::sum) / ranks.size();
  const double greatest = ranks.all_reduce(after, ek::Reduction::greatest);
  const double uneven = ranks.all_reduce(before, ek::Reduction::greatest);
  p4est_destroy(forest);
  p4est_connectivity_destroy(square);
  if (ranks.rank() == 0) std::printf("lambda %.3f, then %.3f\n", uneven / mean, greatest / mean);
  return greatest <= mean + 9 && (ranks.size() == 1 || uneven > 1.2 * mean);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_even = false;
  {
    const ek::Communicator ranks(MPI_COMM_WORLD);
    sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
    p4est_init(nullptr, SC_LP_ERROR);
    is_even = is_even_after_partition(ranks);
    sc_finalize();
  }
  MPI_Finalize();
  return is_even ? 0 : 1;
}
