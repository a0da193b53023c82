#pragma once

// Exclusive prefix sums.

#include <evenkeel/backends/exec/blocks.hpp>

namespace evenkeel::exec {

namespace detail {

template <class Instance, class In, class Out>
struct ExclusiveScan {
  using value_type = typename Out::non_const_value_type;
  In in;
  Out out;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t block, value_type& sum, bool last) const {
    const std::int64_t end = end_of_block<Instance>(block, count);
    value_type partial = sum;
    for (std::int64_t i = block * block_length<Instance>; i < end; ++i) {
      const auto value = static_cast<value_type>(in(i));  // first: in and out may be the same
      if (last) out(i) = partial;
      partial += value;
    }
    sum = partial;
  }
};

}  // namespace detail

// out(i) = in(0) + ... + in(i-1). Returns the sum of all values. `in` and `out` may be the same
// View. Adds in the type of `out`. Blocks until the sum is known.
template <class Instance, class In, class Out>
typename Out::non_const_value_type exclusive_scan(const Instance& instance, const In& in,
                                                  const Out& out) {
  using Sum = typename Out::non_const_value_type;
  static_assert(static_cast<unsigned>(In::rank) == 1 && static_cast<unsigned>(Out::rank) == 1,
                "a scan runs over Views of rank 1");
  static_assert(std::is_arithmetic_v<Sum>, "a scan sums numbers");
  if (in.extent(0) != out.extent(0))
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "A scan got " + std::to_string(in.extent(0)) + " values, but room for " +
                    std::to_string(out.extent(0)) + " sums.",
                "Give both the same extent.");
  Sum total{};
  const auto count = static_cast<std::int64_t>(in.extent(0));
  if (count == 0) return total;
  const Indices<Instance> blocks(instance, 0, detail::blocks_of<Instance>(count));
  const detail::Launch<Instance> launch(instance);
  Kokkos::parallel_scan(label_for_tools("evenkeel::exec::exclusive_scan"), blocks,
                        detail::ExclusiveScan<Instance, In, Out>{in, out, count}, total);
  return total;
}

}  // namespace evenkeel::exec
