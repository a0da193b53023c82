#include "cut/objects.hpp"

#include "cut/device_objects.hpp"
#include "cut/host_objects.hpp"

#include <evenkeel/backends/exec/sort.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

std::unique_ptr<CutObjects> objects_of(std::span<const WeightedKeys> sets, std::int64_t most_bins) {
  if constexpr (has_device)
    if (memory_of(sets) != MemoryKind::host)
      return std::make_unique<DeviceObjects<exec::Device>>(device_instance(), sets, most_bins);
  return std::make_unique<HostObjects>(sets, most_bins);
}

namespace {

constexpr std::size_t worth_a_radix_sort = 4096;  // number of keys

bool sorts_by_radix(std::size_t keys) {
  return keys >= worth_a_radix_sort && exec::kokkos_is_running();
}

// Sorts keys, and reorders `numbers` in the same way.
void sort_with(std::uint64_t* keys, std::vector<std::uint64_t>& numbers) {
  exec::sort_pairs(Space::where(MemoryKind::host), keys, numbers.data(), std::ssize(numbers));
}

}  // namespace

void sort_keys(std::vector<CurveKey>& keys) {
  if (!sorts_by_radix(keys.size())) return std::sort(keys.begin(), keys.end());
  std::vector<std::uint64_t> unused(keys.size());
  sort_with(&keys.data()->value, unused);
}

void sort_items(std::vector<CutObjects::Item>& items) {
  if (!sorts_by_radix(items.size()))
    return std::sort(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return a.key < b.key; });
  std::vector<std::uint64_t> keys(items.size()), from(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) keys[i] = items[i].key;
  std::iota(from.begin(), from.end(), std::uint64_t{0});
  sort_with(keys.data(), from);
  std::vector<CutObjects::Item> sorted(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) sorted[i] = {keys[i], items[from[i]].weight};
  items.swap(sorted);
}

}  // namespace evenkeel
