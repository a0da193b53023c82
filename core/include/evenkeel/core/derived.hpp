#pragma once

// Holds data that an application derives from its domains: halos, maps, neighbour lists. The next
// rebalance makes such data stale. In a build with assertions, which debug builds have, it is an
// Error to ask for the data with other domains than it was made from; other builds do not check.
//
//   ek::Derived<Halo> halo;
//   const ek::Domains& now = balancer.domains();
//   if (!halo.is_of(now)) halo = {now, find_halo(now)};
//   exchange(halo.of(now));

#include <evenkeel/backends/assert.hpp>
#include <evenkeel/core/domains.hpp>

#include <cstdint>
#include <utility>

namespace evenkeel {

template <class T>
class Derived {
 public:
  // Belongs to no domains at all.
  Derived() = default;
  Derived(const Domains& domains, T value)
      : generation_(generation_of(domains)), value_(std::move(value)) {}

  // Whether the data was made from domains of this generation.
  bool is_of(const Domains& domains) const noexcept {
    return generation_of(domains) == generation_;
  }

  // The data, which must be of these domains.
  const T& of(const Domains& domains) const {
    EVENKEEL_ASSERT(is_of(domains), "What is derived from domains is of their generation");
    return value_;
  }
  T& of(const Domains& domains) {
    EVENKEEL_ASSERT(is_of(domains), "What is derived from domains is of their generation");
    return value_;
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t generation_ = none;
  T value_{};
};

}  // namespace evenkeel
