#pragma once

// Threads that use all cores and more, so that the thread of a test has to wait for one.

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace evenkeel::test {

class Crowd {
 public:
  Crowd() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < 2 * cores; ++i)
      threads_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) continue;
      });
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd() {
    over_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace evenkeel::test
