// From points in memory to the part of each, against Zoltan's geometric methods in the same run:
// the same objects and parts, barrier to barrier on the slowest rank, the peers in turns. Lambda is
// computed here, from the parts that each peer gave. docs/performance.md says how to read it.
//
//   mpirun -n 2 bench_against_zoltan [objects of all ranks] [repetitions]
//
// "from scratch": a rank has objects from anywhere (clouds.hpp). "after a drift": the clustered
// cloud in the order of the curve, each rank with its share of it, and then moved by drift().

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"
#include "zoltan_peer.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/evenkeel.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::bench {
namespace {

using clouds::Point;

constexpr double target_lambda = 1.001;

// --- evenkeel ------------------------------------------------------------------------------------

// What a rank has before the clock starts.
struct Given {
  std::vector<Point> points;
  std::optional<Box> box;      // kept from before
  std::vector<CurveKey> keys;  // of the points in that box
};

struct Laps {
  static constexpr std::array names = {"bounds", "keys", "cut", "owners"};
  std::array<double, names.size()> milliseconds = {};
};

class Evenkeel {
 public:
  Evenkeel(std::string name, Aim aim, bool keys_are_given)
      : name_(std::move(name)), aim_(aim), keys_are_given_(keys_are_given) {}
  const std::string& name() const { return name_; }
  std::span<const int> parts() const { return parts_; }
  const Laps& laps() const { return laps_; }

  // Room for keys and parts is the application's, and there before the clock starts.
  void prepare(const Given& given) {
    made_.resize(given.points.size());
    parts_.resize(given.points.size());
  }

  void partition(const Communicator& ranks, Given& given, int parts) {
    std::span<const CurveKey> keys = given.keys;
    Stopwatch watch;
    if (!keys_are_given_) {
      const Set objects = set(given.points);
      const Lattice lattice(3, enclose(given.box, bounds(space_, ranks, objects)), {});
      laps_.milliseconds[0] = 1e3 * watch.restart();
      write_keys(space_, lattice, objects, made_.data());
      space_.fence("evenkeel::bench::keys");
      keys = made_;
      laps_.milliseconds[1] = 1e3 * watch.restart();
    }
    const WeightedKeys weighted{keys, {}};
    const Cut cut = evenkeel::cut(ranks, {}, std::span(&weighted, 1),
                                  {.parts = parts, .target_lambda = target_lambda, .aim = aim_});
    laps_.milliseconds[2] = 1e3 * watch.restart();
    write_owners(space_, cut.splitters, keys.data(), std::ssize(keys), parts_.data());
    laps_.milliseconds[3] = 1e3 * watch.restart();
  }

 private:
  std::string name_;
  Aim aim_;
  bool keys_are_given_;
  Space space_ = Space::where(MemoryKind::host);
  std::vector<CurveKey> made_;
  std::vector<int> parts_;
  Laps laps_;
};

// --- Cases ---------------------------------------------------------------------------------------
Given from_scratch(const Communicator& ranks, clouds::Kind kind, std::int64_t objects) {
  const clouds::Share mine = clouds::share_of(objects, ranks.rank(), ranks.size());
  return {clouds::points_of(kind, mine.begin, mine.end), {}, {}};
}

// Each rank sorts the whole cloud for itself: points of one key stay in the order of the cloud.
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
  given.keys.resize(given.points.size());
  write_keys(space, lattice, set(given.points), given.keys.data());
  space.fence("evenkeel::bench::keys");
  return given;
}

// Collective. The heaviest part by the average.
double lambda_of(const Communicator& ranks, std::span<const int> part_of_object, int parts) {
  std::vector<std::int64_t> objects(static_cast<std::size_t>(parts));
  for (const int part : part_of_object) ++objects[static_cast<std::size_t>(part)];
  ranks.all_reduce(std::span(objects), Reduction::sum);
  std::int64_t sum = 0, most = 0;
  for (const std::int64_t count : objects) {
    sum += count;
    most = std::max(most, count);
  }
  return static_cast<double>(most) * parts / static_cast<double>(sum);
}

struct Row {
  std::string name;
  std::vector<double> milliseconds = {};
  double lambda = 0;
};

