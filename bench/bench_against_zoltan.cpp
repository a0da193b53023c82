// Finds the part of each point in memory, by evenkeel and by Zoltan's geometric methods in turns,
// in the same run, with the same objects and parts. Times are from barrier to barrier on the
// slowest rank. This program computes lambda itself, from the parts of each method.
// docs/performance.md says how to read the table.
//
//   mpirun -n 2 bench_against_zoltan [objects of all ranks] [repetitions]
//
// In "from scratch", the objects of a rank are anywhere in the cloud (clouds.hpp). In "after a
// drift", each rank has its share of the clustered cloud in the order of the curve, which drift()
// has then moved.

#include "runtime.hpp"
#include "ways.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/order.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Point;

constexpr double target_lambda = 1.001;

// --- evenkeel ------------------------------------------------------------------------------------

// The data of a rank before the clock starts.
struct Given {
  std::vector<Point> points;
  std::optional<Box> box;      // kept from an earlier cut
  std::vector<CurveKey> keys;  // of the points in that box
};

constexpr std::array names_of_laps = {"bounds", "keys", "cut", "owners"};

class Evenkeel {
 public:
  Evenkeel(Aim aim, bool keys_are_given) : aim_(aim), keys_are_given_(keys_are_given) {}
  // Milliseconds of one stage in each call.
  std::vector<double>& lap(std::size_t which) { return laps_[which]; }

  // The application owns the memory for keys and parts, and allocates it before the clock starts.
  void prepare(const Given& given) {
    made_.resize(given.points.size());
    parts_.resize(given.points.size());
  }

  std::span<const int> partition(const Communicator& ranks, Given& given, int parts) {
    std::span<const CurveKey> keys = given.keys;
    Stopwatch watch;
    const auto end_lap = [&](std::size_t which) { laps_[which].push_back(1e3 * watch.restart()); };
    if (!keys_are_given_) {
      const Set objects = set(given.points);
      const Lattice lattice(3, enclose(given.box, bounds(space_, ranks, objects)), {});
      end_lap(0);
      write_keys(space_, lattice, objects, made_.data());
      space_.fence("evenkeel::bench::keys");
      keys = made_;
      end_lap(1);
    }
    const WeightedKeys weighted{keys, {}};
    const Cut cut = evenkeel::cut(ranks, std::span(&weighted, 1),
                                  {.parts = parts, .target_lambda = target_lambda, .aim = aim_});
    end_lap(2);
    write_owners(space_, cut.splitters, keys.data(), std::ssize(keys), parts_.data());
    end_lap(3);
    return parts_;
  }

 private:
  Aim aim_;
  bool keys_are_given_;
  Space space_ = Space::where(MemoryKind::host);
  std::vector<CurveKey> made_;
  std::vector<int> parts_;
  std::array<std::vector<double>, names_of_laps.size()> laps_;
};

// --- Cases ---------------------------------------------------------------------------------------
Given from_scratch(const Communicator& ranks, clouds::Kind kind, std::int64_t objects) {
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  return {clouds::points_of(kind, mine.begin, mine.end), {}, {}};
}

// Each rank sorts the whole cloud itself, so points with equal keys keep the order of the cloud.
Given after_drift(const Communicator& ranks, clouds::Kind kind, std::int64_t objects) {
  const Space space = Space::where(MemoryKind::host);
  std::vector<Point> all = clouds::points_of(kind, 0, objects);
  Given given;
  given.box = enclose({}, bounds(space, ranks, set(all)));
  const Lattice lattice(3, *given.box, {});
  const std::vector<std::int64_t> sorted = order(space, lattice, set(all)).objects.on_host();
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  for (std::int64_t i = mine.begin; i < mine.end; ++i)
    given.points.push_back(all[static_cast<std::size_t>(sorted[static_cast<std::size_t>(i)])]);
  clouds::drift(given.points, mine.begin);
  given.keys = keys_of(lattice, given.points);
  return given;
}

