#include "support/watchdog.hpp"

#include <dirent.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace evenkeel::test {

namespace {

constexpr int stack_signal = SIGUSR2;
std::atomic<int> stacks_printed{0};

void print_own_stack(int) {
  void* frames[64];
  const int depth = backtrace(frames, 64);
  backtrace_symbols_fd(frames, depth, STDERR_FILENO);
  ++stacks_printed;
}

std::vector<pid_t> threads_of_this_process() {
  std::vector<pid_t> threads;
  DIR* directory = opendir("/proc/self/task");
  if (directory == nullptr) return threads;
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') threads.push_back(static_cast<pid_t>(std::atoi(entry->d_name)));
  closedir(directory);
  return threads;
}

void print_all_stacks(const std::string& name) {
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  for (const pid_t thread : threads_of_this_process()) {
    if (thread == self) continue;
    std::fprintf(stderr, "watchdog: %s: stack of thread %d\n", name.c_str(),
                 static_cast<int>(thread));
    const int before = stacks_printed;
    syscall(SYS_tgkill, getpid(), thread, stack_signal);
    for (int tries = 0; stacks_printed == before && tries < 100; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

Watchdog::Watchdog(int limit_seconds, std::string name) : name_(std::move(name)) {
  if (limit_seconds <= 0) return;
  void* first[1];
  backtrace(first, 1);  // loads the code of backtrace before a handler needs it
  struct sigaction action = {};
  action.sa_handler = &print_own_stack;
  action.sa_flags = SA_RESTART;
  sigaction(stack_signal, &action, nullptr);
  thread_ = std::thread([this, limit_seconds] { watch(limit_seconds); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::watch(int limit_seconds) {
  std::unique_lock lock(mutex_);
  if (wake_.wait_for(lock, std::chrono::seconds(limit_seconds), [this] { return done_; })) return;
  std::fprintf(stderr, "watchdog: %s: still running after %d s\n", name_.c_str(), limit_seconds);
  print_all_stacks(name_);
  std::fflush(nullptr);
  std::this_thread::sleep_for(std::chrono::seconds(2));  // lets the other ranks print theirs
  _exit(124);
}

}  // namespace evenkeel::test
