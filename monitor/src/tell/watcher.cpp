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
  if (!threaded) return;
  thread_ = std::make_unique<Thread>();
  thread_->thread = start_without_signals([this, mine = thread_.get()] { run(*mine); });
  if (!thread_->thread.joinable()) thread_.reset();
}

Watcher::~Watcher() { finish(); }

void Watcher::perform(const Task& task) noexcept {
  try {
    task();
  } catch (...) {
  }
}

void Watcher::offer(Task task) {
  if (thread_ == nullptr) return perform(task);
  auto offered = std::make_unique<Offered>(Offered{std::move(task), nullptr});
  const std::int64_t waiting = waiting_.fetch_add(1, std::memory_order_relaxed) + 1;
  offered->before = latest_.load(std::memory_order_relaxed);
  while (!latest_.compare_exchange_weak(offered->before, offered.get(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  static_cast<void>(offered.release());
  if (waiting >= many_waiting) thread_->condition.notify_one();
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
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
}

// A wake-up that comes between the check and the sleep is lost. Then the sleep ends by itself.
void Watcher::run(Thread& mine) {
  std::unique_lock lock(mine.mutex);
  while (!mine.stop) {
    mine.condition.wait_for(lock, nap_, [&] {
      return mine.stop || waiting_.load(std::memory_order_relaxed) >= many_waiting;
    });
    lock.unlock();
    perform_all();
    lock.lock();
  }
}

// In a forked child, another thread may have been waiting or have held the lock when it was copied.
// Then destroying the condition or the thread would wait for ever or end the program.
void Watcher::finish() {
  if (!home_.is_here()) {
    static_cast<void>(thread_.release());
    static_cast<void>(latest_.exchange(nullptr));
    return;
  }
  if (thread_ != nullptr) {
    {
      const std::lock_guard lock(thread_->mutex);
      thread_->stop = true;
    }
    thread_->condition.notify_one();
    thread_->thread.join();
    thread_.reset();
  }
  perform_all();
}

}  // namespace evenkeel
