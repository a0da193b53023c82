#include "core/halo/worlds.hpp"

#include <evenkeel/core/directory.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/halo.hpp>
#include <evenkeel/core/payload/blocks.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace evenkeel {
namespace {

using test::Needed;
using test::Point;

// Objects of all ranks, the same on all of them, and the rank that has each.
struct World {
  Domains domains;
  double width;
  std::vector<Point> points;
  std::vector<int> holders;

  std::vector<std::size_t> of_rank(int rank) const {
    std::vector<std::size_t> objects;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (holders[i] == rank) objects.push_back(i);
    return objects;
  }
};

World random_world(int method, int dimensions, test::Random& random) {
  const int ranks = test::size();
  World world{test::random_domains(method, dimensions, ranks, random), 0, {}, {}};
  world.width = test::random_width(world.domains, random);
  const bool is_spread = test::below(3, random) == 0;  // objects are anywhere at first
  const int objects = test::below(4, random) == 0 ? 0 : test::below(60, random);
  for (int i = 0; i < objects; ++i) {
    const bool again = i > 0 && test::below(6, random) == 0;
    world.points.push_back(again ? world.points.back()
                                 : test::random_place_in(world.domains, random));
    const std::span<const double> point(world.points.back().data(),
                                        static_cast<std::size_t>(dimensions));
    world.holders.push_back(is_spread ? test::below(ranks, random)
                                      : owner_of(world.domains, point));
  }
  return world;
}

// A ghost of a rank by definition: an object of the world, and its periods.
struct Ghost {
  std::size_t object;
  std::int64_t index;
  int rank;
  std::array<int, 3> periods;
  friend bool operator==(const Ghost&, const Ghost&) = default;
  friend bool operator<(const Ghost& a, const Ghost& b) {
    return std::tie(a.rank, a.index, a.periods) < std::tie(b.rank, b.index, b.periods);
  }
};

// By rank, and then by index; images of one object in any order.
std::vector<Ghost> ghosts_of(const World& world, int rank) {
  const Domains open = test::opened(world.domains);
  std::vector<Ghost> ghosts;
  for (int holder = 0; holder < test::size(); ++holder) {
    std::int64_t index = 0;
    for (const std::size_t object : world.of_rank(holder)) {
      for (const auto& [to, x, y, z] :
           test::needed_by(world.domains, open, world.points[object], world.width, holder))
        if (to == rank) ghosts.push_back({object, index, holder, {x, y, z}});
      ++index;
    }
  }
  return ghosts;
}

std::vector<Ghost> found_ghosts(const World& world, const Halo& halo) {
  std::vector<Ghost> ghosts;
  std::vector<std::vector<std::size_t>> objects;
  for (int rank = 0; rank < test::size(); ++rank) objects.push_back(world.of_rank(rank));
  for (const GhostOrigin& origin : halo.origins().on_host())
    ghosts.push_back({objects.at(static_cast<std::size_t>(origin.rank))
                          .at(static_cast<std::size_t>(origin.index)),
                      origin.index,
                      origin.rank,
                      {origin.periods[0], origin.periods[1], origin.periods[2]}});
  return ghosts;
}

template <class Real, int n>
using Places = exec::Array<std::array<Real, n>>;

template <class T>
exec::Array<T> array_of(const std::vector<T>& values) {
  return {test::space(), "values", std::span<const T>(values)};
}

template <class Real, int n>
std::array<Real, n> place_of(const Point& point) {
  std::array<Real, n> place;
  for (std::size_t d = 0; d < n; ++d) place[d] = static_cast<Real>(point[d]);
  return place;
}

template <class Real, int n>
Places<Real, n> places_of(const World& world, int rank) {
  std::vector<std::array<Real, n>> places;
  for (const std::size_t object : world.of_rank(rank))
    places.push_back(place_of<Real, n>(world.points[object]));
  return array_of(places);
}

template <class Real, int n>
std::array<Real, n> place_of(const World& world, const Ghost& ghost) {
  std::array<Real, n> place = place_of<Real, n>(world.points[ghost.object]);
  for (std::size_t d = 0; d < n; ++d)
    if (ghost.periods[d] != 0) {
      const double period = box_of(world.domains).upper[d] - box_of(world.domains).lower[d];
      place[d] = static_cast<Real>(static_cast<double>(place[d]) + ghost.periods[d] * period);
    }
  return place;
}

std::int64_t id_of(std::size_t object) { return 1000 + static_cast<std::int64_t>(object); }

// Places that the ghosts were made for, or objects that have moved since.
template <class Real, int n>
void expect_exchange(const World& world, Halo& halo, const std::vector<Ghost>& ghosts) {
  auto x = places_of<Real, n>(world, test::rank());
  std::vector<std::int64_t> ids;
  std::vector<float> charges;
  for (const std::size_t object : world.of_rank(test::rank())) {
    ids.push_back(id_of(object));
    charges.push_back(static_cast<float>(object) / 2);
  }
  auto id = array_of(ids);
  auto charge = array_of(charges);
  const auto owned = static_cast<int>(ids.size());
  halo.make_room(set(x, carry(id, charge), {.count = owned}));
  ASSERT_EQ(x.size(), halo.owned() + halo.ghosts());
  halo.exchange(set(x, carry(charge)));
  halo.exchange(carry(id));
  auto expected_places = places_of<Real, n>(world, test::rank()).on_host();
  for (const Ghost& ghost : ghosts) {
    expected_places.push_back(place_of<Real, n>(world, ghost));
    ids.push_back(id_of(ghost.object));
    charges.push_back(static_cast<float>(ghost.object) / 2);
  }
  EXPECT_EQ(x.on_host(), expected_places);
  EXPECT_EQ(id.on_host(), ids);
  EXPECT_EQ(charge.on_host(), charges);
}

// What the ghosts of all ranks bring, in the order in which it must be added: any other order gives
// other bits.
double share_of(std::size_t object, int rank, std::size_t ghost) {
  return std::ldexp(
      1.0 + 0.1 * static_cast<double>(ghost % 7),
      static_cast<int>((object * 31 + static_cast<std::size_t>(rank) * 17 + ghost) % 40) - 20);
}

void expect_sums(const World& world, Halo& halo, const std::vector<std::vector<Ghost>>& all) {
  const auto mine = world.of_rank(test::rank());
  const auto r = static_cast<std::size_t>(test::rank());
  std::vector<std::array<double, 2>> force;
  std::vector<int> hits;
  for (const std::size_t object : mine) force.push_back({0.3 * static_cast<double>(object), 1});
  hits.assign(force.size(), 1);
  std::vector<std::array<double, 2>> expected = force;
  std::vector<int> expected_hits = hits;
  for (std::size_t g = 0; g < all[r].size(); ++g) {
    force.push_back({share_of(all[r][g].object, test::rank(), g), 1});
    hits.push_back(1);
  }
  for (int rank = 0; rank < test::size(); ++rank)
    for (std::size_t g = 0; g < all[static_cast<std::size_t>(rank)].size(); ++g) {
      const Ghost& ghost = all[static_cast<std::size_t>(rank)][g];
      if (ghost.rank != test::rank()) continue;
      auto& [sum, count] = expected[static_cast<std::size_t>(ghost.index)];
      sum += share_of(ghost.object, rank, g);
      count += 1;
      ++expected_hits[static_cast<std::size_t>(ghost.index)];
    }
  auto force_there = array_of(force);
  auto hits_there = array_of(hits);
  halo.sum_back(carry(force_there, hits_there));
  auto sums = force_there.on_host();
  EXPECT_TRUE(
      std::equal(force.begin() + std::ssize(mine), force.end(), sums.begin() + std::ssize(mine)));
  sums.resize(mine.size());
  EXPECT_EQ(sums, expected);
  auto counts = hits_there.on_host();
  const auto in_all = test::world().all_reduce(
      std::accumulate(counts.begin(), counts.begin() + std::ssize(mine), std::int64_t{0}),
      Reduction::sum);
  std::int64_t ghosts = 0;
  for (const auto& of_rank : all) ghosts += std::ssize(of_rank);
  EXPECT_EQ(in_all, std::ssize(world.points) + ghosts);
  counts.resize(mine.size());
  EXPECT_EQ(counts, expected_hits);
}

// Every image that is within the width of an object inside its own domain is there.
void expect_all_pairs(const World& world, const std::vector<Ghost>& ghosts) {
  const Box& box = box_of(world.domains);
  const auto n = static_cast<std::size_t>(dimensions_of(world.domains));
  const int me = test::rank();
  const std::set<Ghost> there(ghosts.begin(), ghosts.end());
  for (const std::size_t a : world.of_rank(me)) {
    const Point& one = world.points[a];
    bool is_inside = owner_of(world.domains, std::span(one).first(n)) == me;
    for (std::size_t d = 0; d < n; ++d)
      is_inside = is_inside && (!test::periodic_of(world.domains)[d] ||
                                (box.lower[d] <= one[d] && one[d] < box.upper[d]));
    if (!is_inside) continue;
    for (int rank = 0; rank < test::size(); ++rank) {
      std::int64_t index = -1;
      for (const std::size_t b : world.of_rank(rank)) {
        ++index;
        // The images of b within the width of a along each axis.
        std::array<std::vector<int>, 3> images = {{{0}, {0}, {0}}};
        for (std::size_t d = 0; d < n; ++d) {
          const double distance = one[d] - world.points[b][d];
          images[d].clear();
          if (!test::periodic_of(world.domains)[d]) {
            if (std::abs(distance) <= world.width) images[d] = {0};
            continue;
          }
          const double period = box.upper[d] - box.lower[d];
          const int middle = static_cast<int>(std::floor(distance / period));
          const int many = static_cast<int>(world.width / period) + 2;
          for (int k = middle - many; k <= middle + many; ++k)
            if (std::abs(distance - k * period) <= world.width) images[d].push_back(k);
        }
        for (const int x : images[0])
          for (const int y : images[1])
            for (const int z : images[2]) {
              const bool is_owned = rank == me && x == 0 && y == 0 && z == 0;
              EXPECT_TRUE(is_owned || there.count({b, index, rank, {x, y, z}}) == 1)
                  << "object " << b << " by " << x << ' ' << y << ' ' << z << " near " << a;
            }
      }
    }
  }
}

template <class Real, int n>
void expect_halo(const World& world, test::Random& random) {
  SCOPED_TRACE(test::description_of(world.domains, world.width));
  const Communicator ranks = test::world();
  const auto x = places_of<Real, n>(world, test::rank());
  auto places = x;
  Halo halo(ranks, world.domains, set(places), world.width);
  EXPECT_TRUE(halo.is_of(world.domains));
  EXPECT_FALSE(halo.is_of(renumbered(world.domains, 8)));
  EXPECT_EQ(halo.owned(), x.size());
  EXPECT_EQ(halo.width(), world.width);

  const std::vector<Ghost> found = found_ghosts(world, halo);
  std::vector<Ghost> expected = ghosts_of(world, test::rank()), sorted = found;
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](const Ghost& a, const Ghost& b) {
    return std::pair(a.rank, a.index) < std::pair(b.rank, b.index);
  }));
  std::sort(expected.begin(), expected.end());
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted, expected);
  ASSERT_EQ(halo.ghosts(), std::ssize(expected));
  if constexpr (std::is_same_v<Real, double>) expect_all_pairs(world, found);

  expect_exchange<Real, n>(world, halo, found);
  World moved = world;
  for (Point& point : moved.points)
    for (double& place : point) place += test::eighths(-1, 1, random);
  expect_exchange<Real, n>(moved, halo, found);

  std::vector<std::vector<Ghost>> all(static_cast<std::size_t>(test::size()));
  const auto gathered = ranks.all_gather(std::span<const Ghost>(found));
  for (int rank = 0; rank < test::size(); ++rank)
    all[static_cast<std::size_t>(rank)].assign(gathered.of_rank(rank).begin(),
                                               gathered.of_rank(rank).end());
  expect_sums(world, halo, all);
}

