#include "order/sort_by_number.hpp"

#include "order/bisect.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/sort.hpp>

#include <bit>

namespace evenkeel {

namespace {

constexpr const char* sort_by_number_label = "evenkeel::order::sort_by_number";

// Finds, for each number, the first index in the sorted numbers that is not below it.
struct FirstOf {
  const std::uint32_t* sorted;
  std::int64_t count;
  std::int64_t* firsts;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    firsts[number] = count_before(
        count, [&](std::int64_t i) { return static_cast<std::int64_t>(sorted[i]) < number; });
  }
};

}  // namespace

SortedByNumber sort_by_number(const Space& space, const exec::Array<std::uint32_t>& numbers,
                              std::int64_t end) {
  const std::int64_t count = numbers.size();
  SortedByNumber sorted;
  sorted.places = exec::counted_up<std::int64_t>(space, sort_by_number_label, count);
  const exec::Array<std::int64_t> firsts(space, sort_by_number_label, end + 1);
  exec::sort_pairs(space, numbers.data(), reinterpret_cast<std::uint64_t*>(sorted.places.data()),
                   count, {0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(end)))});
  exec::for_each(space, sort_by_number_label, end + 1,
                 FirstOf{numbers.data(), count, firsts.data()});
  sorted.offsets = firsts.on_host();
  return sorted;
}

Order chosen(const Space& space, const Order& order, const exec::Array<std::int64_t>& places) {
  return {exec::chosen(space, sort_by_number_label, order.keys.data(), places),
          exec::chosen(space, sort_by_number_label, order.objects.data(), places)};
}

}  // namespace evenkeel
