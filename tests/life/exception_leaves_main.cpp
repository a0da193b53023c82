// An exception on one rank alone leaves the scope of communicators and of a pending reduction.
// Their destructors must not wait for the other ranks, which continue and finalize.

#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/evenkeel.hpp>

#include <cstdio>
#include <stdexcept>

namespace ek = evenkeel;

struct Sum {
  std::int64_t value;
};
void add(Sum& into, const Sum& from) noexcept { into.value += from.value; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const ek::Communicator communicator(MPI_COMM_WORLD);
    const ek::Communicator second = communicator.duplicate(), third = communicator.duplicate();
    if (rank == 0) static_cast<void>(ek::start_all_reduce<&add>(third, Sum{1}));  // not joined
    auto pending = ek::start_all_reduce<&add>(second, Sum{1});
    if (rank == 0) throw std::runtime_error("rank 0 gives up");
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
  MPI_Finalize();
  return 0;
}