template <class Real, int n>
void expect_halos(int repeats, std::uint64_t seed) {
  test::Random random(seed);
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (int method = 0; method < test::methods; ++method) {
      expect_halo<Real, n>(random_world(method, n, random), random);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Halo, BringsAllImagesWithinTheWidth) {
  expect_halos<double, 3>(8, 1);
  expect_halos<double, 2>(6, 2);
  expect_halos<float, 3>(3, 3);
}

// --- By hand -------------------------------------------------------------------------------------

// Slabs along x, of length 1 each.
Domains slabs(bool periodic, std::int64_t generation = 1) {
  const int ranks = test::size();
  const Box box = {{0, 0, 0}, {static_cast<double>(ranks), 1, 1}};
  const GridShape shape{3, {ranks, 1, 1}};
  return renumbered(GridDomains::uniform(shape, box, GridScheme::tensor, {periodic}), generation);
}

// One object on each rank, in the middle of its slab.
using Row = std::vector<std::array<double, 3>>;
Row middle() { return {{test::rank() + 0.5, 0.5, 0.5}}; }

TEST(Halo, OfARingOfSlabs) {
  const Communicator ranks = test::world();
  Row x = middle();
  Halo halo(ranks, slabs(true), set(x), 0.75);
  EXPECT_EQ(halo.ghosts(), 2);  // of both sides, whoever is there
  const int size = test::size(), rank = test::rank();
  EXPECT_EQ(std::ssize(halo.imports()), size < 3 ? 1 : 2);
  EXPECT_EQ(std::ssize(halo.exports()), size < 3 ? 1 : 2);
  x.resize(3);
  halo.exchange(set(x));
  std::sort(x.begin() + 1, x.end());
  EXPECT_EQ(x[1], (std::array{rank - 0.5, 0.5, 0.5}));
  EXPECT_EQ(x[2], (std::array{rank + 1.5, 0.5, 0.5}));
}

TEST(Halo, WiderThanAllTheBox) {
  const Communicator ranks = test::world();
  Row x = middle();
  const Halo halo(ranks, slabs(true), set(x), 3.0 * test::size());
  // All images of each object at most 3 periods from the slab: 7 of most, 6 or 8 of none.
  EXPECT_GE(halo.ghosts(), 6 * test::size());
  EXPECT_LE(halo.ghosts(), 7 * test::size());
  const Halo open(ranks, slabs(false), set(x), 1e300);
  EXPECT_EQ(open.ghosts(), test::size() - 1);
}

TEST(Halo, OfNobody) {
  const Communicator ranks = test::world();
  Row x;
  Halo halo(ranks, slabs(true), set(x), 10);
  EXPECT_EQ(halo.owned() + halo.ghosts(), 0);
  halo.make_room(set(x));
  halo.exchange(set(x));
  halo.sum_back(carry(x));
  const Halo nothing;
  EXPECT_FALSE(nothing.is_of(Domains()));
  EXPECT_EQ(nothing.owned() + nothing.ghosts(), 0);
  EXPECT_TRUE(nothing.imports().empty() && nothing.exports().empty());
  EXPECT_ERROR(Halo().exchange(carry(x)), "core/halo: There is no halo here.");
}

// A container that wants to know when its values change, like a DualView.
struct Watched {
  std::vector<double> values;
  int changes = 0;
};

struct Grain {
  float mass;
  std::array<float, 3> where;
  int id;
};

}  // namespace

