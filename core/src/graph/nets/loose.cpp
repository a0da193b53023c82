// Sorts the pins of nets, and merges nets with the same pins.

#include "graph/nets/steps.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/graph/nets.hpp>

#include <utility>

namespace evenkeel::graphs {

namespace {

// Sorts the pins of a net by insertion, because most are in order already. Moves the distinct pins
// to the front, and writes their number to `lengths`, or 0 if the net cannot be cut.
struct SortPins {
  const std::int64_t* offsets;
  const EdgeUnits* weights;
  Address* pins;
  std::int64_t *lengths, *duplicates;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t begin = offsets[e], end = offsets[e + 1];
    lengths[e] = duplicates[e] = 0;
    if (end - begin > most_net_pins) return;
    std::int64_t distinct = begin;
    for (std::int64_t i = begin; i < end; ++i) {
      const Address pin = pins[i];
      std::int64_t at = distinct;
      while (at > begin && pins[at - 1] > pin) --at;
      if (at > begin && pins[at - 1] == pin) continue;
      for (std::int64_t j = distinct; j > at; --j) pins[j] = pins[j - 1];
      pins[at] = pin;
      ++distinct;
    }
    duplicates[e] = end - distinct;
    if (distinct - begin > 1 && weights[e] > 0) lengths[e] = distinct - begin;
  }
};

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

// For each run of equal nets, gives the first net the sum of the weights, and the others 0.
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

// Copies chosen nets to new arrays. Net nets[i] keeps its first lengths[i] pins.
LooseNets chosen(const Space& space, exec::Array<std::int64_t>&& lengths,
                 const exec::Array<std::int64_t>& offsets, const exec::Array<Address>& pins,
                 const exec::Array<EdgeUnits>& weights, const exec::Array<std::int64_t>& nets) {
  LooseNets few;
  few.pins = {space, nets_label, exec::to_offsets(lengths)};
  few.offsets = std::move(lengths);
  exec::for_each(
      space, nets_label, nets.size(),
      CopyNets{nets.data(), offsets.data(), few.offsets.data(), pins.data(), few.pins.data()});
  few.weights = exec::chosen(space, nets_label, weights.data(), nets);
  return few;
}

}  // namespace

Tidied tidied(const Space& space, const exec::Array<std::int64_t>& offsets,
              const exec::Array<Address>& pins, const exec::Array<EdgeUnits>& weights) {
  const exec::Array<std::int64_t> lengths(space, nets_label, weights.size());
  const exec::Array<std::int64_t> duplicates(space, nets_label, weights.size());
  exec::for_each(
      space, nets_label, weights.size(),
      SortPins{offsets.data(), weights.data(), pins.data(), lengths.data(), duplicates.data()});
  const exec::Array<std::int64_t> kept =
      exec::numbers_that(space, nets_label, weights.size(), exec::IsAbove{lengths.data(), 0});
  exec::Array<std::int64_t> kept_lengths(space, nets_label, kept.size() + 1);
  exec::for_each(space, nets_label, kept.size(),
                 exec::Pick{lengths.data(), kept.data(), kept_lengths.data()});
  return {chosen(space, std::move(kept_lengths), offsets, pins, weights, kept),
          exec::sum<std::int64_t>(space, duplicates.size(), exec::ValueAt{duplicates.data()})};
}

LooseNets merged(const Space& space, LooseNets&& nets) {
  const std::int64_t count = nets.count();
  const exec::Array<std::uint64_t> hashes(space, nets_label, count);
  exec::for_each(space, nets_label, count,
                 WriteHashes{nets.offsets.data(), nets.pins.data(), hashes.data()});
  const auto sorted = exec::counted_up<std::uint32_t>(space, nets_label, count);
  exec::sort_pairs(space, hashes.data(), sorted.data(), count);
  const exec::Array<EdgeUnits> sums(space, nets_label, count);
  exec::for_each(space, nets_label, count,
                 SumRuns{hashes.data(), sorted.data(), count, nets.offsets.data(), nets.pins.data(),
                         nets.weights.data(), sums.data()});
  const exec::Array<std::int64_t> kept =
      exec::numbers_that(space, nets_label, count, exec::IsAbove{sums.data(), 0});
  if (kept.size() == count) return std::move(nets);
  exec::Array<std::int64_t> lengths(space, nets_label, kept.size() + 1);
  exec::for_each(space, nets_label, kept.size(),
                 exec::RowLengths{nets.offsets.data(), kept.data(), lengths.data()});
  return chosen(space, std::move(lengths), nets.offsets, nets.pins, sums, kept);
}

}  // namespace evenkeel::graphs
