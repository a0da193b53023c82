// Runs a whole program by any method: objects drift, a Balancer moves them between ranks, outdated
// halos are built again, and all pairs within a range are found.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/halo.hpp>
#include <evenkeel/monitor/balancer.hpp>

namespace evenkeel::program_test {
namespace {

using Place = std::array<double, 3>;
using Row = std::vector<Place>;

constexpr std::int64_t objects = 240;
constexpr double range = 0.24;
constexpr double stride = 0.01;  // the longest way of an object in a step, along an axis
const Box box = {{0, 0, 0}, {1, 1, 1}};
constexpr std::array<bool, 3> periodic = {true, true, false};

bool is_near(const Place& a, const Place& b) {
  double square = 0;
  for (std::size_t d = 0; d < 3; ++d) square += (a[d] - b[d]) * (a[d] - b[d]);
  return square < range * range;
}

// Counts pairs of an object and an image of another object or of itself. Each pair counts from both
// sides.
std::int64_t pairs_of(const Row& all) {
  std::int64_t pairs = 0;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b)
      for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y)
          if (a != b || x != 0 || y != 0)
            pairs += is_near(all[a], {all[b][0] + x, all[b][1] + y, all[b][2]}) ? 1 : 0;
  return pairs;
}

// Moves all objects a little, and then wraps them into the box.
void drift(Row& x, const test::Ids& id, std::int64_t owned, int step, bool wraps) {
  for (std::int64_t i = 0; i < owned; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto k = static_cast<std::size_t>(i);
      const auto noise = static_cast<double>(test::mix(id[k], 10 * step + static_cast<int>(d)));
      double& place = x[k][d];
      place += stride * (2 * noise * 0x1p-64 - 1);
      if (!periodic[d]) place = std::min(std::max(place, 0.0), 1.0);
      if (periodic[d] && wraps) place -= std::floor(place);
    }
}

struct Found {
  std::int64_t pairs = 0;
  std::vector<std::array<std::int64_t, 2>> forces;  // of owned objects and ghosts
};

Found found_by(const Row& x, std::int64_t owned) {
  Found found;
  found.forces.resize(x.size());
  for (std::size_t a = 0; a < static_cast<std::size_t>(owned); ++a)
    for (std::size_t b = 0; b < x.size(); ++b)
      if (a != b && is_near(x[a], x[b])) {
        ++found.pairs;
        ++found.forces[a][0];
        ++found.forces[b][1];
      }
  return found;
}

void simulate(const Method& method, Halo::Distance distance) {
  SCOPED_TRACE(to_text(method));
  const Communicator ranks = test::world();
  test::Ids id = test::ids_here(ranks, test::at_random, objects);
  Row x;
  for (const std::int64_t object : id) {
    Place place;
    for (std::size_t d = 0; d < 3; ++d)
      place[d] = static_cast<double>(test::mix(object, static_cast<int>(d))) * 0x1p-64;
    x.push_back(place);
  }
  auto owned = std::ssize(x);
  Balancer balancer(ranks,
                    {.method = method, .box = box, .periodic = periodic, .log = LogLevel::off});
  Halo halo;
  IdDirectory directory(ranks, id, owned);
  int made = 0;
  for (int step = 0; step < 9; ++step) {
    const bool moves = step % 6 == 0;
    drift(x, id, owned, step, moves);
    if (moves) {
      const MoveReport report = balancer.rebalance(x, carry(id), {.count = &owned});
      directory.update(report, id, owned);
    }
    const Domains& domains = balancer.domains();
    // A halo serves three steps. In each, two objects can approach each other by up to two strides
    // along each axis, so by less than four.
    if (!halo.is_of(domains) || step % 3 == 0) {
      halo = Halo(ranks, domains, set(x, {}, {.count = owned}), range + 18 * stride, distance);
      halo.make_room(set(x, carry(id), {.count = owned}));
      x.resize(static_cast<std::size_t>(owned + halo.ghosts()));
      id.resize(x.size());
      ++made;
    }
    halo.exchange(set(x, carry(id), {.count = owned}));

    const Row mine(x.begin(), x.begin() + owned);
    const auto all = ranks.all_gather(std::span<const Place>(mine)).values;
    ASSERT_EQ(std::ssize(all), objects);
    Found found = found_by(x, owned);
    EXPECT_EQ(ranks.all_reduce(found.pairs, Reduction::sum), pairs_of(all)) << "step " << step;
    // Each object must have found as many objects as have found it.
    halo.sum_back(carry(found.forces));
    for (std::size_t i = 0; i < static_cast<std::size_t>(owned); ++i)
      EXPECT_EQ(found.forces[i][0], found.forces[i][1]);

    const auto where = directory.look_up(id).on_host();
    const auto origins = halo.origins().on_host();
    for (std::size_t i = 0; i < where.size(); ++i) {
      const auto k = static_cast<std::int64_t>(i);
      const IdDirectory::Location expected =
          k < owned ? IdDirectory::Location{ranks.rank(), k}
                    : IdDirectory::Location{origins[i - static_cast<std::size_t>(owned)].rank,
                                            origins[i - static_cast<std::size_t>(owned)].index};
      EXPECT_EQ(where[i], expected);
    }
  }
  EXPECT_EQ(made, 3);
  balancer.finish();
}

TEST(HaloProgram, FindsAllPairs) {
  for (const auto distance : {Halo::Distance::along_axes, Halo::Distance::straight})
    for (const Method& method :
         {Method(Hilbert{}), Method(Morton{}), Method(Snake{}), Method(Staggered{}),
          Method(Tensor{}), Method(RecursiveBisection{}), Method(Voronoi{}), Method(Mesh{})})
      simulate(method, distance);
}

TEST(HaloProgram, DistancesMustBeTheSameOnAllRanks) {
  const Communicator ranks = test::world();
  if (ranks.size() == 1) return;
  Row x;
  const Domains domains =
      GridDomains::uniform({3, {1, 1, ranks.size()}}, box, GridScheme::tensor, periodic);
  EXPECT_ERROR_EVERYWHERE(
      Halo(ranks, domains, set(x), range,
           ranks.rank() == 0 ? Halo::Distance::straight : Halo::Distance::along_axes),
      "core/halo: Some ranks ask for a halo by straight distances, others along the axes. "
      "Give the same Halo::Distance on all ranks.");
}

}  // namespace
}  // namespace evenkeel::program_test
