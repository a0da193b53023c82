#include "core/migrate/cloud.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <deque>

namespace evenkeel::shapes_test {
namespace {

using Position = std::vector<std::array<double, 3>>;
using Table = Kokkos::View<double**, Kokkos::HostSpace>;
using Column = Kokkos::View<double*, Kokkos::HostSpace>;

class AgreeOnSets : public test::OnRanks {
 protected:
  Position x{4};
  std::vector<double> mass = std::vector<double>(4), charge = std::vector<double>(4);

  std::string error_of(const std::vector<Set>& sets) const {
    return test::error_everywhere([&] { agree_on_sets(communicator, sets); });
  }

  // Each rank in turn passes other sets than all others. All ranks must throw the same Error.
  void expect_disagreement(const std::vector<Set>& usual, const std::vector<Set>& odd,
                           const std::string& part) {
    for (int culprit = 0; culprit < size; ++culprit) {
      const std::string text = error_of(rank == culprit ? odd : usual);
      EXPECT_MENTIONS(text, size == 1 ? "nothing was thrown" : part);
      EXPECT_EQ(error_of(usual), "nothing was thrown") << "and continues";
    }
  }

  // Each rank in turn passes sets that cannot be moved at all. All ranks must throw the same Error.
  void expect_refusal(const std::vector<Set>& usual, const std::vector<Set>& bad,
                      const std::string& part) {
    for (int culprit = 0; culprit < size; ++culprit) {
      const std::string text = error_of(rank == culprit ? bad : usual);
      EXPECT_MENTIONS(text, "evenkeel: rank " + std::to_string(culprit) + ": core/");
      EXPECT_MENTIONS(text, part);
    }
  }
};

TEST_F(AgreeOnSets, KnowsTheShapes) {
  Column id("id", 4);
  Kokkos::View<float**, Kokkos::HostSpace> tensor("tensor", 4, 9);
  std::vector<test::Particle> records(2);
  std::vector<std::array<float, 2>> flat;
  const std::vector<Set> sets = {set(x, carry(id, tensor)), set(records, carry(mass), {.count = 2}),
                                 set(flat)};
  const std::vector<SetShape> shapes = agree_on_sets(communicator, sets);
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].dimensions, 3);
  EXPECT_EQ(shapes[0].components, (std::vector<int>{3, 1, 9}));
  EXPECT_EQ(shapes[1].dimensions, 3) << "inside the record";
  EXPECT_EQ(shapes[1].components, (std::vector<int>{1, 1}));
  EXPECT_EQ(shapes[2].dimensions, 2);
  EXPECT_EQ(shapes[2].components, (std::vector<int>{2}));
}

TEST_F(AgreeOnSets, CompanionsAreFieldsLikeOthers) {
  Set with = set(x, carry(mass));
  with.accompany(field_of(charge));
  EXPECT_EQ(agree_on_sets(communicator, {&with, 1}).front().components,
            (std::vector<int>{3, 1, 1}));
  expect_disagreement({with}, {set(x, carry(mass))}, "others 3.");
}

// Containers may differ; only the values in them count.
TEST_F(AgreeOnSets, TheSameValuesInOtherContainers) {
  Kokkos::View<double* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 4);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> right("right", 4, 3);
  Column column("mass", 4);
  std::vector<Set> sets;
  if (rank % 3 == 0) sets.push_back(set(left, carry(column)));
  if (rank % 3 == 1) sets.push_back(set(right, carry(mass)));
  if (rank % 3 == 2) sets.push_back(set(x, carry(mass), {.count = 2}));
  EXPECT_EQ(agree_on_sets(communicator, sets).front().components, (std::vector<int>{3, 1}));
}

