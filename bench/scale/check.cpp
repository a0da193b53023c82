#include "check.hpp"

#include "../points.hpp"
#include "protocols.hpp"
#include "recording.hpp"
#include "stages.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/weights/extract.hpp>
#include <evenkeel/extras/nodes.hpp>

#include <mpi.h>

#include <map>
#include <random>
#include <utility>

namespace evenkeel::scale {

namespace {

using bench::unit_box;
using clouds::Point;

struct Objects {
  std::vector<Point> position;
  std::vector<double> weight;
};

Objects scattered(int rank, std::int64_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  Objects objects;
  for (std::int64_t i = 0; i < count; ++i) {
    objects.position.push_back({uniform(random), uniform(random), uniform(random)});
    objects.weight.push_back(1 + uniform(random));
  }
  return objects;
}

// The objects of all ranks, one rank after the other.
Objects all_of(const Communicator& ranks, const Objects& mine) {
  Objects all;
  all.position = ranks.all_gather(std::span<const Point>(mine.position)).values;
  all.weight = ranks.all_gather(std::span<const double>(mine.weight)).values;
  return all;
}

// The changes of the application between two rebalances.
void make_heavier(Objects& objects, double where) {
  for (std::size_t i = 0; i < objects.position.size(); ++i)
    objects.weight[i] *= std::ranges::min(objects.position[i]) > where ? 9 : 1;
}
void drift(Objects& objects) {
  for (Point& place : objects.position) place[1] = 0.9 * place[1] + 0.04;
}

// The calls of a recorded rebalance, and its traffic.
struct Rebalanced {
  Calls made;
  Traffic traffic;
};

class Run {
  auto carried() { return carry(objects_.weight); }

 public:
  Run(const Communicator& world, const Method& method, std::int64_t count)
      : world_(world),
        balancer_(MPI_COMM_WORLD, {.method = method,
                                   .trigger = Never{},
                                   .box = unit_box,
                                   .deterministic = true,
                                   .watcher = false,
                                   .log = LogLevel::off}),
        objects_(scattered(world.rank(), count)) {}

  Objects& objects() { return objects_; }
  Balancer& balancer() { return balancer_; }

  Rebalanced rebalance() {
    Rebalanced done;
    const std::vector<Point> before = objects_.position;
    MoveReport report;
    done.made = recorded([&] {
      report = balancer_.rebalance(objects_.position, carried(), {.weight = objects_.weight});
    });
    done.traffic = traffic_of(before, report);
    return done;
  }

  // The calls of several whole looks.
  Calls look(std::size_t of_each) {
    Calls made;
    for (int step = 0; step < 40 || made.size() % of_each != 0; ++step) {
      { const auto timed = kernel_.time(); }
      append(made, recorded([&] {
               balancer_.step(objects_.position, carried(), {.weight = objects_.weight});
             }));
    }
    return made;
  }

 private:
  // The traffic to each other rank, by the new domains.
  Traffic traffic_of(const std::vector<Point>& before, const MoveReport& report) {
    std::map<int, std::int64_t> leaving;
    for (const Point& place : before) {
      const int owner = owner_of(balancer_.domains(), place);
      if (owner != world_.rank()) ++leaving[owner];
    }
    Traffic traffic;
    for (const auto& [rank, objects] : leaving) traffic.objects.push_back(objects);
    traffic.bytes_of_fields = {sizeof(Point), sizeof(double)};
    traffic.is_any = report.objects > 0;
    return traffic;
  }

