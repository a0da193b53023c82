#include "exec/host_memory.hpp"

#include <evenkeel/backends/exec/space.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

// Large blocks come from the system itself, unless a sanitizer watches the memory from malloc.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define EVENKEEL_WATCHES_MEMORY
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define EVENKEEL_WATCHES_MEMORY
#endif
#if defined(MADV_HUGEPAGE) && defined(MADV_FREE) && !defined(EVENKEEL_WATCHES_MEMORY)
#define EVENKEEL_HAS_LARGE_BLOCKS
#endif

namespace evenkeel {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t worth_it = 2 * large_page;  // smaller arrays use little of a large page

constexpr std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

#ifdef __linux__
// Concerns whole small pages. The system may refuse, which changes nothing.
void advise(void* data, std::size_t bytes, int advice) noexcept {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::size_t skipped = rounded(address, page) - address;
  madvise(static_cast<char*>(data) + skipped, (bytes - skipped) / page * page, advice);
}
#endif

#ifdef EVENKEEL_HAS_LARGE_BLOCKS

struct Block {
  char* data = nullptr;
  std::size_t bytes = 0;
};

// A block has up to an eighth more than it was asked for, so that a slightly larger array can use
// it later. Memory that is never accessed costs nothing.
std::size_t block_bytes(std::size_t bytes) {
  return rounded(bytes, std::max(large_page, std::bit_floor(bytes) / 8));
}

// Begins at a large page. Without data if the system refuses.
Block new_block(std::size_t bytes) {
  void* const pages =
      mmap(nullptr, bytes + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(pages);
  const std::size_t before = rounded(address, large_page) - address;
  char* const data = static_cast<char*>(pages) + before;
  if (before > 0) munmap(pages, before);
  munmap(data + bytes, large_page - before);
  madvise(data, bytes, MADV_HUGEPAGE);
  return {data, bytes};
}

// Returns false if the system gives small pages only, so that advice has no effect.
bool has_large_pages() noexcept {
  char setting[64] = {};
  if (std::FILE* file = std::fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r")) {
    if (std::fgets(setting, sizeof setting, file) == nullptr) setting[0] = 0;
    std::fclose(file);
  }
  return setting[0] != 0 && std::strstr(setting, "[never]") == nullptr;
}

// Blocks that nothing uses now. If they have large pages, the system takes them when it is short of
// memory. Small pages stay: the first access to each after such an offer can cost as much as a new
// page.
class KeptBlocks {
 public:
  Block take(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks_)
      if (block.bytes == bytes) return let_go(block);
    return {};
  }

  void keep(Block block) noexcept {
    if (block.bytes > most_kept) return release(block);
    static const bool are_offered = has_large_pages();
    if (are_offered) madvise(block.data, block.bytes, MADV_FREE);
    const std::lock_guard lock(mutex_);
    release(let_go(blocks_[next_]));
    blocks_[next_] = block;
    kept_ += block.bytes;
    // The oldest block is in the slot that is used next.
    next_ = (next_ + 1) % slots;
    for (int slot = next_; kept_ > most_kept; slot = (slot + 1) % slots)
      release(let_go(blocks_[slot]));
  }

  void give_back() noexcept {
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks_) release(let_go(block));
  }

 private:
  static constexpr int slots = 32;
  static constexpr std::size_t most_kept = std::size_t{256} << 20;

  Block let_go(Block& block) noexcept {
    kept_ -= block.bytes;
    return std::exchange(block, {});
  }
  static void release(Block block) noexcept {
    if (block.data != nullptr) munmap(block.data, block.bytes);
  }

  std::mutex mutex_;
  Block blocks_[slots];
  int next_ = 0;
  std::size_t kept_ = 0;
};

// Not destroyed, because static objects free memory after main() ends.
static_assert(std::is_trivially_destructible_v<KeptBlocks>);
KeptBlocks& kept_blocks() noexcept {
  static constinit KeptBlocks kept;
  return kept;
}

#endif

}  // namespace

void detail::ask_for_large_pages([[maybe_unused]] void* data,
                                 [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  if (bytes >= worth_it) advise(data, bytes, MADV_HUGEPAGE);
#endif
}

void detail::touch_first(void* data, std::size_t bytes) noexcept {
  ask_for_large_pages(data, bytes);
#ifdef MADV_POPULATE_WRITE
  if (bytes >= worth_it) advise(data, bytes, MADV_POPULATE_WRITE);
#endif
}

void* exec::allocate_host(std::size_t bytes) noexcept {
#ifdef EVENKEEL_HAS_LARGE_BLOCKS
  if (bytes >= worth_it) {
    const std::size_t whole = block_bytes(bytes);
    Block block = kept_blocks().take(whole);
    if (block.data == nullptr) block = new_block(whole);
    if (block.data != nullptr) return block.data;
    kept_blocks().give_back();
    return new_block(whole).data;
  }
#endif
  return std::aligned_alloc(cache_line, rounded(bytes, cache_line));
}

void exec::free_host(void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef EVENKEEL_HAS_LARGE_BLOCKS
  if (bytes >= worth_it) return kept_blocks().keep({static_cast<char*>(data), block_bytes(bytes)});
#endif
  std::free(data);
}

}  // namespace evenkeel
