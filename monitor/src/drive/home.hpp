#pragma once

// What a Balancer remembers between two calls of migrate.

#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/domains/own.hpp>
#include <evenkeel/core/set.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace evenkeel {

// The domain of this rank, made ready once for each generation and each kind of memory.
class Home {
 public:
  const OwnDomain& domain(const std::shared_ptr<const Domains>& domains, int rank, const Set& set) {
    constexpr std::int64_t growth = 4;  // of the objects, for which the table was made
    if (domains != domains_)
      for (std::optional<Ready>& ready : ready_) ready.reset();
    domains_ = domains;
    const MemoryKind kind = set.position().memory;
    std::optional<Ready>& ready = ready_[static_cast<std::size_t>(kind)];
    if (!ready || set.count() > growth * ready->objects)
      ready.emplace(Ready{OwnDomain(Space::where(kind), *domains_, rank, set.count()),
                          std::max<std::int64_t>(1, set.count())});
    return ready->domain;
  }

 private:
  struct Ready {
    OwnDomain domain;
    std::int64_t objects;
  };
  std::shared_ptr<const Domains> domains_;
  std::array<std::optional<Ready>, 3> ready_;  // by kind of memory
};

}  // namespace evenkeel
