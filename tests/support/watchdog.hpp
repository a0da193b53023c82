#pragma once

// Turns a hang into a failure with its location. After the limit, prints the stacks of all threads
// of this process to stderr and ends the process with status 124.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace evenkeel::test {

class Watchdog {
 public:
  // `name` is printed before the stacks; it may be the rank, for example. A limit of 0 disables the
  // watchdog.
  Watchdog(int limit_seconds, std::string name);
  ~Watchdog();

 private:
  void watch(int limit_seconds);

  std::string name_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::test
