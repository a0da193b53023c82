#include "core/migrate/cloud.hpp"

#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/halo.hpp>

namespace evenkeel::directory_test {
namespace {

using test::array_of;
using test::Ids;
using test::mix;

class DirectoryOn : public test::OnRanks {};

// The ids of all ranks, and the location of each.
std::map<std::int64_t, IdDirectory::Location> locations_of(const Communicator& ranks,
                                                           const Ids& ids) {
  std::map<std::int64_t, IdDirectory::Location> where;
  const auto all = ranks.all_gather(std::span<const std::int64_t>(ids));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    std::int64_t slot = 0;
    for (const std::int64_t id : all.of_rank(rank)) where[id] = {rank, slot++};
  }
  return where;
}

std::vector<IdDirectory::Location> found_by(const IdDirectory& directory, const Ids& wanted) {
  const auto there = array_of(wanted);
  return directory.look_up(there).on_host();
}

void expect_all_found(const Communicator& ranks, const IdDirectory& directory, const Ids& ids,
                      Ids wanted) {
  const auto where = locations_of(ranks, ids);
  for (const auto& [id, location] : where) wanted.push_back(id);
  std::vector<IdDirectory::Location> expected;
  for (const std::int64_t id : wanted)
    expected.push_back(where.count(id) == 1 ? where.at(id) : IdDirectory::Location{});
  EXPECT_EQ(found_by(directory, wanted), expected);
}

// Ids that are unrelated to their location. The smallest and the largest possible ids are among
// them.
Ids some_ids(int rank, std::int64_t count, int salt) {
  Ids ids;
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int64_t>(mix(i * 64 + rank, salt)));
  if (rank == 0 && count > 1) {
    ids[0] = std::numeric_limits<std::int64_t>::min();
    ids[1] = std::numeric_limits<std::int64_t>::max();
  }
  return ids;
}

TEST_F(DirectoryOn, FindsAllIds) {
  for (const std::int64_t most : {0, 1, 2, 300}) {
    // The counts differ between ranks; some are 0.
    const std::int64_t count = test::rank() % 2 == 1 ? 0 : most;
    const Ids ids = some_ids(test::rank(), count, 5);
    const auto there = array_of(ids);
    const IdDirectory directory(communicator, there);
    expect_all_found(communicator, directory, ids, {-1, 7, 7});
    if (test::rank() == 0) {
      found_by(directory, {});
    } else {
      found_by(directory, {3, -1});
    }
  }
}

TEST_F(DirectoryOn, TakesIntegersOfAnyType) {
  const std::vector<int> ids = {-1 - test::rank(), 100 + test::rank(), 55};
  const IdDirectory directory(communicator, ids, 2);
  std::vector<signed char> narrow = {-1, 100};
  const auto found = directory.look_up(narrow).on_host();
  EXPECT_EQ(found, (std::vector<IdDirectory::Location>{{0, 0}, {0, 1}}));
  const std::vector<std::array<unsigned short, 2>> pairs = {{100, 55}, {3, 100}};
  const IdDirectory::Location here = {0, 1}, none;
  EXPECT_EQ(directory.look_up(pairs).on_host(),
            (std::vector<IdDirectory::Location>{here, none, none, here}));
  EXPECT_FALSE(none.exists());
  EXPECT_TRUE(here.exists());
}

TEST_F(DirectoryOn, FollowsMoves) {
  Ids ids = some_ids(test::rank(), 40 + 10 * test::rank(), 6);
  std::vector<std::array<double, 3>> x(ids.size());
  IdDirectory directory(communicator, ids);
  for (int step = 0; step < 3; ++step) {
    std::vector<int> destinations;
    for (const std::int64_t id : ids)
      destinations.push_back(static_cast<int>(mix(id, step) % static_cast<std::uint64_t>(size)));
    const Set all = set(x, carry(ids));
    const std::span<const Set> sets(&all, 1);
    const auto shapes = agree_on_sets(communicator, sets);
    const std::span<const int> of_set[] = {destinations};
    const Plan plan = plan_to(communicator, of_set, sets);
    MoveReport report;
    if (!plan.empty()) report = move(communicator, sets, shapes, plan);
    directory.update(report, ids);
    expect_all_found(communicator, directory, ids, {});
  }
  // An empty report must cost nothing, and change nothing.
  directory.update(MoveReport(), ids);
  expect_all_found(communicator, directory, ids, {});
  // Objects appear and disappear.
  ids.push_back(test::rank());
  ids.erase(ids.begin());
  directory.update(ids);
  expect_all_found(communicator, directory, ids, {});
}

// --- Misuse --------------------------------------------------------------------------------------

