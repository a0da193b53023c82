#include "core/values.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>

namespace evenkeel::kokkos_dual_view_test {
namespace {

using test::fill;
using test::refill;
using test::values_at;

using Scalars = Kokkos::DualView<double*>;
using Vectors = Kokkos::DualView<float**, Kokkos::LayoutRight>;
using FixedVectors = Kokkos::DualView<double* [3], Kokkos::LayoutLeft>;

template <class Dual>
using ValueOf = typename Dual::t_dev::value_type;

template <class Dual>
Dual make(const std::string& label, std::size_t objects) {
  if constexpr (static_cast<unsigned>(Dual::t_dev::rank_dynamic) == 2)
    return Dual(label, objects, 3);
  else
    return Dual(label, objects);
}

template <class Dual>
FieldLayout host_side(const Dual& dual) {
  return detail::view_layout(dual.view_host());
}
template <class Dual>
FieldLayout device_side(const Dual& dual) {
  return detail::view_layout(dual.view_device());
}

enum class Newer { host, device, neither };

// A DualView of numbers from 1 on. If the build has two memories, one of the sides is out of date.
template <class Dual>
Dual filled(std::int64_t objects, Newer newer) {
  Dual dual = make<Dual>("dual", static_cast<std::size_t>(objects));
  fill<ValueOf<Dual>>(host_side(dual), 1);
  dual.modify_host();
  dual.sync_device();
  if (newer == Newer::host) {
    fill<ValueOf<Dual>>(host_side(dual), 1);
    if (dual.view_host().data() != dual.view_device().data())
      fill<ValueOf<Dual>>(device_side(dual), -100);
    dual.modify_host();
  } else if (newer == Newer::device) {
    fill<ValueOf<Dual>>(host_side(dual), -100);
    fill<ValueOf<Dual>>(device_side(dual), 1);
    dual.modify_device();
  }
  return dual;
}

template <class Dual>
void expect_on_both_sides(Dual& dual, const std::vector<ValueOf<Dual>>& values) {
  dual.sync_host();
  EXPECT_EQ(values_at<ValueOf<Dual>>(host_side(dual)), values);
  dual.sync_device();
  EXPECT_EQ(values_at<ValueOf<Dual>>(device_side(dual)), values);
}

template <class Dual>
class DualViewOf : public testing::Test {};

using Kinds = testing::Types<Scalars, Vectors, FixedVectors>;
TYPED_TEST_SUITE(DualViewOf, Kinds, );

TYPED_TEST(DualViewOf, AnyStateIsReplaced) {
  using Value = ValueOf<TypeParam>;
  for (const Newer newer : {Newer::host, Newer::device, Newer::neither})
    for (const std::int64_t count : {0, 3, 5, 9}) {
      TypeParam dual = filled<TypeParam>(5, newer);
      const Field field = field_of(dual);
      EXPECT_EQ(field.label(), "dual");
      EXPECT_EQ(field.ownership(), Ownership::sole);
      const int components = static_cast<unsigned>(TypeParam::t_dev::rank) == 2 ? 3 : 1;
      EXPECT_EQ(field.layout().components, components);
      const auto old = values_at<Value>(field.layout());
      EXPECT_EQ(old, test::counting<Value>(5 * components, 1));
      StagedField staged = field.stage(test::space(), count, Placement::replace);
      const auto fresh = fill<Value>(staged.layout(), 50);
      EXPECT_EQ(values_at<Value>(field.layout()), old);
      staged.commit();
      EXPECT_EQ(field.layout().count, count);
      EXPECT_EQ(values_at<Value>(field.layout()), fresh) << "the newer side";
      expect_on_both_sides(dual, fresh);
      EXPECT_EQ(static_cast<std::int64_t>(dual.view_host().extent(0)), count);
      EXPECT_EQ(static_cast<std::int64_t>(dual.view_device().extent(0)), count);
      EXPECT_EQ(field.label(), "dual");
      EXPECT_EQ(field.ownership(), Ownership::sole);
    }
}

TYPED_TEST(DualViewOf, AnyStateChangesInPlace) {
  using Value = ValueOf<TypeParam>;
  for (const Newer newer : {Newer::host, Newer::device, Newer::neither}) {
    TypeParam dual = filled<TypeParam>(5, newer);
    const auto* const host = dual.view_host().data();
    auto expected = values_at<Value>(field_of(dual).layout());
    StagedField staged = field_of(dual).stage(test::space(), 4, Placement::in_place);
    EXPECT_FALSE(field_of(dual).knows_its_count(Placement::in_place));
    const auto fresh = fill<Value>(staged.layout(), 50);
    staged.commit();
    std::copy(fresh.begin(), fresh.end(), expected.begin());
    expect_on_both_sides(dual, expected);
    EXPECT_EQ(dual.view_host().data(), host);
  }
}

TYPED_TEST(DualViewOf, HeldElsewhereIsShared) {
  TypeParam dual = filled<TypeParam>(5, Newer::neither);
  const Field field = field_of(dual);
  {
    const TypeParam other = dual;
    EXPECT_EQ(field.ownership(), Ownership::shared);
  }
  EXPECT_EQ(field.ownership(), Ownership::sole);
  {
    const auto host = dual.view_host();
    EXPECT_EQ(field.ownership(), Ownership::shared);
  }
  {
    const typename TypeParam::t_dev device = dual.view_device();
    EXPECT_EQ(field.ownership(), Ownership::shared);
  }
  EXPECT_EQ(field.ownership(), Ownership::sole);
}

TEST(DualView, GrowsFromNothing) {
  Scalars none, empty("empty", 0);
  FixedVectors no_vectors;
  EXPECT_EQ(field_of(none).label(), "an unlabelled DualView");
  EXPECT_EQ(field_of(empty).label(), "empty");
  const auto expect_grows = [](auto& dual) {
    EXPECT_EQ(field_of(dual).layout().count, 0);
    EXPECT_EQ(field_of(dual).ownership(), Ownership::sole);
    EXPECT_NO_THROW(field_of(dual).stage(test::space(), 0, Placement::replace).commit());
    const auto fresh = refill(field_of(dual), 3, Placement::replace, 50.0);
    expect_on_both_sides(dual, fresh);
  };
  expect_grows(none);
  expect_grows(empty);
  expect_grows(no_vectors);
}

// Both sides use memory of the application, which would not learn of new pointers.
TEST(DualView, OfUnmanagedMemoryIsBorrowed) {
  Scalars owner = filled<Scalars>(4, Newer::neither);
  Scalars dual(Scalars::t_dev(owner.view_device().data(), 4),
               Scalars::t_host(owner.view_host().data(), 4));
  EXPECT_EQ(field_of(dual).ownership(), Ownership::borrowed);
  const auto fresh = refill(field_of(dual), 4, Placement::replace, 50.0);
  expect_on_both_sides(dual, fresh);
  EXPECT_EQ(dual.view_host().data(), owner.view_host().data());
}

#if KOKKOS_VERSION < 40000
// In a build without a device, both sides share one memory, so a test cannot see which side is
// newer. Kokkos 3 allows two allocations, and both may lack a mark.
struct Marked : Scalars {
  static void set(Scalars& dual, unsigned host, unsigned device) {
    auto& flags = dual.*(&Marked::modified_flags);
    flags(0) = host;
    flags(1) = device;
  }
};

TEST(DualView, TheSideModifiedLastIsTheField) {
  Scalars dual(Scalars::t_dev("device", 4), Scalars::t_host("host", 4));
  const Field field = field_of(dual);
  EXPECT_EQ(field.ownership(), Ownership::sole);
  EXPECT_EQ(field.layout().data, dual.view_device().data());
  Marked::set(dual, 3, 2);
  EXPECT_EQ(field.layout().data, dual.view_host().data());
  Marked::set(dual, 3, 4);
  EXPECT_EQ(field.layout().data, dual.view_device().data());
  std::optional<Scalars::t_host> host = dual.view_host();
  EXPECT_EQ(field.ownership(), Ownership::shared);
  host.reset();
  const auto device = dual.view_device();
  EXPECT_EQ(field.ownership(), Ownership::shared);
}
#endif

}  // namespace
}  // namespace evenkeel::kokkos_dual_view_test
