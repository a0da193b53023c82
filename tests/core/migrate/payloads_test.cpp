#include "core/migrate/cloud.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/field/blocks.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/payload.hpp>

namespace evenkeel::payloads_test {
namespace {

using test::Bytes;
using test::everywhere;
using test::Ids;
using test::ids_here;
using test::mix;
using test::Prepared;

// --- What objects carry, all of which follows from the id ----------------------------------------

// Every eleventh object is larger than a message of the small budgets in this file.
std::size_t length_of(std::int64_t id, int salt) {
  const std::uint64_t draw = mix(id, salt);
  return draw % 11 == 0 ? 3000 : draw % 7;
}

// A block that owns memory. It can be moved, but not copied.
struct Patch {
  std::unique_ptr<Bytes> content;

  static Patch of(std::int64_t id) {
    Bytes content(length_of(id, 1));
    for (std::size_t b = 0; b < content.size(); ++b)
      content[b] = static_cast<unsigned char>(mix(id, 100 + static_cast<int>(b)));
    return {std::make_unique<Bytes>(std::move(content))};
  }
};

BlockFunctions<Patch> patch_functions() {
  return {.bytes = [](const Patch& patch) { return std::ssize(*patch.content) + 0L; },
          .pack =
              [](const Patch& patch, std::span<std::byte> to) {
                std::ranges::copy(std::as_bytes(std::span(*patch.content)), to.begin());
                return std::ssize(to) + 0L;
              },
          .unpack =
              [](Patch& patch, std::span<const std::byte> from) {
                patch.content = std::make_unique<Bytes>(from.size());
                std::ranges::copy(from, std::as_writable_bytes(std::span(*patch.content)).begin());
                return std::ssize(from) + 0L;
              }};
}

struct Neighbours {
  std::vector<int> first;
  std::vector<std::array<std::int64_t, 2>> all;

  static std::vector<std::array<std::int64_t, 2>> of(std::int64_t id) {
    std::vector<std::array<std::int64_t, 2>> values(length_of(id, 2) / 4);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = {id, static_cast<std::int64_t>(mix(id, 200 + static_cast<int>(k)))};
    return values;
  }
  explicit Neighbours(const Ids& ids) : first{0} {
    for (const std::int64_t id : ids) {
      for (const auto& value : of(id)) all.push_back(value);
      first.push_back(static_cast<int>(all.size()));
    }
  }
};

// A tree of cells in Views. evenkeel sees only the bytes of each record.
template <class Memory>
struct Trees {
  struct Cell {
    float value;
    std::uint16_t level;
  };
  Kokkos::View<std::int64_t*, Memory> first;
  Kokkos::View<Cell*, Memory> cells;

  static std::vector<Cell> of(std::int64_t id) {
    std::vector<Cell> cells(1 + length_of(id, 3) / 8);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      std::memset(&cells[k], 0, sizeof(Cell));
      cells[k].value = static_cast<float>(mix(id, 300 + static_cast<int>(k)) % 1000);
      cells[k].level = static_cast<std::uint16_t>(k);
    }
    return cells;
  }
  explicit Trees(const Ids& ids) {
    std::vector<std::int64_t> starts = {0};
    std::vector<Cell> all;
    for (const std::int64_t id : ids) {
      const std::vector<Cell> mine = of(id);
      all.insert(all.end(), mine.begin(), mine.end());
      starts.push_back(std::ssize(all));
    }
    first = decltype(first)("first", starts.size());
    cells = decltype(cells)("cells", all.size());
    upload(first, starts);
    upload(cells, all);
  }
  template <class View, class T>
  static void upload(const View& view, const std::vector<T>& values) {
    const auto host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
    Kokkos::deep_copy(view, host);
  }
  template <class T, class View>
  static std::vector<T> download(const View& view) {
    const auto host = Kokkos::create_mirror_view(view);
    Kokkos::deep_copy(host, view);
    std::vector<T> values;
    for (std::size_t i = 0; i < view.extent(0); ++i) values.push_back(host(i));
    return values;
  }
};

template <class Memory>
struct Forest {
  test::Vectors cloud;
  Neighbours neighbours;
  Trees<Memory> trees;
  std::vector<Patch> patches;
  BlockFunctions<Patch> functions = patch_functions();

  explicit Forest(const Ids& ids) : cloud(ids.size()), neighbours(ids), trees(ids) {
    for (const std::int64_t id : ids) patches.push_back(Patch::of(id));
    write_objects(cloud.as_set(), everywhere, ids);
  }
  Set as_set(const SetOptions& options = {}) {
    return set(cloud.x,
               carry(cloud.id, csr(neighbours.first, neighbours.all), cloud.velocity,
                     csr(trees.first, trees.cells), blocks(patches, functions)),
               options);
  }

