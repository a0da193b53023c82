// Times a halo: making it, with objects in the order of a curve and in random order; exchanging
// data; and summing back. Also times a directory of ids. The table compares these times with one
// pass over the positions, which finds the bounds of the objects. Objects are uniform in the unit
// cube, which is periodic. The unit of the halo's width is the mean distance of objects.
//
//   mpirun -n 8 bench_halo [objects of a rank] [repetitions] [width in tenths] [method]

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel {
namespace {

using Row = std::vector<clouds::Point>;

struct Rows {
  const Communicator& ranks;
  int repetitions;
  double pass = 0;  // milliseconds

  template <class Work>
  void measure(const char* name, const Work& work) {
    const double least = std::ranges::min(bench::repeated_milliseconds(ranks, repetitions, work));
    if (pass == 0) pass = least;
    if (ranks.rank() == 0) std::printf("| %s | %.2f | %.1f |\n", name, least, least / pass);
  }
};

void measure(const Communicator& ranks, std::int64_t count, int repetitions, double width_in_mean,
             const Method& method) {
  const std::int64_t first = count * ranks.rank();
  Row x = clouds::points_of(clouds::Kind::uniform, first, first + count);
  std::vector<std::int64_t> id(x.size());
  std::iota(id.begin(), id.end(), first);
  Balancer balancer(ranks, {.method = method,
                            .box = Box{{0, 0, 0}, {1, 1, 1}},
                            .periodic = {true, true, true},
                            .log = LogLevel::off});
  balancer.rebalance(x, carry(id));
  const Domains& domains = balancer.domains();
  const double width = width_in_mean / std::cbrt(static_cast<double>(count) * ranks.size());
  Halo halo(ranks, domains, set(x), width);
  const auto ghosts = ranks.all_reduce(halo.ghosts(), Reduction::greatest);
  if (ranks.rank() == 0)
    std::printf(
        "\n%d ranks, %d threads, %lld objects each, width of %.1f mean distances, %s: at "
        "most %lld ghosts\n\n| what | least, ms | passes |\n|---|---|---|\n",
        ranks.size(), Kokkos::DefaultHostExecutionSpace().concurrency(),
        static_cast<long long>(count), width_in_mean, to_text(method).c_str(),
        static_cast<long long>(ghosts));
  Rows rows{ranks, repetitions};
  const Space space = Space::where(MemoryKind::host);
  rows.measure("a pass over the positions", [&] { bounds(space, ranks, set(x)); });
  rows.measure("making the halo", [&] { halo = Halo(ranks, domains, set(x), width); });

  Row shuffled = x;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(1));
  rows.measure("making it in random order",
               [&] { halo = Halo(ranks, domains, set(shuffled), width); });
  halo = Halo(ranks, domains, set(x), width);
  const std::int64_t owned = halo.owned();
  Row v = x, force = x;
  halo.make_room(set(x, carry(v, force, id), {.count = owned}));
  rows.measure("exchange of 3 doubles", [&] { halo.exchange(set(x)); });
  rows.measure("exchange of 6 doubles", [&] { halo.exchange(set(x, carry(v))); });
  rows.measure("sum of 3 doubles", [&] { halo.sum_back(carry(force)); });
  IdDirectory directory(ranks, id, owned);
  rows.measure("directory", [&] { directory.update(id, owned); });
  rows.measure("looking up an id per object", [&] { directory.look_up(id, owned); });
  rows.measure("local indices of an id per object", [&] {
    std::vector<std::int64_t> local(id.size());
    halo.exchange(carry(id));
    LocalIds(id).write_indices(id, local);
  });
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const auto ranks = evenkeel::Communicator::world();
  const std::int64_t count = runtime.number<std::int64_t>(1, 1'000'000, 1);
  const int repetitions = runtime.number(2, 5, 1);
  const double width = runtime.number(3, 20, 0) / 10.0;
  const auto method = evenkeel::method_from_text(argc > 4 ? argv[4] : "hilbert");
  if (!method) {
    std::fprintf(stderr, "unknown method %s: give one as in options, such as hilbert\n", argv[4]);
    return 1;
  }
  evenkeel::measure(ranks, count, repetitions, width, *method);
  return 0;
}