template <>
struct FieldTraits<Watched> {
  using Element = double;
  static FieldLayout layout(Watched& watched) {
    return packed_layout(watched.values.data(), std::ssize(watched.values),
                         std::ssize(watched.values));
  }
  static std::string label(const Watched&) { return "watched"; }
  static Ownership ownership(const Watched&) { return Ownership::borrowed; }
  static void changed(Watched& watched) noexcept { ++watched.changes; }
};

template <>
struct PositionIn<Grain> : PositionAt<float, 3, offsetof(Grain, where)> {};

namespace {

TEST(Halo, ShiftsThePositionInRecords) {
  const Communicator ranks = test::world();
  const auto rank = static_cast<float>(test::rank());
  std::vector<Grain> grains = {{2 * rank, {rank + 0.5F, 0.5F, 0.5F}, test::rank()}};
  Halo halo(ranks, slabs(true), set(grains), 0.75);
  const int owned = 1;
  halo.make_room(set(grains, {}, {.count = owned}));
  halo.exchange(set(grains, {}, {.count = owned}));
  for (const Grain& grain : grains) {
    EXPECT_EQ(grain.mass, 2 * static_cast<float>(grain.id));
    const float turns =
        (grain.where[0] - 0.5F - static_cast<float>(grain.id)) / static_cast<float>(test::size());
    EXPECT_EQ(turns, std::round(turns));
    EXPECT_LE(std::abs(grain.where[0] - 0.5F - rank), 1);
    EXPECT_EQ(grain.where[1], 0.5F);
  }
}

TEST(Halo, TakesFieldsOfAnyShape) {
  const Communicator ranks = test::world();
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> x("x", 1, 3);
  for (std::size_t d = 0; d < 3; ++d) x(0, d) = middle().front()[d];
  Halo halo(ranks, slabs(true), set(x), 0.75);
  Kokkos::View<char* [3], Kokkos::LayoutRight, Kokkos::HostSpace> name("name", 1);
  Kokkos::View<short*, Kokkos::HostSpace> kind("kind", 1);
  const int owned = 1;
  name(0, 2) = static_cast<char>('a' + test::rank());
  kind(0) = static_cast<short>(test::rank());
  halo.make_room(set(x, carry(name, kind), {.count = owned}));
  // Raw memory with room behind the owned object, by components.
  std::vector<double> memory(8, 7.0);
  memory[0] = memory[4] = test::rank();
  auto raw =
      raw_field(memory.data(), {.count = 1, .capacity = 4, .components = 2, .component_stride = 4});
  halo.exchange(set(x, carry(raw, name, kind), {.count = owned}));
  for (std::size_t i = 0; i < 3; ++i) {
    const int from = kind(i);
    EXPECT_EQ(name(i, 2), 'a' + from);
    EXPECT_EQ(memory[i], from);
    EXPECT_EQ(memory[4 + i], from);
    EXPECT_LE(std::abs(x(i, 0) - 0.5 - test::rank()), 1);
  }
  EXPECT_EQ(memory[3], 7);
  std::vector<short> ones = {1}, many = {10, 10};
  halo.sum_back(carry(ones), carry(many));
  EXPECT_EQ(ones, (std::vector<short>{21}));
}

TEST(Halo, TellsContainersOfChanges) {
  const Communicator ranks = test::world();
  Row x = middle();
  Halo halo(ranks, slabs(true), set(x), 0.75);
  Watched charge{std::vector<double>(3, 1.0)}, ghosts{std::vector<double>(2)};
  halo.exchange(carry(charge));
  EXPECT_EQ(charge.changes, 1);
  halo.exchange(carry(charge), carry(ghosts));
  EXPECT_EQ(charge.changes, 1);
  EXPECT_EQ(ghosts.changes, 1);
  halo.sum_back(carry(charge), carry(ghosts));
  EXPECT_EQ(charge.changes, 2);
  EXPECT_EQ(ghosts.changes, 1);
  EXPECT_EQ(charge.values, (std::vector<double>{3, 1, 1}));
}

TEST(Halo, WritesGhostsApart) {
  const Communicator ranks = test::world();
  Row x = middle(), around(2);
  std::vector<int> id = {test::rank()}, ids(2);
  Halo halo(ranks, slabs(true), set(x), 0.75);
  halo.exchange(set(x, carry(id)), set(around, carry(ids)));
  EXPECT_EQ(x, middle());
  EXPECT_EQ(around[0][0] + around[1][0], 2 * x[0][0]);
  std::vector<int> again(2);
  halo.exchange(carry(id), carry(again));
  EXPECT_EQ(again, ids);
}

// --- Around ids ----------------------------------------------------------------------------------

// Rank r has the ids r, r + ranks, r + 2 ranks, ..., from the last to the first.
std::vector<std::int64_t> ids_of(int rank, int count) {
  std::vector<std::int64_t> ids;
  for (int i = count - 1; i >= 0; --i) ids.push_back(rank + i * test::size());
  return ids;
}

TEST(Halo, AroundIds) {
  const Communicator ranks = test::world();
  test::Random random(static_cast<std::uint64_t>(10 + ranks.rank()));
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int count = test::rank() == 1 ? 0 : 20;  // one rank has nothing
    auto id = array_of(ids_of(test::rank(), count));
    const IdDirectory directory(ranks, id);
    // Some are named often, some are here, and nobody has some.
    std::vector<std::array<std::int64_t, 2>> neighbours(static_cast<std::size_t>(30 * repeat));
    std::set<std::pair<int, std::int64_t>> expected;
    for (auto& pair : neighbours)
      for (std::int64_t& wanted : pair) {
        wanted = test::below(25 * test::size(), random) - 3;
        const auto rank = static_cast<int>(wanted % test::size());
        const std::int64_t index = 19 - wanted / test::size();
        if (wanted >= 0 && index >= 0 && rank != 1 && rank != test::rank())
          expected.insert({rank, index});
      }
    auto there = array_of(neighbours);
    Halo halo = Halo::around_ids(ranks, slabs(true, 3), directory, there, count);
    EXPECT_TRUE(halo.is_of(slabs(true, 3)));
    std::vector<std::pair<int, std::int64_t>> found;
    for (const GhostOrigin& origin : halo.origins().on_host())
      found.push_back({origin.rank, origin.index});
    EXPECT_EQ(found, (std::vector<std::pair<int, std::int64_t>>(expected.begin(), expected.end())));
    ASSERT_EQ(halo.ghosts(), std::ssize(expected));

    exec::Array<std::int64_t> ghost_ids(test::space(), "ids", halo.ghosts());
    halo.exchange(carry(id), carry(ghost_ids));
    std::vector<std::int64_t> expected_ids;
    for (const auto& [rank, index] : expected)
      expected_ids.push_back(ids_of(rank, 20)[static_cast<std::size_t>(index)]);
    EXPECT_EQ(ghost_ids.on_host(), expected_ids);
    auto hits = array_of(std::vector<int>(static_cast<std::size_t>(count), 0));
    auto ghost_hits = array_of(std::vector<int>(static_cast<std::size_t>(halo.ghosts()), 1));
    halo.sum_back(carry(hits), carry(ghost_hits));
    const auto sums = hits.on_host();
    EXPECT_EQ(ranks.all_reduce(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}),
                               Reduction::sum),
              ranks.all_reduce(halo.ghosts(), Reduction::sum));
  }
}

