// The quality of ek::assign, beside the rules that block codes have: the exact chain along the
// Morton order, the heaviest block first (LPT, "knapsack"), and greedy filling from the end
// (Parthenon, Athena++). Half of the kinds of costs are set apart: no constant of the library was
// chosen on them. It needs no package.
//
//   bench_assign            the table of kinds and ranks
//   bench_assign large      100,000 blocks on 10,000 ranks, from nothing and from a map
//   bench_assign moves      costs drift, and few blocks move
//   bench_assign tune       only kinds that are not set apart, and only cases that fall short

#include <evenkeel/assign.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace {

namespace ek = evenkeel;
using Edges = std::vector<std::array<int, 2>>;

struct Mesh {
  std::vector<double> centres;
  Edges edges;
};

// The first blocks of a box of equal blocks in Morton order. Each side is a power of two.
Mesh make_mesh(std::array<int, 3> sides, std::size_t blocks = ~std::size_t{0}) {
  Mesh mesh;
  std::vector<std::array<int, 3>> cells;
  const int longest = *std::max_element(sides.begin(), sides.end());
  for (long key = 0; key < 1L * longest * longest * longest; ++key) {
    std::array<int, 3> cell{};
    for (int bit = 0; bit < 20; ++bit)
      for (int axis = 0; axis < 3; ++axis)
        cell[static_cast<std::size_t>(axis)] |= static_cast<int>((key >> (3 * bit + axis)) & 1)
                                                << bit;
    if (cell[0] < sides[0] && cell[1] < sides[1] && cell[2] < sides[2]) cells.push_back(cell);
  }
  cells.resize(std::min(cells.size(), blocks));
  const auto place = [&](const std::array<int, 3>& c) {
    return static_cast<std::size_t>(c[2] * sides[1] + c[1]) * static_cast<std::size_t>(sides[0]) +
           static_cast<std::size_t>(c[0]);
  };
  std::vector<int> block(place({sides[0] - 1, sides[1] - 1, sides[2] - 1}) + 1, -1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    block[place(cells[i])] = static_cast<int>(i);
    for (const int x : cells[i]) mesh.centres.push_back(x + 0.5);
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::array<int, 3> next = cells[i];
      if (++next[axis] < sides[axis] && block[place(next)] >= 0)
        mesh.edges.push_back({static_cast<int>(i), block[place(next)]});
    }
  return mesh;
}

// --- Costs ---------------------------------------------------------------------------------------

struct Kind {
  const char* name;
  bool apart;  // no constant of the library was chosen on it
  std::function<double(std::mt19937_64&, const double* centre, double side)> cost;
};

double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
double uniform(std::mt19937_64& random) { return std::uniform_real_distribution<double>()(random); }
double squared_distance(const double* centre, double side, double x, double y, double z) {
  const double dx = centre[0] / side - x, dy = centre[1] / side - y, dz = centre[2] / side - z;
  return dx * dx + dy * dy + dz * dz;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"lognormal .5", false, [](auto& r, auto*, double) { return std::exp(.5 * normal(r)); }},
      {"tenth ten times", false, [](auto& r, auto*, double) { return uniform(r) < .1 ? 10. : 1.; }},
      {"hot spot", false,
       [](auto&, auto* c, double s) {
         return 1 + 5 * std::exp(-squared_distance(c, s, .3, .4, .6) / .03);
       }},
      {"uniform", false, [](auto& r, auto*, double) { return .5 + uniform(r); }},
      {"layer three times", false,
       [](auto&, auto* c, double) { return std::fmod(c[2], 8) < 2 ? 3. : 1.; }},
      {"slab six times", false, [](auto&, auto* c, double s) { return c[0] / s < .3 ? 6. : 1.; }},
      {"ball four times", false,
       [](auto&, auto* c, double s) { return squared_distance(c, s, .4, .5, .6) < .09 ? 4. : 1.; }},
      {"two balls seven times", true,
       [](auto&, auto* c, double s) {
         return squared_distance(c, s, .2, .3, .3) < .03 || squared_distance(c, s, .7, .6, .6) < .03
                    ? 7.
                    : 1.;
       }},
      {"rising twelve times", true,
       [](auto& r, auto* c, double s) { return 1 + 11 * c[1] / s + .2 * uniform(r); }},
      {"corner five times", true,
       [](auto&, auto* c, double s) { return squared_distance(c, s, 0, 0, 0) < .5 ? 5. : 1.; }},
      {"lognormal 1", true, [](auto& r, auto*, double) { return std::exp(normal(r)); }},
      {"front", true,
       [](auto& r, auto* c, double s) {
         const double radius = std::sqrt(squared_distance(c, s, .5, .5, .5));
         return (std::abs(radius - .35) < .08 ? 6. : 1.) * (1 + .1 * uniform(r));
       }},
      {"half of space four times", true,
       [](auto&, auto* c, double s) { return c[0] / s < .5 ? 4. : 1.; }},
      {"Pareto 2", true, [](auto& r, auto*, double) { return 1 / std::sqrt(1 - uniform(r)); }},
  };
  return all;
}

