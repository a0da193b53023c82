#pragma once

// Reductions over what a functor yields: sum, least and greatest.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace evenkeel::exec {

namespace detail {

template <class Sum, class ValueOf>
struct AddUp {
  ValueOf value_of;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Sum& sum) const {
    sum += static_cast<Sum>(value_of(i));
  }
};

// Kokkos 3.4 begins a floating-point minimum at the greatest finite number, and 5.2 at infinity.
// This begins at infinity with both, so that infinities count.
template <class Value>
struct ExtremesReducer : Kokkos::MinMax<Value> {
  using reducer = ExtremesReducer;
  using value_type = typename Kokkos::MinMax<Value>::value_type;
  using Kokkos::MinMax<Value>::MinMax;

  KOKKOS_FUNCTION void init(value_type& extremes) const {
    using Limits = std::numeric_limits<Value>;
    constexpr Value top = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr Value bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    extremes.min_val = top;
    extremes.max_val = bottom;
  }
};

template <class Value, class ValueOf>
struct FindExtremes {
  using Extremes = typename ExtremesReducer<Value>::value_type;
  ValueOf value_of;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Extremes& extremes) const {
    const auto value = static_cast<Value>(value_of(i));
    if (value < extremes.min_val) extremes.min_val = value;
    if (value > extremes.max_val) extremes.max_val = value;
  }
};

template <class Instance>
auto range_over(const Instance& instance, std::int64_t count) {
  if (count < 0)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "A reduction over " + std::to_string(count) + " values was asked for.",
                "Counts cannot be negative.");
  return Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, count);
}

}  // namespace detail

// The sum of value_of(i) for i in [0, count), in the type Sum. value_of is a View or a functor that
// the space can call. Integer sums do not depend on the number of threads. Blocks.
template <class Sum, class Instance, class ValueOf>
Sum sum(const Instance& instance, std::int64_t count, const ValueOf& value_of) {
  Sum result{};
  if (count != 0)
    Kokkos::parallel_reduce("evenkeel::exec::sum", detail::range_over(instance, count),
                            detail::AddUp<Sum, ValueOf>{value_of}, result);
  return result;
}

template <class Value>
struct Extremes {
  Value least, greatest;
};

// The least and the greatest of value_of(i). Over nothing: the greatest value of the type (infinity
// where it has one) as `least` and the lowest as `greatest`, so that results of ranks combine by
// min and max. NaNs are passed over. Blocks.
template <class Value, class Instance, class ValueOf>
Extremes<Value> extremes(const Instance& instance, std::int64_t count, const ValueOf& value_of) {
  using Reducer = detail::ExtremesReducer<Value>;
  typename Reducer::value_type found;
  Reducer(found).init(found);
  if (count != 0)
    Kokkos::parallel_reduce("evenkeel::exec::extremes", detail::range_over(instance, count),
                            detail::FindExtremes<Value, ValueOf>{value_of}, Reducer(found));
  return {found.min_val, found.max_val};
}

}  // namespace evenkeel::exec
