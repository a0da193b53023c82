// Communicators, and a reduction that no rank waited for, live longer than MPI. MPI_Finalize must
// free their resources, their destructors must do nothing, and using them must be an Error, not an
// abort.

#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/evenkeel.hpp>

#include <cstdio>
#include <optional>
#include <string>

namespace ek = evenkeel;

struct Sum {
  std::int64_t value;
};
void add(Sum& into, const Sum& from) noexcept { into.value += from.value; }

std::optional<ek::Communicator> global_communicator;  // destroyed after main

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  global_communicator.emplace(MPI_COMM_WORLD);
  const ek::Communicator second = global_communicator->duplicate();
  auto complete = ek::start_all_reduce<&add>(second, Sum{1});
  const std::int64_t ranks = complete.wait().value;
  auto pending = ek::start_all_reduce<&add>(second, Sum{1});
  MPI_Finalize();

  const auto refuses = [](auto&& use) {
    try {
      use();
    } catch (const ek::Error& error) {
      return std::string(error.what()).find("MPI has been finalized") != std::string::npos;
    }
    return false;
  };
  const bool right = ranks == second.size() && complete.wait().value == ranks &&
                     refuses([&] { second.barrier(); }) && refuses([&] { pending.wait(); }) &&
                     refuses([&] { pending.test(); }) &&
                     refuses([&] { static_cast<void>(second.duplicate()); });
  if (!right) std::fprintf(stderr, "a communicator did not survive MPI_Finalize as promised\n");
  return right ? 0 : 1;
}