std::vector<double> make_costs(const Kind& kind, const Mesh& mesh, unsigned seed) {
  std::mt19937_64 random(seed);
  const double side = *std::max_element(mesh.centres.begin(), mesh.centres.end()) + .5;
  std::vector<double> costs;
  for (std::size_t i = 0; i < mesh.centres.size(); i += 3)
    costs.push_back(kind.cost(random, &mesh.centres[i], side));
  return costs;
}

// --- The rules of other codes --------------------------------------------------------------------

std::vector<int> greedy_from_the_end(const std::vector<double>& costs, int ranks) {
  std::vector<int> map(costs.size());
  double rest = std::accumulate(costs.begin(), costs.end(), 0.0), load = 0;
  double target = rest / ranks;
  int r = ranks - 1;
  for (std::size_t i = costs.size(); i-- > 0;) {
    load += costs[i];
    map[i] = r;
    if (load >= target && r > 0) {
      rest -= load;
      load = 0;
      target = rest / r--;
    }
  }
  return map;
}

// The cut with the least greatest load, filled from the left up to places near to the shares.
std::vector<int> exact_chain(const std::vector<double>& costs, int ranks) {
  std::vector<double> before(1, 0);
  for (const double cost : costs) before.push_back(before.back() + cost);
  const std::size_t n = costs.size();
  const auto fits = [&](double limit) {
    std::size_t end = 0;
    for (int r = 0; r < ranks && end < n; ++r)
      for (const double begin = before[end]; end < n && before[end + 1] - begin <= limit;) ++end;
    return end == n;
  };
  double low = before[n] / ranks, high = before[n];
  for (int k = 0; k < 60; ++k) (fits((low + high) / 2) ? high : low) = (low + high) / 2;
  std::vector<std::size_t> least(static_cast<std::size_t>(ranks) + 1, n);
  for (auto r = static_cast<std::size_t>(ranks); r-- > 0;)
    for (least[r] = least[r + 1]; least[r] > 0;) {
      if (before[least[r + 1]] - before[least[r] - 1] > high) break;
      --least[r];
    }
  std::vector<int> map(n);
  std::size_t begin = 0;
  for (int r = 0; r < ranks; ++r) {
    const double share = before[n] * (r + 1) / ranks;
    std::size_t end = begin;
    while (end < n && before[end + 1] - before[begin] <= high &&
           (end < least[static_cast<std::size_t>(r) + 1] ||
            std::abs(before[end + 1] - share) < std::abs(before[end] - share)))
      ++end;
    for (; begin < end; ++begin) map[begin] = r;
  }
  for (; begin < n; ++begin) map[begin] = ranks - 1;
  return map;
}

std::vector<int> heaviest_first(const std::vector<double>& costs, int ranks) {
  std::vector<int> order(costs.size()), map(costs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto cost = [&](int i) { return costs[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cost(a) > cost(b); });
  using Load = std::pair<double, int>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int r = 0; r < ranks; ++r) loads.push({0, r});
  for (const int i : order) {
    const Load least = loads.top();
    loads.pop();
    map[static_cast<std::size_t>(i)] = least.second;
    loads.push({least.first + cost(i), least.second});
  }
  return map;
}

