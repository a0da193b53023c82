#include "core/values.hpp"

#include <evenkeel/core/field/standard.hpp>

#include <new>

namespace evenkeel::field_test {

// Uses the customisation point as documented, with an application's own container. It owns its
// memory, can refuse, and can break its promise.
struct Column {
  std::string name;
  std::int64_t size = 0;
  std::unique_ptr<double[]> data;
  bool refuses = false, gives_too_little = false, gives_elsewhere = false;
  int changes = 0;

  static Column make(std::string name, std::int64_t size) {
    return {std::move(name), size, std::make_unique<double[]>(static_cast<std::size_t>(size))};
  }
  std::vector<double> values() const { return {data.get(), data.get() + size}; }
};

// New storage for a Column. It counts its instances, so that the test finds a leak.
struct Room {
  static inline int alive = 0;

  Room(std::int64_t count, MemoryKind where)
      : size(count),
        data(std::make_unique<double[]>(static_cast<std::size_t>(count))),
        memory(where) {
    ++alive;
  }
  Room(Room&& other) noexcept
      : size(other.size), data(std::move(other.data)), memory(other.memory) {
    ++alive;
  }
  ~Room() { --alive; }

  std::int64_t size;
  std::unique_ptr<double[]> data;
  MemoryKind memory;
};

// A container that learns the number of components of its objects with its first storage.
struct Sheet {
  std::vector<double> data = {};
  std::int64_t count = 0;
  int components = 0;

  static Sheet make(std::int64_t count, int components) {
    return {std::vector<double>(static_cast<std::size_t>(count * components)), count, components};
  }
};

// A container of fixed capacity that keeps the number in use itself.
struct Arena {
  std::array<float, 10> data = {};
  int used = 0;
  int changes = 0;
};

}  // namespace evenkeel::field_test

namespace evenkeel {

template <>
struct FieldTraits<field_test::Column> {
  using Element = double;
  using Staged = field_test::Room;
  static FieldLayout layout(field_test::Column& column) {
    return packed_layout(column.data.get(), column.size, column.size);
  }
  static std::string label(const field_test::Column& column) { return column.name; }
  static Ownership ownership(const field_test::Column&) { return Ownership::sole; }
  static Staged allocate(const field_test::Column& column, const Room& room) {
    if (column.refuses) throw std::runtime_error("no room for " + column.name);
    return Staged(column.gives_too_little ? room.count - 1 : room.count,
                  column.gives_elsewhere ? MemoryKind::device : MemoryKind::host);
  }
  static FieldLayout staged_layout(Staged& room) {
    return packed_layout(room.data.get(), room.size, room.size, room.memory);
  }
  static void commit(field_test::Column& column, Staged& room) noexcept {
    column.data = std::move(room.data);
    column.size = room.size;
  }
  static void changed(field_test::Column& column) noexcept { ++column.changes; }
};

template <>
struct FieldTraits<field_test::Sheet> {
  using Element = double;
  using Staged = field_test::Sheet;
  static FieldLayout layout(field_test::Sheet& sheet) {
    FieldLayout layout = packed_layout(sheet.data.data(), sheet.count, sheet.count);
    layout.components = sheet.components;
    layout.object_stride_bytes = layout.bytes_per_object();
    return layout;
  }
  static std::string label(const field_test::Sheet&) { return "sheet"; }
  static Ownership ownership(const field_test::Sheet&) { return Ownership::sole; }
  static Staged allocate(const field_test::Sheet&, const Room& room) {
    return field_test::Sheet::make(room.count, room.components);
  }
  static FieldLayout staged_layout(Staged& sheet) { return layout(sheet); }
  static void commit(field_test::Sheet& sheet, Staged& staged) noexcept {
    sheet = std::move(staged);
  }
};

template <>
struct FieldTraits<field_test::Arena> {
  using Element = float;
  static FieldLayout layout(field_test::Arena& arena) {
    return packed_layout(arena.data.data(), arena.used, std::ssize(arena.data));
  }
  static std::string label(const field_test::Arena&) { return "arena"; }
  static Ownership ownership(const field_test::Arena&) { return Ownership::borrowed; }
  static void changed(field_test::Arena& arena) noexcept { ++arena.changes; }
  static void resized(field_test::Arena& arena, std::int64_t count) noexcept {
    arena.used = static_cast<int>(count);
  }
};

}  // namespace evenkeel

