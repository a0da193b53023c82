#include "payload/copy_segments.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstring>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::payload::copy_segments";

KOKKOS_FUNCTION std::int64_t index_in(const Segments& segments, std::int64_t k) {
  return segments.objects == nullptr ? k : segments.objects[k];
}

// One segment after the other.
struct CopyOne {
  std::byte* to;
  const std::byte* from;
  Segments to_segments, from_segments;

  void operator()(std::int64_t k) const {
    const std::int64_t source = index_in(from_segments, k);
    const std::int64_t begin = from_segments.starts[source];
    const std::int64_t bytes = from_segments.starts[source + 1] - begin;
    std::byte* const target =
        to + (to_segments.starts[index_in(to_segments, k)] - to_segments.base);
    if (bytes > 0)
      std::memcpy(target, from + (begin - from_segments.base), static_cast<std::size_t>(bytes));
  }
};

// A team of threads for each segment, a word for each thread.
template <class Instance, class Word>
struct CopyByTeam {
  std::byte* to;
  const std::byte* from;
  Segments to_segments, from_segments;

  using Team = typename Kokkos::TeamPolicy<Instance>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t k = team.league_rank();
    const std::int64_t source = index_in(from_segments, k);
    const std::int64_t begin = from_segments.starts[source];
    const std::int64_t words =
        (from_segments.starts[source + 1] - begin) / static_cast<std::int64_t>(sizeof(Word));
    const auto* read = reinterpret_cast<const Word*>(from + (begin - from_segments.base));
    auto* write = reinterpret_cast<Word*>(
        to + (to_segments.starts[index_in(to_segments, k)] - to_segments.base));
    for (std::int64_t w = team.team_rank(); w < words; w += team.team_size()) write[w] = read[w];
  }
};

template <class Word, class Instance>
void copy_by_team(const Instance& instance, std::byte* to, const Segments& to_segments,
                  const std::byte* from, const Segments& from_segments, std::int64_t count) {
  constexpr int threads = 64;
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<Instance>(instance, static_cast<int>(count), threads),
                       CopyByTeam<Instance, Word>{to, from, to_segments, from_segments});
}

template <class Instance>
void copy_all(const Instance& instance, std::int64_t unit, std::byte* to,
              const Segments& to_segments, const std::byte* from, const Segments& from_segments,
              std::int64_t count) {
  if constexpr (is_device<Instance>) {
    const auto addresses =
        reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
    const auto fits = [&](std::int64_t word) {
      return unit % word == 0 && addresses % static_cast<std::uintptr_t>(word) == 0;
    };
    if (fits(8))
      copy_by_team<std::uint64_t>(instance, to, to_segments, from, from_segments, count);
    else if (fits(4))
      copy_by_team<std::uint32_t>(instance, to, to_segments, from, from_segments, count);
    else
      copy_by_team<unsigned char>(instance, to, to_segments, from, from_segments, count);
  } else {
    static_cast<void>(unit);
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, count),
        CopyOne{to, from, to_segments, from_segments});
  }
}

}  // namespace

void copy_segments(const Space& space, std::int64_t unit, std::byte* to,
                   const Segments& to_segments, const std::byte* from,
                   const Segments& from_segments, std::int64_t count) {
  if (count == 0) return;
  with_space(space, [&](const auto& instance) {
    copy_all(instance, unit, to, to_segments, from, from_segments, count);
  });
}

}  // namespace evenkeel
