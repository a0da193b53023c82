#pragma once

// How a rank waits for others, wherever looks, rebalances and finish() need them all. Who waits too
// long says so once per wait, and goes on waiting.

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace evenkeel {

class Patience {
 public:
  using Tell = std::function<void(const std::string& who, double seconds)>;

  // `tell` is called by a rank that has waited for `seconds`; 0: never.
  Patience(double seconds, Tell tell) : seconds_(seconds), tell_(std::move(tell)) {}

  // Returns when `pending`, which has test(), is complete. `who()`: who waits where, in words.
  template <class Pending, class Who>
  void wait_for(Pending& pending, const Who& who) const {
    constexpr int busy_tests = 1000;  // then the core is offered to others
    if (pending.test()) return;
    const auto began = std::chrono::steady_clock::now();
    bool has_told = !(seconds_ > 0);
    for (int tests = 0; !pending.test(); ++tests) {
      if (tests > busy_tests) std::this_thread::yield();
      if (has_told || std::chrono::steady_clock::now() - began < limit()) continue;
      has_told = true;
      try {
        tell_(who(), seconds_);
      } catch (...) {  // without memory it waits in silence
      }
    }
  }

 private:
  std::chrono::duration<double> limit() const { return std::chrono::duration<double>(seconds_); }

  double seconds_;
  Tell tell_;
};

}  // namespace evenkeel
