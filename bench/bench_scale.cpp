// What the library's protocols cost on 10^2 to 10^6 ranks: docs/scale.md has what it prints.
//
//   mpirun -n 5 bench_scale check      the model beside what the library does on these ranks

#include "runtime.hpp"
#include "scale/check.hpp"

#include <cstdio>
#include <string>

namespace {

using namespace evenkeel;
using namespace evenkeel::scale;

int check_model(const Communicator& world) {
  int differ = 0;
  for (const Compared& one : compare_with_library(world)) {
    const int agree = world.all_reduce(one.agree() ? 1 : 0, Reduction::least);
    differ += agree == 0 ? 1 : 0;
    if (world.rank() != 0) continue;
    std::printf("| %s | %s |\n", one.protocol.c_str(), agree ? "same" : "DIFFER");
    if (agree == 0)
      std::printf("   %s\n   %s\n", text_of(one.predicted).c_str(), text_of(one.made).c_str());
  }
  return differ == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Runtime runtime(argc, argv);
  const auto world = Communicator::world();
  return check_model(world);
}