// Medians, and how many times the median and the least are those of evenkeel's rows.
void print(const std::vector<Row>& rows, std::size_t ours) {
  const auto least = [](const Row& row) {
    return *std::min_element(row.milliseconds.begin(), row.milliseconds.end());
  };
  for (const Row& row : rows) {
    const double time = median(row.milliseconds);
    std::printf("| %-27s | %8.2f | %8.2f | %8.6f |", row.name.c_str(), time, least(row),
                row.lambda);
    for (std::size_t o = 0; o < ours; ++o)
      std::printf(" %5.1f (%5.1f) |", time / median(rows[o].milliseconds),
                  least(row) / least(rows[o]));
    std::printf("\n");
  }
}

void compare(const Communicator& ranks, const char* title, Given& given, int parts,
             int repetitions) {
  std::vector<Evenkeel> ours;
  // Of keys that are nearly in order the nearest splitters cost less than any that will do.
  ours.emplace_back("evenkeel", given.keys.empty() ? Aim::target : Aim::nearest, false);
  if (!given.keys.empty()) ours.emplace_back("evenkeel, keys given", Aim::nearest, true);
  std::vector<std::unique_ptr<ZoltanPeer>> peers;
  const auto add_peer = [&](const char* name, const ZoltanPeer::Parameters& parameters) {
    peers.push_back(std::make_unique<ZoltanPeer>(name, parameters, "1.001"));
  };
  add_peer("Zoltan HSFC", {{"LB_METHOD", "HSFC"}});
  add_peer("Zoltan RCB", {{"LB_METHOD", "RCB"}});
  add_peer("Zoltan RIB", {{"LB_METHOD", "RIB"}});
  if (!given.keys.empty()) {
    add_peer("Zoltan HSFC, cuts kept", {{"LB_METHOD", "HSFC"}, {"KEEP_CUTS", "1"}});
    add_peer("Zoltan RCB, cuts used again",
             {{"LB_METHOD", "RCB"}, {"KEEP_CUTS", "1"}, {"RCB_REUSE", "1"}});
  }

  std::vector<Row> rows;
  rows.reserve(ours.size() + peers.size());
  for (const Evenkeel& one : ours) rows.push_back({one.name()});
  for (const auto& peer : peers) rows.push_back({peer->name()});
  std::array<std::vector<double>, Laps::names.size()> laps;
  for (int r = 0; r <= repetitions; ++r) {  // the first warms up
    auto row = rows.begin();
    const auto measure = [&](const auto& peer, const auto& work) {
      const double milliseconds = slowest_milliseconds(ranks, work);
      if (r > 0) row->milliseconds.push_back(milliseconds);
      row++->lambda = lambda_of(ranks, peer.parts(), parts);
    };
    for (Evenkeel& one : ours) {
      one.prepare(given);
      measure(one, [&] { one.partition(ranks, given, parts); });
    }
    for (std::size_t lap = 0; lap < laps.size(); ++lap)
      laps[lap].push_back(
          ranks.all_reduce(ours.front().laps().milliseconds[lap], Reduction::greatest));
    for (const auto& peer : peers) {
      peer->prepare(parts);
      measure(*peer, [&] { peer->partition(given.points); });
    }
  }

  const std::int64_t objects =
      ranks.all_reduce(static_cast<std::int64_t>(given.points.size()), Reduction::sum);
  if (ranks.rank() != 0) return;
  std::printf("\n%s, %lld objects, %d parts, %d rank(s); one object is %.6f of the average part\n",
              title, static_cast<long long>(objects), parts, ranks.size(),
              parts / static_cast<double>(objects));
  std::printf("evenkeel's stages:");
  for (std::size_t lap = 0; lap < laps.size(); ++lap)
    std::printf(" %s %.2f", Laps::names[lap], median(laps[lap]));
  std::printf("\n\n| %-27s | %8s | %8s | %8s | x evenkeel    |%s\n|---|---|---|---|---|%s\n", "",
              "ms", "least ms", "lambda", ours.size() > 1 ? " x keys given  |" : "",
              ours.size() > 1 ? "---|" : "");
  print(rows, ours.size());
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
  float version = 0;
  Zoltan_Initialize(argc, argv, &version);
  evenkeel::bench::measure(runtime.number(1, 2'000'000, 1000),
                           static_cast<int>(runtime.number(2, 5, 1)));
  return 0;
}