// --- Misuse --------------------------------------------------------------------------------------

// The same Error on all ranks; `mine` is what the last rank alone does.
template <class Function>
void expect_refused(const std::string& part, const Function& function) {
  const std::string error = test::error_of(function);
  EXPECT_TRUE(test::mentions(error, part));
  EXPECT_TRUE(test::same_everywhere(test::world(), error)) << error;
}

bool is_last() { return test::rank() == test::size() - 1; }

TEST(Halo, RefusesWhatMakesNoSense) {
  const Communicator ranks = test::world();
  const Domains domains = slabs(true);
  Row x = middle();
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, nan, infinity})
    expect_refused("A halo of this width was asked for",
                   [&] { Halo(ranks, domains, set(x), is_last() ? bad : 1); });
  expect_refused("reaches beyond 100 periods along x",
                 [&] { Halo(ranks, domains, set(x), 101.0 * test::size()); });
  expect_refused("domains for", [&] {
    Halo(ranks,
         GridDomains::uniform({3, {test::size() + 1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}},
                              GridScheme::tensor),
         set(x), 1);
  });
  expect_refused("Nobody owns anything yet", [&] { Halo(ranks, Domains(), set(x), 1); });
  for (const double bad : {nan, infinity}) {
    Row y = middle();
    if (is_last()) y[0][1] = bad;
    expect_refused("Component 1 of the position of object 0 is not finite",
                   [&] { Halo(ranks, domains, set(y), 1); });
  }
  Row far = middle();
  if (is_last()) far[0][0] = 1e300;
  expect_refused("periods away from the box along x", [&] { Halo(ranks, domains, set(far), 1); });
  std::vector<std::array<double, 2>> flat(1);
  expect_refused("Positions have 2 components", [&] { Halo(ranks, domains, set(flat), 1); });
  if (test::size() == 1) return;
  expect_refused("Ranks ask for halos of widths 1 to 2.",
                 [&] { Halo(ranks, domains, set(x), is_last() ? 2 : 1); });
  expect_refused("Ranks have domains of generations 1 to 2.",
                 [&] { Halo(ranks, slabs(true, is_last() ? 2 : 1), set(x), 1); });
}

