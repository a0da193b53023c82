// Compares the domains of all methods that place by position, on several clouds: the table by which
// users choose a method. One process places the objects of `parts` ranks.
//
//   bench_methods [objects] [parts] [rebalances] [method]
//
//   lambda      heaviest part / average part: from scratch, and the greatest of the rebalances
//   ghosts      per object: copies that a halo along the axes sends to other parts. Its width is
//               0.3 of the side of a cube with the average volume of a part
//   most        the same for the part that receives most, in units of the average part
//   neighbours  of a part, on average
//   moved       share of the objects that change their part in a rebalance, as a multiple of the
//               least share: the sum of what parts hold above the average. The objects weigh 1;
//               near a hot spot, which moves through the cloud, up to 10
//   time        of a placement from scratch, and of a rebalance, in milliseconds
//
// Clouds of the first half have been used to choose constants of the methods, those of the second
// half have not.

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/place/choice.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Point;
using clouds::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// --- Clouds --------------------------------------------------------------------------------------

Point near(Random& random, const Point& centre, double deviation) {
  Point point;
  do {
    point = centre;
    clouds::step(point, random, deviation);
  } while (std::ranges::any_of(point, [](double place) { return place < 0 || place >= 1; }));
  return point;
}

struct Cloud {
  const char* name;
  bool is_apart;  // not used to choose constants
  Point (*point)(Random& random);
};

constexpr Cloud all_clouds[] = {
    {"uniform", false, [](Random& random) { return random.point(); }},
    {"gauss", false,
     [](Random& random) {
       return near(random, {0.5, 0.5, 0.5}, 0.12);
     }},
    {"twin", false,
     [](Random& random) {
       const bool is_first = random.uniform() < 0.5;
       return is_first ? near(random, {0.3, 0.3, 0.3}, 0.03) : near(random, {0.7, 0.7, 0.7}, 0.08);
     }},
    {"shell", false,
     [](Random& random) {
       Point way = {random.gaussian(), random.gaussian(), random.gaussian()};
       const double length = std::hypot(way[0], way[1], way[2]);
       const double radius = 0.4 + 0.005 * random.gaussian();
       for (double& along : way) along = 0.5 + along / length * radius;
       return way;
     }},
    {"disc", true,
     [](Random& random) {
       const double angle = 2 * std::numbers::pi * random.uniform();
       const double radius = 0.4 * std::sqrt(random.uniform());
       return Point{0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle),
                    std::clamp(0.5 + 0.01 * random.gaussian(), 0.0, 0.999)};
     }},
    {"blobs", true,
     [](Random& random) {
       const auto blob = static_cast<int>(12 * random.uniform());
       const Point centre = Random(7, blob).point();
       return near(random, centre, 0.01 + 0.01 * blob);
     }},
    {"helix", true,
     [](Random& random) {
       const double turn = random.uniform(), angle = 8 * std::numbers::pi * turn;
       return near(random,
                   {0.5 + 0.35 * std::cos(angle), 0.5 + 0.35 * std::sin(angle), 0.1 + 0.8 * turn},
                   0.008);
     }},
    {"slope", true,
     [](Random& random) {
       Point point = random.point();
       point[0] = point[0] * point[0] * point[0];
       return point;
     }},
};

// --- Measures ------------------------------------------------------------------------------------

struct Objects {
  std::vector<Point> places;
  std::vector<double> weights;
};

// Places objects of one process.
struct Placing {
  Communicator self = Communicator::self();
  Method method;
  int parts;

  FreshCut of(Objects& objects, const Domains& last) const {
    const Set all = set(objects.places);
    const std::span<const double> weights = objects.weights;
    const PlaceOptions options = {.method = method};
    const PreparedToCut ready = prepare_to_cut(Status(), {&all, 1}, {3, unit, false}, options);
    return cut_anew(self, Status(), ready, Weights(&weights, 1), {.parts = parts}, last);
  }
};

std::vector<int> parts_of_objects(const Domains& domains, Objects& objects) {
  std::vector<int> parts(objects.places.size());
  write_parts(Space::where(MemoryKind::host), domains, set(objects.places), parts.data());
  return parts;
}

