// Finds the best penalty of a shift, in serial worlds of 2 to 128 parts, in which one region of the
// curve costs twice its weights. For each penalty, it prints the number of worlds in which lambda
// did not reach 1.03 within 8 rounds. For the other worlds, it prints the rounds until lambda
// reached 1.03, and the share of the objects that moved until then.
//
//   bench_shift_penalty [noise of measured loads in permille]

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

using Numbers = std::vector<double>;
using Offsets = std::vector<std::size_t>;

Numbers summed(const Numbers& values) {
  Numbers sums(values.size() + 1);
  std::partial_sum(values.begin(), values.end(), sums.begin() + 1);
  return sums;
}

std::size_t nearest(const Numbers& sums, double sought) {
  const auto above =
      static_cast<std::size_t>(std::lower_bound(sums.begin(), sums.end(), sought) - sums.begin());
  if (above == 0) return 0;
  if (above == sums.size()) return above - 1;
  return sought - sums[above - 1] <= sums[above] - sought ? above - 1 : above;
}

struct World {
  Numbers weights, costs;
  std::size_t parts;

  World(std::size_t of_parts, std::mt19937_64& random) : parts(of_parts) {
    const std::size_t count = parts < 64 ? 1000 * parts : 40'000;
    std::uniform_real_distribution<double> share(0, 1);
    for (std::size_t i = 0; i < count; ++i) weights.push_back(share(random) < 0.5 ? 1 : 3);
    costs = weights;
    const auto begin = static_cast<std::size_t>(share(random) * static_cast<double>(count));
    const double length = (0.03 + 0.47 * share(random)) * static_cast<double>(count);
    const std::size_t end = std::min(count, begin + static_cast<std::size_t>(length));
    for (std::size_t i = begin; i < end; ++i) costs[i] *= 2;
  }

  Numbers loads(const Offsets& offsets, const Numbers& cost_before) const {
    Numbers loads;
    const double average = cost_before.back() / static_cast<double>(parts);
    for (std::size_t p = 0; p < parts; ++p)
      loads.push_back((cost_before[offsets[p + 1]] - cost_before[offsets[p]]) / average);
    return loads;
  }

  // See extras/string.hpp.
  Offsets shifted(const Offsets& offsets, const Numbers& loads, double penalty) const {
    Numbers measured(weights.size());
    for (std::size_t p = 0; p < parts; ++p) {
      double weight = 0;
      for (std::size_t i = offsets[p]; i < offsets[p + 1]; ++i) weight += weights[i];
      for (std::size_t i = offsets[p]; i < offsets[p + 1]; ++i)
        measured[i] = loads[p] * weights[i] / weight;
    }
    const Numbers before = summed(measured);
    Offsets next = offsets;
    for (std::size_t p = 1; p < parts; ++p) {
      const double here = before[offsets[p]];
      next[p] = nearest(before, here - (here - static_cast<double>(p)) / penalty);
    }
    return next;
  }
};

double moved_between(const Offsets& from, const Offsets& to) {
  double moved = 0;
  for (std::size_t p = 0; p + 1 < to.size(); ++p) {
    const std::size_t begin = std::max(from[p], to[p]), end = std::min(from[p + 1], to[p + 1]);
    moved += static_cast<double>(to[p + 1] - to[p] - (end > begin ? end - begin : 0));
  }
  return moved / static_cast<double>(to.back());
}

struct Course {
  int rounds = -1;  // until lambda was at most 1.03
  double moved = 0;
};

Course course_of(const World& world, double penalty, double noise, std::mt19937_64& random) {
  const Numbers cost_before = summed(world.costs), weight_before = summed(world.weights);
  Offsets offsets;
  for (std::size_t p = 0; p <= world.parts; ++p)
    offsets.push_back(nearest(weight_before, weight_before.back() * static_cast<double>(p) /
                                                 static_cast<double>(world.parts)));
  std::normal_distribution<double> off(0, noise > 0 ? noise : 1);
  Course course;
  for (int round = 0; round <= 8; ++round) {
    Numbers loads = world.loads(offsets, cost_before);
    if (*std::max_element(loads.begin(), loads.end()) <= 1.03) {
      course.rounds = round;
      return course;
    }
    double sum = 0;
    for (double& load : loads) sum += load *= noise > 0 ? 1 + off(random) : 1;
    for (double& load : loads) load *= static_cast<double>(world.parts) / sum;
    const Offsets next = world.shifted(offsets, loads, penalty);
    course.moved += moved_between(offsets, next);
    offsets = next;
  }
  return course;
}

}  // namespace

int main(int argc, char** argv) {
  const double noise = argc > 1 ? std::atof(argv[1]) / 1000 : 0;
  std::printf("%8s %8s %12s %12s %8s\n", "penalty", "failed", "rounds, mean", "rounds, most",
              "moved");
  for (const double penalty : {1.0, 1.1, 1.25, 1.5, 2.0}) {
    std::mt19937_64 random(7);
    int worlds = 0, reached = 0, most = 0;
    double rounds = 0, moved = 0;
    for (const std::size_t parts : {2U, 3U, 5U, 8U, 32U, 128U})
      for (int turn = 0; turn < 30; ++turn, ++worlds) {
        const World world(parts, random);
        const Course course = course_of(world, penalty, noise, random);
        if (course.rounds < 0) continue;
        ++reached;
        rounds += course.rounds;
        moved += course.moved;
        most = std::max(most, course.rounds);
      }
    std::printf("%8.2f %4d/%d %12.2f %12d %8.3f\n", penalty, worlds - reached, worlds,
                rounds / reached, most, moved / reached);
  }
  return 0;
}
