#pragma once

// MPI, where there is, and Kokkos, for as long as a benchmark runs; and numbers from its command
// line.

#include <evenkeel/backends/comm/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

namespace evenkeel::bench {

class Runtime {
 public:
  Runtime(int& argc, char**& argv) : argc_(argc), argv_(argv) {
#if EVENKEEL_HAS_MPI
    MPI_Init(&argc, &argv);
#endif
    kokkos_.emplace(argc, argv);
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime() {
    kokkos_.reset();
#if EVENKEEL_HAS_MPI
    MPI_Finalize();
#endif
  }

  // The argument in this place, from 1 on, but no less than `least`.
  long long number(int place, long long otherwise, long long least) const {
    return std::max(place < argc_ ? std::atoll(argv_[place]) : otherwise, least);
  }

 private:
  int& argc_;
  char**& argv_;
  std::optional<Kokkos::ScopeGuard> kokkos_;
};

}  // namespace evenkeel::bench
