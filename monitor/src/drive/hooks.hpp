#pragma once

// The call-backs of an application around a move.

#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <cstddef>
#include <deque>
#include <functional>

namespace evenkeel {

// A hook may add others, which run from the next move on; those that run stay where they are.
struct Hooks {
  std::deque<std::function<void()>> before;
  std::deque<std::function<void(const Domains&, const Domains&)>> on_new_domains;
  std::deque<std::function<void(const MoveReport&)>> after;

  bool any_after() const noexcept { return !after.empty() || !on_new_domains.empty(); }
  void run_before() const { run(before); }
  void run_after(const MoveReport& report) const {
    if (report.has_new_domains()) run(on_new_domains, *report.last_domains, *report.domains);
    if (report.moved) run(after, report);
  }

 private:
  template <class Some, class... Arguments>
  static void run(const Some& hooks, const Arguments&... arguments) {
    const std::size_t count = hooks.size();
    for (std::size_t i = 0; i < count; ++i) hooks[i](arguments...);
  }
};

}  // namespace evenkeel
