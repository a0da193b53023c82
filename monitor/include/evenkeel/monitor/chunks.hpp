#pragma once

// A loop over objects in chunks that are timed one by one, so that the seconds of stretches of
// objects are known instead of those of a whole rank.

#include <evenkeel/backends/export.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

namespace evenkeel {

class Clock;
class Timer;

// Objects that lie side by side.
class EVENKEEL_API Chunk {
 public:
  std::int64_t begin() const noexcept { return begin_; }  // an index
  std::int64_t end() const noexcept { return end_; }      // the index after the last
  std::int64_t size() const noexcept { return end_ - begin_; }

  // Times work on these objects, for them and for the kernel, from here until the returned Timer
  // goes out of scope. Local, on any thread.
  [[nodiscard]] Timer time() const noexcept;

 private:
  friend class Chunks;
  Chunk(Clock* clock, int slot, std::int64_t begin, std::int64_t end)
      : clock_(clock), slot_(slot), begin_(begin), end_(end) {}
  Clock* clock_;
  int slot_;
  std::int64_t begin_, end_;
};

// All chunks of a loop, in order; none is empty. The Kernel must outlive them.
class EVENKEEL_API Chunks {
 public:
  // For range-based loops.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Chunk;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Chunk;

    Chunk operator*() const noexcept { return (*chunks_)[index_]; }
    Iterator& operator++() noexcept {
      ++index_;
      return *this;
    }
    Iterator operator++(int) noexcept {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
      return a.index_ == b.index_;
    }

   private:
    friend class Chunks;
    Iterator(const Chunks* chunks, std::size_t index) : chunks_(chunks), index_(index) {}
    const Chunks* chunks_;
    std::size_t index_;
  };

  std::size_t size() const noexcept { return count_; }
  // One chunk; there are size() of them.
  Chunk operator[](std::size_t index) const noexcept;
  Iterator begin() const noexcept { return {this, 0}; }
  Iterator end() const noexcept { return {this, count_}; }

 private:
  friend class Clock;
  Chunks(Clock* clock, int first_slot, std::size_t count, std::int64_t objects)
      : clock_(clock), first_slot_(first_slot), count_(count), objects_(objects) {}
  Clock* clock_;
  int first_slot_;
  std::size_t count_;
  std::int64_t objects_;
};

}  // namespace evenkeel
