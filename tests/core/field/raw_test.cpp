#include "core/values.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::raw_test {
namespace {

using test::counting;
using test::fill;
using test::refill;
using test::values_at;

TEST(RawField, IsPackedByDefault) {
  auto memory = counting<>(12);
  RawField<double> scalars = raw_field(memory.data(), {.count = 12});
  EXPECT_EQ(scalars.shape.capacity, 12);
  EXPECT_TRUE(field_of(scalars).layout().is_packed());
  EXPECT_EQ(values_at<double>(field_of(scalars).layout()), memory);
  RawField<double> vectors =
      raw_field(memory.data(), {.count = 3, .capacity = 4, .components = 3, .label = "x"});
  const FieldLayout layout = field_of(vectors).layout();
  EXPECT_TRUE(layout.is_packed());
  EXPECT_EQ(layout.data, memory.data());
  EXPECT_EQ(layout.scalar, ScalarType::float64);
  EXPECT_EQ(layout.components, 3);
  EXPECT_EQ(layout.count, 3);
  EXPECT_EQ(layout.capacity, 4);
  EXPECT_EQ(field_of(vectors).label(), "x");
  EXPECT_EQ(field_of(vectors).ownership(), Ownership::borrowed);
  EXPECT_EQ(field_of(scalars).label(), "raw field");
}

TEST(RawField, OfAVectorType) {
  std::vector<test::Vec3> memory = {{1, 2, 3}, {4, 5, 6}};
  RawField<test::Vec3> raw = raw_field(memory.data(), {.count = 2});
  EXPECT_EQ(field_of(raw).layout().components, 3);
  EXPECT_EQ(values_at<double>(field_of(raw).layout()), counting<>(6, 1.0));
  RawField<test::Vec3> every_second = raw_field(memory.data(), {.count = 1, .object_stride = 2});
  EXPECT_EQ(field_of(every_second).layout().object_stride_bytes, 48);
}

// One array per component, as in a Fortran array x(n, 3). Each component begins five values behind
// the previous one.
TEST(RawField, ByComponent) {
  auto memory = counting<>(15);
  const auto expect_by_component = [&](RawField<double> raw) {
    const FieldLayout layout = field_of(raw).layout();
    EXPECT_EQ(layout.object_stride_bytes, 8);
    EXPECT_EQ(layout.component_stride_bytes, 40);
    EXPECT_EQ(values_at<double>(layout), (std::vector<double>{0, 5, 10, 1, 6, 11, 2, 7, 12}));
  };
  expect_by_component(raw_field(
      memory.data(),
      {.count = 3, .capacity = 5, .components = 3, .object_stride = 1, .component_stride = 5}));
  expect_by_component(raw_field(
      memory.data(), {.count = 3, .capacity = 5, .components = 3, .component_stride = 5}));
}

// Records have four values. Their x and z are two components.
TEST(RawField, InsideRecords) {
  auto memory = counting<>(12);
  RawField<double> raw = raw_field(
      memory.data(), {.count = 3, .components = 2, .object_stride = 4, .component_stride = 2});
  EXPECT_EQ(values_at<double>(field_of(raw).layout()), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  refill(field_of(raw), 2, Placement::replace, 100.0);
  EXPECT_EQ(memory, (std::vector<double>{100, 1, 101, 3, 102, 5, 103, 7, 8, 9, 10, 11}));
}

TEST(RawField, KnowsItsCountAfterwards) {
  auto memory = counting<>(6);
  RawField<double> raw = raw_field(memory.data(), {.count = 2, .capacity = 6});
  for (const std::int64_t count : {5, 0, 6}) {
    StagedField staged = field_of(raw).stage(test::space(), count, Placement::in_place);
    EXPECT_TRUE(field_of(raw).knows_its_count(Placement::replace));
    const auto fresh = fill(staged.layout(), 10.0);
    staged.commit();
    EXPECT_EQ(raw.shape.count, count);
    EXPECT_EQ(raw.shape.capacity, 6);
    EXPECT_EQ(values_at<double>(field_of(raw).layout()), fresh);
  }
  EXPECT_ERROR(field_of(raw).stage(test::space(), 7, Placement::in_place),
               "'raw field' has room for 6 objects and 7 would arrive");
  EXPECT_EQ(raw.shape.count, 6);
}

TEST(RawField, OfNothing) {
  RawField<double> nothing = raw_field<double>(nullptr, {});
  EXPECT_EQ(field_of(nothing).layout().count, 0);
  StagedField staged = field_of(nothing).stage(test::space(), 0, Placement::in_place);
  EXPECT_NO_THROW(staged.commit());
}

TEST(RawField, NonsenseIsAnError) {
  double memory[60] = {};
  const auto refusal = [&](const RawShape& shape) {
    return test::error_of([&] { raw_field(memory, shape); });
  };
  const auto expect_refused = [&](const RawShape& shape, const std::string& part) {
    const std::string text = refusal(shape);
    EXPECT_MENTIONS(text, "The raw field 'raw field' is invalid:");
    EXPECT_MENTIONS(text, part);
  };
  expect_refused({.count = -1}, "count -1");
  expect_refused({.count = 4, .capacity = 3}, "count 4, capacity 3");
  expect_refused({.count = 1, .capacity = -3}, "capacity -3");
  expect_refused({.count = 1, .components = 0}, "components 0");
  expect_refused({.count = 1, .components = -3}, "components -3");
  expect_refused({.count = 1, .object_stride = -1}, "strides -1 and 1");
  expect_refused({.count = 1, .component_stride = -1}, "and -1");
  EXPECT_ERROR(
      raw_field<double>(nullptr, {.count = 1, .label = "mass"}),
      "'mass' is invalid: count 1, capacity 1, components 1, strides 1 and 1, null pointer");
  // In these shapes, values would share memory.
  expect_refused({.count = 10, .components = 3, .object_stride = 1, .component_stride = 1},
                 "apart");
  expect_refused({.count = 10, .components = 3, .object_stride = 4, .component_stride = 2},
                 "apart");
  expect_refused({.count = 10, .components = 3, .component_stride = 9}, "apart");
  EXPECT_EQ(refusal({.count = 10, .components = 3, .component_stride = 10}), "nothing was thrown");
  EXPECT_EQ(refusal({.count = 10, .components = 3, .object_stride = 5, .component_stride = 2}),
            "nothing was thrown");
}

TEST(RawField, ComponentsAreCountedOnce) {
  std::array<double, 3> memory[4] = {};
  EXPECT_ERROR(raw_field(memory, {.count = 2, .components = 2}),
               "in the shape or in the element type, not in both");
}

}  // namespace
}  // namespace evenkeel::raw_test
