// Times the stages of a move of objects. The table compares them with memcpy of the same bytes,
// with a plain gather by index, and with a bound: the time for the touched lines of memory at the
// speed of this memcpy. Times are medians of milliseconds on the slowest rank. docs/performance.md
// says how to read the table.
//
//   mpirun -n 2 bench_migrate [objects of all ranks] [repetitions]
//
// An object has either seven doubles (two fields of three and one of one), or is a record of 64
// bytes. Keys are random, and the parts of all ranks have the same size.
//
//   ranges        each rank holds the lower half of its own keys and the upper half of the next
//                 rank's keys, in order: whole ranges leave and arrive
//   leavers       objects are in the order of their old keys; one in ten, anywhere among them, has
//                 a new key of any other rank
//   random        keys of any rank, in any order

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/migrate.hpp>

#include <cstring>

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

// A random key of a rank. `begin` and `end` are shares of its range of keys.
CurveKey key_of_rank(int rank, Random& random, double begin = 0, double end = 1) {
  const double share = begin + (end - begin) * random.uniform();
  return {static_cast<std::uint64_t>(rank) * keys_of_a_rank +
          static_cast<std::uint64_t>(share * static_cast<double>(keys_of_a_rank))};
}

// The keys of this rank's objects, in the order of memory.
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

struct Listed {
  std::vector<CurveKey> keys;
  std::vector<std::int64_t> objects;
};

Listed order_of(const std::vector<CurveKey>& keys) {
  const auto key_of = [&](std::int64_t object) { return keys[static_cast<std::size_t>(object)]; };
  Listed order{keys, std::vector<std::int64_t>(keys.size())};
  std::iota(order.objects.begin(), order.objects.end(), std::int64_t{0});
  std::ranges::stable_sort(order.objects, std::less<>(), key_of);
  std::ranges::transform(order.objects, order.keys.begin(), key_of);
  return order;
}

// The plain gather: a loop by index.
template <class T>
void gather_field(const std::vector<T>& from, const std::vector<std::int64_t>& objects,
                  std::vector<T>& into) {
  for (std::size_t i = 0; i < objects.size(); ++i)
    into[i] = from[static_cast<std::size_t>(objects[i])];
}
template <class T>
void copy_field(const std::vector<T>& from, std::vector<T>& into) {
  std::memcpy(into.data(), from.data(), from.size() * sizeof(T));
}

// Seven doubles in three fields.
struct Particles {
  static constexpr const char* name = "7 doubles";
  static constexpr std::array<std::int64_t, 3> bytes_of_fields = {24, 24, 8};
  std::vector<std::array<double, 3>> position, velocity;
  std::vector<double> mass;

  explicit Particles(std::int64_t count)
      : position(static_cast<std::size_t>(count)),
        velocity(position.size()),
        mass(position.size()) {}
  Set as_set() { return set(position, carry(velocity, mass)); }
  std::array<const void*, 3> arrays() const {
    return {position.data(), velocity.data(), mass.data()};
  }

  void gather(const std::vector<std::int64_t>& objects, Particles& into) const {
    gather_field(position, objects, into.position);
    gather_field(velocity, objects, into.velocity);
    gather_field(mass, objects, into.mass);
  }
  void copy(Particles& into) const {
    copy_field(position, into.position);
    copy_field(velocity, into.velocity);
    copy_field(mass, into.mass);
  }
};

struct Records {
  static constexpr const char* name = "record of 64 bytes";
  static constexpr std::array<std::int64_t, 1> bytes_of_fields = {64};
  std::vector<Record> records;

  explicit Records(std::int64_t count) : records(static_cast<std::size_t>(count)) {}
  Set as_set() { return set(records); }
  std::array<const void*, 1> arrays() const { return {records.data()}; }

  void gather(const std::vector<std::int64_t>& objects, Records& into) const {
    gather_field(records, objects, into.records);
  }
  void copy(Records& into) const { copy_field(records, into.records); }
};

// Counts the lines of memory that are touched if objects of one array are touched in order.
class Lines {
 public:
  Lines(const void* array, std::int64_t bytes_of_object)
      : begin_(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array) % line)),
        bytes_(bytes_of_object) {}
  void touch(std::int64_t object) {
    const std::int64_t at = begin_ + object * bytes_;
    const std::int64_t first = at / line, last = (at + bytes_ - 1) / line;
    lines_ += last - first + (first == last_ ? 0 : 1);
    last_ = last;
  }
  std::int64_t bytes() const noexcept { return line * lines_; }

 private:
  static constexpr std::int64_t line = 64;
  std::int64_t begin_, bytes_, lines_ = 0, last_ = -1;
};

