#include "backends/exec/views.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/gather.hpp>

namespace evenkeel::gather_test {
namespace {

template <class Index>
std::vector<Index> identity(std::size_t count) {
  std::vector<Index> indices(count);
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

template <class Index>
std::vector<Index> random_permutation(std::size_t count) {
  auto indices = identity<Index>(count);
  std::shuffle(indices.begin(), indices.end(), std::mt19937_64(1));
  return indices;
}

template <class Instance>
void fence(const Instance& instance) {
  exec::fence(instance, "evenkeel::test::gather");
}

template <class T, class Index>
void expect_gather(const std::vector<T>& values, const std::vector<Index>& indices) {
  std::vector<T> expected;
  for (const Index i : indices) expected.push_back(values[static_cast<std::size_t>(i)]);
  with_space(test::space(), [&](const auto& instance) {
    const auto out = test::room_on<T>(instance, indices.size());
    exec::gather(instance, test::values_on(instance, indices), test::values_on(instance, values),
                 out);
    fence(instance);
    EXPECT_TRUE(test::values_of(out) == expected) << indices.size() << " indices";
  });
}

TEST(Gather, ByHand) {
  with_space(test::space(), [](const auto& instance) {
    const auto out = test::room_on<double>(instance, 4);
    const auto in = test::values_on(instance, std::vector<double>{0.5, 1.5, 2.5});
    exec::gather(instance, test::values_on(instance, std::vector<int>{2, 0, 2, 1}), in, out);
    fence(instance);
    EXPECT_EQ(test::values_of(out), (std::vector<double>{2.5, 0.5, 2.5, 1.5}));
  });
}

TEST(Gather, NothingAndOne) {
  expect_gather(std::vector<double>{}, std::vector<int>{});
  expect_gather(std::vector<double>{1, 2}, std::vector<int>{});
  expect_gather(std::vector<double>{7}, std::vector<int>{0});
}

TEST(Gather, Permutations) {
  const std::size_t count = 300000;
  const auto values = test::random_whole<double>(count, -1000, 1000);
  expect_gather(values, identity<std::int64_t>(count));
  auto reversed = identity<std::int64_t>(count);
  std::ranges::reverse(reversed);
  expect_gather(values, reversed);
  expect_gather(values, random_permutation<std::int64_t>(count));
}

TEST(Gather, IndicesOfEveryWidth) {
  const auto values = test::random_whole<std::int64_t>(50000, -1000, 1000);
  expect_gather(values, random_permutation<std::int32_t>(values.size()));
  expect_gather(values, random_permutation<std::uint32_t>(values.size()));
  expect_gather(values, random_permutation<std::uint64_t>(values.size()));
  expect_gather(values, random_permutation<std::uint16_t>(values.size()));
}

TEST(Gather, ValuesOfEveryWidth) {
  const auto permutation = random_permutation<int>(1000);
  expect_gather(test::random_whole<std::uint8_t>(1000, 0, 255), permutation);
  expect_gather(test::random_whole<std::int16_t>(1000, -9, 9), permutation);
  expect_gather(test::random_whole<float>(1000, -9, 9), permutation);
}

TEST(Gather, FewerMoreAndRepeated) {
  const auto values = test::random_whole<int>(1000, -1000, 1000);
  expect_gather(values, test::random_whole<int>(10, 0, 999));
  expect_gather(values, test::random_whole<int>(200000, 0, 999));
  expect_gather(values, std::vector<int>(100000, 999));
}

// --- Objects of several components ---------------------------------------------------------------

template <class Layout, class Instance>
using Objects = Kokkos::View<double**, Layout, typename Instance::memory_space>;

double component(std::size_t object, std::size_t c) {
  return static_cast<double>(object) + 0.25 * static_cast<double>(c);
}

template <class View>
void number(const View& objects) {
  const auto mirror = Kokkos::create_mirror_view(objects);
  for (std::size_t i = 0; i < objects.extent(0); ++i)
    for (std::size_t c = 0; c < objects.extent(1); ++c) mirror(i, c) = component(i, c);
  Kokkos::deep_copy(objects, mirror);
}

// The number of values of `found` that differ from component `first` + c of the indexed object.
template <class View, class Index>
int count_wrong(const View& found, const std::vector<Index>& indices, std::size_t first) {
  int wrong = 0;
  for (std::size_t i = 0; i < found.extent(0); ++i)
    for (std::size_t c = 0; c < found.extent(1); ++c)
      if (found(i, c) != component(static_cast<std::size_t>(indices[i]), first + c)) ++wrong;
  return wrong;
}

template <class LayoutIn, class LayoutOut, class Instance>
void expect_gather_of_objects_on(const Instance& instance, std::size_t count,
                                 std::size_t components) {
  const Objects<LayoutIn, Instance> in("evenkeel::test::in", count, components);
  const Objects<LayoutOut, Instance> out("evenkeel::test::out", count, components);
  number(in);
  const auto indices = random_permutation<std::int64_t>(count);
  exec::gather(instance, test::values_on(instance, indices), in, out);
  fence(instance);
  const auto found = Kokkos::create_mirror_view(out);
  Kokkos::deep_copy(found, out);
  EXPECT_EQ(count_wrong(found, indices, 0), 0) << components << " components";
}

template <class Instance>
void expect_gather_of_all_layouts_on(const Instance& instance, std::size_t count,
                                     std::size_t components) {
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  expect_gather_of_objects_on<Left, Left>(instance, count, components);
  expect_gather_of_objects_on<Left, Right>(instance, count, components);
  expect_gather_of_objects_on<Right, Left>(instance, count, components);
  expect_gather_of_objects_on<Right, Right>(instance, count, components);
}

TEST(Gather, ObjectsInEveryLayout) {
  with_space(test::space(), [](const auto& instance) {
    for (const std::size_t components : {1U, 3U}) {
      expect_gather_of_all_layouts_on(instance, 1, components);
      expect_gather_of_all_layouts_on(instance, 100000, components);
    }
    expect_gather_of_all_layouts_on(instance, 10, 17);
  });
}

TEST(Gather, ObjectsWithoutComponentsOrNoObjects) {
  with_space(test::space(), [](const auto& instance) {
    expect_gather_of_all_layouts_on(instance, 10, 0);
    expect_gather_of_all_layouts_on(instance, 0, 3);
  });
}

// Gathers components 1 and 2 of five into components 3 and 4 of six. Both sides are strided, and
// the values beside the target must not change.
template <class Layout, class Instance>
void expect_gather_of_some_components_on(const Instance& instance) {
  const std::size_t count = 1000;
  const Objects<Layout, Instance> in("evenkeel::test::in", count, 5);
  const Objects<Layout, Instance> out("evenkeel::test::out", count, 6);
  number(in);
  Kokkos::deep_copy(out, -1.0);
  const auto indices = random_permutation<int>(count);
  exec::gather(instance, test::values_on(instance, indices),
               Kokkos::subview(in, Kokkos::ALL, std::pair<int, int>(1, 3)),
               Kokkos::subview(out, Kokkos::ALL, std::pair<int, int>(3, 5)));
  fence(instance);
  const auto found = Kokkos::create_mirror_view(out);
  Kokkos::deep_copy(found, out);
  EXPECT_EQ(count_wrong(Kokkos::subview(found, Kokkos::ALL, std::pair<int, int>(3, 5)), indices, 1),
            0);
  int touched = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::size_t c : {0U, 1U, 2U, 5U}) touched += found(i, c) == -1.0 ? 0 : 1;
  EXPECT_EQ(touched, 0);
}

// Gathers one component of three, as a View of rank 1.
template <class Layout, class Instance>
void expect_gather_of_one_component_on(const Instance& instance) {
  const std::size_t count = 1000;
  const Objects<Layout, Instance> in("evenkeel::test::in", count, 3);
  number(in);
  const auto indices = random_permutation<int>(count);
  const auto out = test::room_on<double>(instance, count);
  exec::gather(instance, test::values_on(instance, indices), Kokkos::subview(in, Kokkos::ALL, 2),
               out);
  fence(instance);
  std::vector<double> expected;
  for (const int i : indices) expected.push_back(component(static_cast<std::size_t>(i), 2));
  EXPECT_TRUE(test::values_of(out) == expected);
}

TEST(Gather, StridedViews) {
  with_space(test::space(), [](const auto& instance) {
    expect_gather_of_some_components_on<Kokkos::LayoutLeft>(instance);
    expect_gather_of_some_components_on<Kokkos::LayoutRight>(instance);
    expect_gather_of_one_component_on<Kokkos::LayoutLeft>(instance);
    expect_gather_of_one_component_on<Kokkos::LayoutRight>(instance);
  });
}

TEST(Gather, ExtentsMustAgree) {
  with_space(test::space(), [](const auto& instance) {
    const auto indices = test::values_on(instance, std::vector<int>{0, 0, 0});
    const auto in = test::values_on(instance, std::vector<double>{1, 2});
    const auto two = test::room_on<double>(instance, 2);
    EXPECT_ERROR(exec::gather(instance, indices, in, two), "3 indices and a result of 2 objects");
    using Right = Objects<Kokkos::LayoutRight, std::decay_t<decltype(instance)>>;
    const Right wide("evenkeel::test::wide", 3, 2);
    const Right narrow("evenkeel::test::narrow", 3, 1);
    EXPECT_ERROR(exec::gather(instance, indices, wide, narrow), "2 components, the result 1.");
    EXPECT_ERROR(exec::gather(instance, indices, narrow, wide), "1 components, the result 2.");
  });
}

}  // namespace
}  // namespace evenkeel::gather_test
