#pragma once

// A migration: sends strays to the owners of their places under the present domains.

#include "rebalance/rebalancer.hpp"

#include <evenkeel/core/domains/strays.hpp>

namespace evenkeel {

// Keeps the domain of this rank between two calls of migrate. It is prepared once for each
// generation and kind of memory, and again if the number of objects has grown a lot.
class Home {
 public:
  const StrayFinder& domain(const std::shared_ptr<const Domains>& domains, int rank,
                            const Set& set) {
    constexpr std::int64_t growth = 4;  // factor of the number of objects since the preparation
    if (domains != domains_)
      for (std::optional<Ready>& ready : ready_) ready.reset();
    domains_ = domains;
    const MemoryKind kind = set.position().memory;
    std::optional<Ready>& ready = ready_[static_cast<std::size_t>(kind)];
    if (!ready || set.count() > growth * ready->objects)
      ready.emplace(Ready{StrayFinder(Space::where(kind), *domains_, rank, set.count()),
                          std::max<std::int64_t>(1, set.count())});
    return ready->domain;
  }

 private:
  struct Ready {
    StrayFinder domain;
    std::int64_t objects;
  };
  std::shared_ptr<const Domains> domains_;
  std::array<std::optional<Ready>, 3> ready_;  // by kind of memory
};

class Migrator {
 public:
  explicit Migrator(const BalancerParts& parts) : parts_(parts) {}

  // Collective. `step` is the number of steps so far.
  MoveReport migrate(std::span<const Set> given, std::int64_t step);

 private:
  Status arrive(std::span<const Set> given, std::int64_t step, StageTimes& times, Arrival& into);
  Plan plan_few(std::span<const Set> sets);
  Plan plan_in_order(std::span<const Set> sets, const AgreedSets& agreed) const;

  BalancerParts parts_;
  Home home_;
};

}  // namespace evenkeel
