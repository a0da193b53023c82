// Tools that listen to Kokkos must see a region around each stage of a rebalance, and kernels whose
// labels name their stage.

#include "support/harness.hpp"

#include <evenkeel/evenkeel.hpp>

#include <regex>

namespace evenkeel::labels_test {
namespace {

std::set<std::string> kernels;
std::vector<std::string> regions, open;
bool is_outside = false;  // a kernel was launched outside of all regions

void on_kernel(const char* name, std::uint32_t, std::uint64_t*) {
  if (std::string(name).starts_with("Kokkos::")) return;  // kernels of Kokkos itself
  kernels.insert(name);
  is_outside = is_outside || open.empty();
}
void on_push(const char* name) {
  regions.emplace_back(name);
  open.emplace_back(name);
}
void on_pop() { open.pop_back(); }

// Listens during its lifetime.
struct Listener {
  Listener() {
    kernels.clear();
    regions.clear();
    is_outside = false;
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(&on_kernel);
    set_begin_parallel_reduce_callback(&on_kernel);
    set_begin_parallel_scan_callback(&on_kernel);
    set_push_region_callback(&on_push);
    set_pop_region_callback(&on_pop);
  }
  ~Listener() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_push_region_callback(nullptr);
    set_pop_region_callback(nullptr);
  }
};

class Labels : public testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(Methods, Labels,
                         testing::Values(Method(Hilbert{}), Method(Staggered{}), Method(Tensor{}),
                                         Method(RecursiveBisection{})));

TEST_P(Labels, TellTheStageOfEachKernel) {
  const Communicator communicator = test::world();
  constexpr int count = 3000;
  std::vector<std::array<double, 3>> x(count);
  std::vector<double> weight(count);
  std::vector<int> group(count);
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    x[k] = {(i * 37 % 101) / 101.0, (i * 53 % 211) / 211.0, i / double(count)};
    weight[k] = 1 + i % 3;
    group[k] = i % 2 == 0 ? -1 : (i + count * communicator.rank()) / 10;
  }
  Balancer balancer(communicator, {.method = GetParam(), .least_objects = 1, .origins = true});
  const Set all = set(x, carry(weight, group), {.weight = weight, .group = group});
  MoveReport report;
  {
    const Listener listener;
    report = balancer.rebalance(all);
  }
  EXPECT_TRUE(report.moved || communicator.size() == 1);
  EXPECT_GT(kernels.size(), 10U);
  const std::regex label("evenkeel::[a-z]+::[a-z_]+");
  for (const std::string& kernel : kernels) EXPECT_TRUE(std::regex_match(kernel, label)) << kernel;
  for (const char* stage : {"evenkeel::rebalance", "evenkeel::agree", "evenkeel::box",
                            "evenkeel::weigh", "evenkeel::prepare", "evenkeel::order",
                            "evenkeel::bind", "evenkeel::place", "evenkeel::plan"})
    EXPECT_EQ(std::ranges::count(regions, stage), 1) << stage;
  EXPECT_EQ(std::ranges::count(regions, "evenkeel::move"), report.moved ? 1 : 0);
  EXPECT_TRUE(open.empty()) << "each region ends";
  EXPECT_FALSE(is_outside);
}

TEST(Labels, RegionsEndWhereAnErrorIsThrown) {
  const Communicator communicator = test::world();
  std::vector<std::array<double, 3>> x = {{0, 0, std::nan("")}};
  Balancer balancer(communicator, {});
  const Set all = set(x);
  const Listener listener;
  EXPECT_THROW(balancer.rebalance(all), Error);
  EXPECT_TRUE(open.empty());
  EXPECT_FALSE(regions.empty());
}

}  // namespace
}  // namespace evenkeel::labels_test