  const Communicator& world_;
  Balancer balancer_;
  Kernel kernel_ = balancer_.kernel("work");
  Objects objects_;
};

// --- Along a curve -------------------------------------------------------------------------------

std::vector<CurveKey> keys_of(Objects& objects) {
  return bench::keys_of(Lattice(3, unit_box, {}), objects.position);
}

Calls search_of(Objects all, int parts) {
  const std::vector<CurveKey> keys = keys_of(all);
  const WeightedKeys weighted = {keys, all.weight};
  return search(std::span(&weighted, 1), parts).calls;
}

// Finds whether the stretches of the curve that ranks own follow one another once each rank has
// sorted its own objects.
Lie lie_once_sorted(const Communicator& world, Objects& mine) {
  const std::vector<CurveKey> keys = keys_of(mine);
  const auto all = world.all_gather(std::span<const CurveKey>(keys));
  bool rises = true;
  std::int64_t before = -1;
  for (int rank = 0; rank < world.size(); ++rank) {
    if (all.of_rank(rank).empty()) continue;
    const auto [least, greatest] =
        std::minmax_element(all.of_rank(rank).begin(), all.of_rank(rank).end());
    rises = rises && before < static_cast<std::int64_t>(least->value);
    before = static_cast<std::int64_t>(greatest->value);
  }
  return rises ? Lie::in_order : Lie::strayed;
}

// The objects that a survey takes from each rank.
Objects extract_of(Objects& mine) {
  constexpr std::int64_t most = 1024;
  const Set all = set(mine.position, {}, {.weight = mine.weight});
  const Extract extract = extract_by_weight(Space::where(MemoryKind::host), all, most);
  Objects some;
  for (const std::int64_t object : extract.objects)
    some.position.push_back(mine.position[static_cast<std::size_t>(object)]);
  some.weight = extract.weights;
  return some;
}

// A look begins with a survey as long as surveys take no time. `is_sorted` is true if the objects
// of each rank are sorted.
void compare_looks(const Communicator& world, Run& run, bool is_sorted,
                   std::vector<Compared>& compared) {
  Objects some = extract_of(run.objects());
  const Lie lie = is_sorted ? lie_once_sorted(world, some) : Lie::anyhow;
  const Calls search = search_of(all_of(world, some), world.size());
  Calls each = survey(world.size(), lie, search);
  append(each, look());
  const Calls made = run.look(each.size());
  Calls predicted;
  while (predicted.size() < made.size()) append(predicted, each);
  compared.push_back(
      {is_sorted ? "looks, objects sorted" : "looks, objects in any order", predicted, made});
}

void compare_curve(const Communicator& world, std::vector<Compared>& compared) {
  constexpr std::int64_t count = 2000;
  const int ranks = world.size();
  Run run(world, Hilbert{}, count);
  const auto compare = [&](const std::string& name, bool has_last, bool is_kept) {
    CurveCut how = {lie_once_sorted(world, run.objects()), has_last, is_kept, {}};
    how.search = search_of(all_of(world, run.objects()), ranks);
    const Rebalanced done = run.rebalance();
    const char* lies = how.lie == Lie::in_order ? ", in order" : ", strayed";
    compared.push_back(
        {"curve, " + name + lies, rebalance(place_on_curve(ranks, how), done.traffic), done.made});
  };
  compare("first", false, false);
  compare("same", true, true);
  make_heavier(run.objects(), 0.5);
  compare("heavier", true, false);
  drift(run.objects());
  make_heavier(run.objects(), 0.3);
  compare("heavier again", true, false);
  compare_looks(world, run, true, compared);
  std::ranges::reverse(run.objects().position);
  std::ranges::reverse(run.objects().weight);
  compare_looks(world, run, false, compared);
  run.balancer().finish();
}

// --- Among nodes, then among the ranks of each ---------------------------------------------------

void compare_nodes(const Communicator& world, std::vector<Compared>& compared) {
  constexpr std::int64_t count = 3000;
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() / 2, world.rank(), &pair);
  const Communicator node(pair);
  MPI_Comm_free(&pair);
  const Nodes nodes = nodes_of(world, node);
  Objects mine = scattered(world.rank(), count), all = all_of(world, mine);
  const std::vector<CurveKey> keys = keys_of(mine), all_keys = keys_of(all);
  const WeightedKeys weighted = {keys, mine.weight}, all_weighted = {all_keys, all.weight};
  NodeCut how;
  how.ranks = world.size();
  how.ranks_of_node = node.size();
  const Searched among = search(std::span(&all_weighted, 1), nodes.count(), nodes.first_ranks);
  how.among = among.calls;
  std::map<int, std::int64_t> elsewhere;
  for (const CurveKey key : keys) ++elsewhere[owner_of(among.splitters, key)];
  elsewhere.erase(nodes.here);
  for (const auto& [to, items] : elsewhere) how.items.push_back(items);
  Objects here;
  for (std::size_t i = 0; i < all_keys.size(); ++i)
    if (owner_of(among.splitters, all_keys[i]) == nodes.here) {
      here.position.push_back(all.position[i]);
      here.weight.push_back(all.weight[i]);
    }
  how.within = search_of(here, node.size());
  const Calls made = recorded([&] {
    static_cast<void>(evenkeel::cut_by_nodes(world, node, nodes, std::span(&weighted, 1)));
  });
  compared.push_back({"nodes, then ranks", cut_by_nodes(how).all(), made});
}

// --- In boxes ------------------------------------------------------------------------------------

void compare_boxes(const Communicator& world, const char* name, const Method& method,
                   std::vector<Compared>& compared) {
  constexpr std::int64_t count = 2000;
  constexpr double target = 1.05;  // the usual one
  Run run(world, method, count);
  const auto compare = [&](const std::string& when, BoxesPlaced how) {
    Objects all = all_of(world, run.objects());
    if (!how.is_kept)
      how.cut = cut_boxes(method, all.position, all.weight, world.size(), target,
                          run.balancer().domains())
                    .calls;
    const Rebalanced done = run.rebalance();
    compared.push_back({name + (", " + when),
                        rebalance(place_in_boxes(world.size(), how), done.traffic), done.made});
  };
  compare("first", {});
  make_heavier(run.objects(), 0.5);
  compare("heavier", {.has_last = true});
  run.balancer().finish();
}

}  // namespace

bool Compared::agree() const {
  if (collectives_of(predicted) != collectives_of(made)) return false;
  for (const CallKind kind : {CallKind::note, CallKind::message}) {
    const auto of_kind = [kind](const Calls& calls) {
      std::pair<std::int64_t, std::int64_t> sums;
      for (const Call& call : calls)
        if (call.kind == kind) sums = {sums.first + 1, sums.second + call.bytes};
      return sums;
    };
    if (of_kind(predicted) != of_kind(made)) return false;
  }
  return true;
}

std::vector<Compared> compare_with_library(const Communicator& world) {
  std::vector<Compared> compared;
  compare_curve(world, compared);
  compare_nodes(world, compared);
  compare_boxes(world, "staggered", Staggered{}, compared);
  compare_boxes(world, "tensor", Tensor{}, compared);
  compare_boxes(world, "bisection", RecursiveBisection{}, compared);
  return compared;
}

}  // namespace evenkeel::scale
