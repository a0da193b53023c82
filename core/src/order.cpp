#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace evenkeel {

namespace {

template <int n, class Real>
struct WriteKeys {
  Lattice lattice;
  const char* positions;
  std::int64_t object_stride, component_stride;
  HilbertKey* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint32_t cell[n];
    for (int d = 0; d < n; ++d) {
      const char* place = positions + i * object_stride + d * component_stride;
      cell[d] = lattice.cell(d, static_cast<double>(*reinterpret_cast<const Real*>(place)));
    }
    keys[i] = hilbert_key(cell);
  }
};

template <int n, class Real, class Instance>
void write_keys(const Instance& instance, const Lattice& lattice, const FieldLayout& at,
                HilbertKey* keys) {
  Kokkos::parallel_for(
      "evenkeel::order::keys",
      Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, at.count),
      WriteKeys<n, Real>{lattice, static_cast<const char*>(at.data), at.object_stride_bytes,
                         at.component_stride_bytes, keys});
}

template <class Instance>
void write_keys_of(const Instance& instance, const Lattice& lattice, const FieldLayout& at,
                   HilbertKey* keys) {
  const bool single = at.scalar == ScalarType::float32;
  if (at.components == 3)
    single ? write_keys<3, float>(instance, lattice, at, keys)
           : write_keys<3, double>(instance, lattice, at, keys);
  else
    single ? write_keys<2, float>(instance, lattice, at, keys)
           : write_keys<2, double>(instance, lattice, at, keys);
}

std::vector<HilbertKey> keys_of(const Space& space, const Lattice& lattice, const FieldLayout& at) {
  const auto count = static_cast<std::size_t>(at.count);
  const auto bytes = at.count * static_cast<std::int64_t>(sizeof(HilbertKey));
  std::vector<HilbertKey> keys(count);
  const Buffer computed("evenkeel::order::keys", at.memory, bytes);
  auto* data = reinterpret_cast<HilbertKey*>(computed.data());
  with_space(space, [&](const auto& instance) { write_keys_of(instance, lattice, at, data); });
  copy_bytes(space, keys.data(), MemoryKind::host, data, computed.kind(), bytes);
  space.fence("evenkeel::order::keys");
  return keys;
}

}  // namespace

Order order(const Space& space, const Lattice& lattice, const Set& set) {
  const FieldLayout at = set.position();
  if (at.count == 0) return {};
  if (at.components != lattice.dimensions() || !space.can_access(at.memory))
    throw Error(ErrorKind::bad_input, Where{"core/order"},
                "Positions of " + std::to_string(at.components) + " components in " +
                    name_of(at.memory) + " memory cannot be ordered on " +
                    std::string(space.name()) + " in " + std::to_string(lattice.dimensions()) +
                    " dimensions.",
                "Use a lattice of their dimensions, and a space that reaches them.");
  const std::vector<HilbertKey> keys = keys_of(space, lattice, at);
  Order sorted;
  sorted.objects.resize(keys.size());
  std::iota(sorted.objects.begin(), sorted.objects.end(), std::int64_t{0});
  const auto key = [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; };
  std::stable_sort(sorted.objects.begin(), sorted.objects.end(),
                   [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  sorted.keys.reserve(keys.size());
  for (const std::int64_t i : sorted.objects) sorted.keys.push_back(key(i));
  return sorted;
}

}  // namespace evenkeel
