#include "core/values.hpp"
#include "support/hold.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::set_test {
namespace {

using test::fill;
using test::values_at;

using Position = std::vector<std::array<double, 3>>;
using HostView = Kokkos::View<double*, Kokkos::HostSpace>;

// --- The count -----------------------------------------------------------------------------------

template <std::integral T>
void expect_count_of() {
  const OwnedCount by_value = T{7};
  EXPECT_TRUE(by_value.given());
  EXPECT_FALSE(by_value.is_updated());
  EXPECT_EQ(by_value.value(), 7);
  T variable = 7;
  const OwnedCount by_pointer = &variable;
  EXPECT_TRUE(by_pointer.given());
  EXPECT_TRUE(by_pointer.is_updated());
  EXPECT_EQ(by_pointer.value(), 7);
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  constexpr auto int64_most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(static_cast<std::uint64_t>(by_pointer.most()), std::min(most, int64_most));
  by_value.update(9);
  by_pointer.update(100);
  EXPECT_EQ(variable, T{100});
  if constexpr (std::signed_integral<T>) {
    EXPECT_LT(OwnedCount(static_cast<T>(-3)).value(), 0);
  }
}

TEST(OwnedCount, OfAnyInteger) {
  expect_count_of<std::int8_t>();
  expect_count_of<std::uint8_t>();
  expect_count_of<short>();
  expect_count_of<unsigned short>();
  expect_count_of<int>();
  expect_count_of<unsigned>();
  expect_count_of<long>();
  expect_count_of<unsigned long>();
  expect_count_of<long long>();
  expect_count_of<std::size_t>();
  EXPECT_FALSE(OwnedCount().given());
  EXPECT_LT(OwnedCount(std::numeric_limits<std::uint64_t>::max()).value(), 0);
}

static_assert(!std::convertible_to<bool, OwnedCount>);
static_assert(!std::convertible_to<double, OwnedCount>);
static_assert(!std::convertible_to<const int*, OwnedCount>, "a constant cannot be updated");

TEST(Set, CountsTheOwnedObjects) {
  Position x(5);
  int owned = 2;
  EXPECT_EQ(set(x).count(), 5);
  EXPECT_EQ(set(x, {}, {.count = 3}).count(), 3);
  EXPECT_EQ(set(x, {}, {.count = &owned}).position().count, 2);
  EXPECT_EQ(set(x, {}, {.count = &owned}).fields()[0].layout().count, 5);
  const Set all = set(x);
  x.resize(8);  // read again each time
  EXPECT_EQ(all.count(), 8);
}

TEST(Set, ARefusedCountIsAnError) {
  Position x(4);
  std::vector<double> mass(3);
  int negative = -1;
  EXPECT_ERROR(check(set(x, {}, {.count = -1})), ".count is negative");
  EXPECT_ERROR(check(set(x, {}, {.count = &negative})), ".count is negative");
  EXPECT_ERROR(check(set(x, {}, {.count = std::numeric_limits<std::size_t>::max()})), ".count");
  EXPECT_ERROR(check(set(x, {}, {.count = 5})),
               "The position 'std::vector' has 4 objects, but the set has 5. Give every field at "
               "least .count objects.");
  EXPECT_ERROR(check(set(x, carry(mass), {.count = 4})),
               "Field 1, 'std::vector', has 3 objects, but the set has 4");
  EXPECT_NO_THROW(check(set(x, carry(mass), {.count = 3})));
  EXPECT_NO_THROW(check(set(x, carry(mass), {.count = 0})));
}

TEST(Set, RefusesBytesThatAreTooFewOrTooMany) {
  Position x(4);
  constexpr std::int64_t most = std::int64_t{1} << 48;  // for four objects
  EXPECT_NO_THROW(check(set(x, {}, {.bytes_per_object = most})));
  EXPECT_NO_THROW(check(set(x, {}, {.count = 0, .bytes_per_object = 4 * most})));
  EXPECT_ERROR(check(set(x, {}, {.bytes_per_object = -1})),
               "The set's .bytes_per_object is -1. Give the bytes of the data that the application "
               "moves with an object, at most 2^50 for all objects of a rank. Give 0 if it moves "
               "no further data.");
  EXPECT_ERROR(check(set(x, {}, {.bytes_per_object = most + 1})), ".bytes_per_object is 28147");
  EXPECT_ERROR(check(set(x, {}, {.bytes_per_object = std::numeric_limits<std::int64_t>::max()})),
               ".bytes_per_object");
}

// --- What a set refuses --------------------------------------------------------------------------

TEST(Set, NamesItsFields) {
  Position x(4);
  HostView mass("mass", 4);
  const Set both = set(x, carry(mass));
  ASSERT_EQ(both.fields().size(), 2U);
  EXPECT_EQ(both.describe(0), "The position 'std::vector'");
  EXPECT_EQ(both.describe(1), "Field 1, 'mass',");
}

// The name is only for messages. The set refers to the variable itself.
TEST(Named, GivesAFieldANameAndRefersToIt) {
  Position position(4);
  std::vector<double> mass(4), cost(4, 1);
  std::array<int, 4> memory = {};
  std::span<int> id(memory);
  RawField<double> raw = raw_field(cost.data(), {.count = 4, .label = "other"});
  HostView view("label", 4);
  const Set all = set(named("x", position), carry(named("mass", mass), named("id", id),
                                                  named("raw", raw), named("of view", view), mass));
  EXPECT_EQ(all.describe(0), "The position 'x'");
  EXPECT_EQ(all.describe(1), "Field 1, 'mass',");
  EXPECT_EQ(all.describe(2), "Field 2, 'id',");
  EXPECT_EQ(all.describe(3), "Field 3, 'raw',");
  EXPECT_EQ(all.describe(4), "Field 4, 'of view',");
  EXPECT_EQ(all.describe(5), "Field 5, 'std::vector',");
  EXPECT_EQ(all.fields()[0].container(), &position);
  EXPECT_EQ(all.fields()[1].container(), &mass);
  EXPECT_EQ(all.fields()[2].container(), &id);
  EXPECT_EQ(view.label(), "label");
}

TEST(Named, StandsInMessages) {
  Position position(5);
  std::vector<double> mass(3);
  const std::vector<double> cost(2);
  std::vector<double> group(5);
  EXPECT_ERROR(check(set(position, carry(named("mass", mass)))), "Field 1, 'mass', has 3 objects");
  EXPECT_ERROR(check(set(position, {}, {.group = named("molecule", group)})),
               "The groups 'molecule' are not one integer per object.");
  EXPECT_ERROR(check(set(position, {}, {.weight = named("cost", cost)})), "There are 2 weights");
}

TEST(Named, MovesAsTheVariableDoes) {
  std::vector<double> mass = {1, 2};
  const Field field = field_of(named("mass", mass));
  EXPECT_EQ(field.label(), "mass");
  StagedField staged = field.stage(test::space(), 3, Placement::replace);
  test::write_values(staged.layout(), std::vector<double>{4, 5, 6});
  staged.commit();
  EXPECT_EQ(mass, (std::vector<double>{4, 5, 6}));
  EXPECT_ERROR(field.stage(test::space(), -1, Placement::replace), "'mass' cannot hold -1 objects");
}

TEST(Named, OnlyVariablesCanBeFields) {
  using Const = Named<const std::vector<double>>;
  static_assert(std::is_constructible_v<NumberSource, Const>);
  static_assert(std::is_constructible_v<NumberSource, Named<std::vector<double>>>);
  static_assert(!std::is_constructible_v<NumberSource, Named<int>>);
  static_assert(!std::is_constructible_v<NumberSource, std::vector<double>>);
}

TEST(Check, FieldsOfDifferentLengths) {
  HostView x_of_one("x", 4), mass("mass", 4), id("id", 5);
  Position x(4);
  EXPECT_ERROR(check(set(x, carry(mass, id))),
               "Field 2, 'id', has 5 objects, but the set has 4. Give every field of a set the "
               "same number of objects, or give the set a .count.");
  EXPECT_NO_THROW(check(set(x, carry(mass, id), {.count = 4})));
}

template <class Element>
void expect_no_position(const std::string& part) {
  std::vector<Element> x(2);
  EXPECT_ERROR(check(set(x)), "The position 'std::vector' has " + part);
}

TEST(Check, PositionsAreTwoOrThreeRealNumbers) {
  expect_no_position<double>("1 component(s) of type double. A position has 2 or 3 components");
  expect_no_position<std::array<double, 4>>("4 component(s) of type double");
  expect_no_position<std::array<int, 3>>("3 component(s) of type int32");
  expect_no_position<test::Opaque>("1 component(s) of type bytes");
  const auto expect_position = []<class Element>(Element) {
    std::vector<Element> x(2);
    EXPECT_NO_THROW(check(set(x)));
  };
  expect_position(std::array<double, 2>{});
  expect_position(std::array<float, 3>{});
  expect_position(test::Vec3{});
  expect_position(test::Particle{});
  Kokkos::View<float**, Kokkos::HostSpace> one("one", 2, 1), two("two", 2, 2), four("four", 2, 4);
  EXPECT_NO_THROW(check(set(two)));
  EXPECT_ERROR(check(set(one)), "The position 'one' has 1 component(s) of type float");
  EXPECT_ERROR(check(set(four)), "The position 'four' has 4 component(s)");
}

TEST(CheckMovable, TheSameContainerTwice) {
  Position x(4);
  std::vector<double> mass(4);
  EXPECT_ERROR(check_movable(set(x, carry(mass, mass))),
               "Field 1, 'std::vector', and Field 2, 'std::vector', are the same memory");
  EXPECT_ERROR(check_movable(set(x, carry(x))), "The position 'std::vector' and Field 1");
  std::vector<double> none;  // without memory to compare
  EXPECT_ERROR(check_movable(set(x, carry(none, none), {.count = 0})), "are the same memory");
}

TEST(CheckMovable, TheSameMemoryTwice) {
  Position x(4);
  HostView mass("mass", 4), alias = mass;
  std::span<double> span(mass.data(), 4);
  EXPECT_ERROR(check_movable(set(x, carry(mass, alias), {.allow_aliases = true})),
               "Field 1, 'mass', and Field 2, 'mass', are the same memory");
  EXPECT_ERROR(check_movable(set(x, carry(mass, span))),
               "and Field 2, 'std::span', are the same memory");
  // Each component of one array is a field of its own.
  Kokkos::View<double* [2], Kokkos::LayoutRight, Kokkos::HostSpace> both("both", 4);
  auto first = Kokkos::subview(both, Kokkos::ALL(), 0);
  auto second = Kokkos::subview(both, Kokkos::ALL(), 1);
  int owned = 4;
  EXPECT_NO_THROW(check_movable(set(x, carry(first, second), {.count = &owned})));
}

TEST(CheckMovable, MemoryThatOverlaps) {
  std::vector<double> memory(100);
  Position x(10);
  RawField<double> first = raw_field(memory.data(), {.count = 10, .components = 3});
  RawField<double> later = raw_field(memory.data() + 3, {.count = 10, .components = 3});
  RawField<double> behind = raw_field(memory.data() + 30, {.count = 10, .components = 3});
  EXPECT_ERROR(check_movable(set(x, carry(first, later))), "are the same memory");
  EXPECT_NO_THROW(check_movable(set(x, carry(first, behind))));
  // Members of one record are interleaved and share no memory.
  const RawShape member = {.count = 10, .components = 2, .object_stride = 5};
  RawField<double> front = raw_field(memory.data(), member);
  RawField<double> back = raw_field(memory.data() + 2, member);
  RawField<double> wrong = raw_field(memory.data() + 1, member);
  EXPECT_NO_THROW(check_movable(set(x, carry(front, back))));
  EXPECT_ERROR(check_movable(set(x, carry(front, wrong))), "are the same memory");
  Kokkos::View<double* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> all("all", 10);
  auto column = Kokkos::subview(all, Kokkos::ALL(), 1);
  EXPECT_ERROR(check_movable(set(x, carry(all, column), {.allow_aliases = true})),
               "are the same memory");
}

TEST(CheckMovable, TwoSetsThatShareAContainer) {
  Position x(4), y(4);
  std::vector<double> mass(4);
  const std::vector<Set> apart = {set(x, carry(mass)), set(y)};
  EXPECT_NO_THROW(check_movable(apart));
  const std::vector<Set> together = {set(x, carry(mass)), set(y, carry(mass))};
  EXPECT_ERROR(check_movable(together),
               "Field 1, 'std::vector', and Field 1, 'std::vector', of another set");
}

// A Set may be kept, since it reads counts and places again each time.
TEST(Set, SeesWhatIsThereNow) {
  Position x(10);
  std::vector<double> weight(10);
  int owned = 10;
  const Set kept = set(x, {}, {.count = &owned, .weight = weight});
  owned = 3;
  EXPECT_EQ(kept.count(), 3);
  StagedSet staged = stage(test::space(), kept, 4);
  staged.commit();
  EXPECT_EQ(owned, 4);
  EXPECT_EQ(kept.count(), 4);
  weight.resize(3);
  EXPECT_ERROR(check(kept), "There are 3 weights for 4 objects");
  weight.assign(1000, 1.0);
  EXPECT_NO_THROW(check(kept));
  EXPECT_EQ(kept.options().weight.layout().data, weight.data());
}

TEST(StagedSet, AMovedFromOneCommitsNothing) {
  Position x(10);
  int owned = 10;
  const Set all = set(x, {}, {.count = &owned});
  StagedSet staged = stage(test::space(), all, 4);
  const StagedSet moved = std::move(staged);
  staged.commit();
  EXPECT_EQ(owned, 10);
  EXPECT_EQ(x.size(), 10U);
}

// A View that never had extents cannot say how many components would arrive.
TEST(StagedSet, AnEmptyViewWithoutComponents) {
  Kokkos::View<double**, Kokkos::HostSpace> never;
  const Set all = set(never);
  EXPECT_NO_THROW(stage(test::space(), all, 0));
  EXPECT_ERROR(stage(test::space(), all, 5), "was never given extents");
}

TEST(CheckMovable, EmptyFieldsShareNothing) {
  Position x;
  std::vector<double> mass, charge;
  HostView none, none_either;
  EXPECT_NO_THROW(check_movable(set(x, carry(mass, charge, none, none_either))));
}

TEST(CheckMovable, ViewsHeldElsewhere) {
  Position x(4);
  HostView mass("mass", 4);
  const HostView alias = mass;
  EXPECT_ERROR(check_movable(set(x, carry(mass))),
               "Field 1, 'mass', is also held by another View, which would keep the old values. "
               "Release the other View first, or give the set .keep_allocation or .allow_aliases.");
  int owned = 4;
  EXPECT_NO_THROW(check_movable(set(x, carry(mass), {.count = &owned, .keep_allocation = true})));
  EXPECT_NO_THROW(check_movable(set(x, carry(mass), {.allow_aliases = true})));
}

// --- Companions ----------------------------------------------------------------------------------

TEST(Set, CompanionsComeLast) {
  Position x(4);
  HostView mass("mass", 4);
  std::vector<double> cost(4), age(4);
  Set both = set(x, carry(mass));
  EXPECT_FALSE(both.is_companion(0));
  EXPECT_FALSE(both.is_companion(1));
  both.accompany(field_of(cost));
  both.accompany(field_of(age));
  ASSERT_EQ(both.fields().size(), 4U);
  EXPECT_EQ(both.fields()[2].container(), &cost);
  EXPECT_EQ(both.fields()[3].container(), &age);
  EXPECT_FALSE(both.is_companion(0));
  EXPECT_FALSE(both.is_companion(1));
  EXPECT_TRUE(both.is_companion(2));
  EXPECT_TRUE(both.is_companion(3));
  EXPECT_EQ(both.describe(2), "Field 2, 'std::vector',");
  EXPECT_EQ(both.count(), 4);
  EXPECT_EQ(set(x, carry(mass)).fields().size(), 2U) << "of that set alone";
}

TEST(CheckMovable, CompanionsAreFieldsLikeOthers) {
  Position x(4);
  std::vector<double> mass(4), cost(4);
  const auto with = [&](std::vector<double>& companion, const SetOptions& options = {}) {
    Set all = set(x, carry(mass), options);
    all.accompany(field_of(companion));
    return all;
  };
  EXPECT_NO_THROW(check_movable(with(cost)));
  EXPECT_ERROR(check_movable(with(mass)), "and Field 2, 'std::vector', are the same memory");
  cost.resize(3);
  EXPECT_ERROR(check_movable(with(cost)), "Field 2, 'std::vector', has 3 objects, but the set");
  int owned = 3;
  EXPECT_NO_THROW(check_movable(with(cost, {.count = &owned, .keep_allocation = true})));
}

// A companion stores its own length, so the set needs no variable for it.
TEST(CheckMovable, ACompanionKnowsItsCount) {
  std::vector<double> memory(12);
  RawField<double> x = raw_field(memory.data(), {.count = 4, .components = 3});
  HostView cost("cost", 4);
  Set all = set(x, {}, {.keep_allocation = true});
  EXPECT_NO_THROW(check_movable(all));
  all.accompany(field_of(cost));
  EXPECT_NO_THROW(check_movable(all));
  EXPECT_ERROR(check_movable(set(x, carry(cost), {.keep_allocation = true})), "keeps its memory");
}

// --- Weights -------------------------------------------------------------------------------------

template <class Container>
void expect_weights(Container& weights, ScalarType scalar) {
  Position x(4);
  const Set weighted = set(x, {}, {.weight = weights});
  EXPECT_TRUE(weighted.options().weight.given());
  EXPECT_EQ(weighted.options().weight.layout().scalar, scalar);
  EXPECT_EQ(weighted.options().weight.layout().count, 4);
  EXPECT_NO_THROW(check(weighted));
}

TEST(Weight, FromAnyContainer) {
  std::vector<double> vector(4);
  const std::vector<float> constant(4);
  HostView view("view", 4);
  const HostView constant_view = view;
  Kokkos::View<const double*, Kokkos::HostSpace> read_only = view;
  Kokkos::DualView<int*> dual("dual", 4);
  std::span<const double> span(vector);
  const RawField<double> raw = raw_field(vector.data(), {.count = 4});
  auto column =
      Kokkos::subview(Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>("all", 4, 3),
                      Kokkos::ALL(), 1);
  expect_weights(vector, ScalarType::float64);
  expect_weights(constant, ScalarType::float32);
  expect_weights(view, ScalarType::float64);
  expect_weights(constant_view, ScalarType::float64);
  expect_weights(read_only, ScalarType::float64);
  expect_weights(dual, ScalarType::int32);
  expect_weights(span, ScalarType::float64);
  expect_weights(raw, ScalarType::float64);
  expect_weights(column, ScalarType::float64);
  EXPECT_FALSE(SetOptions{}.weight.given());
}

static_assert(!std::convertible_to<std::vector<double>, NumberSource>, "gone before it is read");
static_assert(!std::convertible_to<double, NumberSource>);

TEST(Weight, ARefusedOneIsAnError) {
  Position x(4);
  std::vector<double> three(3);
  HostView view("cost", 3);
  EXPECT_ERROR(check(set(x, {}, {.weight = three})),
               "There are 3 weights for 4 objects. Give one weight per owned object.");
  EXPECT_NO_THROW(check(set(x, {}, {.count = 3, .weight = three})));
  std::vector<test::Opaque> opaque(4);
  EXPECT_ERROR(check(set(x, {}, {.weight = opaque})),
               "The weights 'std::vector' are not one number per object");
  EXPECT_ERROR(check(set(x, {}, {.weight = x})), "are not one number per object");
  Kokkos::View<double* [2], Kokkos::HostSpace> pairs("pairs", 4);
  EXPECT_ERROR(check(set(x, {}, {.weight = pairs})), "The weights 'pairs' are not one number");
}

// --- Staging a set -------------------------------------------------------------------------------

// One container of every adapter.
struct Mixed {
  Position x;
  HostView mass;
  Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> velocity;
  Kokkos::DualView<double*> charge;
  std::vector<test::Opaque> kind;
  test::Hold hold;
  std::vector<double> arena;  // room for ten
  RawField<double> raw;

