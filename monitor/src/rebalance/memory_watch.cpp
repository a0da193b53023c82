#include "rebalance/memory_watch.hpp"
#include "rebalance/stage.hpp"

#include "options/system_memory.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

std::int64_t memory_of_this_node() {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace, Kokkos::HostSpace>::accessible;
  const std::optional<std::int64_t> memory = memory_of_node();
  if (on_host && memory) return *memory;
  throw Error(ErrorKind::bad_input, Where{stage_name},
              on_host ? "memory is system, but the system does not report its memory."
                      : "memory is system, but objects may be in the memory of a device.",
              "Give the bytes of each rank.");
}

// Collective. Half of the share of this rank in the memory of its node; see system_memory.
double share_of_node(const Communicator& ranks) {
  const auto here = static_cast<std::size_t>(ranks.rank());
  std::int64_t memory = 0;
  std::vector<std::int64_t> nodes;
  vote(ranks, attempt(stage_name, [&] {
         memory = memory_of_this_node();
         nodes.resize(static_cast<std::size_t>(ranks.size()));
         nodes[here] = static_cast<std::int64_t>(node_hash());
       }));
  ranks.all_reduce(std::span<std::int64_t>(nodes), Reduction::sum);
  const auto sharers = static_cast<double>(std::ranges::count(nodes, nodes[here]));
  return static_cast<double>(memory) / 2 / sharers;
}

}  // namespace

void MemoryWatch::open(const Communicator& ranks, const Options& options) {
  if (options.memory.empty()) return;
  const auto place = static_cast<std::size_t>(options.memory.size() > 1 ? ranks.rank() : 0);
  const bool asks_system = std::ranges::count(options.memory, system_memory) > 0;
  const double of_system = asks_system ? share_of_node(ranks) : 0;
  vote(ranks, attempt(stage_name, [&] {
         limits_.resize(static_cast<std::size_t>(ranks.size()));
         const double given = options.memory[place];
         limits_[static_cast<std::size_t>(ranks.rank())] =
             given == system_memory ? of_system : given;
       }));
  ranks.all_reduce(std::span<double>(limits_), Reduction::sum);
}

// The growth is that between the first and the last of the kept looks.
std::int64_t MemoryWatch::steps_left(double limit) const {
  const BytesAtStep &first = looks_.front(), &last = looks_.back();
  if (last.bytes >= limit) return 0;
  const double grown = last.bytes - first.bytes;
  if (!(grown > 0)) return RankMemory::never;
  constexpr double far = 1e15;  // steps
  const double steps = static_cast<double>(last.step - first.step) * (limit - last.bytes) / grown;
  return steps < far ? static_cast<std::int64_t>(steps) : RankMemory::never;
}

MemoryTotals MemoryWatch::at_look(int rank, std::span<const Set> sets, std::int64_t step) {
  MemoryTotals mine;
  if (!is_limited()) return mine;
  static_cast<void>(attempt(stage_name, [&] {
    constexpr std::size_t most_looks = 5;
    double bytes = 0;
    for (const Set& set : sets) {
      check(set);
      bytes += bytes_of_all_objects(set);
    }
    if (!looks_.empty() && step <= looks_.back().step) looks_.clear();
    looks_.push_back({step, bytes});
    if (looks_.size() > most_looks) looks_.pop_front();
    const double limit = limits_[static_cast<std::size_t>(rank)];
    mine.fullest = {rank, whole(bytes), whole(limit), steps_left(limit)};
    mine.soonest = mine.fullest;
    if (bytes > asks_above_) mine.asked = mine.fullest.steps_left;
  }));
  return mine;
}

// Sums of integers are the same on all ranks.
double MemoryWatch::most_share(const Communicator& ranks, double bytes, bool frees_memory) {
  leaves_room_ = leaves_room_ || frees_memory;
  if (!leaves_room_) return 1;
  const double here = bytes / limits_[static_cast<std::size_t>(ranks.rank())];
  const double fullest = ranks.all_reduce(here, Reduction::greatest);
  const auto sum = static_cast<double>(ranks.all_reduce(whole(bytes), Reduction::sum));
  const double average = sum / std::accumulate(limits_.begin(), limits_.end(), 0.0);
  const double before = frees_memory ? std::min(1.0, fullest) : 1;
  return average < 1 ? (average + before) / 2 : 1;
}

// If a rebalance could not free memory, another one soon would not help.
void MemoryWatch::rebalanced(std::int64_t step, double bytes, bool has_moved, bool frees_memory) {
  if (!is_limited()) return;
  constexpr double growth = 1 + 1.0 / 32;  // of the bytes, before this rank asks again
  if (frees_memory) asks_above_ = growth * bytes;
  if (!has_moved) return;
  looks_.resize(std::min<std::size_t>(1, looks_.size()));  // allocates nothing
  if (!looks_.empty()) looks_.front() = {step, bytes};
}

}  // namespace evenkeel