  // Checks every value of every object.
  void expect_complete() const {
    const Ids& ids = cloud.id;
    ASSERT_EQ(neighbours.first.size(), ids.size() + 1);
    ASSERT_EQ(patches.size(), ids.size());
    const auto starts = Trees<Memory>::template download<std::int64_t>(trees.first);
    using Cell = typename Trees<Memory>::Cell;
    const auto cells = Trees<Memory>::template download<Cell>(trees.cells);
    ASSERT_EQ(starts.size(), ids.size() + 1);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto begin = neighbours.all.begin();
      EXPECT_EQ(std::vector(begin + neighbours.first[i], begin + neighbours.first[i + 1]),
                Neighbours::of(ids[i]));
      ASSERT_NE(patches[i].content, nullptr);
      EXPECT_EQ(*patches[i].content, *Patch::of(ids[i]).content);
      const std::vector<Cell> expected = Trees<Memory>::of(ids[i]);
      ASSERT_EQ(starts[i + 1] - starts[i], std::ssize(expected));
      EXPECT_EQ(
          std::memcmp(cells.data() + starts[i], expected.data(), expected.size() * sizeof(Cell)),
          0);
    }
    EXPECT_EQ(std::ssize(neighbours.all), neighbours.first.back());
    EXPECT_EQ(std::ssize(cells), starts.back());
  }
};

Prepared shuffled(const Communicator& communicator, const Set& set, int salt) {
  Prepared prepared = test::prepare_shuffle(communicator, {&set, 1}, salt);
  prepared.plan =
      plan(communicator, prepared.splitters, test::made(prepared.orders), {.sets = {&set, 1}});
  return prepared;
}

// Moves objects by a plan that is made here.
MoveReport move_shuffled(const Communicator& communicator, const Set& set, int salt) {
  const Prepared prepared = shuffled(communicator, set, salt);
  return move(communicator, {&set, 1}, prepared.shapes, prepared.plan);
}

