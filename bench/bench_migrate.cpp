// Moving objects, stage by stage, against memcpy of as many bytes and against a plain gather by
// index, in the same run; milliseconds on the slowest rank, medians. docs/performance.md says how
// to read it.
//
//   mpirun -n 2 bench_migrate [objects of all ranks] [repetitions]
//
// Objects are of seven doubles (two fields of three and one of one), or records of 64 bytes. Their
// keys are random and each rank's part is as large as the others'.
//
//   ranges        each rank holds, in order, the lower half of its keys and the upper half of those
//                 of the next: whole ranges leave and arrive
//   leavers       objects lie in the order that they had; one in ten, anywhere among them, has got
//                 a key of any other rank
//   random        keys of any rank, in any order

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/migrate.hpp>
#include <evenkeel/core/set.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace evenkeel::bench {

struct Record {
  double position[3], velocity[3], mass, charge;
};

}  // namespace evenkeel::bench

template <>
struct evenkeel::PositionIn<evenkeel::bench::Record>
    : evenkeel::PositionAt<double, 3, offsetof(evenkeel::bench::Record, position)> {};

namespace evenkeel::bench {
namespace {

using clouds::Random;

enum class Pattern : std::uint8_t { ranges, leavers, random };
constexpr std::array pattern_names = {"ranges", "leavers", "random"};

constexpr std::uint64_t keys_of_a_rank = std::uint64_t{1} << 40;

// From `begin` to `end`, as shares of a rank's keys.
CurveKey key_of_rank(int rank, Random& random, double begin = 0, double end = 1) {
  const double share = begin + (end - begin) * random.uniform();
  return {static_cast<std::uint64_t>(rank) * keys_of_a_rank +
          static_cast<std::uint64_t>(share * static_cast<double>(keys_of_a_rank))};
}

// Of this rank's objects, as they lie in memory.
std::vector<CurveKey> keys_of(Pattern pattern, std::int64_t count, int rank, int ranks) {
  std::vector<CurveKey> keys;
  keys.reserve(static_cast<std::size_t>(count));
  const auto any = [&](Random& random) {
    return std::min(ranks - 1, static_cast<int>(random.uniform() * ranks));
  };
  const auto other = [&](Random& random) {
    return (rank + 1 + static_cast<int>(random.uniform() * (ranks - 1))) % ranks;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    Random random(21, i * ranks + rank);
    if (pattern == Pattern::random)
      keys.push_back(key_of_rank(any(random), random));
    else if (pattern == Pattern::leavers)
      keys.push_back(key_of_rank(rank, random));
    else if (2 * i < count)
      keys.push_back(key_of_rank(rank, random, 0, 0.5));
    else
      keys.push_back(key_of_rank((rank + 1) % ranks, random, 0.5, 1));
  }
  if (pattern == Pattern::random) return keys;
  std::sort(keys.begin(), keys.end());
  for (std::int64_t i = 0; pattern == Pattern::leavers && i < count; ++i) {
    Random random(22, i * ranks + rank);
    if (random.uniform() < 0.1)
      keys[static_cast<std::size_t>(i)] = key_of_rank(other(random), random);
  }
  return keys;
}

Order order_of(const std::vector<CurveKey>& keys) {
  Order order;
  order.objects.resize(keys.size());
  std::iota(order.objects.begin(), order.objects.end(), std::int64_t{0});
  std::stable_sort(order.objects.begin(), order.objects.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  order.keys.reserve(keys.size());
  for (const std::int64_t object : order.objects)
    order.keys.push_back(keys[static_cast<std::size_t>(object)]);
  return order;
}

// Seven doubles in three fields.
struct Particles {
  static constexpr const char* name = "7 doubles";
  std::vector<std::array<double, 3>> position, velocity;
  std::vector<double> mass;

  explicit Particles(std::int64_t count)
      : position(static_cast<std::size_t>(count)),
        velocity(position.size()),
        mass(position.size()) {}
  Set as_set() { return set(position, carry(velocity, mass)); }

  // What anyone would write first: a loop per field, by index.
  void gather(const std::vector<std::int64_t>& objects, Particles& into) const {
    for (std::size_t i = 0; i < objects.size(); ++i)
      into.position[i] = position[static_cast<std::size_t>(objects[i])];
    for (std::size_t i = 0; i < objects.size(); ++i)
      into.velocity[i] = velocity[static_cast<std::size_t>(objects[i])];
    for (std::size_t i = 0; i < objects.size(); ++i)
      into.mass[i] = mass[static_cast<std::size_t>(objects[i])];
  }
  void copy(Particles& into) const {
    std::memcpy(into.position.data(), position.data(), position.size() * sizeof position[0]);
    std::memcpy(into.velocity.data(), velocity.data(), velocity.size() * sizeof velocity[0]);
    std::memcpy(into.mass.data(), mass.data(), mass.size() * sizeof mass[0]);
  }
};

struct Records {
  static constexpr const char* name = "record of 64 bytes";
  std::vector<Record> records;

  explicit Records(std::int64_t count) : records(static_cast<std::size_t>(count)) {}
  Set as_set() { return set(records); }

  void gather(const std::vector<std::int64_t>& objects, Records& into) const {
    for (std::size_t i = 0; i < objects.size(); ++i)
      into.records[i] = records[static_cast<std::size_t>(objects[i])];
  }
  void copy(Records& into) const {
    std::memcpy(into.records.data(), records.data(), records.size() * sizeof records[0]);
  }
};

struct Times {
  std::vector<double> reserve, pack, transfer, unpack, gather, copy;  // milliseconds
};

double of_stage(const MoveReport& report, const char* stage) {
  for (const auto& [name, seconds] : report.seconds)
    if (name == stage) return 1e3 * seconds;
  return 0;
}

template <class Objects>
void measure(const Communicator& ranks, Pattern pattern, std::int64_t count, int repetitions) {
  const Order order = order_of(keys_of(pattern, count, ranks.rank(), ranks.size()));
  Splitters splitters;
  for (int rank = 0; rank <= ranks.size(); ++rank)
    splitters.push_back({static_cast<std::uint64_t>(rank) * keys_of_a_rank});
  const Plan who = plan(ranks, Status(), splitters, {order});
  Times times;
  std::int64_t moved = 0;
  for (int r = 0; r <= repetitions; ++r) {  // the first warms up
    Objects objects(count), into(count);
    times.gather.push_back(
        slowest_milliseconds(ranks, [&] { objects.gather(order.objects, into); }));
    times.copy.push_back(slowest_milliseconds(ranks, [&] { objects.copy(into); }));
    const Set set = objects.as_set();
    const std::vector<SetShape> shapes = agree_on_sets(ranks, {&set, 1});
    const MoveReport report = move(ranks, {&set, 1}, shapes, who);
    moved = report.objects;
    times.reserve.push_back(of_stage(report, "reserve"));
    times.pack.push_back(of_stage(report, "pack"));
    times.transfer.push_back(of_stage(report, "transfer"));
    times.unpack.push_back(of_stage(report, "unpack"));
    if (r > 0) continue;
    for (auto* all :
         {&times.reserve, &times.pack, &times.transfer, &times.unpack, &times.gather, &times.copy})
      all->clear();
  }
  if (ranks.rank() != 0) return;
  const double share = static_cast<double>(moved) / static_cast<double>(count * ranks.size());
  const double pack = median(times.pack), unpack = median(times.unpack), copy = median(times.copy);
  // What leaves is copied into messages; what stays and what arrives into new arrays.
  std::printf("| %s | %s | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.2f |\n",
              pattern_names[static_cast<std::size_t>(pattern)], Objects::name, 100 * share,
              median(times.reserve), pack, median(times.transfer), unpack, median(times.gather),
              copy, 100 * (1 + share) * copy / (pack + unpack),
              (1 + share) * median(times.gather) / (pack + unpack));
  std::fflush(stdout);
}

void measure_all(std::int64_t objects, int repetitions) {
  const Communicator ranks = Communicator::world();
  const std::int64_t count = std::max<std::int64_t>(1, objects / ranks.size());
  if (ranks.rank() == 0)
    std::printf(
        "%lld objects on each of %d rank(s)\n\n"
        "| keys | objects | moved, %% | reserve | pack | transfer | unpack | gather | memcpy | "
        "pack + unpack, %% of memcpy | x gather |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        static_cast<long long>(count), ranks.size());
  for (const Pattern pattern : {Pattern::ranges, Pattern::leavers, Pattern::random}) {
    measure<Particles>(ranks, pattern, count, repetitions);
    measure<Records>(ranks, pattern, count, repetitions);
  }
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure_all(runtime.number(1, 4'000'000, 1000),
                               static_cast<int>(runtime.number(2, 5, 1)));
  return 0;
}
