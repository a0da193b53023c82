#include "core/values.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

using test::fill;
using test::Opaque;
using test::values_at;
using test::Vec3;

// Every test runs in the memory of the space under test.
template <class Instance, class DataType, class... Properties>
using ViewIn = Kokkos::View<DataType, Properties..., typename Instance::memory_space>;

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

template <class View>
View make(const std::string& label, std::size_t objects) {
  if constexpr (static_cast<unsigned>(View::rank_dynamic) == 2)
    return View(label, objects, 3);
  else
    return View(label, objects);
}

// What the View itself says is at (object, component), without the layout's help: row by row.
template <class View>
std::vector<double> read(const View& view) {
  // All from its first element to its last: gaps do not cross between memories. What Kokkos calls
  // the span may end behind the allocation where the View is a part of another.
  std::size_t length = view.size() > 0 ? 1 : 0;
  for (std::size_t d = 0; length > 0 && d < static_cast<std::size_t>(View::rank); ++d)
    length += (view.extent(d) - 1) * static_cast<std::size_t>(view.stride(d));
  std::vector<typename View::non_const_value_type> span(length);
  copy_bytes(test::space(), span.data(), MemoryKind::host, view.data(),
             memory_kind_of<typename View::memory_space>(),
             static_cast<std::int64_t>(span.size() * sizeof(span[0])));
  test::space().fence("read");
  std::vector<double> values;
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    const std::size_t first = i * static_cast<std::size_t>(view.stride(0));
    if constexpr (static_cast<unsigned>(View::rank) == 2)
      for (std::size_t c = 0; c < view.extent(1); ++c)
        values.push_back(
            static_cast<double>(span[first + c * static_cast<std::size_t>(view.stride(1))]));
    else
      values.push_back(static_cast<double>(span[first]));
  }
  return values;
}

