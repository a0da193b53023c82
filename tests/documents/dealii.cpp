// Checks the snippet for deal.II on the page docs/howto/own_blocks.md with deal.II itself. CMake
// writes the snippet to snippet_for_dealii.hpp.

#include <evenkeel/assign.hpp>
#include <evenkeel/evenkeel.hpp>

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/distributed/repartitioning_policy_tools.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria_description.h>

#include <cstdio>
#include <functional>

namespace ek = evenkeel;

#include "snippet_for_dealii.hpp"

// Cells in the left quarter of the square cost nine times as much as others.
double cost_of(const dealii::CellAccessor<2>& cell) { return cell.center()[0] < 0.25 ? 9 : 1; }

double work_of(const dealii::Triangulation<2>& mesh) {
  double work = 0;
  for (const auto& cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned()) work += cost_of(*cell);
  return work;
}

bool is_even_after_repartitioning(const ek::Communicator& ranks) {
  dealii::parallel::distributed::Triangulation<2> mesh(MPI_COMM_WORLD);
  dealii::GridGenerator::hyper_cube(mesh);
  mesh.refine_global(5);
  const double before = work_of(mesh);
  const ByCost<2> policy(&cost_of);
  dealii::parallel::fullydistributed::Triangulation<2> evener(MPI_COMM_WORLD);
  evener.create_triangulation(
      dealii::TriangulationDescription::Utilities::create_description_from_triangulation(
          mesh, policy.partition(mesh)));
  const double after = work_of(evener);
  const double all = ranks.all_reduce(after, ek::Reduction::sum);
  const double mean = all / ranks.size();
  const double greatest = ranks.all_reduce(after, ek::Reduction::greatest);
  const double uneven = ranks.all_reduce(before, ek::Reduction::greatest);
  if (ranks.rank() == 0) std::printf("lambda %.3f, then %.3f\n", uneven / mean, greatest / mean);
  return all == ranks.all_reduce(before, ek::Reduction::sum) && greatest <= 1.05 * mean + 1e-9 &&
         (ranks.size() == 1 || uneven > 1.2 * mean);
}

int main(int argc, char** argv) {
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const ek::Communicator ranks(MPI_COMM_WORLD);
  return is_even_after_repartitioning(ranks) ? 0 : 1;
}