TEST(Halo, RefusesFieldsAndLeavesThemAlone) {
  const Communicator ranks = test::world();
  Row x = middle();
  Halo halo(ranks, slabs(true), set(x), 0.75);
  std::vector<double> charge(3, 1.0), few(is_last() ? 2 : 3, 1.0);
  x.resize(3, {7, 7, 7});
  const Row before = x;
  expect_refused("has room for 2 objects and needs it for 1 owned ones and 2 ghosts",
                 [&] { halo.exchange(set(x, carry(charge, few))); });
  expect_refused("has room for 2 objects", [&] { halo.sum_back(carry(charge, few)); });
  expect_refused("The set has 2 owned objects, and the halo was made for 1.",
                 [&] { halo.exchange(set(x, {}, {.count = is_last() ? 2 : 1})); });
  expect_refused("The set has 3 owned objects, and the halo was made for 1.",
                 [&] { halo.make_room(set(x)); });
  std::vector<Grain> grains(3);
  expect_refused("bytes that are not known to be numbers", [&] { halo.sum_back(carry(grains)); });
  std::vector<std::vector<int>> patches(3);
  const BlockFunctions<std::vector<int>> functions = {
      .bytes = [](const std::vector<int>&) { return std::int64_t{0}; },
      .pack = [](const std::vector<int>&, std::span<std::byte>) { return std::ptrdiff_t{0}; },
      .unpack = [](std::vector<int>&, std::span<const std::byte>) { return std::ptrdiff_t{0}; }};
  expect_refused("Ghosts have no payloads",
                 [&] { halo.exchange(carry(charge, blocks(patches, functions))); });
  expect_refused("1 fields of owned objects and 2 of ghosts were given",
                 [&] { halo.exchange(carry(charge), carry(charge, few)); });
  expect_refused("'std::vector' is no position", [&] {
    std::vector<int> id(3);
    halo.exchange(set(id));
  });
  if (test::size() > 1) {
    std::vector<float> single(3, 1.0F);
    expect_refused("Ranks bring different fields", [&] {
      is_last() ? halo.exchange(carry(single)) : halo.exchange(carry(charge));
    });
    expect_refused("Ranks bring different fields", [&] {
      is_last() ? halo.sum_back(carry(charge)) : halo.exchange(carry(charge));
    });
  }
  EXPECT_EQ(x, before);
  EXPECT_EQ(charge, (std::vector<double>(3, 1.0)));
  halo.exchange(set(x, carry(charge)));  // and it goes on
  EXPECT_NE(x, before);
}