namespace evenkeel::field_test {
namespace {

using test::counting;
using test::fill;
using test::Opaque;
using test::refill;
using test::values_at;
using test::Vec3;

// --- Layouts -------------------------------------------------------------------------------------

template <class T>
void expect_shape(ScalarType scalar, int element_bytes, int components) {
  T values[2] = {};
  const FieldLayout layout = packed_layout(values, 1, 2);
  EXPECT_EQ(layout.data, values);
  EXPECT_EQ(layout.memory, MemoryKind::host);
  EXPECT_EQ(layout.scalar, scalar);
  EXPECT_EQ(layout.element_bytes, element_bytes);
  EXPECT_EQ(layout.components, components);
  EXPECT_EQ(layout.count, 1);
  EXPECT_EQ(layout.capacity, 2);
  EXPECT_EQ(layout.bytes_per_object(), element_bytes * components);
  EXPECT_EQ(layout.object_stride_bytes, static_cast<std::int64_t>(sizeof(T)));
  EXPECT_TRUE(layout.is_packed());
}

enum class Phase : short { solid, liquid };

TEST(ElementShape, OfTheTypesThatAreKnownAndOfBytes) {
  expect_shape<double>(ScalarType::float64, 8, 1);
  expect_shape<float>(ScalarType::float32, 4, 1);
  expect_shape<int>(ScalarType::int32, 4, 1);
  expect_shape<unsigned long long>(ScalarType::uint64, 8, 1);
  expect_shape<std::array<double, 3>>(ScalarType::float64, 8, 3);
  expect_shape<std::array<float, 2>>(ScalarType::float32, 4, 2);
  expect_shape<std::array<std::int8_t, 5>>(ScalarType::int8, 1, 5);
  expect_shape<double[3]>(ScalarType::float64, 8, 3);
  expect_shape<Vec3>(ScalarType::float64, 8, 3);
  expect_shape<Opaque>(ScalarType::none, sizeof(Opaque), 1);
  expect_shape<bool>(ScalarType::none, 1, 1);
  expect_shape<Phase>(ScalarType::none, 2, 1);
}

TEST(FieldLayout, IsPackedWithoutGapsAlone) {
  double values[12] = {};
  EXPECT_TRUE(packed_layout(reinterpret_cast<Vec3*>(values), 4, 4).is_packed());
  FieldLayout layout = packed_layout(values, 4, 4);
  layout.component_stride_bytes = 1000;  // it would be that of a second component
  EXPECT_TRUE(layout.is_packed());
  layout.object_stride_bytes = 16;
  EXPECT_FALSE(layout.is_packed());
  layout = packed_layout(reinterpret_cast<Vec3*>(values), 4, 4);
  layout.object_stride_bytes = 8;  // by component
  layout.component_stride_bytes = 32;
  EXPECT_FALSE(layout.is_packed());
}

// --- copy_objects --------------------------------------------------------------------------------

// The arrangement of values in memory. Strides are functions of the size of a value, the number of
// values per object, and the capacity.
struct Arrangement {
  const char* name;
  int (*object_stride)(int bytes, int components, int capacity);
  int (*component_stride)(int bytes, int components, int capacity);
};

constexpr Arrangement arrangements[] = {
    {"packed", [](int b, int k, int) { return b * k; }, [](int b, int, int) { return b; }},
    {"by component", [](int b, int, int) { return b; }, [](int b, int, int n) { return b * n; }},
    {"by component, with slack", [](int b, int, int) { return b; },
     [](int b, int, int n) { return b * (n + 3); }},
    {"every second object", [](int b, int k, int) { return 2 * b * k; },
     [](int b, int, int) { return b; }},
    {"records", [](int b, int k, int) { return b * k + 8; }, [](int b, int, int) { return b; }},
    {"odd records", [](int b, int k, int) { return (b + 1) * k + 5; },
     [](int b, int, int) { return b + 1; }},
    {"every second value", [](int b, int k, int) { return 2 * b * k; },
     [](int b, int, int) { return 2 * b; }},
};

// Memory full of random bytes, and a layout over it.
struct Block {
  std::vector<unsigned char> memory;
  FieldLayout layout;
  int first;  // the byte of the memory at which the layout begins