TEST_F(AgreeOnSets, AnotherNumberOfFieldsIsAnError) {
  expect_disagreement({set(x, carry(mass))}, {set(x, carry(mass, charge))},
                      "Some ranks move 2 fields, others 3. Give the same sets with the same "
                      "fields in the same order on all ranks, also where a rank has no objects.");
  expect_disagreement({set(x, carry(mass))}, {set(x)}, "Some ranks move 1 fields, others 2.");
}

TEST_F(AgreeOnSets, OtherTypesAreAnError) {
  std::vector<float> single(4);
  std::vector<std::int64_t> whole(4);
  std::vector<test::Opaque> opaque(4);
  std::vector<std::array<float, 3>> single_x(4);
  const std::vector<Set> usual = {set(x, carry(mass))};
  const std::string part = "Field 1 (counted over all sets) has values of different type, size";
  expect_disagreement(usual, {set(x, carry(single))}, part);
  expect_disagreement(usual, {set(x, carry(whole))}, part);
  expect_disagreement(usual, {set(x, carry(opaque))}, part);
  expect_disagreement(usual, {set(single_x, carry(mass))}, "Field 0");
}

TEST_F(AgreeOnSets, OpaqueValuesOfAnotherSizeAreAnError) {
  struct Small {
    char bytes[3];
  };
  std::vector<test::Opaque> opaque(4);
  std::vector<Small> small(4);
  expect_disagreement({set(x, carry(opaque))}, {set(x, carry(small))},
                      "Field 1 (counted over all sets) has values of different type, size");
}

// The memory is only described, never accessed.
TEST_F(AgreeOnSets, OtherMemoryIsAnError) {
  RawField<double> here = raw_field(mass.data(), {.count = 4});
  RawField<double> there = raw_field(mass.data(), {.count = 4, .memory = MemoryKind::device});
  RawField<double> both = raw_field(mass.data(), {.count = 4, .memory = MemoryKind::shared});
  const std::vector<Set> usual = {set(x, carry(here))};
  expect_disagreement(usual, {set(x, carry(there))}, "or memory");
  expect_disagreement(usual, {set(x, carry(both))}, "or memory");
}

TEST_F(AgreeOnSets, AnotherOrderOfFieldsIsAnError) {
  std::vector<std::int64_t> id(4);
  expect_disagreement({set(x, carry(mass, id))}, {set(x, carry(id, mass))},
                      "Field 1 (counted over all sets) has values of different type");
}

// The sequence of all fields is the same. Only the border between two sets differs.
TEST_F(AgreeOnSets, FieldsSpreadOverOtherSetsAreAnError) {
  Position y(4), z(4);
  const std::vector<Set> usual = {set(x, carry(y)), set(z)};
  expect_disagreement(usual, {set(x), set(y, carry(z))}, "Field 1");
  expect_disagreement(usual, {set(x, carry(y, z))}, "Field 2");
}

TEST_F(AgreeOnSets, OtherComponentsAreAnError) {
  std::vector<std::array<double, 2>> flat(4);
  Table three("three", 4, 3), five("five", 0, 5);
  expect_disagreement({set(x)}, {set(flat)},
                      "Field 0 (counted over all sets) has 2 components on some ranks and 3 on "
                      "others.");
  Position none;
  expect_disagreement({set(x, carry(three))}, {set(none, carry(five))},
                      "Field 1 (counted over all sets) has 3 components on some ranks and 5");
}

// Values with 0 components are not the same as values with an unknown number of components.
TEST_F(AgreeOnSets, ObjectsWithoutComponentsAreAnError) {
  Table three("three", 4, 3), nothing("nothing", 4, 0);
  expect_disagreement({set(x, carry(three))}, {set(x, carry(nothing))},
                      "Field 1 (counted over all sets) has 0 components on some ranks and 3");
}

