#include "core/values.hpp"

#include <evenkeel/core/field/standard.hpp>

#include <memory_resource>

namespace evenkeel::standard_test {
namespace {

using test::counting;
using test::fill;
using test::refill;

template <class T>
void expect_replaced(const std::vector<T>& before, const std::vector<T>& after) {
  std::vector<T> vector = before;
  const T* const old = vector.data();
  StagedField staged = field_of(vector).stage(test::space(), std::ssize(after), Placement::replace);
  EXPECT_EQ(staged.layout().count, std::ssize(after));
  EXPECT_EQ(staged.layout().bytes_per_object(), static_cast<std::int64_t>(sizeof(T)));
  test::write_values(staged.layout(), after);
  EXPECT_EQ(vector.data(), old);
  EXPECT_EQ(vector, before);
  staged.commit();
  EXPECT_EQ(vector, after);
}

TEST(Vector, OfAnyElementIsReplaced) {
  expect_replaced<double>({1, 2, 3}, {4, 5, 6, 7});
  expect_replaced<int>({1, 2, 3}, {4});
  expect_replaced<std::int8_t>({1, 2, 3}, {});
  expect_replaced<std::array<double, 3>>({}, {{1, 2, 3}, {4, 5, 6}});
  expect_replaced<test::Vec3>({{1, 2, 3}}, {{4, 5, 6}, {7, 8, 9}});
  expect_replaced<test::Opaque>({{1.5, 2, 'a'}}, {{2.5, 3, 'b'}, {3.5, 4, 'c'}});
}

TEST(Vector, IsDescribed) {
  std::vector<test::Vec3> vector(5);
  const Field field = field_of(vector);
  EXPECT_EQ(field.label(), "std::vector");
  EXPECT_EQ(field.ownership(), Ownership::sole);
  EXPECT_EQ(field.layout().data, vector.data());
  EXPECT_EQ(field.layout().count, 5);
  EXPECT_EQ(field.layout().components, 3);
}

TEST(Vector, KeepsItsAllocator) {
  std::pmr::monotonic_buffer_resource resource;
  std::pmr::vector<double> vector({1, 2, 3}, &resource);
  const auto fresh = refill(field_of(vector), 5, Placement::replace, 7.0);
  EXPECT_EQ(vector.get_allocator().resource(), &resource);
  EXPECT_TRUE(std::equal(vector.begin(), vector.end(), fresh.begin(), fresh.end()));
}

TEST(Vector, KeepsItsPointerWhenAskedTo) {
  std::vector<double> vector = {1, 2, 3};
  vector.reserve(5);
  const double* const old = vector.data();
  EXPECT_TRUE(field_of(vector).knows_its_count(Placement::in_place));
  for (const std::int64_t count : {2, 5, 0, 4}) {  // shrinks, and grows up to its reserve
    const auto fresh = refill(field_of(vector), count, Placement::in_place, 7.0);
    EXPECT_EQ(vector.data(), old);
    EXPECT_EQ(vector, fresh);
  }
  EXPECT_ERROR(field_of(vector).stage(test::space(), 6, Placement::in_place),
               "'std::vector' has room for 5 objects and 6 would arrive");
}

template <class Span>
void expect_borrowed(std::vector<double>& memory, Span span) {
  const Field field = field_of(span);
  EXPECT_EQ(field.ownership(), Ownership::borrowed);
  EXPECT_EQ(field.label(), "std::span");
  EXPECT_EQ(field.layout().data, memory.data());
  EXPECT_EQ(field.layout().count, 4);
  StagedField staged = field.stage(test::space(), 4, Placement::replace);  // still in place
  fill(staged.layout(), 7.0);
  EXPECT_EQ(memory, counting<>(6));
  staged.commit();
  EXPECT_EQ(memory, (std::vector<double>{7, 8, 9, 10, 4, 5}));
  EXPECT_EQ(span.data(), memory.data());
  EXPECT_FALSE(field.knows_its_count(Placement::replace));
  EXPECT_ERROR(field.stage(test::space(), 5, Placement::replace), "'std::span' has room for 4");
}

TEST(Span, IsBorrowed) {
  auto memory = counting<>(6);
  expect_borrowed(memory, std::span(memory).first(4));
  memory = counting<>(6);
  expect_borrowed(memory, std::span(memory).first<4>());
}

TEST(Span, OfNothing) {
  std::span<double> nothing;
  StagedField staged = field_of(nothing).stage(test::space(), 0, Placement::replace);
  EXPECT_NO_THROW(staged.commit());
  EXPECT_ERROR(field_of(nothing).stage(test::space(), 1, Placement::replace), "room for 0");
}

}  // namespace
}  // namespace evenkeel::standard_test
