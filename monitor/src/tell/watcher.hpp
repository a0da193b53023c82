#pragma once

// The thread that thinks and writes while the application computes. It takes tasks in their order,
// calls no MPI and launches no kernel. It sleeps on a condition and looks for tasks every so often,
// since waking it for each task would cost the application more than most tasks do. Whoever hands
// over a task waits neither for the task nor for a lock.

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

  // Long compared with the cost of a wake-up (some microseconds), short for people who wait.
  static constexpr std::chrono::milliseconds usual_nap{20};

  // Without a thread, by choice or because the system gives none, tasks run where they are offered.
  explicit Watcher(bool threaded, std::chrono::microseconds nap = usual_nap);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  // To be called by one thread. The watcher is not woken: the task is done when it looks next, at
  // the latest when finish() returns. Exceptions of a task are lost.
  void offer(Task task);

  // Ends the thread and does what is left.
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
  std::atomic<Offered*> latest_ = nullptr;  // of a chain that one thread makes and one takes away

  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;  // under the mutex

  std::thread thread_;
};

}  // namespace evenkeel