// Looks at every tenth object.
double ghosts_along_axes(const Domains& domains, const Objects& objects,
                         const std::vector<int>& part_of, double width) {
  double seen = 0, copies = 0;
  for (std::size_t i = 0; i < part_of.size(); i += 10, ++seen) {
    const Point& place = objects.places[i];
    for (const int rank : ranks_within(domains, {place, place}, width))
      copies += rank != part_of[i] ? 1 : 0;
  }
  return copies / seen;
}

// The objects in each cube of a lattice through the unit cube.
class Cubes {
 public:
  Cubes(const std::vector<Point>& places, double side)
      : places_(places), side_(side), along_(static_cast<int>(1 / side) + 1) {
    for (std::size_t i = 0; i < places.size(); ++i) in_[number(cube_of(places[i]))].push_back(i);
  }
  // Calls visit(object) for each object at most a side away.
  template <class Visit>
  void for_each_near(const Point& place, const Visit& visit) const {
    const std::array<int, 3> cube = cube_of(place);
    for (int code = 0; code < 27; ++code) {
      const auto found = in_.find(
          number({cube[0] + code % 3 - 1, cube[1] + code / 3 % 3 - 1, cube[2] + code / 9 - 1}));
      if (found == in_.end()) continue;
      for (const std::size_t other : found->second) {
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d)
          square += (places_[other][d] - place[d]) * (places_[other][d] - place[d]);
        if (square <= side_ * side_) visit(other);
      }
    }
  }

 private:
  std::array<int, 3> cube_of(const Point& place) const {
    std::array<int, 3> cube;
    for (std::size_t d = 0; d < 3; ++d) cube[d] = static_cast<int>(place[d] / side_);
    return cube;
  }
  std::int64_t number(const std::array<int, 3>& cube) const {
    const std::int64_t row = along_ + 2;
    return ((cube[2] + 1) * row + cube[1] + 1) * row + cube[0] + 1;
  }
  const std::vector<Point>& places_;
  double side_;
  int along_;
  std::map<std::int64_t, std::vector<std::size_t>> in_;
};

// Looks at every hundredth object.
double ghosts_in_a_straight_line(const Cubes& cubes, const Objects& objects,
                                 const std::vector<int>& part_of, int parts) {
  double seen = 0, copies = 0;
  std::vector<std::size_t> last(static_cast<std::size_t>(parts), part_of.size());
  for (std::size_t i = 0; i < part_of.size(); i += 100, ++seen)
    cubes.for_each_near(objects.places[i], [&](std::size_t other) {
      std::size_t& seen_from = last[static_cast<std::size_t>(part_of[other])];
      if (part_of[other] == part_of[i] || seen_from == i) return;
      seen_from = i;
      ++copies;
    });
  return copies / seen;
}

double neighbours_of_each(const Domains& domains) {
  double sum = 0;
  for (int part = 0; part < parts_of(domains); ++part)
    sum += static_cast<double>(neighbours_of(domains, part).size());
  return sum / parts_of(domains);
}

// Moves a hot spot through the cloud, from the first object to the second one.
void weigh(Objects& objects, double way) {
  const Point from = objects.places[0], to = objects.places[1];
  for (std::size_t i = 0; i < objects.places.size(); ++i) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double away = objects.places[i][d] - (from[d] + way * (to[d] - from[d]));
      square += away * away;
    }
    objects.weights[i] = 1 + 9 * std::exp(-square / (2 * 0.1 * 0.1));
  }
}

struct Moves {
  double times_least = 0, worst_lambda = 1, milliseconds = 0;
};
Moves moves_of(const Placing& placing, Objects objects, int rebalances) {
  double moved = 0, least = 0, seconds = 0, worst_lambda = 1;
  weigh(objects, 0);
  Domains last = placing.of(objects, {}).domains;
  std::vector<int> before = parts_of_objects(last, objects);
  for (int step = 1; step <= rebalances; ++step) {
    weigh(objects, static_cast<double>(step) / rebalances);
    std::vector<double> loads(static_cast<std::size_t>(placing.parts));
    double all = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      loads[static_cast<std::size_t>(before[i])] += objects.weights[i];
      all += objects.weights[i];
    }
    for (const double load : loads) least += std::max(0.0, load - all / placing.parts);
    const Stopwatch watch;
    FreshCut cut = placing.of(objects, last);
    seconds += watch.seconds();
    worst_lambda = std::max(worst_lambda, cut.lambda);
    last = std::move(cut.domains);
    const std::vector<int> now = parts_of_objects(last, objects);
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != before[i]) moved += objects.weights[i];
    before = now;
  }
  return {moved / least, worst_lambda, 1e3 * seconds / rebalances};
}