TEST_F(DirectoryOn, RefusesIdsThatOccurTwice) {
  const int last = test::size() - 1;
  Ids ids = {10 * test::rank(), 10 * test::rank() + 1};
  IdDirectory directory(communicator, ids);
  const Ids before = ids;
  if (test::rank() == last) ids = {-7, 8, -7};
  EXPECT_ERROR_EVERYWHERE(directory.update(ids),
                          "Id -7 belongs to object 0 of rank " + std::to_string(last) +
                              " and to object 2 of rank " + std::to_string(last) + '.');
  ids = test::rank() == last ? Ids{5, 0} : before;
  if (last > 0) {
    EXPECT_ERROR_EVERYWHERE(
        directory.update(ids),
        "Id 0 belongs to object 0 of rank 0 and to object 1 of rank " + std::to_string(last) + '.');
  }
  expect_all_found(communicator, directory, before, {-7});  // nothing has changed
}

TEST_F(DirectoryOn, RefusesWhatAreNoIds) {
  const bool is_last = test::rank() == test::size() - 1;
  const Ids ids = {test::rank()};
  const std::vector<double> reals = {1.0};
  const std::vector<std::array<int, 2>> pairs(1);
  IdDirectory directory(communicator, ids);
  EXPECT_ERROR_EVERYWHERE(
      is_last ? IdDirectory(communicator, reals) : IdDirectory(communicator, ids),
      "are of type double");
  EXPECT_ERROR_EVERYWHERE(IdDirectory(communicator, pairs), "Objects have 2 ids each");
  EXPECT_ERROR_EVERYWHERE(is_last ? directory.look_up(ids, 2) : directory.look_up(ids),
                          "There are 1 ids in 'std::vector' for 2 objects");
  EXPECT_ERROR_EVERYWHERE(directory.look_up({}), "No ids were given");
  EXPECT_ERROR(IdDirectory().look_up(ids), "core/directory: This IdDirectory is empty.");
}

// --- Local ids -----------------------------------------------------------------------------------

TEST(LocalIds, AreTheLowestIndices) {
  const auto id = array_of(Ids{30, -4, 7, 30, 9});
  const LocalIds local(id, 4);
  auto wanted = array_of(std::vector<std::array<int, 2>>{{7, 30}, {9, -4}});
  local.write_indices(wanted, wanted);
  EXPECT_EQ(wanted.on_host(), (std::vector<std::array<int, 2>>{{2, 0}, {-1, 1}}));
  auto nothing = array_of(Ids{});
  EXPECT_NO_THROW(LocalIds(nothing).write_indices(nothing, nothing));
}

TEST(LocalIds, RefusesWhatDoesNotFit) {
  const std::vector<int> id = {1, 2, 3}, wanted = {1, 2};
  const LocalIds local(id);
  std::vector<int> few(1);
  std::vector<unsigned> unsigned_ones(2);
  std::vector<double> reals(2);
  EXPECT_ERROR(local.write_indices(wanted, few), "2 x 1 ids do not fit 'std::vector'");
  EXPECT_ERROR(local.write_indices(wanted, unsigned_ones), "which cannot hold -1");
  EXPECT_ERROR(local.write_indices(wanted, reals), "which cannot hold -1");
  EXPECT_ERROR(local.write_indices(reals, reals), "are of type double");
  const std::vector<short> many(200, 1);
  std::vector<signed char> narrow(2);
  EXPECT_ERROR(LocalIds(many).write_indices(wanted, narrow), "of type int8 cannot count 200");
}

// A row of cells, with two neighbours each. Each rank has a piece of the row.
TEST_F(DirectoryOn, LocalIdsRenumberTheNeighboursOfAMesh) {
  const int cells = 4 * size;
  const Box box = {{0, 0, 0}, {static_cast<double>(cells), 1, 1}};
  const Domains domains = GridDomains::uniform({3, {size, 1, 1}}, box, GridScheme::tensor, {true});
  std::vector<std::array<double, 3>> x;
  std::vector<int> id;
  std::vector<std::array<int, 2>> neighbours;
  for (int cell = 4 * rank; cell < 4 * rank + 4; ++cell) {
    x.push_back({cell + 0.5, 0.5, 0.5});
    id.push_back(cell);
    neighbours.push_back({(cell + cells - 1) % cells, (cell + 1) % cells});
  }
  const int owned = 4;
  Halo halo(communicator, domains, set(x), 0.75);
  halo.make_room(set(x, carry(id), {.count = owned}));
  halo.exchange(set(x, carry(id), {.count = owned}));
  LocalIds(id).write_indices(neighbours, neighbours);
  for (int i = 0; i < 4; ++i)
    for (int side = 0; side < 2; ++side) {
      const int index = neighbours[static_cast<std::size_t>(i)][static_cast<std::size_t>(side)];
      ASSERT_GE(index, 0);
      const int expected = (4 * rank + i + (side == 0 ? cells - 1 : 1)) % cells;
      EXPECT_EQ(id[static_cast<std::size_t>(index)], expected);
    }
}

}  // namespace
}  // namespace evenkeel::directory_test
