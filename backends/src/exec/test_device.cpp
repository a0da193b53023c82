// The memory of the test device is an arena: pages of this process that the host cannot access
// unless an Opened exists. The list of allocations is in ordinary host memory. Opening and closing
// change the page table, which costs 30 to 150 microseconds, so copies go through the file of this
// process' memory where the system has one. Such a file reaches closed pages too.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/test_device.hpp>

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace evenkeel::exec::test_device {

namespace {

// of addresses; a page uses memory only after it was touched
constexpr std::size_t capacity = std::size_t{4} << 30;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t block_alignment = 64;
// Fills the start of new memory. It is neither zero nor a small number.
constexpr unsigned char pattern = 0xA5;
constexpr std::size_t patterned = std::size_t{1} << 20;

struct ArenaBlock {
  std::size_t bytes;
  char label[100];
};

class Arena {
 public:
  Arena();

  void* allocate(const char* label, std::size_t bytes) noexcept;
  void release(void* data) noexcept;
  void open() noexcept;
  void close() noexcept;
  void count(const void* to, const void* from, std::size_t bytes) noexcept;
  void transfer(void* to, const void* from, std::size_t bytes) noexcept;
  // A child process begins with the file of its parent.
  void open_file() noexcept {
    if (file_ >= 0) ::close(file_);
    file_ = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  }

  bool holds(const void* address) const noexcept {
    const auto* at = static_cast<const char*>(address);
    return at >= begin_ && at < begin_ + capacity;
  }
  // Takes no lock, because a failing process calls it for its last message.
  void describe(const void* address, char* text, std::size_t length) const noexcept;

  Traffic traffic() noexcept {
    const std::lock_guard lock(mutex_);
    return traffic_;
  }
  void reset_traffic() noexcept {
    const std::lock_guard lock(mutex_);
    traffic_ = {};
    launches_.clear();
  }
  std::int64_t launches(int stream) noexcept {
    const std::lock_guard lock(mutex_);
    return launches_[stream];
  }
  void count_launch(int stream) noexcept {
    const std::lock_guard lock(mutex_);
    ++launches_[stream];
  }
  std::int64_t in_use() noexcept {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [at, block] : used_) sum += block.bytes;
    return static_cast<std::int64_t>(sum);
  }

 private:
  void protect(int protection) noexcept;
  void reach(std::size_t end) noexcept;

  bool passed_file(void* to, const void* from, std::size_t bytes) const noexcept;

  std::mutex mutex_;
  char* begin_ = nullptr;
  int file_ = -1;  // this process' memory; negative if there is no such file
  std::vector<unsigned char> filling_ = std::vector<unsigned char>(patterned, pattern);
  int holders_ = 0;  // number of holders that keep the arena open
  // bytes up to the end of all allocations so far; pages after it stay closed
  std::size_t reached_ = 0;
  std::map<std::size_t, std::size_t> free_;  // bytes by offset; adjacent pieces are merged
  std::map<std::size_t, ArenaBlock> used_;   // by offset
  Traffic traffic_{};
  std::map<int, std::int64_t> launches_;  // by stream
};

// Never destroyed, because static Views are freed after main() ends.
Arena& arena() {
  static Arena* const arena = new Arena;
  return *arena;
}

struct sigaction handler_before;  // NOLINT: gets the faults outside of the arena

void say(const char* text) noexcept {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// If the fault is in the arena, ends the process with a message. Otherwise the previous handler
// gets the fault.
void on_fault(int signal, siginfo_t* info, void*) {
  if (!arena().holds(info->si_addr)) {
    sigaction(signal, &handler_before, nullptr);
    return;  // the access is repeated, and then the previous handler gets the fault
  }
  char text[400];
  arena().describe(info->si_addr, text, sizeof text);
  say(text);
  void* stack[64];
  backtrace_symbols_fd(stack, backtrace(stack, 64), STDERR_FILENO);
  std::abort();
}

Arena::Arena() {
  void* const pages = mmap(nullptr, capacity + huge_page, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    throw Error(ErrorKind::out_of_memory, Where{"backends/exec"},
                "Addresses for the memory of the test device were refused.",
                "Raise the limit of the address space (ulimit -v).");
  const auto address = reinterpret_cast<std::uintptr_t>(pages);
  begin_ = static_cast<char*>(pages) + (huge_page - address % huge_page) % huge_page;
  madvise(begin_, capacity, MADV_HUGEPAGE);  // opening a few large pages costs little
  free_.emplace(0, capacity);
  open_file();
  pthread_atfork(nullptr, nullptr, [] { arena().open_file(); });
  void* first[1];
  backtrace(first, 1);  // loads the library of backtrace() now, not in the handler
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &handler_before);
}

void Arena::protect(int protection) noexcept {
  if (reached_ == 0 || mprotect(begin_, reached_, protection) == 0) return;
  say("evenkeel: the memory of the test device could not be opened or closed\n");
  std::abort();
}

void Arena::reach(std::size_t end) noexcept {
  if (end <= reached_) return;
  reached_ = (end + huge_page - 1) / huge_page * huge_page;
  if (holders_ > 0) protect(PROT_READ | PROT_WRITE);
}

void Arena::open() noexcept {
  const std::lock_guard lock(mutex_);
  if (holders_++ == 0) protect(PROT_READ | PROT_WRITE);
}

void Arena::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (--holders_ == 0) protect(PROT_NONE);
}

// Leaves at least one unit free between two allocations, so that a short overrun hits no other
// allocation.
void* Arena::allocate(const char* label, std::size_t bytes) noexcept {
  if (bytes > capacity) return nullptr;
  const std::size_t taken =
      (bytes + block_alignment - 1) / block_alignment * block_alignment + block_alignment;
  char* data = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto room = std::find_if(free_.begin(), free_.end(),
                                   [=](const auto& piece) { return piece.second >= taken; });
    if (room == free_.end()) return nullptr;
    const auto [at, size] = *room;
    free_.erase(room);
    if (size > taken) free_.emplace(at + taken, size - taken);
    ArenaBlock block{bytes, {}};
    std::snprintf(block.label, sizeof block.label, "%s", label);
    used_.emplace(at, block);
    data = begin_ + at;
    reach(at + taken);
  }
  transfer(data, filling_.data(), std::min(bytes, patterned));
  return data;
}

