#include "support/harness.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/domains/owner.hpp>

#include <Kokkos_Core.hpp>

namespace evenkeel::owner_test {
namespace {

constexpr std::uint64_t end = end_of_curve(3).value;

Splitters splitters_at(std::vector<std::uint64_t> inner) {
  std::sort(inner.begin(), inner.end());
  Splitters splitters = {CurveKey{0}};
  for (const std::uint64_t key : inner) splitters.push_back({key});
  splitters.push_back({end});
  return splitters;
}

// Finds the last part that begins at or before the key, by a search through all parts.
int oracle(const Splitters& splitters, CurveKey key) {
  int owner = 0;
  for (std::size_t p = 0; p + 1 < splitters.size(); ++p)
    if (!(key < splitters[p])) owner = static_cast<int>(p);
  return owner;
}

std::vector<Splitters> all_splitters() {
  std::mt19937_64 random(1);
  std::vector<Splitters> all = {splitters_at({}), splitters_at({0, 0, 0}), splitters_at({end - 1}),
                                splitters_at({7, 7, 7, 9}), splitters_at({end, end})};
  for (const std::size_t parts : {2U, 3U, 8U, 17U, 1000U}) {
    std::vector<std::uint64_t> inner(parts - 1);
    for (auto& key : inner) key = random() % end;
    all.push_back(splitters_at(inner));
    for (auto& key : inner) key = random() % (parts / 2 + 1);  // parts without keys
    all.push_back(splitters_at(inner));
  }
  return all;
}

// Keys at and beside all splitters, and random ones.
std::vector<CurveKey> keys_for(const Splitters& splitters) {
  std::mt19937_64 random(2);
  std::vector<CurveKey> keys = {{0}, {end - 1}};
  for (const CurveKey splitter : splitters)
    for (const std::uint64_t key : {splitter.value - 1, splitter.value, splitter.value + 1})
      if (key < end) keys.push_back({key});
  for (int i = 0; i < 1000; ++i) keys.push_back({random() % end});
  std::shuffle(keys.begin(), keys.end(), random);
  return keys;
}

TEST(Owner, OfEachKey) {
  for (const Splitters& splitters : all_splitters()) {
    const OwnerOf owner{splitters.data(), static_cast<int>(splitters.size()) - 1};
    for (const CurveKey key : keys_for(splitters)) {
      ASSERT_EQ(owner(key), oracle(splitters, key));
      ASSERT_EQ(owner_of(splitters, key), oracle(splitters, key));
    }
  }
}

template <class Instance>
std::vector<int> owners_on(const Instance& instance, const Splitters& splitters,
                           const std::vector<CurveKey>& keys) {
  using Memory = typename Instance::memory_space;
  const Kokkos::View<CurveKey*, Memory> there("keys", keys.size());
  const Kokkos::View<int*, Memory> owners("owners", keys.size());
  Kokkos::deep_copy(
      there,
      Kokkos::View<const CurveKey*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          keys.data(), keys.size()));
  write_owners(space_of(instance), splitters, there.data(), std::ssize(keys), owners.data());
  std::vector<int> result(keys.size());
  Kokkos::deep_copy(Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        result.data(), result.size()),
                    owners);
  return result;
}

std::vector<int> owners_here(const Splitters& splitters, const std::vector<CurveKey>& keys) {
  return with_space(test::space(),
                    [&](const auto& instance) { return owners_on(instance, splitters, keys); });
}

TEST(Owner, OfManyKeys) {
  for (const Splitters& splitters : all_splitters()) {
    std::vector<CurveKey> keys = keys_for(splitters);
    for (int times = 0; times < 3; ++times) keys.insert(keys.end(), keys.begin(), keys.end());
    for (const bool sorted : {false, true}) {
      if (sorted) std::sort(keys.begin(), keys.end());
      const std::vector<int> owners = owners_here(splitters, keys);
      for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ(owners[i], oracle(splitters, keys[i])) << i;
    }
  }
}

TEST(Owner, OfNoKeysAndNoParts) {
  EXPECT_TRUE(owners_here(splitters_at({5}), {}).empty());
  EXPECT_ERROR(owners_here({}, {{1}}), "core/domains: There are fewer than two splitters");
  EXPECT_ERROR(owners_here({{0}}, {{1}}), "core/domains: There are fewer than two splitters");
}

}  // namespace
}  // namespace evenkeel::owner_test
