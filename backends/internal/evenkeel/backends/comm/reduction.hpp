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
// What posting needs can be made beforehand, so that a rank without memory can say so at a vote,
// and the same object can post again and again:
//
//   auto reduction = prepare_all_reduce<combine, Totals>(communicator);  // local
//   reduction.start(mine);
//
// The function must be associative and commutative to the bit (integers, least, greatest), since
// MPI chooses the order; then all ranks see identical bits.

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
// complete, it gives up its buffer, request and communicator without communicating.
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
// Each call replaces the function of the one before; an empty one takes it away.
EVENKEEL_API void at_finalize(const Communicator& communicator, std::function<void()> function);

}  // namespace detail

// A non-blocking reduction over all ranks that is used again and again: posted by start(), asked by
// test(), completed by wait(). The destructor never waits.
template <class T>
class PendingReduction {
 public:
  PendingReduction() = default;
  // For the function that prepares one.
  explicit PendingReduction(std::unique_ptr<detail::Pending> pending)
      : pending_(std::move(pending)) {}

  // True while this object holds a reduction, complete or not.
  explicit operator bool() const noexcept { return pending_ != nullptr; }
  // Collective. Not while one is under way.
  void start(const T& mine) { pending().start(&mine); }
  // Posted, and not known to be complete.
  bool is_under_way() const noexcept { return pending_ != nullptr && pending_->is_under_way(); }

  // True when the result is available. Local: makes progress, never waits.
  bool test() { return pending().test(); }

  // Local: gives it up, as the destructor does. If MPI_Finalize finds that other ranks have not
  // joined, or that the result is not `is_fine`, it writes the words to stderr.
  void let_go(const std::string& words, bool (*is_fine)(const void* value)) {
    if (pending_ != nullptr) pending_->let_go(words, is_fine);
    pending_ = nullptr;
  }

  // The result; waits for it if need be. Valid as long as this object.
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

// Local: all that a reduction needs.
template <auto combine, Sendable T>
[[nodiscard]] PendingReduction<T> prepare_all_reduce(const Communicator& communicator) {
  constexpr const auto& combination = detail::CombinationOf<T, combine>::value;
  return PendingReduction<T>(detail::prepare_all_reduce(communicator, combination));
}

// Collective, non-blocking: every rank starts the same reductions in the same order.
template <auto combine, Sendable T>
[[nodiscard]] PendingReduction<T> start_all_reduce(const Communicator& communicator,
                                                   const T& mine) {
  auto reduction = prepare_all_reduce<combine, T>(communicator);
  reduction.start(mine);
  return reduction;
}

// Collective, blocking.
template <auto combine, Sendable T>
[[nodiscard]] T all_reduce(const Communicator& communicator, T mine) {
  detail::all_reduce(communicator, &mine, detail::CombinationOf<T, combine>::value);
  return mine;
}

}  // namespace evenkeel