// Prints the median of each way. Also prints the ratios of its median and of its least time to
// those of evenkeel's ways.
void print(const std::vector<Way>& ways, std::size_t ours) {
  const auto least = [](const Way& way) { return std::ranges::min(way.milliseconds); };
  for (const Way& way : ways) {
    const double time = median(way.milliseconds);
    std::printf("| %-27s | %8.2f | %8.2f | %8.6f |", way.name.c_str(), time, least(way),
                way.lambda);
    for (std::size_t o = 0; o < ours; ++o)
      std::printf(" %5.1f (%5.1f) |", time / median(ways[o].milliseconds),
                  least(way) / least(ways[o]));
    std::printf("\n");
  }
}

void compare(const Communicator& ranks, const char* title, Given& given, int parts,
             int repetitions) {
  const bool has_keys = !given.keys.empty();
  // If keys are nearly in order, exact splitters cost less than any splitters within the target.
  Evenkeel whole(has_keys ? Aim::nearest : Aim::target, false), of_keys(Aim::nearest, true);
  std::vector<Way> ways;
  const auto add_ours = [&](const char* name, Evenkeel& one) {
    ways.push_back({name, [&] { one.prepare(given); },
                    [&, parts] { return one.partition(ranks, given, parts); }});
  };
  const auto add_peer = [&](const char* name, const Zoltan::Parameters& parameters) {
    ways.push_back(way_of_zoltan(name, parameters, "1.001", given.points, parts));
  };
  add_ours("evenkeel", whole);
  if (has_keys) add_ours("evenkeel, keys given", of_keys);
  const std::size_t ours = ways.size();
  add_peer("Zoltan HSFC", {{"LB_METHOD", "HSFC"}});
  add_peer("Zoltan RCB", {{"LB_METHOD", "RCB"}});
  add_peer("Zoltan RIB", {{"LB_METHOD", "RIB"}});
  if (has_keys) {
    add_peer("Zoltan HSFC, cuts kept", {{"LB_METHOD", "HSFC"}, {"KEEP_CUTS", "1"}});
    add_peer("Zoltan RCB, cuts used again",
             {{"LB_METHOD", "RCB"}, {"KEEP_CUTS", "1"}, {"RCB_REUSE", "1"}});
  }
  take_turns(ranks, ways, parts, repetitions);

  for (std::size_t lap = 0; lap < names_of_laps.size(); ++lap)
    ranks.all_reduce(std::span(whole.lap(lap)), Reduction::greatest);
  const std::int64_t objects =
      ranks.all_reduce(static_cast<std::int64_t>(given.points.size()), Reduction::sum);
  if (ranks.rank() != 0) return;
  std::printf("\n%s, %lld objects, %d parts, %d rank(s); one object is %.6f of the average part\n",
              title, static_cast<long long>(objects), parts, ranks.size(),
              parts / static_cast<double>(objects));
  std::printf("evenkeel's stages:");
  for (std::size_t lap = 0; lap < names_of_laps.size(); ++lap)
    std::printf(" %s %.2f", names_of_laps[lap], median(whole.lap(lap)));
  std::printf("\n\n| %-27s | %8s | %8s | %8s | x evenkeel    |%s\n|---|---|---|---|---|%s\n", "",
              "ms", "least ms", "lambda", has_keys ? " x keys given  |" : "",
              has_keys ? "---|" : "");
  print(ways, ours);
  std::fflush(stdout);
}

void measure(std::int64_t objects, int repetitions) {
  const Communicator ranks = Communicator::world();
  for (const clouds::Kind kind : {clouds::Kind::uniform, clouds::Kind::clustered}) {
    Given given = from_scratch(ranks, kind, objects);
    for (const int parts : {64, 1024}) compare(ranks, name_of(kind), given, parts, repetitions);
  }
  Given given = after_drift(ranks, clouds::Kind::clustered, objects);
  for (const int parts : {64, 1024})
    compare(ranks, "clustered, after a drift", given, parts, repetitions);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure(runtime.number<std::int64_t>(1, 2'000'000, 1000),
                           runtime.number(2, 5, 1));
  return 0;
}