const MoveOptions budgets[] = {
    {}, {.staging_bytes = 1000, .messages_in_flight = 2}, {.staging_bytes = 20'000}};

template <class Memory>
void move_forests() {
  const Communicator communicator = test::world();
  for (const test::Spread& spread : {test::in_turn, test::on_the_last}) {
    const Ids ids = ids_here(communicator, spread, 150);
    Forest<Memory> forest(ids);
    int salt = 0;
    for (const MoveOptions& budget : budgets) {
      const Set now = forest.as_set();
      const Prepared prepared = shuffled(communicator, now, ++salt);
      std::vector<std::int64_t> counts;
      for (const Ids& of_set : expected_of(communicator, {&now, 1}, prepared).ids)
        counts.push_back(std::ssize(of_set));
      move(communicator, {&now, 1}, prepared.shapes, prepared.plan, budget);
      EXPECT_EQ(now.count(), counts.front());
      forest.expect_complete();
      test::expect_objects(set(forest.cloud.x, carry(forest.cloud.id)), everywhere,
                           forest.cloud.id);
    }
    EXPECT_EQ(communicator.all_reduce(std::ssize(forest.cloud.id) + 0L, Reduction::sum), 150);
  }
}

TEST(Payloads, TravelWithTheirObjects) {
  with_space(test::space(), [](const auto& instance) {
    move_forests<typename std::decay_t<decltype(instance)>::memory_space>();
  });
}

class PayloadsOn : public test::OnRanks {};

// A rank that has never had an object need not fill its offsets.
TEST_F(PayloadsOn, OffsetsThatWereNeverFilled) {
  const Ids ids = ids_here(communicator, test::on_the_last, 40);
  Forest<Kokkos::HostSpace> forest(ids);
  if (ids.empty()) forest.neighbours.first.clear();
  const Set now = forest.as_set();
  move_shuffled(communicator, now, 7);
  forest.expect_complete();
}

TEST_F(PayloadsOn, GhostsAreDropped) {
  Ids ids = ids_here(communicator, test::in_turn, 60);
  auto owned = static_cast<int>(ids.size());
  for (int ghost = 0; ghost < 3; ++ghost) ids.push_back(1000 + ghost);
  Forest<Kokkos::HostSpace> forest(ids);
  const Set now = forest.as_set({.count = &owned});
  move_shuffled(communicator, now, 3);
  forest.expect_complete();
  EXPECT_EQ(std::ranges::count_if(forest.cloud.id, [](auto id) { return id >= 1000; }), 0);
}

TEST_F(PayloadsOn, AreCountedInWhatAMoveTakes) {
  Forest<Kokkos::HostSpace> forest(ids_here(communicator, test::in_turn, 90));
  const Set now = forest.as_set();
  const Prepared prepared = shuffled(communicator, now, 4);
  const auto bytes = [&] {
    const auto values = [](const auto& all) {
      return std::ssize(all) * static_cast<std::int64_t>(sizeof(all[0]));
    };
    std::int64_t sum = values(forest.cloud.x) + values(forest.cloud.id) +
                       values(forest.cloud.velocity) + values(forest.neighbours.all);
    for (const Patch& patch : forest.patches) sum += std::ssize(*patch.content);
    return sum + static_cast<std::int64_t>(forest.trees.cells.extent(0) *
                                           sizeof(Trees<Kokkos::HostSpace>::Cell));
  };
  const MoveReport::Memory memory =
      memory_of(communicator, {&now, 1}, prepared.shapes, prepared.plan);
  EXPECT_EQ(memory.before, bytes());
  const MoveReport report = move(communicator, {&now, 1}, prepared.shapes, prepared.plan);
  EXPECT_EQ(memory.after, bytes());
  EXPECT_EQ(report.bytes, communicator.all_reduce(memory.sent, Reduction::sum));
  EXPECT_EQ(report.bytes, communicator.all_reduce(memory.received, Reduction::sum));
}

// --- Faults --------------------------------------------------------------------------------------

class PayloadFails : public test::OnRanks {
 protected:
  Forest<Kokkos::HostSpace> forest{ids_here(communicator, test::in_turn, 30 * size)};
  int salt = 0;

  static std::string at(int culprit) { return "evenkeel: rank " + std::to_string(culprit) + ": "; }

  // Each rank in turn has other functions. All ranks must throw the same Error, and nothing may
  // change.
  void expect_refused(const std::string& told,
                      const std::function<void(BlockFunctions<Patch>&)>& spoil) {
    if (size == 1) GTEST_SKIP() << "takes two ranks";
    for (int culprit = 0; culprit < size; ++culprit) {
      forest.functions = patch_functions();
      if (rank == culprit) spoil(forest.functions);
      const Ids before = forest.cloud.id;
      const Set now = forest.as_set();
      ++salt;
      EXPECT_ERROR_EVERYWHERE(move_shuffled(communicator, now, salt), at(culprit) + told);
      EXPECT_EQ(forest.cloud.id, before);
      forest.expect_complete();
      forest.functions = patch_functions();
      const Set mended = forest.as_set();
      move_shuffled(communicator, mended, salt);
      forest.expect_complete();
    }
  }
};

TEST_F(PayloadFails, WhenItsSizeThrows) {
  expect_refused(
      "core/payload: The application threw an exception: no size. Nothing was changed; mend the "
      "cause and try "
      "again.",
      [](auto& functions) {
        functions.bytes = [](const Patch&) -> std::int64_t { throw std::runtime_error("no size"); };
      });
}

TEST_F(PayloadFails, WhenItsSizeIsNegative) {
  expect_refused(
      "core/migrate: 'blocks' says that object 0 has -1 bytes. Sizes are multiples of 1 and not "
      "negative.",
      [](auto& functions) { functions.bytes = [](const Patch&) { return -1L; }; });
}

TEST_F(PayloadFails, WhenPackThrows) {
  expect_refused(
      "core/payload: The application threw an exception: something that is not a std::exception.",
      [](auto& functions) {
        functions.pack = [](const Patch&, std::span<std::byte>) -> std::int64_t { throw 42; };
      });
}

TEST_F(PayloadFails, WhenPackUsesFewerBytesThanItSaid) {
  expect_refused("core/payload: The function pack of a block used ", [](auto& functions) {
    functions.pack = [](const Patch&, std::span<std::byte> to) { return std::ssize(to) - 1; };
  });
}

TEST_F(PayloadFails, WhenUnpackThrows) {
  expect_refused("core/payload: The application threw an exception: no room at all.",
                 [](auto& functions) {
                   functions.unpack = [](Patch&, std::span<const std::byte>) -> std::int64_t {
                     throw std::runtime_error("no room\nat all");
                   };
                 });
}

TEST_F(PayloadFails, WhenItsOffsetsMakeNoSense) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  for (int culprit = 0; culprit < size; ++culprit) {
    const auto refused = [&](const std::string& told) {
      const Set now = forest.as_set();
      EXPECT_ERROR_EVERYWHERE(agree_on_sets(communicator, {&now, 1}), at(culprit) + told);
    };
    const Neighbours good = forest.neighbours;
    if (rank == culprit) std::swap(forest.neighbours.first[1], forest.neighbours.first.back());
    refused("core/payload: The offsets 'std::vector' must begin at 0 and never decrease.");
    forest.neighbours = good;
    if (rank == culprit) forest.neighbours.first.pop_back();
    refused("core/payload: There are 30 offsets for 30 objects.");
    forest.neighbours = good;
    if (rank == culprit) ++forest.neighbours.first.back();
    refused("core/payload: The offsets 'std::vector' end at ");
    forest.neighbours = good;
    std::vector<Patch> patches;
    if (rank == culprit) patches.swap(forest.patches);
    refused("core/payload: There are 0 blocks for 30 objects.");
    if (rank == culprit) patches.swap(forest.patches);
  }
}

TEST_F(PayloadFails, WhenOneRankHasAnother) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  std::vector<Set> with = {forest.as_set()};
  std::vector<Set> without = {set(forest.cloud.x, carry(forest.cloud.id, forest.cloud.velocity))};
  EXPECT_ERROR_EVERYWHERE(agree_on_sets(communicator, rank == 0 ? without : with),
                          "Some ranks move 3 fields, others 6.");
}

