#pragma once

// Reductions of whole structures by a function that the caller supplies, blocking or not.
//
//   struct Totals { std::int64_t step_least, step_greatest, nanoseconds; };
//   void combine(Totals& into, const Totals& from) noexcept { ... }
//
//   auto pending = start_all_reduce<combine>(communicator, mine);  // posted
//   if (pending.test()) ...                           // once per step: makes progress
//   const Totals& totals = pending.wait();            // complete
//
// The memory for a reduction can be allocated beforehand, so that a rank without memory can report
// this at a vote. The same object can then post again and again:
//
//   auto reduction = prepare_all_reduce<combine, Totals>(communicator);  // local
//   reduction.start(mine);
//
// The function must be associative and commutative to the bit (integers, least, greatest), since
// MPI chooses the order. Then all ranks get identical bits.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/error.hpp>

#include <functional>
#include <string>
#include <utility>

namespace evenkeel {

namespace detail {

struct Combination {
  std::int64_t bytes;  // of one value
#if EVENKEEL_HAS_MPI
  MPI_User_function* function;
#endif
};

template <class T, void (*combine)(T&, const T&) noexcept>
struct CombinationOf {
  static_assert(alignof(T) <= alignof(std::max_align_t),
                "evenkeel: a reduction has plain buffers, which cannot hold over-aligned types");
#if EVENKEEL_HAS_MPI
  static void apply(void* from, void* into, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i)
      combine(static_cast<T*>(into)[i], static_cast<const T*>(from)[i]);
  }
  static constexpr Combination value{sizeof(T), &apply};
#else
  static constexpr Combination value{sizeof(T)};
#endif
};

// A reduction under way, or the means for one. Owns the buffer. If it is destroyed before it is
// complete, the communicator's handle takes over its buffer and request. The destructor does not
// communicate.
class EVENKEEL_API Pending {
 public:
  virtual ~Pending();
  virtual void start(const void* mine) = 0;  // when the one before is complete
  virtual bool is_under_way() const noexcept = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual const void* value() const noexcept = 0;
  virtual void let_go(std::string words, bool (*is_fine)(const void* value));
};

EVENKEEL_API std::unique_ptr<Pending> prepare_all_reduce(const Communicator& communicator,
                                                         const Combination& combination);
EVENKEEL_API void all_reduce(const Communicator& communicator, void* value,
                             const Combination& combination);

// Local. MPI_Finalize calls the function before it frees the communicator, if that is still alive.
// Each call replaces the function of the last one; an empty function removes it. A communicator
// without MPI never calls the function.
EVENKEEL_API void at_finalize(const Communicator& communicator, std::function<void()> function);

}  // namespace detail

// A non-blocking reduction over all ranks that can be used again and again: start() posts it,
// test() makes progress, wait() completes it. The destructor never waits.
template <class T>
class PendingReduction {
 public:
  PendingReduction() = default;
  // For prepare_all_reduce().
  explicit PendingReduction(std::unique_ptr<detail::Pending> pending)
      : pending_(std::move(pending)) {}

  // True while this object holds a reduction, complete or not.
  explicit operator bool() const noexcept { return pending_ != nullptr; }
  // Collective. Must not be called while one is under way.
  void start(const T& mine) { pending().start(&mine); }
  // True if it is posted and not known to be complete.
  bool is_under_way() const noexcept { return pending_ != nullptr && pending_->is_under_way(); }

  // True when the result is available. Local: makes progress, never waits.
  bool test() { return pending().test(); }

  // Local. Gives the reduction up, as the destructor does. If it is complete, writes the words to
  // stderr at once unless the result `is_fine`. If not, MPI_Finalize writes them if other ranks
  // have not joined by then, or if the result is not `is_fine`.
  void let_go(const std::string& words, bool (*is_fine)(const void* value)) {
    if (pending_ != nullptr) pending_->let_go(words, is_fine);
    pending_ = nullptr;
  }

  // Waits for the result and returns it. It is valid until the next start(), and no longer than
  // this object.
  const T& wait() {
    pending().wait();
    return *static_cast<const T*>(pending_->value());
  }

 private:
  detail::Pending& pending() const {
    if (pending_ == nullptr)
      throw Error(ErrorKind::bad_input, Where{"backends/comm"}, "There is no reduction here.",
                  "Start one, or use the object that it was moved to.");
    return *pending_;
  }
  std::unique_ptr<detail::Pending> pending_;
};

// Local. Makes all that a reduction needs.
template <auto combine, Sendable T>
[[nodiscard]] PendingReduction<T> prepare_all_reduce(const Communicator& communicator) {
  constexpr const auto& combination = detail::CombinationOf<T, combine>::value;
  return PendingReduction<T>(detail::prepare_all_reduce(communicator, combination));
}

// Collective, but does not block. Every rank must start the same reductions in the same order.
template <auto combine, Sendable T>
[[nodiscard]] PendingReduction<T> start_all_reduce(const Communicator& communicator,
                                                   const T& mine) {
  auto reduction = prepare_all_reduce<combine, T>(communicator);
  reduction.start(mine);
  return reduction;
}

// Collective. Blocks.
template <auto combine, Sendable T>
[[nodiscard]] T all_reduce(const Communicator& communicator, T mine) {
  detail::all_reduce(communicator, &mine, detail::CombinationOf<T, combine>::value);
  return mine;
}

}  // namespace evenkeel