  Block(const Arrangement& as, int bytes, int components, int capacity, int shift, unsigned seed) {
    layout.element_bytes = bytes;
    layout.components = components;
    layout.count = layout.capacity = capacity;
    layout.object_stride_bytes = as.object_stride(bytes, components, capacity);
    layout.component_stride_bytes = as.component_stride(bytes, components, capacity);
    const auto end = (capacity - 1) * layout.object_stride_bytes +
                     (components - 1) * layout.component_stride_bytes + bytes;
    memory.resize(static_cast<std::size_t>(64 + end + 64));
    std::minstd_rand random(seed);
    for (auto& byte : memory) byte = static_cast<unsigned char>(random() >> 8);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    first = static_cast<int>((16 - address % 16) % 16) + shift;
    layout.data = memory.data() + first;
  }

  std::size_t byte_of(std::int64_t object, int component) const {
    return static_cast<std::size_t>(first + object * layout.object_stride_bytes +
                                    component * layout.component_stride_bytes);
  }
};

// The oracle copies byte by byte. The whole memory is compared, with its gaps and surroundings.
std::vector<unsigned char> copied_serially(const Block& to, const Block& from, std::int64_t count) {
  std::vector<unsigned char> memory = to.memory;
  for (std::int64_t i = 0; i < count; ++i)
    for (int c = 0; c < to.layout.components; ++c)
      for (std::size_t b = 0; b < static_cast<std::size_t>(to.layout.element_bytes); ++b)
        memory[to.byte_of(i, c) + b] = from.memory[from.byte_of(i, c) + b];
  return memory;
}

void expect_copy(Block& to, const Block& from, std::int64_t count) {
  const auto expected = copied_serially(to, from, count);
  const auto source = from.memory;
  copy_objects(test::space(), to.layout, from.layout, count);
  ASSERT_TRUE(to.memory == expected) << count << " objects";
  ASSERT_TRUE(from.memory == source);
}

class CopyObjects : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(ElementBytes, CopyObjects, testing::Values(1, 2, 4, 8, 12, 16, 24));

TEST_P(CopyObjects, BetweenAllArrangementsAtAllAlignments) {
  constexpr int capacity = 7;
  for (const Arrangement& to_as : arrangements)
    for (const Arrangement& from_as : arrangements)
      for (const int components : {1, 2, 3})
        for (const int to_shift : {0, 1, 4, 8})
          for (const int from_shift : {0, 2, 4}) {
            SCOPED_TRACE(std::string(from_as.name) + " + " + std::to_string(from_shift) + " -> " +
                         to_as.name + " + " + std::to_string(to_shift) + ", " +
                         std::to_string(components) + " components");
            Block to(to_as, GetParam(), components, capacity, to_shift, 1);
            const Block from(from_as, GetParam(), components, capacity, from_shift, 2);
            for (const int count : {0, 1, capacity - 1, capacity}) expect_copy(to, from, count);
            if (HasFatalFailure()) return;
          }
}

// There are enough objects for every thread to take part.
TEST_P(CopyObjects, Many) {
  for (const Arrangement& to_as : arrangements)
    for (const Arrangement& from_as : arrangements) {
      SCOPED_TRACE(std::string(from_as.name) + " -> " + to_as.name);
      Block to(to_as, GetParam(), 3, 5000, 0, 3);
      const Block from(from_as, GetParam(), 3, 5000, 8, 4);
      expect_copy(to, from, 4999);
      if (HasFatalFailure()) return;
    }
}

// Both sides may have more room than they use, and different amounts of it.
TEST(CopyObjectsOf, DifferentCapacities) {
  for (const Arrangement& to_as : arrangements)
    for (const Arrangement& from_as : arrangements) {
      SCOPED_TRACE(std::string(from_as.name) + " -> " + to_as.name);
      Block to(to_as, 8, 3, 12, 0, 5);
      const Block from(from_as, 8, 3, 9, 0, 6);
      expect_copy(to, from, 5);
      expect_copy(to, from, 9);
    }
}

TEST(CopyObjectsOf, NothingNeedsNoMemory) {
  const FieldLayout nothing = packed_layout<double>(nullptr, 0, 0);
  EXPECT_NO_THROW(copy_objects(test::space(), nothing, nothing, 0));
}

TEST(CopyObjectsOf, WhatDoesNotFitIsAnError) {
  std::vector<double> three(3), four(4);
  std::vector<float> floats(4);
  std::vector<std::array<double, 2>> pairs(4);
  const auto layout_of = [](auto& vector) { return Field(field_of(vector)).layout(); };
  const FieldLayout small = layout_of(three), large = layout_of(four);
  EXPECT_ERROR(copy_objects(test::space(), small, large, 4),
               "4 objects of 1 x 8 bytes (room for 4)");
  EXPECT_ERROR(copy_objects(test::space(), large, small, 4),
               "cannot be copied to 1 x 8 bytes (room for 4)");
  EXPECT_ERROR(copy_objects(test::space(), large, large, -1), "-1 objects");
  EXPECT_ERROR(copy_objects(test::space(), large, layout_of(floats), 1), "1 x 4 bytes");
  EXPECT_ERROR(copy_objects(test::space(), layout_of(pairs), large, 1), "to 2 x 8 bytes");
  EXPECT_ERROR(copy_objects(test::space(), large, layout_of(pairs), 0), "of 2 x 8 bytes");
}

// --- StagedField: new storage --------------------------------------------------------------------

TEST(Stage, CommitBringsTheNewValues) {
  for (const std::int64_t count : {0, 1, 3, 4, 5, 1000}) {
    Column column = Column::make("mass", 4);
    fill(field_of(column).layout(), 100.0);
    const double* const old = column.data.get();
    StagedField staged = field_of(column).stage(test::space(), count, Placement::replace);
    EXPECT_EQ(staged.layout().count, count);
    const auto fresh = fill(staged.layout(), 7.0);
    EXPECT_EQ(column.data.get(), old);
    EXPECT_EQ(column.values(), counting<>(4, 100.0));
    staged.commit();
    EXPECT_EQ(column.values(), fresh);
    EXPECT_EQ(column.changes, 0) << "that is for values changed in place";
    EXPECT_EQ(Room::alive, 0);
  }
}

TEST(Stage, WithoutCommitNothingChanges) {
  Column column = Column::make("mass", 4);
  fill(field_of(column).layout(), 100.0);
  const double* const old = column.data.get();
  for (const Placement placement : {Placement::replace, Placement::in_place}) {
    const StagedField staged = field_of(column).stage(test::space(), 3, placement);
    fill(staged.layout(), 7.0);
  }
  EXPECT_EQ(column.data.get(), old);
  EXPECT_EQ(column.values(), counting<>(4, 100.0));
  EXPECT_EQ(column.changes, 0);
  EXPECT_EQ(Room::alive, 0);
}

TEST(Stage, MovesAsAValue) {
  Column a = Column::make("a", 1), b = Column::make("b", 1);
  StagedField first = field_of(a).stage(test::space(), 2, Placement::replace);
  fill(first.layout(), 10.0);
  StagedField moved = std::move(first);
  EXPECT_EQ(Room::alive, 1);
  StagedField second = field_of(b).stage(test::space(), 3, Placement::replace);
  fill(second.layout(), 20.0);
  EXPECT_EQ(Room::alive, 2);
  second = std::move(moved);  // releases its old memory
  EXPECT_EQ(Room::alive, 1);
  EXPECT_EQ(values_at<double>(second.layout()), counting<>(2, 10.0));
  StagedField& itself = second;
  second = std::move(itself);
  second.commit();
  EXPECT_EQ(a.values(), counting<>(2, 10.0));
  EXPECT_EQ(b.size, 1);
  EXPECT_EQ(Room::alive, 0);
}

TEST(Stage, MovesInPlaceToo) {
  Arena a{{1, 2}, 2}, b{{3, 4}, 2};
  StagedField first = field_of(a).stage(test::space(), 3, Placement::in_place);
  fill(first.layout(), 10.0F);
  std::optional<StagedField> second = field_of(b).stage(test::space(), 1, Placement::in_place);
  fill(second->layout(), 20.0F);
  second = std::move(first);
  second->commit();
  EXPECT_EQ(a.used, 3);
  EXPECT_EQ(a.data[2], 12.0F);
  EXPECT_EQ(b.used, 2);
  EXPECT_EQ(b.data[0], 3.0F);
}

// A second commit must not access the storage that the first one has given away.
TEST(Stage, CommitsOnce) {
  Column column = Column::make("mass", 4);
  Arena arena{{1, 2}, 2};
  for (const Placement placement : {Placement::replace, Placement::in_place}) {
    StagedField staged = field_of(column).stage(test::space(), 4, placement);
    StagedField moved = std::move(staged);
    fill(moved.layout(), 7.0);
    staged.commit();  // moved from
    moved.commit();
    fill(field_of(column).layout(), 50.0);
    moved.commit();
    EXPECT_EQ(column.values(), counting<>(4, 50.0));
  }
  StagedField staged = field_of(arena).stage(test::space(), 1, Placement::in_place);
  fill(staged.layout(), 9.0F);
  staged.commit();
  staged.commit();
  EXPECT_EQ(arena.changes, 1);
}

TEST(Stage, ARefusedAllocationChangesNothing) {
  Column column = Column::make("mass", 4);
  fill(field_of(column).layout(), 100.0);
  column.refuses = true;
  const double* const old = column.data.get();
  EXPECT_ERROR(field_of(column).stage(test::space(), 5, Placement::replace), "was refused");
  EXPECT_EQ(column.data.get(), old);
  EXPECT_EQ(column.values(), counting<>(4, 100.0));
  EXPECT_EQ(Room::alive, 0);
  EXPECT_NO_THROW(field_of(column).stage(test::space(), 4, Placement::in_place));
}

TEST(Stage, AContainerThatGivesTooLittleIsFoundOut) {
  Column column = Column::make("mass", 4);
  column.gives_too_little = true;
  EXPECT_ERROR(field_of(column).stage(test::space(), 5, Placement::replace),
               "'mass' was asked to allocate 5 objects of 8 bytes in host memory, but allocated 4 "
               "objects of 8 bytes in host memory. Mend FieldTraits::allocate of the type of "
               "this field.");
  EXPECT_EQ(Room::alive, 0);
}

TEST(Stage, AContainerThatGivesOtherMemoryIsFoundOut) {
  Column column = Column::make("mass", 4);
  column.gives_elsewhere = true;
  EXPECT_ERROR(field_of(column).stage(test::space(), 5, Placement::replace),
               "of 8 bytes in host memory, but allocated 5 objects of 8 bytes in device memory.");
  EXPECT_EQ(Room::alive, 0);
}

TEST(Stage, NegativeCountsAreAnError) {
  Column column = Column::make("mass", 4);
  for (const Placement placement : {Placement::replace, Placement::in_place})
    EXPECT_ERROR(field_of(column).stage(test::space(), -1, placement),
                 "'mass' cannot hold -1 objects");
}

TEST(Stage, CountsThatNoMemoryHoldsAreAnError) {
#ifdef __clang__
  if (test::is_sanitized) GTEST_SKIP() << "clang's operator new ends the program then";
#endif
  Column column = Column::make("mass", 4);
  const auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_ERROR(field_of(column).stage(test::space(), most, Placement::replace),
               "of 'mass' was refused");
  EXPECT_ERROR(field_of(column).stage(test::space(), most, Placement::in_place),
               "has room for 4 objects");
  EXPECT_EQ(column.size, 4);
}

// --- StagedField: components that others know ----------------------------------------------------

using Wanted = evenkeel::Room;

TEST(StageRoom, BringsTheComponentsToWhoDoesNotKnowThem) {
  for (const std::int64_t count : {0, 1, 5}) {
    Sheet sheet;
    StagedField staged = field_of(sheet).stage(test::space(), Wanted{count, 3}, Placement::replace);
    EXPECT_EQ(staged.layout().count, count);
    EXPECT_EQ(staged.layout().components, 3);
    EXPECT_EQ(sheet.components, 0);
    const auto fresh = fill(staged.layout(), 7.0);
    staged.commit();
    EXPECT_EQ(sheet.components, 3);
    EXPECT_EQ(sheet.count, count);
    EXPECT_EQ(sheet.data, fresh);
  }
}

TEST(StageRoom, OfTheComponentsThatAreKnown) {
  for (const Placement placement : {Placement::replace, Placement::in_place}) {
    Sheet sheet = Sheet::make(4, 2);
    const auto fresh = refill(field_of(sheet), Wanted{3, 2}, placement, 7.0);
    EXPECT_EQ(std::vector<double>(sheet.data.begin(), sheet.data.begin() + 6), fresh);
  }
}

TEST(StageRoom, OtherComponentsAreAnError) {
  Sheet sheet = Sheet::make(4, 2);
  const std::vector<double> before = fill(field_of(sheet).layout(), 1.0);
  for (const Placement placement : {Placement::replace, Placement::in_place})
    for (const int components : {0, 1, 3})
      EXPECT_ERROR(field_of(sheet).stage(test::space(), Wanted{1, components}, placement),
                   "'sheet' has 2 components, but objects of " + std::to_string(components) +
                       " would arrive. Give it as many components as on other ranks.");
  EXPECT_EQ(sheet.data, before);
}

TEST(StageRoom, ObjectsOfUnknownComponentsAreAnError) {
  Sheet sheet;
  for (const Placement placement : {Placement::replace, Placement::in_place}) {
    EXPECT_ERROR(field_of(sheet).stage(test::space(), Wanted{5, 0}, placement),
                 "'sheet' was never given extents on this rank, and 5 objects would arrive.");
    StagedField nothing = field_of(sheet).stage(test::space(), Wanted{0, 0}, placement);
    nothing.commit();
    EXPECT_EQ(sheet.components, 0);
  }
}

// Memory that stays in place need not learn the components, and has no objects that need them.
TEST(StageRoom, InPlaceWithoutObjects) {
  Sheet sheet;
  StagedField staged = field_of(sheet).stage(test::space(), Wanted{0, 3}, Placement::in_place);
  staged.commit();
  EXPECT_EQ(sheet.components, 0);
  EXPECT_EQ(sheet.count, 0);
  EXPECT_ERROR(field_of(sheet).stage(test::space(), Wanted{1, 3}, Placement::in_place),
               "'sheet' has room for 0 objects and 1 would arrive");
}

// --- StagedField: in place -----------------------------------------------------------------------

TEST(StageInPlace, FillsTheSlackAndTellsTheContainer) {
  for (const int count : {0, 1, 4, 9, 10}) {
    Arena arena{{}, 4};
    arena.data.fill(-1.0F);
    StagedField staged = field_of(arena).stage(test::space(), count, Placement::in_place);
    EXPECT_TRUE(field_of(arena).knows_its_count(Placement::in_place));
    EXPECT_EQ(staged.layout().count, count);
    const auto fresh = fill(staged.layout(), 5.0F);
    EXPECT_EQ(arena.data[0], -1.0F);
    staged.commit();
    EXPECT_EQ(arena.used, count);
    EXPECT_EQ(arena.changes, 1);
    EXPECT_EQ(values_at<float>(field_of(arena).layout()), fresh);
    for (int i = count; i < 10; ++i) EXPECT_EQ(arena.data[static_cast<std::size_t>(i)], -1.0F);
  }
}

TEST(StageInPlace, BorrowedMemoryIsNeverReplaced) {
  Arena arena{{1, 2, 3}, 3};
  refill(field_of(arena), 2, Placement::replace, 5.0F);
  EXPECT_EQ(arena.used, 2);
  EXPECT_EQ(arena.data[0], 5.0F);
  EXPECT_EQ(arena.data[2], 3.0F);
}

TEST(StageInPlace, MoreThanTheCapacityIsAnError) {
  Arena arena{{1, 2}, 2};
  try {
    field_of(arena).stage(test::space(), 11, Placement::in_place);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_EQ(error.problem(), "'arena' has room for 10 objects and 11 would arrive.");
  }
  EXPECT_EQ(arena.used, 2);
}

// If requested, a container that owns its memory keeps its pointer. But it does not store how much
// of the memory is in use.
TEST(StageInPlace, KeepsThePointerOfAContainerThatOwnsItsMemory) {
  Column column = Column::make("mass", 4);
  fill(field_of(column).layout(), 100.0);
  const double* const old = column.data.get();
  EXPECT_TRUE(field_of(column).knows_its_count(Placement::replace));
  StagedField staged = field_of(column).stage(test::space(), 3, Placement::in_place);
  EXPECT_FALSE(field_of(column).knows_its_count(Placement::in_place));
  fill(staged.layout(), 7.0);
  staged.commit();
  EXPECT_EQ(column.data.get(), old);
  EXPECT_EQ(column.values(), (std::vector<double>{7, 8, 9, 103}));
  EXPECT_EQ(column.changes, 1);
}

TEST(StageInPlace, LeavesTheGapsAlone) {
  for (const Arrangement& as : arrangements)
    for (const int components : {1, 3}) {
      SCOPED_TRACE(as.name);
      constexpr int capacity = 6, count = 4;
      const int object = as.object_stride(8, components, capacity),
                component = as.component_stride(8, components, capacity);
      if (object % 8 != 0 || component % 8 != 0) continue;  // not a whole number of doubles
      std::vector<double> memory(100, -1.0);
      RawField<double> raw = raw_field(memory.data(), {.count = 2,
                                                       .capacity = capacity,
                                                       .components = components,
                                                       .object_stride = object / 8,
                                                       .component_stride = component / 8});
      refill(field_of(raw), count, Placement::in_place, 0.0);
      std::vector<double> expected(100, -1.0);
      for (int i = 0; i < count; ++i)
        for (int c = 0; c < components; ++c)
          expected[static_cast<std::size_t>(i * object / 8 + c * component / 8)] =
              i * components + c;
      EXPECT_EQ(memory, expected);
      EXPECT_EQ(raw.shape.count, count);
    }
}

// --- Field ---------------------------------------------------------------------------------------

TEST(FieldOf, RefersToTheContainer) {
  Column column = Column::make("mass", 4);
  const Field field = field_of(column);
  EXPECT_EQ(field.container(), &column);
  EXPECT_EQ(field.label(), "mass");
  EXPECT_EQ(field.ownership(), Ownership::sole);
  EXPECT_EQ(field.layout().count, 4);
  column = Column::make("charge", 9);  // read again each time
  EXPECT_EQ(field.label(), "charge");
  EXPECT_EQ(field.layout().count, 9);
}

TEST(FieldOf, RecordsKnowWhereThePositionIs) {
  std::vector<test::Particle> particles(3);
  particles[2].x[1] = 4.5F;
  const FieldLayout at = field_of(particles).position();
  EXPECT_EQ(at.scalar, ScalarType::float32);
  EXPECT_EQ(at.components, 3);
  EXPECT_EQ(at.count, 3);
  EXPECT_EQ(at.object_stride_bytes, static_cast<std::int64_t>(sizeof(test::Particle)));
  EXPECT_EQ(values_at<float>(at)[7], 4.5F);
  const FieldLayout all = field_of(particles).layout();
  EXPECT_EQ(all.scalar, ScalarType::none);
  EXPECT_EQ(all.bytes_per_object(), static_cast<std::int64_t>(sizeof(test::Particle)));
  particles.clear();
  particles.shrink_to_fit();
  EXPECT_EQ(field_of(particles).position().data, nullptr);
}

template <class T>
concept CanBeField = KnownContainer<T>;
struct Stranger {};
static_assert(CanBeField<Column> && CanBeField<Arena> && CanBeField<std::vector<Opaque>>);
static_assert(!CanBeField<Stranger> && !CanBeField<double*> && !CanBeField<const Column>);

}  // namespace
}  // namespace evenkeel::field_test
