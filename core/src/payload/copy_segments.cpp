#include "payload/copy_segments.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <cstring>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::payload::copy_segments";

struct Piece {
  std::int64_t begin, bytes;
};

KOKKOS_FUNCTION Piece piece_of(const Segments& segments, std::int64_t k) {
  const std::int64_t i = segments.objects == nullptr ? k : segments.objects[k];
  const std::int64_t begin = segments.starts[i];
  return {begin - segments.base, segments.starts[i + 1] - begin};
}

// Copies one segment after the other.
struct CopyOne {
  std::byte* to;
  const std::byte* from;
  Segments to_segments, from_segments;

  void operator()(std::int64_t k) const {
    const Piece source = piece_of(from_segments, k), target = piece_of(to_segments, k);
    const std::int64_t bytes = source.bytes < target.bytes ? source.bytes : target.bytes;
    if (bytes > 0)
      std::memcpy(to + target.begin, from + source.begin, static_cast<std::size_t>(bytes));
  }
};

// A team of threads copies some of the segments, one word per thread.
template <class Instance, class Word>
struct CopyByTeam {
  std::byte* to;
  const std::byte* from;
  Segments to_segments, from_segments;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(const exec::TeamOf<Instance>& team) const {
    for (std::int64_t k = team.league_rank(); k < count; k += team.league_size()) {
      const Piece source = piece_of(from_segments, k), target = piece_of(to_segments, k);
      const std::int64_t bytes = source.bytes < target.bytes ? source.bytes : target.bytes;
      const std::int64_t words = bytes / static_cast<std::int64_t>(sizeof(Word));
      const auto* read = reinterpret_cast<const Word*>(from + source.begin);
      auto* write = reinterpret_cast<Word*>(to + target.begin);
      for (std::int64_t w = team.team_rank(); w < words; w += team.team_size()) write[w] = read[w];
    }
  }
};

template <class Word, class Instance>
void copy_by_team(const Instance& instance, std::byte* to, const Segments& to_segments,
                  const std::byte* from, const Segments& from_segments, std::int64_t count) {
  constexpr int threads = 64;
  constexpr std::int64_t teams = 1 << 16;  // HIP counts threads by 32 bits
  exec::for_each_team(instance, label, count < teams ? count : teams, threads, 0,
                      CopyByTeam<Instance, Word>{to, from, to_segments, from_segments, count});
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
    exec::for_each(instance, label, count, CopyOne{to, from, to_segments, from_segments});
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