// One rank has no room, and no way to get any.
TEST(Halo, MakesRoomOnAllRanksOrOnNone) {
  const Communicator ranks = test::world();
  Row x = middle();
  Halo halo(ranks, slabs(true), set(x), 0.75);
  std::vector<double> charge = {1.0};
  std::span<double> fixed = charge;
  int owned = 1;
  const std::string error = test::error_of([&] {
    is_last() ? halo.make_room(set(x, carry(fixed), {.count = &owned}))
              : halo.make_room(set(x, carry(charge)));
  });
  EXPECT_TRUE(test::mentions(error, "'std::span' has room for 1 objects and 3 would arrive."));
  EXPECT_TRUE(test::same_everywhere(ranks, error));
  EXPECT_EQ(x, middle());
  EXPECT_EQ(charge.size(), 1U);
  halo.make_room(set(x, carry(charge)));
  EXPECT_EQ(x.size(), 3U);
  EXPECT_EQ(x.front(), middle().front());
}

TEST(Halo, RefusesADirectoryOfOtherObjects) {
  const Communicator ranks = test::world();
  const std::vector<int> id = {2 * test::rank(), 2 * test::rank() + 1};
  const std::vector<int> wanted = {2 * ((test::rank() + 1) % test::size()) + 1};
  const IdDirectory directory(ranks, id);
  if (test::size() > 1)
    expect_refused("Object 1 was asked for, and there are 1 owned ones.",
                   [&] { Halo::around_ids(ranks, slabs(true), directory, wanted, 1); });
  std::vector<float> reals(1);
  expect_refused("are of type float",
                 [&] { Halo::around_ids(ranks, slabs(true), directory, reals, 2); });
}

#if EVENKEEL_ASSERTION_LEVEL >= 1
TEST(Halo, OfOtherDomainsIsAnError) {
  const Communicator ranks = test::world();
  Row x = middle();
  Halo halo(ranks, slabs(true), set(x), 0.75);
  EXPECT_ERROR(halo.of(slabs(true, 2)), "A halo is of the generation of its domains");
}
#endif

}  // namespace
}  // namespace evenkeel