// How well the choice of a method from a sample fares: the step under the domains that the chosen
// method makes of all objects, with all their ghosts, against that of the best method. A ghost
// costs a tenth of an object, or as much as an object.
void choose(const Cloud& cloud, Objects& objects, int parts, double width) {
  const Communicator self = Communicator::self();
  const Set all = set(objects.places);
  const std::span<const double> weights = objects.weights;
  const Region region = {3, unit, false};
  const auto forecasts_by = [&](double sampled_per_part, double ghost) {
    const MethodTrial trial(self, Status(), {&all, 1}, region, {}, Weights(&weights, 1), parts,
                            sampled_per_part);
    std::vector<MethodForecast> forecasts;
    forecasts.reserve(method_candidates.size());
    for (const Method& method : method_candidates)
      forecasts.push_back(trial.forecast(method, {.halo = width, .ghost = ghost}, {}));
    return forecasts;
  };
  for (const double ghost : {0.1, 1.0}) {
    const Stopwatch watch;
    const std::size_t chosen = best_of(forecasts_by(512, ghost), -1);
    const double seconds = watch.seconds();
    const auto exact = forecasts_by(1e9, ghost);
    const double best = exact[best_of(exact, -1)].step;
    std::printf("| %s%s | auto, a ghost costs %.1f: %s | its step / the best: %.3f | %.0f ms |\n",
                cloud.name, cloud.is_apart ? " (apart)" : "", ghost,
                to_text(exact[chosen].method).c_str(), exact[chosen].step / best, 1e3 * seconds);
  }
}

void measure(const Cloud& cloud, std::int64_t count, int parts, int rebalances,
             std::string_view only) {
  Objects objects;
  for (std::int64_t i = 0; i < count; ++i) {
    Random random(11, i);
    objects.places.push_back(cloud.point(random));
  }
  objects.weights.assign(objects.places.size(), 1);
  const double width = 0.3 / std::cbrt(parts);
  const Cubes cubes(objects.places, width);
  for (const Method& method : {Method(Hilbert{}), Method(Morton{}), Method(Staggered{}),
                               Method(RecursiveBisection{}), Method(Voronoi{}), Method(Mesh{})}) {
    if (!only.empty() && to_text(method) != only) continue;
    const Placing placing{.method = method, .parts = parts};
    FreshCut cut;
    const double time = std::ranges::min(
        repeated_milliseconds(placing.self, 3, [&] { cut = placing.of(objects, {}); }));
    const std::vector<int> part_of = parts_of_objects(cut.domains, objects);
    const double ghosts = ghosts_along_axes(cut.domains, objects, part_of, width);
    const double straight = ghosts_in_a_straight_line(cubes, objects, part_of, parts);
    const Moves moves = moves_of(placing, objects, rebalances);
    std::printf("| %s%s | %s | %.3f, %.3f | %.2f | %.2f | %.1f | %.1f | %.0f, %.0f |\n", cloud.name,
                cloud.is_apart ? " (apart)" : "", to_text(method).c_str(), cut.lambda,
                moves.worst_lambda, ghosts, straight, neighbours_of_each(cut.domains),
                moves.times_least, time, moves.milliseconds);
    std::fflush(stdout);
  }
  if (only.empty()) choose(cloud, objects, parts, width);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const auto objects = runtime.number<std::int64_t>(1, 300'000, 2);
  const int parts = runtime.number(2, 64, 1), rebalances = runtime.number(3, 20, 1);
  std::printf("%lld objects, %d parts\n\n", static_cast<long long>(objects), parts);
  std::printf("| cloud | method | lambda | ghosts | straight | neighbours | moved | time |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const auto& cloud : evenkeel::bench::all_clouds)
    evenkeel::bench::measure(cloud, objects, parts, rebalances, argc > 4 ? argv[4] : "");
}
