#pragma once

// The thread that thinks and writes while the application computes. It takes tasks in their order,
// calls no MPI and launches no kernel. It sleeps on a condition and looks by itself every so often,
// since to be woken for each task costs the application more than most tasks do. Whoever hands over
// a task never waits for it, nor for a lock.

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

  // Long beside what a wake-up costs (some microseconds), short beside what people wait for.
  static constexpr std::chrono::milliseconds usual_nap{20};

  // Without a thread, by choice or because the system gives none, tasks run where they are offered.
  explicit Watcher(bool threaded, std::chrono::microseconds nap = usual_nap);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  // One thread calls this. The thread is not woken: the task is done when that next looks, at the
  // latest when finish() returns. What a task throws is lost.
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
