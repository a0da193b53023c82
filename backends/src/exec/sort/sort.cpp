// The public sort: checks its arguments, and calls the sort for hosts or the sort for devices.

#include "exec/sort/device.hpp"
#include "exec/sort/nearly_sorted.hpp"

#include <evenkeel/backends/exec/sort.hpp>

#include <new>

namespace evenkeel::exec {

namespace {

[[noreturn]] void refuse(std::string what, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{"backends/exec"}, std::move(what), std::move(remedy));
}

template <class Key, class Index>
void require_sortable(const Key* keys, const Index* indices, std::int64_t count, KeyBits bits) {
  if (count < 0)
    refuse("A sort of " + std::to_string(count) + " pairs was asked for.",
           "Counts cannot be negative.");
  if (static_cast<std::uint64_t>(count) > std::numeric_limits<Index>::max())
    refuse("A sort of " + std::to_string(count) + " pairs with " +
               std::to_string(std::numeric_limits<Index>::digits) + "-bit indices was asked for.",
           "Use 64-bit indices.");
  if (bits.begin < 0 || bits.end < bits.begin || bits.end > 64)
    refuse("A sort by the key bits [" + std::to_string(bits.begin) + ", " +
               std::to_string(bits.end) + ") was asked for.",
           "Name bits from 0 to 64, with begin <= end.");
  if (count > 0 && (keys == nullptr || indices == nullptr))
    refuse("A sort got no " + std::string(keys == nullptr ? "keys" : "indices") + ".",
           "Give it as many keys and indices as the count says.");
}

// --- Hosts ---------------------------------------------------------------------------------------

struct SortWork {
  void (*body)(void*, int);
  void* context;
  void operator()(std::int64_t worker) const { body(context, static_cast<int>(worker)); }
};

template <class Instance>
void launch(const void* instance, int count, void (*body)(void*, int), void* context) {
  const auto& typed = *static_cast<const Instance*>(instance);
  exec::for_each(typed, "evenkeel::exec::sort_pairs", count, SortWork{body, context});
  fence(typed, "evenkeel::exec::sort_pairs");
}

template <class Key, class Index>
void sort_on_host(const host_sort::Workers& workers, const host_sort::Pairs<Key, Index>& pairs,
                  std::int64_t count, Key mask) {
  constexpr std::int64_t worth_a_look = 1024;
  try {
    if (count > worth_a_look && host_sort::sort_nearly_sorted(workers, pairs, count, mask)) return;
    host_sort::RadixSort(workers, pairs, count, mask).sort();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::out_of_memory, Where{"backends/exec"},
                "Memory to sort " + std::to_string(count) + " pairs was refused.",
                "Use more ranks or fewer objects.");
  }
}

// --- Hosts and devices ---------------------------------------------------------------------------

template <class Instance, class Key, class Index>
void sort_on(const Instance& instance, Key* keys, Index* indices, std::int64_t count,
             KeyBits bits) {
  if constexpr (is_device<Instance>) {
    device_sort::sort_with(instance, MemoryKind::device, keys, indices, count, bits,
                           device_sort::ByLibrary{});
  } else {
    // kernels of the instance may still be writing the pairs
    fence(instance, "evenkeel::exec::sort_pairs");
    sort_on_host<Key, Index>({instance.concurrency(), &instance, &launch<Instance>},
                             {keys, indices}, count, static_cast<Key>(key_mask(bits)));
  }
}

}  // namespace

template <class Key, class Index>
void sort_pairs(const Space& space, Key* keys, Index* indices, std::int64_t count, KeyBits bits) {
  require_sortable(keys, indices, count, bits);
  bits.end = std::min(bits.end, std::numeric_limits<Key>::digits);
  if (count < 2 || bits.begin >= bits.end) return;
  with_space(space, [&](const auto& instance) { sort_on(instance, keys, indices, count, bits); });
}

template EVENKEEL_API void sort_pairs(const Space&, std::uint32_t*, std::uint32_t*, std::int64_t,
                                      KeyBits);
template EVENKEEL_API void sort_pairs(const Space&, std::uint32_t*, std::uint64_t*, std::int64_t,
                                      KeyBits);
template EVENKEEL_API void sort_pairs(const Space&, std::uint64_t*, std::uint32_t*, std::int64_t,
                                      KeyBits);
template EVENKEEL_API void sort_pairs(const Space&, std::uint64_t*, std::uint64_t*, std::int64_t,
                                      KeyBits);

}  // namespace evenkeel::exec
