// Finds the costs of types of work from the loads of ranks. Prints the error of the worst cost, for
// the model and for least squares with the least norm on the same numbers, and the time of a pass.
//
//   bench_weights [--seeds COUNT]

#include <evenkeel/backends/exec/stopwatch.hpp>
#include "core/weights/ranks_of_types.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace evenkeel {
namespace {

constexpr const char* name_of(test::Alike alike) {
  switch (alike) {
    case test::Alike::diverse: return "diverse";
    case test::Alike::similar: return "similar";
    case test::Alike::balanced: return "similar and balanced";
  }
  return "";
}

void compare(int seeds) {
  std::printf("ranks types looks  %-21s least norm   model   ratio\n", "ranks are");
  for (const auto& [ranks, types] : {std::pair<std::size_t, std::size_t>{32, 3}, {8, 3}, {128, 8}})
    for (const int epochs : {1, 4, 20})
      for (const test::Alike alike :
           {test::Alike::diverse, test::Alike::similar, test::Alike::balanced}) {
        const auto [least_norm, ours] = test::errors_of({ranks, types, epochs, alike, 0}, seeds);
        std::printf("%5zu %5zu %5d  %-21s %8.1f %% %6.1f %% %6.1f\n", ranks, types, epochs,
                    name_of(alike), 100 * least_norm, 100 * ours, least_norm / ours);
      }
}

// Times passes with 48 stored looks, as on a rank in a long run.
void time_passes() {
  for (const std::size_t types : {3U, 8U, 16U}) {
    test::Ranks one(1, test::types(types));
    const test::Measured all = test::measured({1, types, 48, test::Alike::diverse, 1});
    const std::span<const double> amounts = all.amounts;
    for (std::size_t look = 0; look < all.loads.size(); ++look)
      one[0].observe(amounts.subspan(look * types, types), all.loads[look]);
    static_cast<void>(one.fit());
    constexpr int passes = 2000;
    double best_sums = 1, best_solve = 1;
    for (int round = 0; round < 5; ++round) {
      double sums = 0, solve = 0;
      for (int pass = 0; pass < passes; ++pass) {
        Stopwatch watch;
        static_cast<void>(one[0].sums());
        sums += watch.restart();
        one[0].solve();
        solve += watch.restart();
      }
      best_sums = std::min(best_sums, sums / passes);
      best_solve = std::min(best_solve, solve / passes);
    }
    std::printf("%2zu types: sums %.1f us, solution %.1f us\n", types, 1e6 * best_sums,
                1e6 * best_solve);
  }
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const int seeds = argc == 3 && std::string(argv[1]) == "--seeds" ? std::atoi(argv[2]) : 100;
  evenkeel::compare(seeds);
  evenkeel::time_passes();
}
