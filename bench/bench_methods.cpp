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
// Clouds of the first half, of all in clouds.hpp, have been used to choose constants of the
// methods; those of the second half ("apart") have not.

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
namespace densities = clouds::densities;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr std::array<clouds::Density, 8> all_clouds = {
    {densities::uniform, densities::gauss, densities::twin, densities::shell, densities::disc,
     densities::blobs, densities::helix, densities::slope}};

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
void choose(const std::string& cloud, Objects& objects, int parts, double width) {
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
    std::printf("| %s | auto, a ghost costs %.1f: %s | its step / the best: %.3f | %.0f ms |\n",
                cloud.c_str(), ghost, to_text(exact[chosen].method).c_str(),
                exact[chosen].step / best, 1e3 * seconds);
  }
}

void measure(const clouds::Density& density, bool is_apart, std::int64_t count, int parts,
             int rebalances, std::string_view only) {
  Objects objects;
  const std::string cloud = std::string(density.name) + (is_apart ? " (apart)" : "");
  objects.places = density.points(11, count);
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
    std::printf("| %s | %s | %.3f, %.3f | %.2f | %.2f | %.1f | %.1f | %.0f, %.0f |\n",
                cloud.c_str(), to_text(method).c_str(), cut.lambda, moves.worst_lambda, ghosts,
                straight, neighbours_of_each(cut.domains), moves.times_least, time,
                moves.milliseconds);
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
  for (std::size_t i = 0; i < evenkeel::bench::all_clouds.size(); ++i)
    evenkeel::bench::measure(evenkeel::bench::all_clouds[i], i >= 4, objects, parts, rebalances,
                             argc > 4 ? argv[4] : "");
}