  explicit Mixed(std::size_t n)
      : x(n),
        mass("mass", n),
        velocity("velocity", n, 2),
        charge("charge", n),
        kind(n),
        hold{std::vector<double>(n)},
        arena(10),
        raw(raw_field(arena.data(), {.count = static_cast<std::int64_t>(n), .capacity = 10})) {}
  Set as_set(SetOptions options = {}) {
    return set(x, carry(mass, velocity, charge, kind, hold, raw), options);
  }
};

// The bytes of all fields, to compare.
std::vector<std::vector<unsigned char>> contents(const Set& set) {
  std::vector<std::vector<unsigned char>> all;
  for (const Field& field : set.fields()) all.push_back(values_at<unsigned char>(field.layout()));
  return all;
}

void fill_all(const StagedSet& staged) {
  for (const StagedField& field : staged.fields())
    test::write_values(
        field.layout(),
        std::vector<unsigned char>(
            static_cast<std::size_t>(field.layout().count * field.layout().bytes_per_object()),
            0x2A));
}

TEST(StagedSet, CommitsEveryField) {
  for (const std::int64_t count : {0, 3, 4, 9}) {
    Mixed mixed(4);
    const Set all = mixed.as_set();
    ASSERT_NO_THROW(check(all));
    const auto before = contents(all);
    StagedSet staged = stage(test::space(), all, count);
    ASSERT_EQ(staged.fields().size(), 7U);
    fill_all(staged);
    EXPECT_EQ(contents(all), before);
    staged.commit();
    for (const Field& field : all.fields()) {
      EXPECT_EQ(field.layout().count, count) << field.label();
      for (const unsigned char byte : values_at<unsigned char>(field.layout()))
        ASSERT_EQ(byte, 0x2A) << field.label();
    }
    EXPECT_NO_THROW(check(all));
    EXPECT_EQ(mixed.velocity.extent(1), 2U);
  }
}

TEST(StagedSet, DiscardedLeavesEverything) {
  Mixed mixed(4);
  std::int64_t owned = 3;
  const Set all = mixed.as_set({.count = &owned});
  const auto before = contents(all);
  {
    StagedSet staged = stage(test::space(), all, 6);
    fill_all(staged);
    const StagedSet moved = std::move(staged);
    EXPECT_EQ(moved.fields().size(), 7U);
  }
  EXPECT_EQ(contents(all), before);
  EXPECT_EQ(owned, 3);
}

TEST(StagedSet, AFieldThatRefusesLeavesAllOthers) {
  Mixed mixed(4);
  const auto* const x = mixed.x.data();
  const auto* const mass = mixed.mass.data();
  int owned = 4;
  const Set all = mixed.as_set({.count = &owned});
  const auto before = contents(all);
  mixed.hold.is_full = true;
  EXPECT_ERROR(stage(test::space(), all, 6), "Room for 6 objects of 'hold' was refused");
  mixed.hold.is_full = false;
  EXPECT_ERROR(stage(test::space(), all, 11), "'raw field' has room for 10 objects and 11");
  EXPECT_EQ(contents(all), before);
  EXPECT_EQ(mixed.x.data(), x);
  EXPECT_EQ(mixed.mass.data(), mass);
  EXPECT_EQ(owned, 4);
}

TEST(StagedSet, UpdatesTheCountAtCommitAlone) {
  Position x(10);
  std::vector<double> mass(12);
  unsigned short owned = 4;
  {
    const StagedSet discarded = stage(test::space(), set(x, carry(mass), {.count = &owned}), 6);
    EXPECT_EQ(owned, 4);
  }
  EXPECT_EQ(owned, 4);
  StagedSet staged = stage(test::space(), set(x, carry(mass), {.count = &owned}), 6);
  EXPECT_EQ(owned, 4);
  staged.commit();
  EXPECT_EQ(owned, 6);
  EXPECT_EQ(x.size(), 6U);  // drops the ghosts behind the owned objects
  EXPECT_EQ(mass.size(), 6U);
}

TEST(StagedSet, AVariableTooSmallForTheCountIsAnError) {
  Position x(10);
  std::int8_t owned = 4;
  EXPECT_NO_THROW(stage(test::space(), set(x, {}, {.count = &owned}), 127));
  EXPECT_ERROR(stage(test::space(), set(x, {}, {.count = &owned}), 128),
               "The variable behind .count cannot hold 128. Make it a 64-bit integer.");
  EXPECT_EQ(owned, 4);
  EXPECT_EQ(x.size(), 10U);
}

TEST(StagedSet, KeepsAllocationsWhenAskedTo) {
  Position x(6);
  HostView mass("mass", 8);
  const HostView reader = mass;
  fill(field_of(mass).layout(), 0.0);
  int owned = 4;
  const auto* const x_data = x.data();
  const Set kept = set(x, carry(mass), {.count = &owned, .keep_allocation = true});
  ASSERT_NO_THROW(check(kept));
  StagedSet staged = stage(test::space(), kept, 5);
  fill(staged.fields()[1].layout(), 50.0);
  staged.commit();
  EXPECT_EQ(owned, 5);
  EXPECT_EQ(x.data(), x_data);
  EXPECT_EQ(mass.data(), reader.data());
  EXPECT_EQ(values_at<double>(field_of(mass).layout()),
            (std::vector<double>{50, 51, 52, 53, 54, 5, 6, 7}));
  EXPECT_NO_THROW(check(kept));
  EXPECT_ERROR(stage(test::space(), kept, 7), "'std::vector' has room for 6 objects and 7");
}

TEST(StagedSet, AliasesKeepTheOldValuesWhenAllowed) {
  Position x(4);
  HostView mass("mass", 4);
  const HostView reader = mass;
  fill(field_of(mass).layout(), 0.0);
  const Set aliased = set(x, carry(mass), {.allow_aliases = true});
  StagedSet staged = stage(test::space(), aliased, 2);
  fill(staged.fields()[1].layout(), 50.0);
  staged.commit();
  EXPECT_NE(mass.data(), reader.data());
  EXPECT_EQ(mass.extent(0), 2U);
  EXPECT_EQ(reader(3), 3.0);
}

// The owner of the set makes room for companions, even if the application's own fields keep their
// memory.
TEST(StagedSet, CompanionsAreReplacedBesideAllocationsThatAreKept) {
  Position x(9);
  HostView mass("mass", 9), cost("cost", 4);
  int owned = 4;
  Set kept = set(x, carry(mass), {.count = &owned, .keep_allocation = true});
  kept.accompany(field_of(cost));
  const auto* const x_data = x.data();
  const auto* const mass_data = mass.data();
  const auto* const cost_data = cost.data();
  StagedSet staged = stage(test::space(), kept, 8);
  ASSERT_EQ(staged.fields().size(), 3U);
  const auto masses = fill(staged.fields()[1].layout(), 50.0);
  const auto costs = fill(staged.fields()[2].layout(), 70.0);
  EXPECT_EQ(cost.extent(0), 4U);
  staged.commit();
  EXPECT_EQ(owned, 8);
  EXPECT_EQ(x.data(), x_data);
  EXPECT_EQ(mass.data(), mass_data);
  EXPECT_EQ(mass.extent(0), 9U);
  EXPECT_EQ(mass(7), masses.back());
  EXPECT_NE(cost.data(), cost_data);
  EXPECT_EQ(values_at<double>(field_of(cost).layout()), costs);
}

TEST(StagedSet, TakesTheComponentsThatOthersKnow) {
  Kokkos::View<double**, Kokkos::HostSpace> never;
  Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> tensor;
  HostView mass;
  const Set all = set(never, carry(tensor, mass));
  const std::vector<int> components = {2, 9, 1};
  for (const std::int64_t count : {0, 5}) {
    StagedSet staged = stage(test::space(), all, count, components);
    EXPECT_EQ(staged.fields()[0].layout().components, 2);
    EXPECT_EQ(staged.fields()[1].layout().components, 9);
    EXPECT_EQ(never.extent(1), count == 0 ? 0U : 2U);
    staged.commit();
    EXPECT_EQ(never.extent(1), 2U);
    EXPECT_EQ(tensor.extent(1), 9U);
    EXPECT_EQ(static_cast<std::int64_t>(mass.extent(0)), count);
    EXPECT_EQ(all.count(), count);
  }
}

TEST(StagedSet, OtherComponentsThanOthersHaveAreAnError) {
  Kokkos::View<double**, Kokkos::HostSpace> flat("flat", 4, 2);
  const std::vector<int> components = {3};
  EXPECT_ERROR(stage(test::space(), set(flat), 5, components),
               "'flat' has 2 components, but objects of 3 would arrive.");
  EXPECT_EQ(flat.extent(0), 4U);
}

// Memory that stays in place does not store how much of it is in use. So the set must have a count.
// This must not depend on the number of objects that arrive.
TEST(CheckMovable, SomebodyMustKnowTheCount) {
  Position x(4);
  std::vector<double> memory(4);
  std::span<double> mass(memory);
  EXPECT_NO_THROW(check(set(x, carry(mass))));  // good enough for reading
  EXPECT_ERROR(check_movable(set(x, carry(mass))),
               "Field 1, 'std::span', keeps its memory, so nothing would store how many objects it "
               "holds. Give the set a variable for this number: .count = &owned.");
  EXPECT_ERROR(check_movable(set(x, carry(mass), {.count = 4})), "keeps its memory");
  HostView view("view", 4);
  EXPECT_ERROR(check_movable(set(x, carry(view), {.keep_allocation = true})), "keeps its memory");
  long owned = 4;
  EXPECT_NO_THROW(check_movable(set(x, carry(mass), {.count = &owned})));
  RawField<double> raw = raw_field(memory.data(), {.count = 4});
  EXPECT_NO_THROW(check_movable(set(x, carry(raw))));
}

TEST(Check, AVariableThatIsNotThere) {
  Position x(4);
  const long* const nowhere = nullptr;
  EXPECT_ERROR(check(set(x, {}, {.count = const_cast<long*>(nowhere)})), ".count is negative");
}

TEST(Check, AMisalignedPosition) {
  std::vector<char> bytes(100);
  auto* const odd = reinterpret_cast<double*>(bytes.data() + 1);
  RawField<double> x = raw_field(odd, {.count = 2, .components = 3, .label = "packed"});
  EXPECT_ERROR(check(set(x)), "The position 'packed' is not aligned to its doubles");
}

// A rank that never had objects may hold a View that never had extents.
TEST(Check, AnEmptyViewWithoutComponents) {
  Kokkos::View<double**, Kokkos::HostSpace> never;
  EXPECT_NO_THROW(check(set(never)));
  Kokkos::View<double**, Kokkos::HostSpace> some("some", 2, 0);
  EXPECT_ERROR(check(set(some)), "has 0 component(s)");
}

// --- Records -------------------------------------------------------------------------------------

TEST(Set, RecordsArePositionAndCargoAtOnce) {
  std::vector<test::Particle> particles(3);
  for (int i = 0; i < 3; ++i) {
    const auto x = static_cast<float>(10 * i);
    particles[static_cast<std::size_t>(i)] = {i, {x, x + 1, x + 2}, 0.5 * i};
  }
  const Set records = set(particles, {}, {.count = 2});
  ASSERT_NO_THROW(check(records));
  EXPECT_EQ(values_at<float>(records.position()), (std::vector<float>{0, 1, 2, 10, 11, 12}));
  StagedSet staged = stage(test::space(), records, 2);
  const FieldLayout last = [&] {  // the objects from the second one
    FieldLayout layout = records.fields()[0].layout();
    layout.data = &particles[1];
    return layout;
  }();
  copy_objects(test::space(), staged.fields()[0].layout(), last, 2);
  staged.commit();
  ASSERT_EQ(particles.size(), 2U);
  EXPECT_EQ(particles[0].id, 1);
  EXPECT_EQ(particles[1].x[2], 22.0F);
  EXPECT_EQ(particles[1].charge, 1.0);
}

TEST(Set, TwoSetsCannotShareTheVariableOfTheirCounts) {
  std::vector<std::array<double, 3>> a(3), b(3);
  int owned = 2;
  const std::vector<Set> sets = {set(a, {}, {.count = &owned}), set(b, {}, {.count = &owned})};
  EXPECT_ERROR(check_movable(sets), "same variable behind .count");
  int other = 2;
  const std::vector<Set> apart = {set(a, {}, {.count = &owned}), set(b, {}, {.count = &other})};
  EXPECT_NO_THROW(check_movable(apart));
}

}  // namespace
}  // namespace evenkeel::set_test
