#pragma once

// Weighted histograms: the sum of the weights in each bin.

#include <evenkeel/backends/exec/launch.hpp>

#include <Kokkos_ScatterView.hpp>

namespace evenkeel::exec {

namespace detail {

// Adds weight_of(i) to the bin bin_of(i), and counts the objects whose bin does not exist.
template <class Scatter, class BinOf, class WeightOf>
struct AddToBins {
  using Weight = typename Scatter::original_value_type;
  Scatter scatter;
  BinOf bin_of;
  WeightOf weight_of;
  std::int64_t bins;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& outside) const {
    const auto bin = static_cast<std::int64_t>(bin_of(i));
    if (bin < 0 || bin >= bins) {
      ++outside;
      return;
    }
    auto access = scatter.access();
    access(static_cast<std::size_t>(bin)) += static_cast<Weight>(weight_of(i));
  }
};

}  // namespace detail

// Adds to each value bins(b) the sum of weight_of(i) over all i in [0, count) with bin_of(i) == b.
// bin_of and weight_of are Views or functors that the space can call. Integer sums have the same
// bits for any number of threads; floating-point sums depend on the order of addition. A bin
// outside the histogram is an Error; the weights of the other objects are added nevertheless.
// Blocks.
template <class Instance, class BinOf, class WeightOf, class Bins>
void weighted_histogram(const Instance& instance, std::int64_t count, const BinOf& bin_of,
                        const WeightOf& weight_of, const Bins& bins) {
  using Weight = typename Bins::non_const_value_type;
  using Target = Kokkos::View<Weight*, typename Bins::array_layout,
                              Kokkos::Device<Instance, typename Bins::memory_space>,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Scatter = decltype(Kokkos::Experimental::create_scatter_view<>(Target()));
  static_assert(static_cast<unsigned>(Bins::rank) == 1, "the bins are a View of rank 1");
  static_assert(!std::is_same_v<typename Bins::array_layout, Kokkos::LayoutStride>,
                "the bins are adjacent");
  if (count == 0) return;
  if (count < 0)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "A histogram of " + std::to_string(count) + " objects was asked for.",
                "Counts cannot be negative.");

  const Target target(bins.data(), bins.extent(0));
  const Scatter scatter(instance, target);
  const auto extent = static_cast<std::int64_t>(bins.extent(0));
  std::int64_t outside = 0;
  exec::reduce(instance, "evenkeel::exec::weighted_histogram", count,
               detail::AddToBins<Scatter, BinOf, WeightOf>{scatter, bin_of, weight_of, extent},
               outside);
  scatter.contribute_into(instance, target);
  fence(instance, "evenkeel::exec::weighted_histogram");
  if (outside != 0)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                std::to_string(outside) + " of " + std::to_string(count) +
                    " objects fall outside the " + std::to_string(extent) + " bins of a histogram.",
                "Give every object a bin that is at least 0 and less than the number of bins.");
}

}  // namespace evenkeel::exec
