#include "partition/picture.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/domains/owner.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <variant>

namespace evenkeel::tool {

namespace {

constexpr std::int64_t beyond_all = std::numeric_limits<std::int64_t>::max();

// The least key of each part, and the negated greatest key. Both are beyond_all if the part has no
// keys.
struct Extents {
  void make_room(std::size_t parts) { values.assign(2 * parts, beyond_all); }
  void add(std::size_t part, CurveKey key) {
    const auto number = static_cast<std::int64_t>(key.value);
    values[2 * part] = std::min(values[2 * part], number);
    values[2 * part + 1] = std::min(values[2 * part + 1], -number);
  }
  bool has_keys(std::size_t part) const { return values[2 * part] != beyond_all; }
  std::uint64_t least(std::size_t part) const {
    return static_cast<std::uint64_t>(values[2 * part]);
  }
  std::uint64_t greatest(std::size_t part) const {
    return static_cast<std::uint64_t>(-values[2 * part + 1]);
  }
  std::vector<std::int64_t> values;
};

// The number in (low, high] that ends in the most zero bits.
std::uint64_t roundest(std::uint64_t low, std::uint64_t high) {
  const auto zeros = static_cast<unsigned>(std::bit_width(low ^ high)) - 1;
  return high >> zeros << zeros;
}

}  // namespace

Splitters at_round_keys(const Communicator& communicator, std::span<const CurveKey> keys,
                        const Splitters& splitters) {
  const std::size_t parts = splitters.size() - 1;
  Extents extents;
  Splitters round;
  vote(communicator, attempt(refuse_partition.stage, [&] {
         extents.make_room(parts);
         const OwnerOf owner_of{splitters.data(), static_cast<int>(parts)};
         for (const CurveKey key : keys) extents.add(static_cast<std::size_t>(owner_of(key)), key);
         round = splitters;
       }));
  communicator.all_reduce(std::span<std::int64_t>(extents.values), Reduction::least);
  // All splitters between two successive parts with keys get the same place.
  std::optional<std::uint64_t> greatest;
  std::size_t first = 1;  // the splitter after the last part with keys
  for (std::size_t part = 0; part < parts; ++part) {
    if (!extents.has_keys(part)) continue;
    const CurveKey place{greatest ? roundest(*greatest, extents.least(part)) : 0};
    for (; first <= part; ++first) round[first] = place;
    greatest = extents.greatest(part);
  }
  if (greatest)
    for (; first < parts; ++first) round[first] = splitters.back();
  return round;
}

std::vector<DomainCell> picture_of(const Communicator& communicator, const Partition& partition) {
  const auto* const curve = std::get_if<CurveDomains>(&partition.domains);
  if (curve == nullptr) return cells_of(partition.domains, partition.work);
  Splitters round = at_round_keys(communicator, partition.keys.span(), curve->splitters());
  const CurveDomains rounded(curve->generation(), curve->dimensions(), curve->box(),
                             curve->periodic(), std::move(round), curve->curve());
  return cells_of(rounded, partition.work);
}

}  // namespace evenkeel::tool