// The bytes that packing and unpacking read and write, in whole lines of arrays. They copy leavers
// from their lines to a message, stayers from their lines to a new array, and arrivals from a
// message to a new array.
template <class Objects>
std::int64_t bytes_touched(const SetPlan& plan, const Objects& objects) {
  std::int64_t touched = 0;
  const auto arrays = objects.arrays();
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    const std::int64_t bytes = Objects::bytes_of_fields[f];
    Lines read(arrays[f], bytes), written(arrays[f], bytes);
    for (const Parcel& parcel : plan.exports)
      for (const std::int64_t object : plan.objects_of(parcel)) read.touch(object);
    for (const std::int64_t object : plan.objects_of({0, plan.first_staying, plan.staying}))
      read.touch(object);
    for (std::int64_t k = 0; k < plan.staying; ++k)
      written.touch(plan.place_of(plan.first_kept + k));
    for (const Parcel& parcel : plan.imports)
      for (std::int64_t k = 0; k < parcel.objects; ++k)
        written.touch(plan.place_of(parcel.first + k));
    touched += read.bytes() + written.bytes();
    touched += bytes * (plan.count_before() - plan.staying);  // written to messages
    touched += bytes * (plan.count_after - plan.staying);     // read from messages
  }
  return touched;
}

template <class Objects>
void measure(const Communicator& ranks, Pattern pattern, std::int64_t count, int repetitions) {
  const Listed order = order_of(keys_of(pattern, count, ranks.rank(), ranks.size()));
  Splitters splitters;
  for (int rank = 0; rank <= ranks.size(); ++rank)
    splitters.push_back({static_cast<std::uint64_t>(rank) * keys_of_a_rank});
  std::map<std::string, std::vector<double>> times;  // milliseconds
  std::int64_t moved = 0, touched = 0;
  for (int r = 0; r <= repetitions; ++r) {  // the first is a warm-up
    if (r == 1) times.clear();
    const auto time = [&](const char* what, const auto& work) {
      times[what].push_back(slowest_milliseconds(ranks, work));
    };
    Objects objects(count), into(count);
    time("gather", [&] { objects.gather(order.objects, into); });
    time("copy", [&] { objects.copy(into); });
    const Set set = objects.as_set();
    const std::vector<SetShape> shapes = agree_on_sets(ranks, {&set, 1});
    Plan who;
    const Space host = Space::where(MemoryKind::host);
    std::vector<Order> orders;
    orders.push_back({{host, "keys", std::span<const CurveKey>(order.keys)},
                      {host, "objects", std::span<const std::int64_t>(order.objects)}});
    time("plan", [&] { who = plan(ranks, splitters, std::move(orders)); });
    touched = bytes_touched(who.sets.front(), objects);
    const MoveReport report = move(ranks, {&set, 1}, shapes, who);
    moved = report.objects;
    for (const auto& [stage, seconds] : report.seconds) times[stage].push_back(1e3 * seconds);
  }
  if (ranks.rank() != 0) return;
  const double share = static_cast<double>(moved) / static_cast<double>(count * ranks.size());
  const auto time_of = [&](const char* what) { return median(times[what]); };
  const double pack = time_of("pack"), unpack = time_of("unpack"), copy = time_of("copy");
  // Leavers are copied into messages; stayers and arrivals are copied into new arrays.
  std::int64_t bytes = 0;
  for (const std::int64_t of_field : Objects::bytes_of_fields) bytes += of_field;
  const double bound = copy * static_cast<double>(touched) / static_cast<double>(2 * count * bytes);
  std::printf(
      "| %s | %s | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f | %.2f |\n",
      pattern_names[static_cast<std::size_t>(pattern)], Objects::name, 100 * share, time_of("plan"),
      time_of("reserve"), pack, time_of("transfer"), unpack, time_of("gather"), copy,
      100 * (1 + share) * copy / (pack + unpack), 100 * bound / (pack + unpack),
      (1 + share) * time_of("gather") / (pack + unpack));
  std::fflush(stdout);
}

void measure_all(std::int64_t objects, int repetitions) {
  const Communicator ranks = Communicator::world();
  const std::int64_t count = std::max<std::int64_t>(1, objects / ranks.size());
  if (ranks.rank() == 0)
    std::printf(
        "%lld objects on each of %d rank(s)\n\n"
        "| keys | objects | moved, %% | plan | reserve | pack | transfer | unpack | gather | "
        "memcpy "
        "| pack + unpack, %% of memcpy | %% of the lines' bound | x gather |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
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
  evenkeel::bench::measure_all(runtime.number<std::int64_t>(1, 4'000'000, 1000),
                               runtime.number(2, 5, 1));
  return 0;
}
