#pragma once

// Runs Kokkos, and MPI and Zoltan if the build has them, during a benchmark, and reads numbers from
// its command line. Includes the common headers of the standard library.

#include <evenkeel/backends/comm/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
#include <zoltan.h>
#endif

namespace evenkeel::bench {

class Runtime {
 public:
  Runtime(int& argc, char**& argv) : argc_(argc), argv_(argv) {
#if EVENKEEL_HAS_MPI
    MPI_Init(&argc, &argv);
#endif
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
    float version = 0;
    Zoltan_Initialize(argc, argv, &version);
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

  // The argument at this place, counted from 1, but at least `least`.
  template <class Number>
  Number number(int place, Number otherwise, Number least) const {
    return std::max(place < argc_ ? static_cast<Number>(std::atoll(argv_[place])) : otherwise,
                    least);
  }

 private:
  int& argc_;
  char**& argv_;
  std::optional<Kokkos::ScopeGuard> kokkos_;
};

}  // namespace evenkeel::bench
