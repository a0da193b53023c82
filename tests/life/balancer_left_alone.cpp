// Rank 0 calls MPI_Finalize without finish(), while the other ranks still step (the argument is
// `others_step`). Rank 0 must print a message, and the others must get an Error instead of waiting
// for ever. The same must happen if the Balancer of rank 0 is still alive then
// (`others_step_alive`). If all ranks end in the same way (`all_leave`, `all_alive`), nothing may
// be printed.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <unistd.h>

namespace ek = evenkeel;
using namespace life;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const bool others_step = how.starts_with("others_step"), alive = how.ends_with("alive");
  std::unique_ptr<ek::Balancer> balancer;
  Promises promises;
  start_mpi(argc, argv);
  int rank = 0, size = 1;
  std::string said;
  const std::string path =
      std::filesystem::temp_directory_path() / ("evenkeel-words-" + std::to_string(getpid()));
  const int terminal = dup(STDERR_FILENO);
  if (std::freopen(path.c_str(), "w", stderr) == nullptr) return 2;
  Kokkos::initialize(argc, argv);
  {
    const ek::Communicator ranks = ek::Communicator::world();
    rank = ranks.rank();
    size = ranks.size();
    Application application(ranks);
    ek::Options quiet = options();
    quiet.log = ek::LogLevel::off;
    balancer = std::make_unique<ek::Balancer>(ranks, quiet);
    application.run(*balancer, 12);
    if (others_step && rank > 0) said = error_of([&] { application.run(*balancer, 60); });
    if (!alive) balancer.reset();
  }
  Kokkos::finalize();
  end_mpi();

  std::fflush(stderr);
  dup2(terminal, STDERR_FILENO);
  const std::string words = text_of(path);
  std::filesystem::remove(path);
  const bool apart = others_step && size > 1;
  if (apart && rank > 0)
    promises.expect(contains(said, "rank 0 was at the end without finish after step 12"),
                    "an Error");
  const char* expected =
      "evenkeel: rank 0 has reached MPI_Finalize without finish() after step 12; other ranks still "
      "step, or stopped elsewhere.";
  promises.expect(contains(words, expected) == (apart && rank == 0), "rank 0 says that it leaves");
  if (promises.status() != 0)
    std::fprintf(stderr, "rank %d: %s%s\n", rank, said.c_str(), words.c_str());
  return promises.status();
}
