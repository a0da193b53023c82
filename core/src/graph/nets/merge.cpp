#include "graph/nets/merge.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/sort.hpp>

#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::nets";

struct WriteHashes {
  const std::int64_t* offsets;
  const Address* pins;
  std::uint64_t* hashes;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::uint64_t bits = 0;
    for (std::int64_t i = offsets[e]; i < offsets[e + 1]; ++i) {
      bits = (bits ^ pins[i]) * 0x9E3779B97F4A7C15U;
      bits ^= bits >> 29U;
    }
    hashes[e] = bits * 0xBF58476D1CE4E5B9U;
  }
};

// Sums up the weights of a run of alike nets at the first of them, and leaves 0 at the others.
struct SumRuns {
  const std::uint64_t* hashes;
  const std::uint32_t* sorted;
  std::int64_t count;
  const std::int64_t* offsets;
  const Address* pins;
  const EdgeUnits* weights;
  EdgeUnits* sums;

  KOKKOS_FUNCTION bool are_alike(std::int64_t i, std::int64_t j) const {
    if (hashes[i] != hashes[j]) return false;
    const std::int64_t a = sorted[i], b = sorted[j], length = offsets[a + 1] - offsets[a];
    if (offsets[b + 1] - offsets[b] != length) return false;
    for (std::int64_t k = 0; k < length; ++k)
      if (pins[offsets[a] + k] != pins[offsets[b] + k]) return false;
    return true;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint32_t e = sorted[i];
    if (i > 0 && are_alike(i - 1, i)) {
      sums[e] = 0;
      return;
    }
    std::int64_t sum = weights[e];
    for (std::int64_t j = i + 1; j < count && are_alike(i, j); ++j) sum += weights[sorted[j]];
    sums[e] = sum < heaviest_edge ? static_cast<EdgeUnits>(sum) : heaviest_edge;
  }
};

struct IsKept {
  const EdgeUnits* sums;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const { return sums[e] > 0; }
};
struct LengthAt {
  const std::int64_t *offsets, *nets;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    lengths[i] = offsets[nets[i] + 1] - offsets[nets[i]];
  }
};
struct CopyPins {
  const std::int64_t *nets, *offsets, *offsets_out;
  const Address* pins;
  Address* pins_out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t from = offsets[nets[i]];
    for (std::int64_t k = 0; k < offsets_out[i + 1] - offsets_out[i]; ++k)
      pins_out[offsets_out[i] + k] = pins[from + k];
  }
};

}  // namespace

LooseNets merged(const Space& space, LooseNets&& nets) {
  const std::int64_t count = nets.count();
  const exec::Array<std::uint64_t> hashes(space, label, count);
  exec::for_each(space, label, count,
                 WriteHashes{nets.offsets.data(), nets.pins.data(), hashes.data()});
  const auto sorted = exec::counted_up<std::uint32_t>(space, label, count);
  exec::sort_pairs(space, hashes.data(), sorted.data(), count);
  const exec::Array<EdgeUnits> sums(space, label, count);
  exec::for_each(space, label, count,
                 SumRuns{hashes.data(), sorted.data(), count, nets.offsets.data(), nets.pins.data(),
                         nets.weights.data(), sums.data()});
  const exec::Array<std::int64_t> kept =
      exec::numbers_that(space, label, count, IsKept{sums.data()});
  if (kept.size() == count) return std::move(nets);
  LooseNets fewer;
  fewer.offsets = {space, label, kept.size() + 1};
  exec::for_each(space, label, kept.size(),
                 LengthAt{nets.offsets.data(), kept.data(), fewer.offsets.data()});
  exec::for_each(space, label, 1,
                 exec::detail::Fill<std::int64_t>{fewer.offsets.data() + kept.size(), 0});
  fewer.pins = {space, label, exec::sum_up(fewer.offsets)};
  exec::for_each(space, label, kept.size(),
                 CopyPins{kept.data(), nets.offsets.data(), fewer.offsets.data(), nets.pins.data(),
                          fewer.pins.data()});
  fewer.weights = exec::chosen(space, label, sums.data(), kept);
  return fewer;
}

}  // namespace evenkeel::graphs
