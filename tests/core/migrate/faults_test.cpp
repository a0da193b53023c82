#include "core/migrate/cloud.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <new>

namespace evenkeel::faults_test {

// An application's own container. Its `allocate` can break its promise in several ways.
struct Moody {
  enum class Mood {
    willing,
    no_memory,
    runtime_error,
    error,
    no_exception,
    miscounts,
    too_narrow,
    elsewhere
  };
  std::vector<std::array<double, 2>> values;
  Mood mood = Mood::willing;
};

struct MoodyRoom {
  std::vector<std::array<double, 2>> values;
  Moody::Mood mood;
};

}  // namespace evenkeel::faults_test

namespace evenkeel {

template <>
struct FieldTraits<faults_test::Moody> {
  using Mood = faults_test::Moody::Mood;
  using Element = std::array<double, 2>;
  using Staged = faults_test::MoodyRoom;
  static FieldLayout layout(faults_test::Moody& moody) {
    return packed_layout(moody.values.data(), std::ssize(moody.values), std::ssize(moody.values));
  }
  static std::string label(const faults_test::Moody&) { return "moody"; }
  static Ownership ownership(const faults_test::Moody&) { return Ownership::sole; }
  static Staged allocate(const faults_test::Moody& moody, const Room& room) {
    const auto count = static_cast<std::size_t>(room.count);
    switch (moody.mood) {
      case Mood::no_memory: throw std::bad_alloc();
      case Mood::runtime_error: throw std::runtime_error("Kokkos failed to allocate memory");
      case Mood::error:
        throw Error(ErrorKind::application, Where{"ship"}, "The hold is full.", "Unload.");
      case Mood::no_exception: throw 42;
      case Mood::miscounts: return {std::vector<Element>(count + 1), moody.mood};
      default: return {std::vector<Element>(count), moody.mood};
    }
  }
  static FieldLayout staged_layout(Staged& room) {
    FieldLayout layout =
        packed_layout(room.values.data(), std::ssize(room.values), std::ssize(room.values));
    if (room.mood == Mood::too_narrow) layout.components = 1;
    if (room.mood == Mood::elsewhere) layout.memory = MemoryKind::device;
    return layout;
  }
  static void commit(faults_test::Moody& moody, Staged& room) noexcept {
    moody.values.swap(room.values);
  }
};

}  // namespace evenkeel

namespace evenkeel::faults_test {
namespace {

using test::everywhere;
using test::Ids;
using test::ids_here;
using test::Prepared;

// Two sets. Some of their fields are replaced, some keep their memory, some are borrowed, and some
// are moody.
struct Ship {
  static constexpr std::int64_t room = 60;
  Kokkos::View<double* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> x;
  Ids id;
  Moody moody;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> tensor;
  std::vector<std::array<float, 2>> y = std::vector<std::array<float, 2>>(room);
  Ids crew_id = Ids(room);
  std::vector<double> hold = std::vector<double>(room), companion;
  RawField<double> raw = raw_field(hold.data(), {.count = room, .label = "hold"});
  int crew;
  std::vector<Set> sets;

  explicit Ship(const Communicator& communicator)
      : Ship(ids_here(communicator, test::in_turn, 40),
             ids_here(communicator, test::on_the_last, 25)) {}

 private:
  Ship(const Ids& objects, const Ids& crew_ids)
      : x("x", objects.size()),
        id(objects.size()),
        moody{std::vector<std::array<double, 2>>(objects.size())},
        tensor("tensor", objects.size(), 5),
        companion(crew_ids.size()),
        crew(static_cast<int>(crew_ids.size())) {
    sets.push_back(set(x, carry(id, moody, tensor)));
    sets.push_back(set(y, carry(crew_id, raw), {.count = &crew, .keep_allocation = true}));
    sets.back().accompany(field_of(companion));
    write_objects(sets[0], everywhere, objects);
    write_objects(sets[1], everywhere, crew_ids);
  }
};

class MoveFails : public test::OnRanks {
 protected:
  Ship ship{communicator};
  int shuffles = 0;

  Prepared shuffled() { return test::prepare_shuffle(communicator, ship.sets, ++shuffles); }

  // One of these ranks fails at a time: the first, one in the middle, and the last.
  std::set<int> culprits() const { return {0, size / 2, size - 1}; }