void Arena::release(void* data) noexcept {
  if (data == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(static_cast<std::size_t>(static_cast<char*>(data) - begin_));
  if (block == used_.end()) {
    say("evenkeel: the test device was asked to free memory that it has not allocated\n");
    std::abort();
  }
  std::size_t at = block->first;
  std::size_t size =
      (block->second.bytes + block_alignment - 1) / block_alignment * block_alignment +
      block_alignment;
  used_.erase(block);
  auto next = free_.lower_bound(at);
  if (next != free_.end() && next->first == at + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == at) {
      at = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  free_.emplace(at, size);
}

// Returns true if the bytes were copied through the file.
bool Arena::passed_file(void* to, const void* from, std::size_t bytes) const noexcept {
  const bool comes = holds(to);
  if (file_ < 0 || comes == holds(from)) return false;
  while (bytes > 0) {
    const ssize_t done =
        comes ? pwrite(file_, from, bytes, static_cast<off_t>(reinterpret_cast<std::intptr_t>(to)))
              : pread(file_, to, bytes, static_cast<off_t>(reinterpret_cast<std::intptr_t>(from)));
    if (done <= 0) return false;
    to = static_cast<char*>(to) + done;
    from = static_cast<const char*>(from) + done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

void Arena::transfer(void* to, const void* from, std::size_t bytes) noexcept {
  if (passed_file(to, from, bytes)) return;
  const Opened opened;
  std::memcpy(to, from, bytes);
}

void Arena::count(const void* to, const void* from, std::size_t bytes) noexcept {
  const bool comes = holds(to), leaves = holds(from);
  if (comes == leaves) return;
  const std::lock_guard lock(mutex_);
  (comes ? traffic_.to_device_bytes : traffic_.to_host_bytes) += static_cast<std::int64_t>(bytes);
  ++traffic_.copies;
}

void Arena::describe(const void* address, char* text, std::size_t length) const noexcept {
  const auto at = static_cast<std::size_t>(static_cast<const char*>(address) - begin_);
  const auto after = used_.upper_bound(at);
  const auto block = after == used_.begin() ? used_.end() : std::prev(after);
  if (block != used_.end() && at < block->first + block->second.bytes)
    std::snprintf(
        text, length,
        "evenkeel: the host touched device memory: byte %zu of the %zu of '%s'. No kernel "
        "of the device was running; copy the data to the host first.\n",
        at - block->first, block->second.bytes, block->second.label);
  else
    std::snprintf(text, length,
                  "evenkeel: the host touched device memory that is not allocated: freed, or past "
                  "the end of '%s'.\n",
                  block == used_.end() ? "nothing" : block->second.label);
}

}  // namespace

Traffic traffic() noexcept { return arena().traffic(); }
void reset_traffic() noexcept { arena().reset_traffic(); }
std::int64_t launches(int stream) noexcept { return arena().launches(stream); }
void count_launch(int stream) noexcept { arena().count_launch(stream); }
std::int64_t arena_bytes() noexcept { return static_cast<std::int64_t>(capacity); }
bool holds(const void* address) noexcept { return arena().holds(address); }
void* allocate(const char* label, std::size_t bytes) noexcept {
  return arena().allocate(label, bytes);
}
void release(void* data) noexcept { arena().release(data); }
std::int64_t bytes_in_use() noexcept { return arena().in_use(); }

void transfer(void* to, const void* from, std::size_t bytes) noexcept {
  arena().transfer(to, from, bytes);
}
void copy(void* to, const void* from, std::size_t bytes) noexcept {
  transfer(to, from, bytes);
  arena().count(to, from, bytes);
}

Opened::Opened() noexcept { arena().open(); }
Opened::~Opened() { arena().close(); }

}  // namespace evenkeel::exec::test_device
