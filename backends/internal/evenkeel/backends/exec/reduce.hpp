#pragma once

// Reductions over the values that a functor returns: sum, least and greatest.

#include <evenkeel/backends/exec/blocks.hpp>

#include <limits>

namespace evenkeel::exec {

namespace detail {

template <class Instance, class Sum, class ValueOf>
struct AddUp {
  ValueOf value_of;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t block, Sum& sum) const {
    const std::int64_t end = end_of_block<Instance>(block, count);
    Sum partial{};
    for (std::int64_t i = block * block_length<Instance>; i < end; ++i)
      partial += static_cast<Sum>(value_of(i));
    sum += partial;
  }
};

// Kokkos 3.4 begins a floating-point minimum with the greatest finite number, and 5.2 with
// infinity. This reducer always begins with infinity, so that infinite values count.
template <class Value>
struct ExtremesReducer : Kokkos::MinMax<Value> {
  using reducer = ExtremesReducer;
  using value_type = typename Kokkos::MinMax<Value>::value_type;
  using Kokkos::MinMax<Value>::MinMax;

  // Class constants: device code may use these, but may not call the functions that compute them.
  using Limits = std::numeric_limits<Value>;
  static constexpr Value top = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr Value bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  KOKKOS_FUNCTION void init(value_type& extremes) const {
    extremes.min_val = top;
    extremes.max_val = bottom;
  }
};

template <class Instance, class Value, class ValueOf>
struct FindExtremes {
  using Extremes = typename ExtremesReducer<Value>::value_type;
  ValueOf value_of;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t block, Extremes& extremes) const {
    const std::int64_t end = end_of_block<Instance>(block, count);
    Value least = extremes.min_val, greatest = extremes.max_val;
    for (std::int64_t i = block * block_length<Instance>; i < end; ++i) {
      const auto value = static_cast<Value>(value_of(i));
      least = value < least ? value : least;
      greatest = value > greatest ? value : greatest;
    }
    extremes.min_val = least;
    extremes.max_val = greatest;
  }
};

}  // namespace detail

// The sum of value_of(i) for i in [0, count), in the type Sum. value_of is a View or a functor that
// the space can call. Integer sums do not depend on the number of threads. Blocks.
template <class Sum, class Instance, class ValueOf>
Sum sum(const Instance& instance, std::int64_t count, const ValueOf& value_of) {
  Sum result{};
  if (count != 0)
    exec::reduce(instance, "evenkeel::exec::sum", detail::blocks_of<Instance>(count),
                 detail::AddUp<Instance, Sum, ValueOf>{value_of, count}, result);
  return result;
}

template <class Sum, class ValueOf>
Sum sum(const Space& space, std::int64_t count, const ValueOf& value_of) {
  return with_space(space,
                    [&](const auto& instance) { return sum<Sum>(instance, count, value_of); });
}

// The result of extremes().
template <class Value>
struct Extremes {
  Value least, greatest;
};

// Returns the least and the greatest of value_of(i). If count is 0, `least` is the greatest value
// of the type (infinity if it has one), and `greatest` is the lowest value. So the results of ranks
// can be combined by min and max. Ignores NaNs. Blocks.
template <class Value, class Instance, class ValueOf>
Extremes<Value> extremes(const Instance& instance, std::int64_t count, const ValueOf& value_of) {
  using Reducer = detail::ExtremesReducer<Value>;
  typename Reducer::value_type found;
  Reducer(found).init(found);
  if (count != 0)
    exec::reduce(instance, "evenkeel::exec::extremes", detail::blocks_of<Instance>(count),
                 detail::FindExtremes<Instance, Value, ValueOf>{value_of, count}, Reducer(found));
  return {found.min_val, found.max_val};
}

template <class Value, class ValueOf>
Extremes<Value> extremes(const Space& space, std::int64_t count, const ValueOf& value_of) {
  return with_space(
      space, [&](const auto& instance) { return extremes<Value>(instance, count, value_of); });
}

namespace detail {

template <class Predicate>
struct NumberIf {
  Predicate predicate;
  std::int64_t otherwise;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return predicate(i) ? i : otherwise;
  }
};

}  // namespace detail

// The first i in [0, count) for which predicate(i) is true, or `count` if there is no such i.
// Blocks.
template <class Predicate>
std::int64_t first_that(const Space& space, std::int64_t count, const Predicate& predicate) {
  if (count == 0) return 0;
  return extremes<std::int64_t>(space, count, detail::NumberIf<Predicate>{predicate, count}).least;
}

}  // namespace evenkeel::exec