// --- Tables --------------------------------------------------------------------------------------

struct Quality {
  double lambda, cut;
};

Quality quality(const std::vector<double>& costs, const Mesh& mesh, int ranks,
                const std::vector<int>& map) {
  std::vector<double> loads(static_cast<std::size_t>(ranks), 0);
  for (std::size_t i = 0; i < costs.size(); ++i)
    loads[static_cast<std::size_t>(map[i])] += costs[i];
  double cut = 0;
  for (const auto& [i, j] : mesh.edges)
    cut += map[static_cast<std::size_t>(i)] != map[static_cast<std::size_t>(j)];
  return {*std::max_element(loads.begin(), loads.end()) * ranks /
              std::accumulate(loads.begin(), loads.end(), 0.0),
          cut / static_cast<double>(mesh.edges.size())};
}

// CPU time of one thread: the best of three.
template <class Work>
double milliseconds(const Work& work) {
  double least = 1e30;
  for (int k = 0; k < 3; ++k) {
    const std::clock_t begin = std::clock();
    work();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

struct Tally {
  int cases = 0, even = 0, few_faces = 0, both = 0;
  double faces = 0, time = 0;
};

struct Shape {
  std::array<int, 3> sides;
  int ranks;
};

void print(const char* kinds, const Tally& tally) {
  std::printf(
      "%s: %d cases, %d even, %d with few faces, %d both; faces %.3f of the chain's; %.1f ms\n",
      kinds, tally.cases, tally.even, tally.few_faces, tally.both, tally.faces / tally.cases,
      tally.time / tally.cases);
}

void table(bool lines) {
  const std::vector<Shape> shapes = {{{8, 8, 4}, 64},      {{8, 8, 8}, 64},     {{16, 8, 8}, 64},
                                     {{8, 8, 8}, 128},     {{16, 8, 8}, 128},   {{16, 16, 8}, 128},
                                     {{16, 16, 16}, 1024}, {{16, 16, 16}, 512}, {{32, 16, 16}, 512},
                                     {{16, 16, 8}, 100},   {{16, 16, 16}, 27}};
  Tally tallies[2];
  if (lines)
    std::printf(
        "kind, blocks per rank, ranks | bound | greedy | chain | LPT | assign | faces / "
        "chain's | ms\n");
  for (const Shape& shape : shapes) {
    const Mesh mesh = make_mesh(shape.sides);
    for (const Kind& kind : kinds())
      for (unsigned seed = 1; (lines || !kind.apart) && seed <= 1u; ++seed) {
        const std::vector<double> costs = make_costs(kind, mesh, seed);
        const int ranks = shape.ranks;
        ek::BlockMap found;
        const ek::AssignOptions options{.ranks = ranks, .place = ek::BlockCentres{mesh.centres}};
        const double time = milliseconds([&] { found = ek::assign(costs, options); });
        const Quality ours = quality(costs, mesh, ranks, found.map);
        const Quality chain = quality(costs, mesh, ranks, exact_chain(costs, ranks));
        const Quality lpt = quality(costs, mesh, ranks, heaviest_first(costs, ranks));
        const Quality greedy = quality(costs, mesh, ranks, greedy_from_the_end(costs, ranks));
        const double blocks = static_cast<double>(costs.size()) / ranks;
        const bool even =
            ours.lambda <= std::max(1.05, 1.01 * std::max(lpt.lambda, found.bound)) + 1e-9;
        const bool few = ours.cut <= (blocks >= 8 ? .95 : 1.05) * chain.cut + 1e-9;
        Tally& tally = tallies[kind.apart ? 1 : 0];
        ++tally.cases;
        tally.even += even;
        tally.few_faces += few;
        tally.both += even && few;
        tally.faces += ours.cut / chain.cut;
        tally.time += time;
        if (lines || !even || !few)
          std::printf(
              "%-24s %5.1f %5d | %.3f | %.3f (%.2f) | %.3f (%.2f) | %.3f (%.2f) | %.3f "
              "(%.2f) | %.3f | %5.1f %s%s\n",
              kind.name, blocks, ranks, found.bound, greedy.lambda, greedy.cut, chain.lambda,
              chain.cut, lpt.lambda, lpt.cut, ours.lambda, ours.cut, ours.cut / chain.cut, time,
              even ? "" : " UNEVEN", few ? "" : " FACES");
      }
  }
  print("known    ", tallies[0]);
  if (lines) print("set apart", tallies[1]);
}

// Costs drift by 20 % each, and the present map is the one of the old costs.
void moves(bool only_known) {
  std::printf(
      "kind, blocks per rank, ranks | present lambda, faces cut | lambda, faces cut | moved / "
      "least | ms\n");
  for (const Shape& shape : {Shape{{8, 8, 8}, 64}, Shape{{16, 16, 8}, 128},
                             Shape{{32, 16, 16}, 512}, Shape{{16, 16, 16}, 27}}) {
    const Mesh mesh = make_mesh(shape.sides);
    for (const Kind& kind : kinds()) {
      if (only_known && kind.apart) continue;
      std::vector<double> costs = make_costs(kind, mesh, 1);
      ek::AssignOptions options{.ranks = shape.ranks, .place = ek::BlockCentres{mesh.centres}};
      const std::vector<int> from = ek::assign(costs, options).map;
      std::mt19937_64 random(7);
      for (double& cost : costs) cost *= std::exp(.2 * normal(random));
      options.from = from;
      const ek::BlockMap before = ek::assess(costs, from, options);
      ek::BlockMap map;
      const double time = milliseconds([&] { map = ek::assign(costs, options); });
      std::printf("%-24s %5.1f %4d | %.3f (%.3f) | %.3f (%.3f) | %4.0f / %4.0f = %.2f | %5.1f\n",
                  kind.name, static_cast<double>(costs.size()) / shape.ranks, shape.ranks,
                  before.lambda, before.faces_cut / before.faces, map.lambda,
                  map.faces_cut / map.faces, map.moved_bytes, map.least_moved_bytes,
                  map.moved_bytes / map.least_moved_bytes, time);
    }
  }
}

void large(bool only_known) {
  const Mesh mesh = make_mesh({64, 64, 32}, 102'400);
  const int ranks = 10'000;
  for (const Kind& kind : kinds()) {
    if (only_known && kind.apart) continue;
    std::vector<double> costs = make_costs(kind, mesh, 1);
    ek::BlockMap scratch, moved;
    const ek::AssignOptions options{.ranks = ranks, .place = ek::BlockCentres{mesh.centres}};
    const double first = milliseconds([&] { scratch = ek::assign(costs, options); });
    const Quality chain = quality(costs, mesh, ranks, exact_chain(costs, ranks));
    const Quality ours = quality(costs, mesh, ranks, scratch.map);
    std::mt19937_64 random(7);
    for (double& cost : costs) cost *= std::exp(.2 * normal(random));  // the costs drift
    ek::AssignOptions again = options;
    again.from = scratch.map;
    const double second = milliseconds([&] { moved = ek::assign(costs, again); });
    std::printf(
        "%-24s chain %.3f (%.2f) | assign %.3f (%.2f) bound %.3f, %.1f ms | from a map: "
        "%.3f, faces %.2f, moved %.0f of %.0f (%.2f), %.1f ms\n",
        kind.name, chain.lambda, chain.cut, ours.lambda, ours.cut, scratch.bound, first,
        moved.lambda, moved.faces_cut / moved.faces, moved.moved_bytes, moved.least_moved_bytes,
        moved.moved_bytes / moved.least_moved_bytes, second);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "large") == 0)
    large(argc > 2);
  else if (std::strcmp(mode, "moves") == 0)
    moves(argc > 2);
  else
    table(std::strcmp(mode, "tune") != 0);
}