std::vector<double> as_double(const std::vector<double>& values) { return values; }
template <class T>
std::vector<double> as_double(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

// --- Layout and replacement ----------------------------------------------------------------------

template <class View>
void expect_replaced(std::int64_t before, std::int64_t after) {
  using Value = typename View::value_type;
  SCOPED_TRACE(std::to_string(before) + " -> " + std::to_string(after));
  View view = make<View>("cargo", static_cast<std::size_t>(before));
  const Field field = field_of(view);
  EXPECT_EQ(field.label(), "cargo");
  EXPECT_EQ(field.ownership(), Ownership::sole);
  EXPECT_EQ(field.layout().data, view.data());
  EXPECT_EQ(field.layout().memory, memory_kind_of<typename View::memory_space>());
  EXPECT_EQ(field.layout().scalar, scalar_type_of<Value>());
  EXPECT_EQ(field.layout().count, before);
  EXPECT_EQ(field.layout().components, static_cast<unsigned>(View::rank) == 2 ? 3 : 1);
  const auto old = fill<Value>(field.layout(), Value{1});
  EXPECT_EQ(read(view), as_double(old));
  StagedField staged = field.stage(test::space(), after, Placement::replace);
  EXPECT_TRUE(field.knows_its_count(Placement::replace));
  EXPECT_EQ(staged.layout().count, after);
  const auto fresh = fill<Value>(staged.layout(), Value{50});
  EXPECT_EQ(read(view), as_double(old));
  EXPECT_EQ(view.use_count(), 1);
  staged.commit();
  EXPECT_EQ(read(view), as_double(fresh));
  EXPECT_EQ(view.label(), "cargo");
  EXPECT_EQ(static_cast<std::int64_t>(view.extent(0)), after);
  EXPECT_EQ(view.use_count(), 1);
  EXPECT_EQ(field.ownership(), Ownership::sole);
}

template <class View>
void expect_replaced_by_any_count() {
  for (const std::int64_t after : {0, 1, 4, 5, 100}) {
    expect_replaced<View>(5, after);
    expect_replaced<View>(0, after);
  }
}

template <class Instance>
void replace_rank_1(const Instance&) {
  expect_replaced_by_any_count<ViewIn<Instance, double*>>();
  expect_replaced_by_any_count<ViewIn<Instance, float*, Right>>();
  expect_replaced_by_any_count<ViewIn<Instance, int*, Left>>();
  expect_replaced_by_any_count<ViewIn<Instance, unsigned char*>>();
  expect_replaced_by_any_count<ViewIn<Instance, long long*>>();
}

TEST(View, OfRank1IsReplaced) {
  with_space(test::space(), [](const auto& instance) { replace_rank_1(instance); });
}

template <class Instance>
void replace_rank_2(const Instance&) {
  expect_replaced_by_any_count<ViewIn<Instance, double**>>();
  expect_replaced_by_any_count<ViewIn<Instance, double**, Left>>();
  expect_replaced_by_any_count<ViewIn<Instance, double**, Right>>();
  expect_replaced_by_any_count<ViewIn<Instance, float* [3]>>();
  expect_replaced_by_any_count<ViewIn<Instance, float* [3], Left>>();
  expect_replaced_by_any_count<ViewIn<Instance, float* [3], Right>>();
  expect_replaced_by_any_count<ViewIn<Instance, short**, Left>>();
}

TEST(View, OfRank2IsReplaced) {
  with_space(test::space(), [](const auto& instance) { replace_rank_2(instance); });
}

template <class Instance, class Element>
void expect_elements(const Instance&, const std::vector<Element>& before,
                     const std::vector<Element>& after, ScalarType scalar, int components) {
  ViewIn<Instance, Element*> view("elements", before.size());
  const Field field = field_of(view);
  EXPECT_EQ(field.layout().scalar, scalar);
  EXPECT_EQ(field.layout().components, components);
  EXPECT_TRUE(field.layout().is_packed());
  test::write_values(field.layout(), before);
  StagedField staged = field.stage(test::space(), std::ssize(after), Placement::replace);
  test::write_values(staged.layout(), after);
  EXPECT_EQ(values_at<Element>(field.layout()), before);
  staged.commit();
  EXPECT_EQ(values_at<Element>(field.layout()), after);
}

template <class Instance>
void replace_elements(const Instance& instance) {
  using Triple = std::array<double, 3>;
  expect_elements<Instance, Vec3>(instance, {{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}},
                                  ScalarType::float64, 3);
  expect_elements<Instance, Triple>(instance, {{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}},
                                    ScalarType::float64, 3);
  expect_elements<Instance, Opaque>(instance, {{1, 2, 'a'}}, {{3, 4, 'b'}, {5, 6, 'c'}},
                                    ScalarType::none, 1);
}

TEST(View, OfStructuresAndArrays) {
  with_space(test::space(), [](const auto& instance) { replace_elements(instance); });
}

template <class Instance>
void find_position_in_records(const Instance&) {
  ViewIn<Instance, test::Particle*> particles("particles", 4);
  const Field field = field_of(particles);
  EXPECT_EQ(field.position().components, 3);
  EXPECT_EQ(field.position().scalar, ScalarType::float32);
  EXPECT_EQ(field.layout().components, 1);
  const auto written = fill(field.position(), 1.0F);
  EXPECT_EQ(values_at<float>(field.position()), written);
}

TEST(View, OfRecordsKnowsWhereThePositionIs) {
  with_space(test::space(), [](const auto& instance) { find_position_in_records(instance); });
}

// Rows of LayoutLeft may be padded: the stride is not the extent.
template <class Instance>
void replace_padded(const Instance&) {
  using View = ViewIn<Instance, double**, Left>;
  View view(Kokkos::view_alloc("padded", Kokkos::AllowPadding), 1001, 3);
  const auto old = fill(field_of(view).layout(), 1.0);
  EXPECT_EQ(read(view), old);
  StagedField staged = field_of(view).stage(test::space(), 7, Placement::replace);
  const auto fresh = fill(staged.layout(), 5.0);
  staged.commit();
  EXPECT_EQ(read(view), fresh);
}

TEST(View, MayBePadded) {
  with_space(test::space(), [](const auto& instance) { replace_padded(instance); });
}

// What is staged lies where the kernels of the space reach it.
struct Halve {
  double* values;
  KOKKOS_FUNCTION void operator()(const int i) const { values[i] *= 0.5; }
};

template <class Instance>
void compute_in_staged(const Instance& instance) {
  ViewIn<Instance, double*> view("view", 3);
  StagedField staged = field_of(view).stage(test::space(), 5, Placement::replace);
  test::write_values(staged.layout(), std::vector<double>{2, 4, 6, 8, 10});
  Kokkos::parallel_for("halve", Kokkos::RangePolicy<Instance>(instance, 0, 5),
                       Halve{static_cast<double*>(staged.layout().data)});
  test::space().fence("halve");
  staged.commit();
  EXPECT_EQ(read(view), (std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(View, IsStagedInReachOfItsSpace) {
  with_space(test::space(), [](const auto& instance) { compute_in_staged(instance); });
}

// --- In place ------------------------------------------------------------------------------------

template <class Instance>
void keep_allocation(const Instance&) {
  ViewIn<Instance, double**, Left> view("kept", 4, 3);
  auto expected = fill(field_of(view).layout(), 0.0);
  const double* const old = view.data();
  StagedField staged = field_of(view).stage(test::space(), 3, Placement::in_place);
  EXPECT_FALSE(field_of(view).knows_its_count(Placement::in_place));
  const auto fresh = fill(staged.layout(), 50.0);
  EXPECT_EQ(read(view), expected);
  staged.commit();
  std::copy(fresh.begin(), fresh.end(), expected.begin());
  EXPECT_EQ(read(view), expected);
  EXPECT_EQ(view.data(), old);
  EXPECT_ERROR(static_cast<void>(field_of(view).stage(test::space(), 5, Placement::in_place)),
               "'kept' has room for 4 objects and 5 would arrive");
}

TEST(View, KeepsItsPointerWhenAskedTo) {
  with_space(test::space(), [](const auto& instance) { keep_allocation(instance); });
}

// Stages two objects fewer into a borrowed View and expects that nothing around them changes.
template <class View, class All>
void expect_in_place(View& view, const All& all) {
  const Field field = field_of(view);
  ASSERT_EQ(field.ownership(), Ownership::borrowed);
  const auto data = view.data();
  const auto whole_before = read(all);
  auto expected = read(view);
  const std::int64_t count = field.layout().count;
  StagedField staged = field.stage(test::space(), count - 2, Placement::replace);
  EXPECT_FALSE(field.knows_its_count(Placement::replace));  // borrowed
  const double unused = 1 + *std::max_element(whole_before.begin(), whole_before.end());
  const auto fresh = fill(staged.layout(), unused);
  EXPECT_EQ(read(all), whole_before);
  staged.commit();
  std::copy(fresh.begin(), fresh.end(), expected.begin());
  EXPECT_EQ(read(view), expected);
  EXPECT_EQ(view.data(), data);
  std::size_t changed = 0;
  const auto whole_after = read(all);
  for (std::size_t i = 0; i < whole_after.size(); ++i)
    changed += whole_after[i] != whole_before[i] ? 1 : 0;
  EXPECT_EQ(changed, fresh.size());
  EXPECT_ERROR(static_cast<void>(field.stage(test::space(), count + 1, Placement::replace)),
               "would arrive");
}

template <class Instance>
void stage_strided(const Instance&) {
  using Range = std::pair<int, int>;
  ViewIn<Instance, double**, Right> right("right", 6, 4);
  fill(field_of(right).layout(), 0.0);
  auto column = Kokkos::subview(right, Kokkos::ALL(), 2);
  EXPECT_EQ(field_of(column).layout().object_stride_bytes, 32);
  expect_in_place(column, right);
  ViewIn<Instance, double**, Kokkos::LayoutStride> inner =
      Kokkos::subview(right, Range(1, 5), Range(1, 3));
  EXPECT_EQ(field_of(inner).layout().components, 2);
  EXPECT_EQ(field_of(inner).layout().count, 4);
  expect_in_place(inner, right);
  ViewIn<Instance, double**, Left> left("left", 6, 4);
  fill(field_of(left).layout(), 0.0);
  ViewIn<Instance, double**, Kokkos::LayoutStride> rows =
      Kokkos::subview(left, Range(1, 5), Kokkos::ALL());
  EXPECT_EQ(field_of(rows).layout().component_stride_bytes, 48);
  expect_in_place(rows, left);
}

TEST(View, StridedSubviewsAreBorrowed) {
  with_space(test::space(), [](const auto& instance) { stage_strided(instance); });
}

template <class Instance>
void stage_unmanaged(const Instance&) {
  ViewIn<Instance, double*> owner("owner", 8);
  fill(field_of(owner).layout(), 0.0);
  Kokkos::View<double*, typename Instance::memory_space, Unmanaged> by_trait = owner;
  expect_in_place(by_trait, owner);
  EXPECT_EQ(field_of(by_trait).label(), "an unlabelled View");
  ViewIn<Instance, double*> by_pointer(owner.data(), 6);
  expect_in_place(by_pointer, owner);
  ViewIn<Instance, double* [2], Right> as_pairs(owner.data(), 4);
  expect_in_place(as_pairs, owner);
  ViewIn<Instance, double**, Left> by_component(owner.data(), 4, 2);
  expect_in_place(by_component, owner);
  EXPECT_EQ(field_of(owner).ownership(), Ownership::sole) << "nobody else holds it";
}

TEST(View, UnmanagedMemoryIsBorrowed) {
  with_space(test::space(), [](const auto& instance) { stage_unmanaged(instance); });
}

// The type says how many objects there are, so another number could not be allocated.
template <class Instance>
void stage_fixed(const Instance&) {
  ViewIn<Instance, double[6]> fixed("fixed");
  fill(field_of(fixed).layout(), 0.0);
  expect_in_place(fixed, fixed);
  ViewIn<Instance, double[5][3]> fixed_vectors("fixed");
  fill(field_of(fixed_vectors).layout(), 0.0);
  expect_in_place(fixed_vectors, fixed_vectors);
}

TEST(View, OfFixedExtentIsBorrowed) {
  with_space(test::space(), [](const auto& instance) { stage_fixed(instance); });
}

// --- Held elsewhere ------------------------------------------------------------------------------

template <class Instance>
void share(const Instance&) {
  using View = ViewIn<Instance, double*>;
  View view("view", 4);
  const Field field = field_of(view);
  EXPECT_EQ(field.ownership(), Ownership::sole);
  {
    const View other = view;
    EXPECT_EQ(field.ownership(), Ownership::shared);
  }
  {
    const auto part = Kokkos::subview(view, std::pair<int, int>(1, 2));
    EXPECT_EQ(field.ownership(), Ownership::shared);
  }
  {
    const ViewIn<Instance, const double*> reader = view;
    EXPECT_EQ(field.ownership(), Ownership::shared);
  }
  EXPECT_EQ(field.ownership(), Ownership::sole);
  View front = Kokkos::subview(view, std::pair<int, int>(0, 2));
  EXPECT_EQ(field_of(front).ownership(), Ownership::shared);
}

TEST(View, HeldElsewhereIsShared) {
  with_space(test::space(), [](const auto& instance) { share(instance); });
}

// The holder keeps what it held; the View goes on alone.
template <class Instance>
void replace_shared(const Instance&) {
  ViewIn<Instance, double*> view("view", 4);
  const auto old = fill(field_of(view).layout(), 0.0);
  const auto other = view;
  StagedField staged = field_of(view).stage(test::space(), 2, Placement::replace);
  const auto fresh = fill(staged.layout(), 50.0);
  staged.commit();
  EXPECT_EQ(read(view), fresh);
  EXPECT_EQ(read(other), old);
  EXPECT_EQ(field_of(view).ownership(), Ownership::sole);
}

TEST(View, HeldElsewhereCanBeReplacedAllTheSame) {
  with_space(test::space(), [](const auto& instance) { replace_shared(instance); });
}

// --- Nothing at all ------------------------------------------------------------------------------

template <class View>
void expect_grows_from_nothing(View& view, const char* label) {
  const Field field = field_of(view);
  EXPECT_EQ(field.layout().count, 0);
  EXPECT_EQ(field.label(), label);
  EXPECT_EQ(field.ownership(), Ownership::sole);
  EXPECT_NO_THROW(field.stage(test::space(), 0, Placement::in_place).commit());
  EXPECT_NO_THROW(field.stage(test::space(), 0, Placement::replace).commit());
  EXPECT_EQ(view.extent(0), 0U);
  EXPECT_ERROR(static_cast<void>(field.stage(test::space(), 1, Placement::in_place)), label);
  StagedField staged = field.stage(test::space(), 3, Placement::replace);
  const auto fresh = fill(staged.layout(), 5.0);
  staged.commit();
  EXPECT_EQ(read(view), fresh);
  EXPECT_EQ(field.label(), label);
}

template <class Instance>
void grow_from_nothing(const Instance&) {
  ViewIn<Instance, double*> none;
  expect_grows_from_nothing(none, "an unlabelled View");
  ViewIn<Instance, double* [3], Left> no_vectors;
  expect_grows_from_nothing(no_vectors, "an unlabelled View");
  EXPECT_EQ(no_vectors.extent(1), 3U);
  ViewIn<Instance, double*> empty("empty", 0);
  expect_grows_from_nothing(empty, "empty");
  ViewIn<Instance, double**, Right> no_rows("rows", 0, 3);
  expect_grows_from_nothing(no_rows, "rows");
  EXPECT_EQ(no_rows.extent(1), 3U);
}

TEST(View, EmptyAndDefaultConstructed) {
  with_space(test::space(), [](const auto& instance) { grow_from_nothing(instance); });
}

// --- Between memories ----------------------------------------------------------------------------

// Strides on both sides, and on a device the way across.
template <class Instance>
void copy_across(const Instance&) {
  ViewIn<Instance, double**, Left> left("left", 5, 3);
  ViewIn<Instance, double**, Right> right("right", 5, 3);
  Kokkos::View<double**, Left, Kokkos::HostSpace> host("host", 6, 3);
  const auto values = fill(field_of(host).layout(), 1.0);
  const auto layout_of = [](auto& view) { return field_of(view).layout(); };
  copy_objects(test::space(), layout_of(right), layout_of(host), 5);
  EXPECT_EQ(read(right), std::vector<double>(values.begin(), values.begin() + 15));
  copy_objects(test::space(), layout_of(left), layout_of(right), 5);
  EXPECT_EQ(read(left), read(right));
  auto column = Kokkos::subview(right, Kokkos::ALL(), 1);
  std::vector<double> landed(4);
  copy_objects(test::space(), layout_of(landed), layout_of(column), 4);
  EXPECT_EQ(landed, (std::vector<double>{2, 5, 8, 11}));
  std::fill(landed.begin(), landed.end(), -1.0);
  copy_objects(test::space(), layout_of(column), layout_of(landed), 3);
  EXPECT_EQ(read(right),
            (std::vector<double>{1, -1, 3, 4, -1, 6, 7, -1, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(View, CopiesToAndFromHostMemory) {
  with_space(test::space(), [](const auto& instance) { copy_across(instance); });
}

}  // namespace
}  // namespace evenkeel
