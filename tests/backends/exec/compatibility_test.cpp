#include "support/harness.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/scratch.hpp>

namespace evenkeel::compatibility_test {
namespace {

template <class Real>
void expect_finite_alone() {
  using Limits = std::numeric_limits<Real>;
  for (const Real value : {Real{0}, -Real{0}, Real{1}, Limits::max(), Limits::lowest(),
                           Limits::min(), Limits::denorm_min()})
    EXPECT_TRUE(exec::is_finite(value)) << value;
  for (const Real value : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                           -Limits::quiet_NaN(), Limits::signaling_NaN()})
    EXPECT_FALSE(exec::is_finite(value)) << value;
}

TEST(IsFinite, KnowsNumbersFromTheRest) {
  expect_finite_alone<double>();
  expect_finite_alone<float>();
}

// Not every build has a device that shares memory with the host, so this tests the function that
// decides.
TEST(MemoryKindOf, FollowsFromWhoReachesIt) {
  using detail::kind_of_memory;
  EXPECT_EQ(kind_of_memory(true, true, false), MemoryKind::host);    // no device
  EXPECT_EQ(kind_of_memory(true, false, true), MemoryKind::host);    // beside a device
  EXPECT_EQ(kind_of_memory(false, true, true), MemoryKind::device);  // of a device
  EXPECT_EQ(kind_of_memory(true, true, true), MemoryKind::shared);   // of both
  EXPECT_EQ(memory_kind_of<Kokkos::HostSpace>(), MemoryKind::host);
}

TEST(Scratch, GivesALabelledView) {
  using View = Kokkos::View<double* [3], Kokkos::HostSpace>;
  const auto view = exec::scratch<View>("evenkeel::test::scratch", 7);
  EXPECT_EQ(view.extent(0), 7U);
  EXPECT_EQ(view.label(), "evenkeel::test::scratch");
}

TEST(Scratch, ARefusalIsAnErrorThatNamesTheLabel) {
  using View = Kokkos::View<double*, Kokkos::HostSpace>;
  const Status status = attempt("here", [] {
    static_cast<void>(exec::scratch<View>("evenkeel::test::scratch", std::int64_t{1} << 57));
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error()->kind(), ErrorKind::out_of_memory);
  EXPECT_MENTIONS(status.error()->what(), "'evenkeel::test::scratch' was refused");
}

}  // namespace
}  // namespace evenkeel::compatibility_test
