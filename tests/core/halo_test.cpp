#include "core/halo/worlds.hpp"

#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/blocks.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/halo.hpp>

namespace evenkeel::halo_test {
namespace {

using test::array_of;
using test::Needed;
using test::Point;

// Objects of all ranks, and the rank that holds each. All ranks know all of them.
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
  const bool is_spread = test::below(3, random) == 0;  // objects may be anywhere at first
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

// A ghost of a rank by definition: an object of the world, and the periods of the image.
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

// Returns ghosts by rank and then by index. Images of the same object may be in any order.
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
  for (const Halo::Origin& origin : halo.origins().on_host())
    ghosts.push_back({objects.at(static_cast<std::size_t>(origin.rank))
                          .at(static_cast<std::size_t>(origin.index)),
                      origin.index,
                      origin.rank,
                      {origin.periods[0], origin.periods[1], origin.periods[2]}});
  return ghosts;
}

template <class Real, int n>
using Places = exec::Array<std::array<Real, n>>;

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

// Positions are either those for which the ghosts were made, or have moved since.
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

// The contribution of a ghost. Adding contributions in another order would change bits.
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

// Returns true for an object that is in its own domain and in no other period.
bool is_at_home(const World& world, const Point& point) {
  const Box& box = box_of(world.domains);
  const auto n = static_cast<std::size_t>(dimensions_of(world.domains));
  if (owner_of(world.domains, std::span(point).first(n)) != test::rank()) return false;
  for (std::size_t d = 0; d < n; ++d)
    if (test::periodic_of(world.domains)[d] &&
        !(box.lower[d] <= point[d] && point[d] < box.upper[d]))
      return false;
  return true;
}

// Returns the periods along an axis by which images of `other` are within the width of `one`.
std::vector<int> periods_within(const World& world, const Point& one, const Point& other,
                                std::size_t d) {
  if (d >= static_cast<std::size_t>(dimensions_of(world.domains))) return {0};
  const Box& box = box_of(world.domains);
  const bool wraps = test::periodic_of(world.domains)[d];
  const double distance = one[d] - other[d], period = wraps ? box.upper[d] - box.lower[d] : 1;
  const int middle = wraps ? static_cast<int>(std::floor(distance / period)) : 0;
  const int many = wraps ? static_cast<int>(world.width / period) + 2 : 0;
  std::vector<int> periods;
  for (int k = middle - many; k <= middle + many; ++k)
    if (std::abs(distance - k * period) <= world.width) periods.push_back(k);
  return periods;
}

// Expects every image within the width of an object at home to exist.
void expect_all_pairs(const World& world, const std::vector<Ghost>& ghosts) {
  std::set<Ghost> there(ghosts.begin(), ghosts.end());
  for (std::int64_t index = 0; const std::size_t own : world.of_rank(test::rank()))
    there.insert({own, index++, test::rank(), {0, 0, 0}});
  const auto expect_images = [&](std::size_t a, const Ghost& b) {
    const Point &one = world.points[a], &other = world.points[b.object];
    for (const int x : periods_within(world, one, other, 0))
      for (const int y : periods_within(world, one, other, 1))
        for (const int z : periods_within(world, one, other, 2))
          EXPECT_EQ(there.count({b.object, b.index, b.rank, {x, y, z}}), 1U)
              << "object " << b.object << " by " << x << ' ' << y << ' ' << z << " near " << a;
  };
  for (const std::size_t a : world.of_rank(test::rank())) {
    if (!is_at_home(world, world.points[a])) continue;
    for (int rank = 0; rank < test::size(); ++rank)
      for (std::int64_t index = 0; const std::size_t b : world.of_rank(rank))
        expect_images(a, {b, index++, rank, {}});
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

// Slabs of length 1 each along x.
Domains slabs(bool periodic, std::int64_t generation = 1) {
  const int ranks = test::size();
  const Box box = {{0, 0, 0}, {static_cast<double>(ranks), 1, 1}};
  const GridShape shape{3, {ranks, 1, 1}};
  return renumbered(GridDomains::uniform(shape, box, GridScheme::tensor, {periodic}), generation);
}

// Each rank has one object, in the middle of its slab.
using Row = std::vector<std::array<double, 3>>;
Row middle() { return {{test::rank() + 0.5, 0.5, 0.5}}; }

// The object has two ghosts: the objects on both sides.
class HaloOn : public test::OnRanks {
 protected:
  Row x = middle();
  Halo halo{communicator, slabs(true), set(x), 0.75};
};

TEST_F(HaloOn, OfARingOfSlabs) {
  EXPECT_EQ(halo.ghosts(), 2);  // of both sides, on any number of ranks
  EXPECT_EQ(std::ssize(halo.imports()), size < 3 ? 1 : 2);
  EXPECT_EQ(std::ssize(halo.exports()), size < 3 ? 1 : 2);
  x.resize(3);
  halo.exchange(set(x));
  std::sort(x.begin() + 1, x.end());
  EXPECT_EQ(x[1], (std::array{rank - 0.5, 0.5, 0.5}));
  EXPECT_EQ(x[2], (std::array{rank + 1.5, 0.5, 0.5}));
}

TEST_F(HaloOn, WiderThanAllTheBox) {
  const Halo wide(communicator, slabs(true), set(x), 3.0 * size);
  // Images at most 3 periods from the slab are ghosts: 6 or 7 of each object.
  EXPECT_GE(wide.ghosts(), 6 * size);
  EXPECT_LE(wide.ghosts(), 7 * size);
  const Halo open(communicator, slabs(false), set(x), 1e300);
  EXPECT_EQ(open.ghosts(), size - 1);
}

TEST_F(HaloOn, OfNobody) {
  Row none;
  Halo empty(communicator, slabs(true), set(none), 10);
  EXPECT_EQ(empty.owned() + empty.ghosts(), 0);
  empty.make_room(set(none));
  empty.exchange(set(none));
  empty.sum_back(carry(none));
  const Halo nothing;
  EXPECT_FALSE(nothing.is_of(Domains()));
  EXPECT_EQ(nothing.owned() + nothing.ghosts(), 0);
  EXPECT_TRUE(nothing.imports().empty() && nothing.exports().empty());
  EXPECT_ERROR(Halo().exchange(carry(none)), "core/halo: This Halo is empty.");
}

// A container that must learn when its values change, as a DualView must.
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
}  // namespace evenkeel::halo_test

namespace evenkeel {

template <>
struct FieldTraits<halo_test::Watched> {
  using Element = double;
  static FieldLayout layout(halo_test::Watched& watched) {
    return packed_layout(watched.values.data(), std::ssize(watched.values),
                         std::ssize(watched.values));
  }
  static std::string label(const halo_test::Watched&) { return "watched"; }
  static Ownership ownership(const halo_test::Watched&) { return Ownership::borrowed; }
  static void changed(halo_test::Watched& watched) noexcept { ++watched.changes; }
};

template <>
struct PositionIn<halo_test::Grain> : PositionAt<float, 3, offsetof(halo_test::Grain, where)> {};

}  // namespace evenkeel

namespace evenkeel::halo_test {
namespace {

TEST_F(HaloOn, ShiftsThePositionInRecords) {
  const auto mine = static_cast<float>(rank);
  std::vector<Grain> grains = {{2 * mine, {mine + 0.5F, 0.5F, 0.5F}, rank}};
  Halo of_grains(communicator, slabs(true), set(grains), 0.75);
  const int owned = 1;
  of_grains.make_room(set(grains, {}, {.count = owned}));
  of_grains.exchange(set(grains, {}, {.count = owned}));
  for (const Grain& grain : grains) {
    EXPECT_EQ(grain.mass, 2 * static_cast<float>(grain.id));
    const float turns =
        (grain.where[0] - 0.5F - static_cast<float>(grain.id)) / static_cast<float>(size);
    EXPECT_EQ(turns, std::round(turns));
    EXPECT_LE(std::abs(grain.where[0] - 0.5F - mine), 1);
    EXPECT_EQ(grain.where[1], 0.5F);
  }
}

TEST_F(HaloOn, TakesFieldsOfAnyShape) {
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> places("x", 1, 3);
  for (std::size_t d = 0; d < 3; ++d) places(0, d) = x.front()[d];
  Halo of_places(communicator, slabs(true), set(places), 0.75);
  Kokkos::View<char* [3], Kokkos::LayoutRight, Kokkos::HostSpace> name("name", 1);
  Kokkos::View<short*, Kokkos::HostSpace> kind("kind", 1);
  const int owned = 1;
  name(0, 2) = static_cast<char>('a' + rank);
  kind(0) = static_cast<short>(rank);
  of_places.make_room(set(places, carry(name, kind), {.count = owned}));
  // Raw memory has room behind the owned object. It stores components one after the other.
  std::vector<double> memory(8, 7.0);
  memory[0] = memory[4] = rank;
  auto raw =
      raw_field(memory.data(), {.count = 1, .capacity = 4, .components = 2, .component_stride = 4});
  of_places.exchange(set(places, carry(raw, name, kind), {.count = owned}));
  for (std::size_t i = 0; i < 3; ++i) {
    const int from = kind(i);
    EXPECT_EQ(name(i, 2), 'a' + from);
    EXPECT_EQ(memory[i], from);
    EXPECT_EQ(memory[4 + i], from);
    EXPECT_LE(std::abs(places(i, 0) - 0.5 - rank), 1);
  }
  EXPECT_EQ(memory[3], 7);
  std::vector<short> ones = {1}, many = {10, 10};
  of_places.sum_back(carry(ones), carry(many));
  EXPECT_EQ(ones, (std::vector<short>{21}));
}

TEST_F(HaloOn, TellsContainersOfChanges) {
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

TEST_F(HaloOn, WritesGhostsApart) {
  Row around(2);
  std::vector<int> id = {rank}, ids(2);
  halo.exchange(set(x, carry(id)), set(around, carry(ids)));
  EXPECT_EQ(x, middle());
  EXPECT_EQ(around[0][0] + around[1][0], 2 * x[0][0]);
  std::vector<int> again(2);
  halo.exchange(carry(id), carry(again));
  EXPECT_EQ(again, ids);
}

// --- Around ids ----------------------------------------------------------------------------------

// Rank r has the ids r, r + ranks, r + 2 ranks, ..., in descending order.
std::vector<std::int64_t> ids_of(int rank, int count) {
  std::vector<std::int64_t> ids;
  for (int i = count - 1; i >= 0; --i) ids.push_back(rank + i * test::size());
  return ids;
}

TEST_F(HaloOn, AroundIds) {
  test::Random random(static_cast<std::uint64_t>(10 + rank));
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int count = test::rank() == 1 ? 0 : 20;  // one rank has no objects
    auto id = array_of(ids_of(test::rank(), count));
    const IdDirectory directory(communicator, id);
    // Some ids occur often, some are on this rank, and some do not exist.
    std::vector<std::array<std::int64_t, 2>> neighbours(static_cast<std::size_t>(30 * repeat));
    std::set<std::pair<int, std::int64_t>> expected;
    for (auto& pair : neighbours)
      for (std::int64_t& wanted : pair) {
        wanted = test::below(25 * test::size(), random) - 3;
        const auto owner = static_cast<int>(wanted % size);
        const std::int64_t index = 19 - wanted / test::size();
        if (wanted >= 0 && index >= 0 && owner != 1 && owner != rank)
          expected.insert({owner, index});
      }
    auto there = array_of(neighbours);
    Halo around = Halo::around_ids(communicator, slabs(true, 3), directory, there, count);
    EXPECT_TRUE(around.is_of(slabs(true, 3)));
    std::vector<std::pair<int, std::int64_t>> found;
    for (const Halo::Origin& origin : around.origins().on_host())
      found.push_back({origin.rank, origin.index});
    EXPECT_EQ(found, (std::vector<std::pair<int, std::int64_t>>(expected.begin(), expected.end())));
    ASSERT_EQ(around.ghosts(), std::ssize(expected));

    exec::Array<std::int64_t> ghost_ids(test::space(), "ids", around.ghosts());
    around.exchange(carry(id), carry(ghost_ids));
    std::vector<std::int64_t> expected_ids;
    for (const auto& [owner, index] : expected)
      expected_ids.push_back(ids_of(owner, 20)[static_cast<std::size_t>(index)]);
    EXPECT_EQ(ghost_ids.on_host(), expected_ids);
    auto hits = array_of(std::vector<int>(static_cast<std::size_t>(count), 0));
    auto ghost_hits = array_of(std::vector<int>(static_cast<std::size_t>(around.ghosts()), 1));
    around.sum_back(carry(hits), carry(ghost_hits));
    const auto sums = hits.on_host();
    EXPECT_EQ(communicator.all_reduce(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}),
                                      Reduction::sum),
              communicator.all_reduce(around.ghosts(), Reduction::sum));
  }
}

// --- Misuse --------------------------------------------------------------------------------------

bool is_last() { return test::rank() == test::size() - 1; }

TEST_F(HaloOn, RefusesWhatMakesNoSense) {
  const Domains domains = slabs(true);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, nan, infinity})
    EXPECT_ERROR_EVERYWHERE(Halo(communicator, domains, set(x), is_last() ? bad : 1),
                            "A halo of this width was asked for");
  EXPECT_ERROR_EVERYWHERE(Halo(communicator, domains, set(x), 101.0 * size),
                          "reaches beyond 100 periods along x");
  EXPECT_ERROR_EVERYWHERE(
      Halo(communicator,
           GridDomains::uniform({3, {size + 1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, GridScheme::tensor),
           set(x), 1),
      "domains for");
  EXPECT_ERROR_EVERYWHERE(Halo(communicator, Domains(), set(x), 1), "No rank owns anything yet");
  for (const double bad : {nan, infinity}) {
    Row y = middle();
    if (is_last()) y[0][1] = bad;
    EXPECT_ERROR_EVERYWHERE(Halo(communicator, domains, set(y), 1),
                            "Component 1 of the position of object 0 is not finite");
  }
  Row far = middle();
  if (is_last()) far[0][0] = 1e300;
  EXPECT_ERROR_EVERYWHERE(Halo(communicator, domains, set(far), 1),
                          "periods away from the box along x");
  std::vector<std::array<double, 2>> flat(1);
  EXPECT_ERROR_EVERYWHERE(Halo(communicator, domains, set(flat), 1), "Positions have 2 components");
  if (size == 1) return;
  EXPECT_ERROR_EVERYWHERE(Halo(communicator, domains, set(x), is_last() ? 2 : 1),
                          "Ranks ask for halos of widths 1 to 2.");
  EXPECT_ERROR_EVERYWHERE(Halo(communicator, slabs(true, is_last() ? 2 : 1), set(x), 1),
                          "Ranks have domains of generations 1 to 2.");
}

TEST_F(HaloOn, RefusesFieldsAndLeavesThemAlone) {
  std::vector<double> charge(3, 1.0), few(is_last() ? 2 : 3, 1.0);
  x.resize(3, {7, 7, 7});
  const Row before = x;
  EXPECT_ERROR_EVERYWHERE(halo.exchange(set(x, carry(charge, few))),
                          "has room for 2 objects, but must hold 1 owned ones and 2 ghosts");
  EXPECT_ERROR_EVERYWHERE(halo.sum_back(carry(charge, few)), "has room for 2 objects");
  EXPECT_ERROR_EVERYWHERE(halo.exchange(set(x, {}, {.count = is_last() ? 2 : 1})),
                          "The set has 2 owned objects, and the halo was made for 1.");
  EXPECT_ERROR_EVERYWHERE(halo.make_room(set(x)),
                          "The set has 3 owned objects, and the halo was made for 1.");
  std::vector<Grain> grains(3);
  EXPECT_ERROR_EVERYWHERE(halo.sum_back(carry(grains)), "holds bytes, which cannot be added");
  std::vector<std::vector<int>> patches(3);
  const BlockFunctions<std::vector<int>> functions = {
      .bytes = [](const std::vector<int>&) { return std::int64_t{0}; },
      .pack = [](const std::vector<int>&, std::span<std::byte>) { return std::ptrdiff_t{0}; },
      .unpack = [](std::vector<int>&, std::span<const std::byte>) { return std::ptrdiff_t{0}; }};
  EXPECT_ERROR_EVERYWHERE(halo.exchange(carry(charge, blocks(patches, functions))),
                          "Payloads cannot be exchanged");
  EXPECT_ERROR_EVERYWHERE(halo.exchange(carry(charge), carry(charge, few)),
                          "1 fields of owned objects and 2 of ghosts were given");
  std::vector<int> id(3);
  EXPECT_ERROR_EVERYWHERE(halo.exchange(set(id)), "'std::vector' is not a position");
  if (size > 1) {
    std::vector<float> single(3, 1.0F);
    EXPECT_ERROR_EVERYWHERE(is_last() ? halo.exchange(carry(single)) : halo.exchange(carry(charge)),
                            "Ranks bring different fields");
    EXPECT_ERROR_EVERYWHERE(is_last() ? halo.sum_back(carry(charge)) : halo.exchange(carry(charge)),
                            "Ranks bring different fields");
  }
  EXPECT_EQ(x, before);
  EXPECT_EQ(charge, (std::vector<double>(3, 1.0)));
  halo.exchange(set(x, carry(charge)));  // and the halo still works
  EXPECT_NE(x, before);
}

// One rank has no room, and cannot get any.
TEST_F(HaloOn, MakesRoomOnAllRanksOrOnNone) {
  std::vector<double> charge = {1.0};
  std::span<double> fixed = charge;
  int owned = 1;
  EXPECT_ERROR_EVERYWHERE(is_last() ? halo.make_room(set(x, carry(fixed), {.count = &owned}))
                                    : halo.make_room(set(x, carry(charge))),
                          "'std::span' has room for 1 objects and 3 would arrive.");
  EXPECT_EQ(x, middle());
  EXPECT_EQ(charge.size(), 1U);
  halo.make_room(set(x, carry(charge)));
  EXPECT_EQ(x.size(), 3U);
  EXPECT_EQ(x.front(), middle().front());
}

TEST_F(HaloOn, RefusesADirectoryOfOtherObjects) {
  const std::vector<int> id = {2 * rank, 2 * rank + 1};
  const std::vector<int> wanted = {2 * ((rank + 1) % size) + 1};
  const IdDirectory directory(communicator, id);
  if (size > 1) {
    EXPECT_ERROR_EVERYWHERE(Halo::around_ids(communicator, slabs(true), directory, wanted, 1),
                            "Object 1 was asked for, but this rank owns 1 objects.");
  }
  std::vector<float> reals(1);
  EXPECT_ERROR_EVERYWHERE(Halo::around_ids(communicator, slabs(true), directory, reals, 2),
                          "are of type float");
}

#if EVENKEEL_ASSERTION_LEVEL >= 1
TEST_F(HaloOn, OfOtherDomainsIsAnError) {
  EXPECT_ERROR(halo.of(slabs(true, 2)), "The halo was made for these domains");
}
#endif

}  // namespace
}  // namespace evenkeel::halo_test
