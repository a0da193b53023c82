#include "tell/watcher.hpp"

#include <csignal>
#include <memory>
#include <system_error>
#include <utility>

namespace evenkeel {

namespace {

// Blocks all signals while the thread is made, since a thread inherits the blocked signals of its
// creator. So the application's handlers run only on the application's threads.
std::thread start_without_signals(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  const bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  std::thread thread;
  try {
    thread = std::thread(std::move(body));
  } catch (const std::system_error&) {
  }
  if (blocked) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

Watcher::Watcher(bool threaded, std::chrono::microseconds nap) : nap_(nap) {
  if (threaded) thread_ = start_without_signals([this] { run(); });
}

Watcher::~Watcher() { finish(); }

void Watcher::perform(const Task& task) noexcept {
  try {
    task();
  } catch (...) {
  }
}

void Watcher::offer(Task task) {
  if (!thread_.joinable()) return perform(task);
  auto offered = std::make_unique<Offered>(Offered{std::move(task), nullptr});
  offered->before = latest_.load(std::memory_order_relaxed);
  while (!latest_.compare_exchange_weak(offered->before, offered.get(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  static_cast<void>(offered.release());
}

void Watcher::perform_all() noexcept {
  Offered* first = nullptr;
  Offered* latest = latest_.exchange(nullptr, std::memory_order_acquire);
  while (latest != nullptr) {
    Offered* const before = std::exchange(latest->before, first);
    first = std::exchange(latest, before);
  }
  while (first != nullptr) {
    const std::unique_ptr<Offered> now(std::exchange(first, first->before));
    perform(now->task);
  }
}

void Watcher::run() {
  std::unique_lock lock(mutex_);
  while (!condition_.wait_for(lock, nap_, [&] { return stop_; })) {
    lock.unlock();
    perform_all();
    lock.lock();
  }
}

void Watcher::finish() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    condition_.notify_one();
    thread_.join();
  }
  perform_all();
}

}  // namespace evenkeel
