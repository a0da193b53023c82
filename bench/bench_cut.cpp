// Cuts of given keys: of every order, weight and aim, and against the number of parts. Barrier to
// barrier, milliseconds on the slowest rank. docs/performance.md says how to read it.
//
//   mpirun -n 2 bench_cut [objects of all ranks] [repetitions]
//
// The keys are of the clustered cloud (clouds.hpp) on a Hilbert curve. They come in random order;
// sorted on each rank; or in order over all ranks too. Where the build has a device, each order is
// cut in its memory as well.

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/evenkeel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

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

std::vector<CurveKey> keys_of(std::vector<clouds::Point> points) {
  constexpr Box box = {{-1, -1, -1}, {2, 2, 2}};
  const Space space = Space::where(MemoryKind::host);
  std::vector<CurveKey> keys(points.size());
  write_keys(space, Lattice(3, box, {}), set(points), keys.data());
  space.fence("evenkeel::bench::keys");
  return keys;
}

Objects objects_of(const Communicator& ranks, Arrangement arrangement, std::int64_t objects) {
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  // For an order over all ranks each sorts the whole cloud.
  const bool whole = arrangement == Arrangement::in_order;
  const clouds::Share share = whole ? clouds::Share{0, objects} : mine;
  Objects made;
  made.keys = keys_of(clouds::points_of(clouds::Kind::clustered, share.begin, share.end));
  if (arrangement != Arrangement::random) std::sort(made.keys.begin(), made.keys.end());
  if (whole) made.keys = {made.keys.begin() + mine.begin, made.keys.begin() + mine.end};
  for (std::int64_t i = mine.begin; i < mine.end; ++i) made.weights.push_back(clouds::weight_of(i));
  return made;
}

// The same in device memory.
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

struct Measured {
  Cut cut;
  double median, least;  // milliseconds
};

Measured measure(const Communicator& ranks, WeightedKeys keys, bool weighted,
                 const CutOptions& options, int repetitions) {
  if (!weighted) keys.weights = {};
  Measured measured{};
  std::vector<double> times;
  for (int r = 0; r <= repetitions; ++r) {
    const double time = slowest_milliseconds(
        ranks, [&] { measured.cut = cut(ranks, {}, std::span(&keys, 1), options); });
    if (r > 0) times.push_back(time);  // the first warms up
  }
  measured.median = median(times);
  measured.least = *std::min_element(times.begin(), times.end());
  return measured;
}

void print(const std::string& arrangement, bool weighted, const CutOptions& options,
           const Measured& found) {
  std::printf("| %-23s | %-3s | %-11s | %7d | %8.2f | %8.2f | %2d | %10lld | %8.6f |\n",
              arrangement.c_str(), weighted ? "yes" : "no",
              aims[static_cast<std::size_t>(static_cast<int>(options.aim))], options.parts,
              found.median, found.least, found.cut.reductions,
              static_cast<long long>(found.cut.bytes_reduced), found.cut.lambda());
  std::fflush(stdout);
}

constexpr const char* heading =
    "| keys | weights | aim | parts | ms | least ms | reductions | bytes per rank | lambda |\n"
    "|---|---|---|---|---|---|---|---|---|\n";

void measure_cuts(const Communicator& ranks, const std::string& name, const WeightedKeys& keys,
                  int repetitions) {
  for (const int parts : {64, 1024, 65536})
    for (const bool weighted : {false, true})
      for (const Aim aim : {Aim::nearest, Aim::target, Aim::optimal}) {
        const CutOptions options{.parts = parts, .target_lambda = target_lambda, .aim = aim};
        const Measured found = measure(ranks, keys, weighted, options, repetitions);
        if (ranks.rank() == 0) print(name, weighted, options, found);
      }
}

void measure_all(const Communicator& ranks, std::int64_t objects, int repetitions) {
  if (ranks.rank() == 0) std::printf("\n%s", heading);
  for (const auto arrangement :
       {Arrangement::random, Arrangement::sorted_per_rank, Arrangement::in_order}) {
    const Objects made = objects_of(ranks, arrangement, objects);
    const std::string name = arrangements[static_cast<std::size_t>(arrangement)];
    measure_cuts(ranks, name, {made.keys, made.weights}, repetitions);
    if constexpr (has_device)
      measure_cuts(ranks, name + ", device", Copies(made).both(made), repetitions);
  }
}

void measure_parts(const Communicator& ranks, std::int64_t objects, int repetitions) {
  const bool first = ranks.rank() == 0;
  const Objects made = objects_of(ranks, Arrangement::random, objects);
  if (first) std::printf("\nAgainst the number of parts:\n\n%s", heading);
  for (const Aim aim : {Aim::nearest, Aim::target})
    for (int parts = 16; parts <= (1 << 18); parts *= 4) {
      const CutOptions options{.parts = parts, .target_lambda = target_lambda, .aim = aim};
      const Measured found = measure(ranks, {made.keys}, false, options, repetitions);
      if (first) print(arrangements[0], false, options, found);
    }
}

// What a rank brings to the reductions of a cut into a part per rank, where density is even. The
// first round counts B bins: at least 2^16, and from 4 to 8 per part. Each later one divides the
// bins with a splitter, one per part at most, into B / parts: until a bin is lighter than the aim
// allows for, or holds two objects on average. Clusters take more rounds, since the first ones find
// most of a cloud in a bin. Objects in order take two words per splitter, once.
void print_model() {
  std::printf(
      "\nModel, 10^6 objects per part, of even density: bytes per rank and reductions\n\n"
      "| ranks = parts | in order | target 1.05 | nearest |\n|---|---|---|---|\n");
  for (const double ranks : {1e3, 1e4, 1e5, 1e6}) {
    const double bins = std::max(
        65536.0, static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(4 * ranks))));
    const double objects_per_part = 1e6;
    const double divided = std::floor(std::log2(bins / ranks));  // bits per round but the first
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
  const std::int64_t objects = runtime.number(1, 2'000'000, 1000);
  const int repetitions = static_cast<int>(runtime.number(2, 7, 1));
  const Communicator ranks = Communicator::world();
  if (ranks.rank() == 0)
    std::printf("%lld objects on %d rank(s)\n", static_cast<long long>(objects), ranks.size());
  bench::measure_all(ranks, objects, repetitions);
  bench::measure_parts(ranks, objects, repetitions);
  if (ranks.rank() == 0) bench::print_model();
  return 0;
}
