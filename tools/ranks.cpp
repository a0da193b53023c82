#include "ranks.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <string_view>

namespace evenkeel::tool {

namespace {

// The rank that the launcher gave this process; null if there is no launcher.
const char* launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

}  // namespace

Ranks::~Ranks() {
  if (!all_) return;
  if (Kokkos::is_initialized()) Kokkos::finalize();
  all_.reset();
#if EVENKEEL_HAS_MPI
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
#endif
}

const Communicator& Ranks::start() {
  if (all_) return *all_;
#if EVENKEEL_HAS_MPI
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
#endif
  all_.emplace(Communicator::world());
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);  // stderr is for errors; keeps a value set by the user
  vote(*all_, attempt("tools/ranks", [] { Kokkos::initialize(); }));
  return *all_;
}

bool Ranks::are_launched() { return launched_rank() != nullptr; }

bool Ranks::is_first() const {
  if (all_ && all_->size() > 1) return all_->rank() == 0;
  const char* rank = launched_rank();
  return rank == nullptr || std::string_view(rank) == "0";
}

bool Ranks::as_first_says(bool mine) const { return all_ ? all_->broadcast(mine, 0) : mine; }

void Ranks::give_up() const {
#if EVENKEEL_HAS_MPI
  if (all_ && all_->size() > 1) MPI_Abort(MPI_COMM_WORLD, 1);
#endif
}

}  // namespace evenkeel::tool
