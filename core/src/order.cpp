#include "field/copy.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

template <class Index>
struct CountUp {
  Index* indices;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { indices[i] = static_cast<Index>(i); }
};

template <class Instance, class Index>
void count_up(const Instance& instance, Index* indices, std::int64_t count) {
  Kokkos::parallel_for(
      "evenkeel::order::indices",
      Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, count),
      CountUp<Index>{indices});
}

// Keys and indices, computed and sorted where the positions are, then brought to the host.
template <class Index>
Order order_with(const Space& space, const Lattice& lattice, const Set& set, MemoryKind memory) {
  const std::int64_t count = set.count();
  const auto size = static_cast<std::size_t>(count);
  const auto key_bytes = count * static_cast<std::int64_t>(sizeof(CurveKey));
  const auto index_bytes = count * static_cast<std::int64_t>(sizeof(Index));
  const bool here = space.can_access(MemoryKind::host);
  Order sorted;
  sorted.keys.resize(size);
  const Buffer far("evenkeel::order::keys", memory, here ? 0 : key_bytes);
  const Buffer near("evenkeel::order::indices", here ? MemoryKind::host : memory, index_bytes);
  CurveKey* keys = here ? sorted.keys.data() : reinterpret_cast<CurveKey*>(far.data());
  auto* indices = reinterpret_cast<Index*>(near.data());

  write_keys(space, lattice, set, keys);
  with_space(space, [&](const auto& instance) { count_up(instance, indices, count); });
  exec::sort_pairs(space, &keys->value, indices, count,
                   {lattice.unused_bits(), curve_bits(lattice.dimensions())});
  std::vector<Index> copy;
  if (!here) {
    copy.resize(size);
    copy_bytes(space, sorted.keys.data(), MemoryKind::host, keys, memory, key_bytes);
    copy_bytes(space, copy.data(), MemoryKind::host, indices, memory, index_bytes);
    indices = copy.data();
  }
  space.fence("evenkeel::order");
  sorted.objects.assign(indices, indices + count);
  return sorted;
}

// --- Reorder -------------------------------------------------------------------------------------

void require_permutation(const Order& order, std::int64_t count) {
  std::vector<bool> seen(static_cast<std::size_t>(count));
  bool holds = std::ssize(order.objects) == count;
  for (std::size_t i = 0; holds && i < order.objects.size(); ++i) {
    const std::int64_t object = order.objects[i];
    holds = object >= 0 && object < count && !seen[static_cast<std::size_t>(object)];
    if (holds) seen[static_cast<std::size_t>(object)] = true;
  }
  if (!holds)
    throw Error(ErrorKind::bad_input, Where{"core/order"},
                "An order of " + std::to_string(order.objects.size()) +
                    " objects does not name each of " + std::to_string(count) + " objects once.",
                "Use the order of this set, made after its objects last changed.");
}

// The objects of an order, in each kind of memory that fields are in.
class Lists {
 public:
  explicit Lists(const std::vector<std::int64_t>& objects) : objects_(objects) {}

  const std::int64_t* in(MemoryKind kind) {
    if (kind == MemoryKind::host) return objects_.data();
    Buffer& copy = copies_[static_cast<int>(kind)];
    const auto bytes = std::ssize(objects_) * static_cast<std::int64_t>(sizeof(std::int64_t));
    if (copy.bytes() < bytes) {
      copy = Buffer("evenkeel::order::objects", kind, bytes);
      copy_bytes(Space::where(kind), copy.data(), kind, objects_.data(), MemoryKind::host, bytes);
    }
    return reinterpret_cast<const std::int64_t*>(copy.data());
  }

 private:
  const std::vector<std::int64_t>& objects_;
  Buffer copies_[3];
};

// New room for all payloads of a set, with everything in it.
std::vector<std::unique_ptr<StagedPayload>> reordered_payloads(const Set& set, Lists& lists) {
  std::vector<std::unique_ptr<StagedPayload>> staged;
  const auto count = static_cast<std::size_t>(set.count());
  std::vector<std::int64_t> sizes(set.payloads().empty() ? 0 : count), ordered(sizes.size());
  std::vector<std::int64_t> places(sizes.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  Lists to(places);
  for (const auto& payload : set.payloads()) {
    payload->write_sizes(sizes);
    const std::int64_t* const objects = lists.in(MemoryKind::host);
    for (std::size_t i = 0; i < count; ++i)
      ordered[i] = sizes[static_cast<std::size_t>(objects[i])];
    const MemoryKind memory = payload->memory();
    staged.push_back(payload->stage(set.count(), ordered));
    staged.back()->keep(lists.in(memory), to.in(memory), set.count());
    Space::where(memory).fence("evenkeel::order::reorder");
  }
  return staged;
}

}  // namespace

Order order(const Space& space, const Lattice& lattice, const Set& set) {
  const FieldLayout at = set.position();
  if (at.count == 0) return {};
  if (at.count <= std::numeric_limits<std::uint32_t>::max())
    return order_with<std::uint32_t>(space, lattice, set, at.memory);
  return order_with<std::uint64_t>(space, lattice, set, at.memory);
}

void reorder(const Set& set, const Order& order) {
  check_movable(std::span(&set, 1));
  const std::int64_t count = set.count();
  require_permutation(order, count);
  if (std::is_sorted(order.objects.begin(), order.objects.end())) return;
  Lists lists(order.objects);
  StagedSet staged = stage(Space::where(set.position().memory), set, count, {});
  const std::vector<std::unique_ptr<StagedPayload>> payloads = reordered_payloads(set, lists);
  for (std::size_t f = 0; f < staged.fields().size(); ++f) {
    const FieldLayout from = set.fields()[f].layout();
    const Space space = Space::where(from.memory);
    copy_chosen_objects(space, staged.fields()[f].layout(), nullptr, from, lists.in(from.memory),
                        count);
    space.fence("evenkeel::order::reorder");
  }
  staged.commit();
  for (const auto& payload : payloads) payload->commit();
}

}  // namespace evenkeel