  // Expects the same Error on all ranks, and no change on any.
  void expect_undone(const Prepared& prepared, const MoveOptions& options,
                     const std::string& expected) const {
    const test::Snapshot before = test::snapshot_of(ship.sets);
    EXPECT_EQ(test::error_everywhere(
                  [&] { move(communicator, ship.sets, prepared.shapes, prepared.plan, options); }),
              expected);
    EXPECT_TRUE(test::snapshot_of(ship.sets) == before);
  }

  void expect_success(const Prepared& prepared) const {
    expect_move(communicator, ship.sets, everywhere, prepared);
  }
  static test::Listed all_to(int part, const Ids& ids) {
    return test::order_by(
        ids, [&](std::int64_t) { return test::keys_per_part * static_cast<std::uint64_t>(part); });
  }
  static std::string at(int culprit) { return "evenkeel: rank " + std::to_string(culprit) + ": "; }
};

// --- The application's call-back -----------------------------------------------------------------

constexpr MoveStage stages[] = {MoveStage::reserve, MoveStage::pack, MoveStage::unpack};

struct Throw {
  void (*now)();
  const char* told;
};

constexpr Throw throws[] = {
    {[] { throw std::runtime_error("the mast\nbroke"); },
     "core/migrate: The application threw an exception: the mast broke. Nothing was changed; mend "
     "the cause and "
     "try again."},
    {[] { throw Error(ErrorKind::application, Where{"ship"}, "The hull leaks.", "Pump."); },
     "ship: The hull leaks. Pump."},
    {[] { throw 42; },
     "core/migrate: The application threw an exception: something that is not a std::exception. "
     "Nothing was "
     "changed; mend the cause and try again."},
    {[] { throw std::bad_alloc(); },
     "core/migrate: Memory was refused. Use more ranks or fewer objects."},
};

TEST_F(MoveFails, WhenTheCallBackThrows) {
  for (const MoveStage stage : stages)
    for (const Throw& thrown : throws)
      for (const int culprit : culprits()) {
        SCOPED_TRACE(std::string(name_of(stage)) + ", rank " + std::to_string(culprit));
        const Prepared prepared = shuffled();
        const auto fail = [&](MoveStage now) {
          if (now == stage && rank == culprit) thrown.now();
        };
        expect_undone(prepared, {.on_stage = fail}, at(culprit) + thrown.told);
        expect_success(prepared);
      }
}

TEST_F(MoveFails, WhenAllRanksThrow) {
  for (const MoveStage stage : stages) {
    const Prepared prepared = shuffled();
    const auto fail = [&](MoveStage now) {
      if (now == stage) throw std::runtime_error("mutiny on " + std::to_string(rank));
    };
    const std::string all = std::to_string(size);
    expect_undone(
        prepared, {.on_stage = fail},
        "evenkeel: rank 0" +
            (size == 1 ? "" : " (the first of " + all + " failed ranks of " + all + ")") +
            ": core/migrate: The application threw an exception: mutiny on 0. Nothing was changed; "
            "mend the cause and try again.");
    expect_success(prepared);
  }
}

// One rank fails early, another one late. All ranks must report the lowest of both, whichever came
// first.
TEST_F(MoveFails, AtDifferentStagesOnDifferentRanks) {
  if (size < 2) GTEST_SKIP() << "takes two ranks";
  const Prepared prepared = shuffled();
  const auto fail = [&](MoveStage now) {
    if (rank == size - 1 && now == MoveStage::pack) throw std::runtime_error("early");
    if (rank == 0 && now == MoveStage::unpack) throw std::runtime_error("late");
  };
  expect_undone(prepared, {.on_stage = fail},
                "evenkeel: rank 0 (the first of 2 failed ranks of " + std::to_string(size) +
                    "): core/migrate: The application threw an exception: late. Nothing was "
                    "changed; mend the "
                    "cause and try again.");
  expect_success(prepared);
}

TEST_F(MoveFails, AgainAndAgain) {
  const Prepared prepared = shuffled();
  for (int turn = 0; turn < 30; ++turn) {
    const int culprit = turn % size;
    const auto fail = [&](MoveStage now) {
      if (now == stages[turn % 3] && rank == culprit) throw std::runtime_error("once more");
    };
    expect_undone(prepared, {.on_stage = fail},
                  at(culprit) +
                      "core/migrate: The application threw an exception: once more. Nothing was "
                      "changed; mend "
                      "the cause and try again.");
  }
  expect_success(prepared);
}

// Until the end of a move, the application must see all its old values.
TEST_F(MoveFails, NothingIsTouchedWhileAMoveIsUnderWay) {
  const Prepared prepared = shuffled();
  const test::Snapshot before = test::snapshot_of(ship.sets);
  std::vector<MoveStage> seen;
  const auto look = [&](MoveStage now) {
    seen.push_back(now);
    EXPECT_TRUE(test::snapshot_of(ship.sets) == before) << name_of(now);
  };
  expect_move(communicator, ship.sets, everywhere, prepared, {.on_stage = look});
  EXPECT_EQ(seen, std::vector<MoveStage>(std::begin(stages), std::end(stages)));
}

// --- Room ----------------------------------------------------------------------------------------

TEST_F(MoveFails, WhenAContainerRefuses) {
  struct Refusal {
    Moody::Mood mood;
    std::string told;
  };
  for (const int culprit : culprits()) {
    const Prepared prepared = shuffled();
    const auto count = prepared.plan.sets[0].count_after;
    const auto [n, more] = [&] {
      const auto counts = communicator.all_gather(count);
      const std::int64_t there = counts[static_cast<std::size_t>(culprit)];
      return std::pair(std::to_string(there), std::to_string(there + 1));
    }();
    const std::string refused = "core/field: Room for " + n + " objects of 'moody' was refused: ";
    const std::string broken = "core/field: 'moody' was asked to allocate " + n +
                               " objects of 16 bytes in host memory, but allocated ";
    const std::string mend = " memory. Mend FieldTraits::allocate of the type of this field.";
    const std::string remedy = "Use more ranks or fewer objects.";
    const Refusal refusals[] = {
        {Moody::Mood::no_memory, refused + "std::bad_alloc. " + remedy},
        {Moody::Mood::runtime_error, refused + "Kokkos failed to allocate memory. " + remedy},
        {Moody::Mood::error, "ship: The hold is full. Unload."},
        {Moody::Mood::no_exception,
         "core/migrate: Unexpected exception: something that is not a std::exception. If you "
         "cannot explain it, please report it."},
        {Moody::Mood::miscounts, broken + more + " objects of 16 bytes in host" + mend},
        {Moody::Mood::too_narrow, broken + n + " objects of 8 bytes in host" + mend},
        {Moody::Mood::elsewhere, broken + n + " objects of 16 bytes in device" + mend},
    };
    for (const Refusal& refusal : refusals) {
      if (rank == culprit) ship.moody.mood = refusal.mood;
      expect_undone(prepared, {}, at(culprit) + refusal.told);
      ship.moody.mood = Moody::Mood::willing;
    }
    expect_success(prepared);
  }
}

// All objects move to the culprit, whose memory is too small by one object.
TEST_F(MoveFails, WhenBorrowedMemoryIsTooSmall) {
  if (size == 1) GTEST_SKIP() << "what is there has room";
  for (const int culprit : culprits()) {
    Prepared prepared = shuffled();
    prepared.orders[1] = all_to(culprit, test::ids_in(ship.sets[1]));
    prepared.plan = plan(communicator, prepared.splitters, test::made(prepared.orders));
    const RawShape whole = ship.raw.shape;
    if (rank == culprit) ship.raw.shape.capacity = ship.raw.shape.count = 24;
    expect_undone(prepared, {},
                  at(culprit) +
                      "core/field: 'hold' has room for 24 objects and 25 would arrive. Give it "
                      "more capacity, or a container that evenkeel may re-allocate.");
    ship.raw.shape = whole;
    expect_success(prepared);
  }
}

TEST_F(MoveFails, WhenTheVariableOfTheCountIsTooSmall) {
  if (size == 1) GTEST_SKIP() << "nothing arrives";
  for (const int culprit : culprits()) {
    const Ids ids = ids_here(communicator, test::in_turn, 200);
    test::Vectors cloud(ids.size());
    auto narrow = static_cast<std::int8_t>(ids.size());
    auto wide = std::ssize(ids);
    ship.sets = {cloud.as_set({.count = &wide})};
    write_objects(ship.sets[0], everywhere, ids);
    Prepared prepared = shuffled();
    prepared.orders[0] = all_to(culprit, ids);
    prepared.plan = plan(communicator, prepared.splitters, test::made(prepared.orders));
    if (rank == culprit) ship.sets = {cloud.as_set({.count = &narrow})};
    expect_undone(prepared, {},
                  at(culprit) +
                      "core/field: The variable behind .count cannot hold 200. Make it a 64-bit "
                      "integer.");
    ship.sets = {cloud.as_set({.count = &wide})};
    expect_success(prepared);
    EXPECT_EQ(wide, rank == culprit ? 200 : 0);
  }
}

}  // namespace
}  // namespace evenkeel::faults_test
