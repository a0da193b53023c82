#include "core/values.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::kokkos_view_test {
namespace {

using test::fill;
using test::Opaque;
using test::refill;
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

// Reads the values by the View's own index (object, component), row by row, independently of the
// layout.
template <class View>
std::vector<double> read(const View& view) {
  // Copies everything from the first element to the last, since gaps cannot be copied between
  // memories. Kokkos's own span may end behind the allocation if the View is a piece of another.
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

TEST(View, OfRank1IsReplaced) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    expect_replaced_by_any_count<ViewIn<Instance, double*>>();
    expect_replaced_by_any_count<ViewIn<Instance, float*, Right>>();
    expect_replaced_by_any_count<ViewIn<Instance, int*, Left>>();
    expect_replaced_by_any_count<ViewIn<Instance, unsigned char*>>();
    expect_replaced_by_any_count<ViewIn<Instance, long long*>>();
  });
}

TEST(View, OfRank2IsReplaced) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    expect_replaced_by_any_count<ViewIn<Instance, double**>>();
    expect_replaced_by_any_count<ViewIn<Instance, double**, Left>>();
    expect_replaced_by_any_count<ViewIn<Instance, double**, Right>>();
    expect_replaced_by_any_count<ViewIn<Instance, float* [3]>>();
    expect_replaced_by_any_count<ViewIn<Instance, float* [3], Left>>();
    expect_replaced_by_any_count<ViewIn<Instance, float* [3], Right>>();
    expect_replaced_by_any_count<ViewIn<Instance, short**, Left>>();
  });
}

template <class Instance, class Element>
void expect_elements(const std::vector<Element>& before, const std::vector<Element>& after,
                     ScalarType scalar, int components) {
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

TEST(View, OfStructuresAndArrays) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    using Triple = std::array<double, 3>;
    expect_elements<Instance, Vec3>({{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}}, ScalarType::float64, 3);
    expect_elements<Instance, Triple>({{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}}, ScalarType::float64, 3);
    expect_elements<Instance, Opaque>({{1, 2, 'a'}}, {{3, 4, 'b'}, {5, 6, 'c'}}, ScalarType::none,
                                      1);
  });
}

TEST(View, OfRecordsKnowsWhereThePositionIs) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    ViewIn<Instance, test::Particle*> particles("particles", 4);
    const Field field = field_of(particles);
    EXPECT_EQ(field.position().components, 3);
    EXPECT_EQ(field.position().scalar, ScalarType::float32);
    EXPECT_EQ(field.layout().components, 1);
    const auto written = fill(field.position(), 1.0F);
    EXPECT_EQ(values_at<float>(field.position()), written);
  });
}

// Rows of LayoutLeft may be padded: the stride can differ from the extent.
TEST(View, MayBePadded) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    using View = ViewIn<Instance, double**, Left>;
    View view(Kokkos::view_alloc("padded", Kokkos::AllowPadding), 1001, 3);
    const auto old = fill(field_of(view).layout(), 1.0);
    EXPECT_EQ(read(view), old);
    const auto fresh = refill(field_of(view), 7, Placement::replace, 5.0);
    EXPECT_EQ(read(view), fresh);
  });
}

// Kernels of the space can access staged memory.
struct Halve {
  double* values;
  KOKKOS_FUNCTION void operator()(const int i) const { values[i] *= 0.5; }
};

TEST(View, IsStagedInReachOfItsSpace) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    ViewIn<Instance, double*> view("view", 3);
    StagedField staged = field_of(view).stage(test::space(), 5, Placement::replace);
    test::write_values(staged.layout(), std::vector<double>{2, 4, 6, 8, 10});
    Kokkos::parallel_for("halve", Kokkos::RangePolicy<Instance>(instance, 0, 5),
                         Halve{static_cast<double*>(staged.layout().data)});
    test::space().fence("halve");
    staged.commit();
    EXPECT_EQ(read(view), (std::vector<double>{1, 2, 3, 4, 5}));
  });
}

// --- In place ------------------------------------------------------------------------------------

TEST(View, KeepsItsPointerWhenAskedTo) {
  with_space(test::space(), []<class Instance>(const Instance&) {
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
    EXPECT_ERROR(field_of(view).stage(test::space(), 5, Placement::in_place),
                 "'kept' has room for 4 objects and 5 would arrive");
  });
}

// Stages two objects fewer into a borrowed View. Expects that nothing around them changes.
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
  EXPECT_ERROR(field.stage(test::space(), count + 1, Placement::replace), "would arrive");
}

TEST(View, StridedSubviewsAreBorrowed) {
  with_space(test::space(), []<class Instance>(const Instance&) {
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
  });
}

TEST(View, UnmanagedMemoryIsBorrowed) {
  with_space(test::space(), []<class Instance>(const Instance&) {
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
    EXPECT_EQ(field_of(owner).ownership(), Ownership::sole) << "no other view holds it";
  });
}

// The type fixes the number of objects, so another number cannot be allocated.
TEST(View, OfFixedExtentIsBorrowed) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    ViewIn<Instance, double[6]> fixed("fixed");
    fill(field_of(fixed).layout(), 0.0);
    expect_in_place(fixed, fixed);
    ViewIn<Instance, double[5][3]> fixed_vectors("fixed");
    fill(field_of(fixed_vectors).layout(), 0.0);
    expect_in_place(fixed_vectors, fixed_vectors);
  });
}

// --- Held elsewhere ------------------------------------------------------------------------------

TEST(View, HeldElsewhereIsShared) {
  with_space(test::space(), []<class Instance>(const Instance&) {
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
  });
}

// The other holder must keep its values; the View must get new memory.
TEST(View, HeldElsewhereCanBeReplacedAllTheSame) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    ViewIn<Instance, double*> view("view", 4);
    const auto old = fill(field_of(view).layout(), 0.0);
    const auto other = view;
    const auto fresh = refill(field_of(view), 2, Placement::replace, 50.0);
    EXPECT_EQ(read(view), fresh);
    EXPECT_EQ(read(other), old);
    EXPECT_EQ(field_of(view).ownership(), Ownership::sole);
  });
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
  EXPECT_ERROR(field.stage(test::space(), 1, Placement::in_place), label);
  const auto fresh = refill(field, 3, Placement::replace, 5.0);
  EXPECT_EQ(read(view), fresh);
  EXPECT_EQ(field.label(), label);
}

TEST(View, EmptyAndDefaultConstructed) {
  with_space(test::space(), []<class Instance>(const Instance&) {
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
  });
}

// --- Between memories ----------------------------------------------------------------------------

// Both sides are strided. On a device, the copy also crosses memories.
TEST(View, CopiesToAndFromHostMemory) {
  with_space(test::space(), []<class Instance>(const Instance&) {
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
  });
}

}  // namespace
}  // namespace evenkeel::kokkos_view_test
