#pragma once

// What the ranks tell each other when they come to a rebalance, and what follows for all of them.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/migrate/shapes.hpp>
#include <evenkeel/core/set.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace evenkeel {

// What all ranks together know of the work: the types and features that their sets have, and the
// groups that their kernels make up. A group is a phase and the types of a set that its kernels
// work on; the group of those that do not say is always there, for each phase.
struct AgreedWork {
  static constexpr std::size_t most_sets = 64, most_groups = 16;

  std::array<std::uint32_t, most_sets> columns{};   // a bit for each type, then for each feature
  std::array<std::uint32_t, most_groups> groups{};  // sorted; 0: none
  std::uint32_t phases = 0;                         // a bit for each that has kernels

  bool empty() const noexcept { return columns == decltype(columns){}; }
  void add_group(std::uint32_t group) noexcept;
  void add(const AgreedWork& other) noexcept;
  bool has(std::uint32_t group) const noexcept {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  }
  friend bool operator==(const AgreedWork&, const AgreedWork&) = default;
};

// What each rank states. Times are in nanoseconds per step.
struct RankStatement {
  static constexpr std::size_t most_sets = AgreedWork::most_sets;

  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  std::uint64_t weighted_by_all = 0, weighted_by_any = 0;  // a bit for each set
  std::uint64_t typed_by_all = 0, typed_by_any = 0;        // likewise: has types or features
  std::uint64_t bound = 0;                                 // not 0: there are groups or pins
  std::uint64_t hooked = 0;                                // not 0: hooks wait for a move
  std::int64_t load = 0;
  std::int64_t expected = 0;  // load, by the learned costs of objects
  std::int64_t objects = 0;
  std::int64_t forgotten = 0;  // objects whose learned costs are
  std::int64_t fits = 0;       // 1: this rank can fit its costs to what was measured before
  AgreedWork work = {};
};

// What follows. Times are in nanoseconds per step.
struct Agreed {
  double mine = 0;  // 0: nothing was measured here
  std::int64_t my_objects = 0;
  std::int64_t objects = 0;    // over all ranks
  std::int64_t forgotten = 0;  // likewise: objects whose learned costs are
  bool bound = false;          // there are groups or pins
  bool hooked = false;         // hooks wait for a move
  bool fits = false;           // all ranks can fit costs to what was measured before
  bool is_typed = false;       // sets say what their objects are
  AgreedWork work = {};
  double mean_per_object = 0;  // over all ranks; 0: nothing was measured anywhere
  double expected = 0;         // `mine` by learned costs, scaled to the same sum over ranks
};

// For statistics only: a set that makes no sense counts as far as it can be read, and is refused
// elsewhere, by a vote.
std::int64_t objects_in(std::span<const Set> sets);

// What can be said of the sets; the caller adds the rest.
RankStatement statement_of(std::span<const Set> sets);

// Collective. Throws the same Error on all ranks if they are at different steps, or have given
// weights for different sets.
Agreed agreed_by(const Communicator& ranks, const Status& status, const RankStatement& mine);

// The dimensions of all positions, now and at the last rebalance; 0 while no rank knows. The same
// on all ranks.
int dimensions_of(std::span<const SetShape> shapes, const Domains& last);

}  // namespace evenkeel
