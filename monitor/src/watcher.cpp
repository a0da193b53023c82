#include "watcher.hpp"

#include <csignal>
#include <iterator>
#include <system_error>
#include <utility>

namespace evenkeel {

namespace {

// A thread inherits the signals that its maker blocks: the application's handlers run on the
// application's threads alone.
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
  backlog_.push_back(std::move(task));
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    std::move(backlog_.begin(), backlog_.end(), std::back_inserter(queue_));
  }
  backlog_.clear();
}

void Watcher::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    condition_.wait_for(lock, nap_, [&] { return stop_; });
    if (stop_) return;
    std::deque<Task> tasks;
    tasks.swap(queue_);
    lock.unlock();
    for (const Task& task : tasks) perform(task);
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
  for (const Task& task : queue_) perform(task);
  queue_.clear();
  for (const Task& task : backlog_) perform(task);
  backlog_.clear();
}

}  // namespace evenkeel