// A set with payloads needs a plan that includes their sizes.
TEST_F(PayloadFails, WithoutBeingAskedForSizes) {
  const Set now = forest.as_set();
  const Prepared prepared = test::prepare_shuffle(communicator, {&now, 1}, 1);
  EXPECT_ERROR(move(communicator, {&now, 1}, prepared.shapes, prepared.plan),
               "The plan does not know the sizes of all payloads. Make the plan");
  forest.expect_complete();
}

// If a payload were carried twice, it would move twice, and one of the moves would lose it.
TEST_F(PayloadFails, WhenItIsCarriedTwice) {
  const auto refused = [&](Carried carried) {
    EXPECT_ERROR(check_movable(set(forest.cloud.x, std::move(carried))),
                 "is carried twice, or is also carried as a field. Name each once.");
  };
  const auto patches = blocks(forest.patches, forest.functions);
  refused(carry(patches, patches));
  refused(carry(patches, blocks(forest.patches, forest.functions)));
  refused(carry(csr(forest.neighbours.first, forest.neighbours.all),
                csr(forest.neighbours.first, forest.neighbours.all)));
}

// Payloads may share offsets: then their lists have the same lengths.
TEST_F(PayloadsOn, OffsetsMayBeShared) {
  const Ids ids = ids_here(communicator, test::in_turn, 80);
  Forest<Kokkos::HostSpace> forest(ids);
  std::vector<std::int64_t> twins;
  for (const auto& value : forest.neighbours.all) twins.push_back(value[1]);
  const Set now = set(forest.cloud.x,
                      carry(forest.cloud.id, csr(forest.neighbours.first, forest.neighbours.all),
                            csr(forest.neighbours.first, twins)));
  move_shuffled(communicator, now, 5);
  ASSERT_EQ(twins.size(), forest.neighbours.all.size());
  for (std::size_t k = 0; k < twins.size(); ++k) EXPECT_EQ(twins[k], forest.neighbours.all[k][1]);
}

// A hook may change anything. If it does, nothing may move.
TEST_F(PayloadFails, WhenItChangesBetweenPlanAndMove) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  for (int culprit = 0; culprit < size; ++culprit) {
    const Set now = forest.as_set();
    const Prepared prepared = shuffled(communicator, now, ++salt);
    MoveOptions options;
    options.on_stage = [&](MoveStage stage) {
      if (stage == MoveStage::reserve && rank == culprit) forest.patches.pop_back();
    };
    EXPECT_ERROR_EVERYWHERE(move(communicator, {&now, 1}, prepared.shapes, prepared.plan, options),
                            at(culprit) + "core/payload: There are 29 blocks for 30 objects.");
    if (rank == culprit) forest.patches.push_back(Patch::of(forest.cloud.id.back()));
    forest.expect_complete();
  }
}

// --- Order ---------------------------------------------------------------------------------------

TEST(Payloads, ArePutInOrder) {
  const Ids ids = test::counting<std::int64_t>(40);
  Forest<Kokkos::HostSpace> forest(ids);
  const Set now = forest.as_set();
  test::Listed order;
  order.objects = ids;
  order.keys.resize(ids.size());
  std::ranges::sort(order.objects, {}, [](std::int64_t id) { return mix(id, 9); });
  reorder(now, order);
  EXPECT_EQ(forest.cloud.id, order.objects);
  forest.expect_complete();
}

}  // namespace
}  // namespace evenkeel::payloads_test