TEST_F(AgreeOnSets, AViewThatWasNeverGivenExtentsLearnsItsComponents) {
  for (int knows = 0; knows < size; ++knows) {
    Table position, tensor;
    if (rank == knows) {
      position = Table("position", 2, 2);
      tensor = Table("tensor", 2, 9);
    }
    const std::vector<Set> sets = {set(position, carry(tensor))};
    const std::vector<SetShape> shapes = agree_on_sets(communicator, sets);
    EXPECT_EQ(shapes.front().dimensions, 2);
    EXPECT_EQ(shapes.front().components, (std::vector<int>{2, 9}));
  }
}

TEST_F(AgreeOnSets, OneThatKnowsWithoutObjectsIsEnough) {
  Table position;
  if (rank == size - 1) position = Table("position", 0, 3);
  const Set alone = set(position);
  EXPECT_EQ(agree_on_sets(communicator, {&alone, 1}).front().dimensions, 3);
}

TEST_F(AgreeOnSets, NobodyKnows) {
  Table never, tensor;
  const Set alone = set(never, carry(tensor));
  const SetShape shape = agree_on_sets(communicator, {&alone, 1}).front();
  EXPECT_EQ(shape.dimensions, 0);
  EXPECT_EQ(shape.components, (std::vector<int>{0, 0}));
}

TEST_F(AgreeOnSets, NothingToMoveIsAnError) {
  EXPECT_ERROR(agree_on_sets(communicator, {}), "There is nothing to move.");
  expect_refusal({set(x)}, {}, "There is nothing to move. Give at least one set.");
}

TEST_F(AgreeOnSets, UpToAHundredAndTwentyEightFields) {
  std::deque<Column> columns;
  const auto with = [&](std::size_t fields) {
    Carried carried;
    while (columns.size() < fields) columns.emplace_back("column", 4);
    for (std::size_t f = 1; f < fields; ++f) carried.fields.push_back(field_of(columns[f]));
    return std::vector{set(x, std::move(carried))};
  };
  EXPECT_EQ(agree_on_sets(communicator, with(128)).front().components.size(), 128U);
  expect_refusal(
      with(128), with(129),
      "The set has 129 fields and payloads; at most 128 can move at once. Carry records, ");
  // The limit holds for all sets together.
  Position y(4);
  std::vector<Set> one_more = with(128);
  one_more.push_back(set(y));
  expect_refusal(with(128), one_more, "2 sets have 129 fields and payloads;");
}

TEST_F(AgreeOnSets, RefusedSetsAreTheSameErrorOnAllRanks) {
  const std::vector<Set> usual = {set(x, carry(mass))};
  std::vector<double> three(3);
  Column view("view", 4);
  const Column alias = view;
  int negative = -1;
  std::span<double> borrowed(charge);
  expect_refusal(usual, {set(x, carry(three))},
                 "Field 1, 'std::vector', has 3 objects, but the set has 4");
  expect_refusal(usual, {set(x, carry(view))}, "Field 1, 'view', is also held by another View");
  expect_refusal(usual, {set(mass)}, "has 1 component(s)");
  expect_refusal(usual, {set(x, carry(mass, mass))}, "are the same memory");
  expect_refusal(usual, {set(x, carry(mass), {.count = &negative})}, ".count is negative");
  expect_refusal(usual, {set(x, carry(borrowed))}, "keeps its memory, so nothing would store");
  expect_refusal(usual, {set(x, carry(mass), {.weight = three})},
                 "There are 3 weights for 4 objects");
  EXPECT_EQ(error_of(usual), "nothing was thrown") << "and continues";
}

TEST_F(AgreeOnSets, TheLowestOfSeveralRefusalsIsTold) {
  if (size < 3) GTEST_SKIP() << "takes three ranks";
  std::vector<double> three(3);
  const std::string text =
      error_of({rank == 0 ? set(x, carry(mass)) : set(x, carry(rank == 1 ? three : charge, mass))});
  EXPECT_MENTIONS(text, "evenkeel: rank 1: core/field: Field 1, 'std::vector', has 3");
}

}  // namespace
}  // namespace evenkeel::shapes_test
