#pragma once

// Reductions of whole structures by a function that the caller supplies, both blocking and
// non-blocking.
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
// MPI chooses the order in which it combines values. So the function must be associative and
// commutative to the bit, as sums of integers, least and greatest are. Then all ranks get identical
// bits.

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

// A prepared reduction, which may be under way. Owns its buffer. If it is destroyed before the
// reduction is complete, the communicator's handle takes over the buffer and the request. The
// destructor does not communicate.
class EVENKEEL_API Pending {
 public:
  virtual ~Pending();
  virtual void start(const void* mine) = 0;  // call it only if no reduction is under way
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

// Local. If the communicator is still alive in MPI_Finalize, the function is called there before
// the communicator is freed. Each call of at_finalize() replaces the function; an empty function
// removes it. A communicator without MPI never calls the function.
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

  // True if this object holds a reduction, whether it is complete or not.
  explicit operator bool() const noexcept { return pending_ != nullptr; }
  // Collective. Must not be called while the reduction is under way.
  void start(const T& mine) { pending().start(&mine); }
  // True if the reduction is posted and not known to be complete.
  bool is_under_way() const noexcept { return pending_ != nullptr && pending_->is_under_way(); }

  // True if the result is available. Local: makes progress, never waits.
  bool test() { return pending().test(); }

  // Local. Gives the reduction up, as the destructor does. If the reduction is complete, `words`
  // are written to stderr at once if is_fine() returns false for the result. Otherwise this is done
  // in MPI_Finalize; there, `words` are also written if other ranks have not joined the reduction.
  void let_go(const std::string& words, bool (*is_fine)(const void* value)) {
    if (pending_ != nullptr) pending_->let_go(words, is_fine);
    pending_ = nullptr;
  }

  // Waits for the result and returns it. The reference is valid until the next start(), and not
  // longer than this object.
  const T& wait() {
    pending().wait();
    return *static_cast<const T*>(pending_->value());
  }

 private:
  detail::Pending& pending() const {
    if (pending_ == nullptr)
      throw Error(ErrorKind::bad_input, Where{"backends/comm"}, "This object holds no reduction.",
                  "Start a reduction, or use the object to which this one was moved.");
    return *pending_;
  }
  std::unique_ptr<detail::Pending> pending_;
};

// Local. Allocates all that a reduction needs.
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
