// Times cuts of given keys, for every order, weight and aim. Times are milliseconds from barrier to
// barrier on the slowest rank. docs/performance.md says how to read the table.
//
//   mpirun -n 2 bench_cut [objects of all ranks] [repetitions]
//
// The keys are those of the clustered cloud (clouds.hpp) on a Hilbert curve. They are in random
// order, sorted on each rank, or in order over all ranks. If the build has a device, each order is
// also cut in its memory.

#include "points.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/cut.hpp>

#include <bit>

namespace evenkeel::bench {
namespace {

constexpr double target_lambda = 1.05;

struct Objects {
  std::vector<CurveKey> keys;
  std::vector<double> weights;
};

enum class Arrangement : std::uint8_t { random, sorted_per_rank, in_order };
constexpr std::array arrangements = {"random", "sorted per rank", "in order"};
constexpr std::array aims = {"nearest", "target 1.05", "optimal"};

Objects objects_of(const Communicator& ranks, Arrangement arrangement, std::int64_t objects) {
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  // For an order over all ranks, each rank sorts the whole cloud.
  const bool whole = arrangement == Arrangement::in_order;
  const clouds::Share share = whole ? clouds::Share{0, objects} : mine;
  Objects made;
  auto points = clouds::points_of(clouds::Kind::clustered, share.begin, share.end);
  made.keys = keys_of(points);
  if (arrangement != Arrangement::random) std::sort(made.keys.begin(), made.keys.end());
  if (whole) made.keys = {made.keys.begin() + mine.begin, made.keys.begin() + mine.end};
  for (std::int64_t i = mine.begin; i < mine.end; ++i) made.weights.push_back(clouds::weight_of(i));
  return made;
}

// The objects in device memory.
struct Copies {
  Buffer keys, weights;

  explicit Copies(const Objects& objects)
      : keys(copy_of(objects.keys)), weights(copy_of(objects.weights)) {}

  template <class T>
  static Buffer copy_of(const std::vector<T>& values) {
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
    Buffer copy("evenkeel::bench::objects", MemoryKind::device, bytes);
    const Space space = Space::where(MemoryKind::device);
    copy_bytes(space, copy.data(), copy.kind(), values.data(), MemoryKind::host, bytes);
    space.fence("evenkeel::bench::objects");
    return copy;
  }

  WeightedKeys both(const Objects& objects) const {
    return {{reinterpret_cast<const CurveKey*>(keys.data()), objects.keys.size()},
            {reinterpret_cast<const double*>(weights.data()), objects.weights.size()},
            MemoryKind::device};
  }
};

void measure(const Communicator& ranks, const std::string& name, const WeightedKeys& keys,
             const CutOptions& options, int repetitions) {
  Cut found;
  const auto times = repeated_milliseconds(
      ranks, repetitions, [&] { found = cut(ranks, std::span(&keys, 1), options); });
  if (ranks.rank() != 0) return;
  std::printf("| %-23s | %-3s | %-11s | %7d | %8.2f | %8.2f | %2d | %10lld | %8.6f |\n",
              name.c_str(), keys.weights.empty() ? "no" : "yes",
              aims[static_cast<std::size_t>(options.aim)], options.parts, median(times),
              std::ranges::min(times), found.reductions,
              static_cast<long long>(found.bytes_reduced), found.lambda());
  std::fflush(stdout);
}

void measure_cuts(const Communicator& ranks, const std::string& name, WeightedKeys keys,
                  int repetitions) {
  const auto weights = keys.weights;
  for (const int parts : {64, 1024, 65536})
    for (const bool weighted : {false, true})
      for (const Aim aim : {Aim::nearest, Aim::target, Aim::optimal}) {
        keys.weights = weighted ? weights : decltype(weights)();
        measure(ranks, name, keys, {.parts = parts, .target_lambda = target_lambda, .aim = aim},
                repetitions);
      }
}

void measure_all(const Communicator& ranks, std::int64_t objects, int repetitions) {
  if (ranks.rank() == 0)
    std::printf(
        "\n| keys | weights | aim | parts | ms | least ms | reductions | bytes per rank | lambda "
        "|\n"
        "|---|---|---|---|---|---|---|---|---|\n");
  for (const auto arrangement :
       {Arrangement::random, Arrangement::sorted_per_rank, Arrangement::in_order}) {
    const Objects made = objects_of(ranks, arrangement, objects);
    const std::string name = arrangements[static_cast<std::size_t>(arrangement)];
    measure_cuts(ranks, name, {made.keys, made.weights}, repetitions);
    if constexpr (has_device)
      measure_cuts(ranks, name + ", device", Copies(made).both(made), repetitions);
  }
}

// Models the bytes that a rank contributes to the reductions of a cut into one part per rank, for
// objects of even density. The first round counts B bins: at least 2^16, and from 4 to 8 per part.
// Each later round divides the bins that contain a splitter, at most one per part, into B / parts
// bins. The search ends when a bin is lighter than the aim requires, or holds two objects on
// average. Clusters take more rounds, since the first rounds find most of a cloud in one bin. If
// objects are in order, one reduction of two words per splitter suffices.
void print_model() {
  std::printf(
      "\nModel, 10^6 objects per part, of even density: bytes per rank and reductions\n\n"
      "| ranks = parts | in order | target 1.05 | nearest |\n|---|---|---|---|\n");
  for (const double ranks : {1e3, 1e4, 1e5, 1e6}) {
    const double bins = std::max(
        65536.0, static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(4 * ranks))));
    const double objects_per_part = 1e6;
    const double divided = std::floor(std::log2(bins / ranks));  // bits per later round
    const auto rounds_to = [&](double share_of_part) {
      return 1 + std::max(0.0, std::ceil(std::log2(ranks / bins / share_of_part) / divided));
    };
    const double target = rounds_to(target_lambda - 1), nearest = rounds_to(2 / objects_per_part);
    std::printf("| %9.0f | %10.0f, 1 | %10.0f, %2.0f | %11.0f, %2.0f |\n", ranks, 16 * (ranks - 1),
                8 * bins * target, target, 8 * bins * nearest, nearest);
  }
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  using namespace evenkeel;
  const bench::Runtime runtime(argc, argv);
  const std::int64_t objects = runtime.number<std::int64_t>(1, 2'000'000, 1000);
  const int repetitions = runtime.number(2, 7, 1);
  const Communicator ranks = Communicator::world();
  if (ranks.rank() == 0)
    std::printf("%lld objects on %d rank(s)\n", static_cast<long long>(objects), ranks.size());
  bench::measure_all(ranks, objects, repetitions);
  if (ranks.rank() == 0) bench::print_model();
  return 0;
}
