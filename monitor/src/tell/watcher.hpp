#pragma once

// A thread that decides and writes while the application computes. It performs tasks in the order
// in which they were offered, calls no MPI and launches no kernel. It checks for tasks at intervals
// and sleeps between checks, because a wake-up for each task would cost the application more than
// most tasks. A caller that offers a task waits neither for the task nor for a lock.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace evenkeel {

class Watcher {
 public:
  using Task = std::function<void()>;

  // The interval is long compared with the cost of a wake-up (a few microseconds), and short for a
  // user who waits for a line.
  static constexpr std::chrono::milliseconds usual_nap{20};

  // If `threaded` is false, or if the system refuses a thread, tasks run in offer().
  explicit Watcher(bool threaded, std::chrono::microseconds nap = usual_nap);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  // Only one thread may call this. Does not wake the watcher's thread, which performs the task at
  // its next check, and at the latest before finish() returns. Exceptions of a task are lost.
  void offer(Task task);

  // Ends the thread and performs the remaining tasks.
  void finish();

 private:
  struct Offered {
    Task task;
    Offered* before = nullptr;
  };

  void run();
  void perform_all() noexcept;
  static void perform(const Task& task) noexcept;

  std::chrono::microseconds nap_;
  // The head of a linked list, the latest task first. One thread adds tasks, and another takes them
  // all.
  std::atomic<Offered*> latest_ = nullptr;

  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;  // guarded by the mutex

  std::thread thread_;
};

}  // namespace evenkeel
