#include "graph/improve/moves_state.hpp"
#include "graph/improve/ways.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/lists.hpp>

#include <bit>
#include <limits>
#include <map>

namespace evenkeel::graphs {

namespace {

constexpr const char* borders_label = "evenkeel::graph::borders";
constexpr std::uint64_t no_key = std::numeric_limits<std::uint64_t>::max();

// Adds up the weight of each border in a hash table.
template <class Instance>
struct MeasureBorders {
  MovesState state;
  std::uint64_t* keys;
  std::int64_t* weights;
  std::int64_t mask;
  int* is_full;

  KOKKOS_FUNCTION bool wants(Vertex v) const { return (state.marks[v] & on_border) != 0; }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const int own = state.parts[v];
    for (int i = 0; i < all.size(); ++i)
      if (all.part(i) != own) enter(own, all.part(i), all.weight(i));
  }
  KOKKOS_FUNCTION void enter(int from, int to, std::int64_t weight) const {
    const std::uint64_t key =
        static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint32_t>(to);
    auto slot = static_cast<std::int64_t>((key * 0x9E3779B97F4A7C15U) >> 20U) & mask;
    for (std::int64_t tried = 0; tried <= mask; ++tried, slot = (slot + 1) & mask) {
      std::uint64_t there = keys[slot];
      if (there == no_key) {
        if constexpr (has_one_thread<Instance>)
          keys[slot] = key;
        else
          there = Kokkos::atomic_compare_exchange(&keys[slot], no_key, key);
      }
      if (there == no_key || there == key) {
        add<Instance>(&weights[slot], weight);
        return;
      }
    }
    *is_full = 1;
  }
};

struct KeyedWeight {
  std::uint64_t key;
  std::int64_t weight;
};

// One side may list no vertex, because fixed vertices are on no list.
std::vector<Border> summed(std::span<const KeyedWeight> all) {
  std::map<std::uint64_t, std::int64_t> sums;
  const auto reversed = [](std::uint64_t key) { return key << 32U | key >> 32U; };
  for (const auto& [key, weight] : all) {
    sums[key] += weight;
    sums[reversed(key)] += 0;
  }
  std::vector<Border> borders;
  borders.reserve(sums.size());
  for (const auto& [key, weight] : sums)
    borders.push_back({static_cast<int>(key >> 32U), static_cast<int>(key & 0xFFFFFFFFU), weight});
  return borders;
}

}  // namespace

std::vector<Border> borders_of(Moves& moves) {
  std::vector<KeyedWeight> mine;
  const Status ready = attempt(moves_stage, [&] {
    const Space& space = moves.level->space;
    // A part of a mesh has some twenty borders. A table that is nearly full is slow.
    const auto expected = std::bit_ceil(static_cast<std::uint64_t>(moves.goal.parts) * 64);
    for (auto slots = static_cast<std::int64_t>(expected);; slots *= 4) {
      const auto keys = exec::filled<std::uint64_t>(space, borders_label, slots, no_key);
      const auto weights = exec::filled<std::int64_t>(space, borders_label, slots, 0);
      const auto is_full = exec::filled<int>(space, borders_label, 1, 0);
      with_space(space, [&](const auto& instance) {
        using Instance = std::remove_cvref_t<decltype(instance)>;
        for_listed(instance, moves, moves.lists.border,
                   MeasureBorders<Instance>{state_of(moves), keys.data(), weights.data(), slots - 1,
                                            is_full.data()});
      });
      const std::vector<std::uint64_t> all_keys = keys.on_host();
      const std::vector<std::int64_t> all_weights = weights.on_host();
      if (is_full.on_host()[0] != 0) continue;
      for (std::size_t i = 0; i < all_keys.size(); ++i)
        if (all_keys[i] != no_key) mine.push_back({all_keys[i], all_weights[i]});
      return;
    }
  });
  const Gathered<KeyedWeight> all =
      all_gather(*moves.communicator, ready, std::span<const KeyedWeight>(mine));
  std::vector<Border> borders;
  vote_between(*moves.communicator, attempt(moves_stage, [&] { borders = summed(all.values); }));
  return borders;
}

}  // namespace evenkeel::graphs
