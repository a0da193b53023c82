#pragma once

// A thread that decides and writes while the application computes. It performs tasks in the order
// in which they were offered, calls no MPI and launches no kernel. It checks for tasks at intervals
// and sleeps between checks, because a wake-up for each task would cost the application more than
// most tasks. A caller that offers a task waits neither for the task nor for a lock.

#include <evenkeel/backends/process.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
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

  // Only one thread may call this. The watcher's thread performs the task at its next check, and at
  // the latest before finish() returns. Does not wake the thread, unless many tasks wait.
  // Exceptions of a task are lost.
  void offer(Task task);

  // True if the thread is so far behind that a caller must leave out tasks of which there are many.
  // Otherwise they would fill the memory.
  static constexpr std::int64_t most_waiting = 512;
  bool is_behind() const noexcept {
    return waiting_.load(std::memory_order_relaxed) >= most_waiting;
  }

  // Ends the thread and performs the remaining tasks. A forked child has neither the thread nor the
  // right to perform the tasks of its parent, so there this and the destructor do nothing.
  void finish();

 private:
  static constexpr std::int64_t many_waiting = most_waiting / 2;

  struct Offered {
    Task task;
    Offered* before = nullptr;
  };

  struct Thread {
    std::mutex mutex;
    std::condition_variable condition;
    bool stop = false;  // guarded by the mutex
    std::thread thread;
  };

  void run(Thread& mine);
  void perform_all() noexcept;
  static void perform(const Task& task) noexcept;

  detail::HomeProcess home_;
  std::chrono::microseconds nap_;
  // The head of a linked list, the latest task first. One thread adds tasks, and another takes them
  // all.
  std::atomic<Offered*> latest_ = nullptr;
  std::atomic<std::int64_t> waiting_ = 0;  // tasks that were offered and not performed yet
  std::unique_ptr<Thread> thread_;         // null without a thread
};

}  // namespace evenkeel
