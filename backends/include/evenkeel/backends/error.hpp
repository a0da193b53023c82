#pragma once

// The one exception type of evenkeel. An error says where it arose, what is wrong and what to do.
// When it comes out of a collective call it is the same on all ranks and names the rank that
// failed.
//
// Copies share one text, so copying never fails, and an Error out of a vote can be told even when
// no memory is left: what that takes is kept in reserve.

#include <evenkeel/backends/config.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace evenkeel {

// What an application can do about an Error.
enum class ErrorKind : int {
  bad_input,      // the caller can correct it: a wrong length, a NaN, an unknown option
  out_of_memory,  // an allocation was refused
  communication,  // MPI reported an error
  disagreement,   // ranks that must agree did not
  application,    // a call-back of the application threw
  internal        // evenkeel broke a promise of its own: please report it
};

// The name in messages.
EVENKEEL_API const char* name_of(ErrorKind kind) noexcept;

// Where an error arose: the stage, in the words of the architecture ("core/field",
// "backends/vote").
struct Where {
  std::string stage;
};

class EVENKEEL_API Error : public std::runtime_error {
 public:
  static constexpr int no_rank = -1;

  // `what` says what is wrong, `remedy` what to do about it: sentences that end with a full stop.
  Error(ErrorKind kind, Where where, std::string what, std::string remedy);

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& where() const noexcept;
  const std::string& problem() const noexcept;
  const std::string& remedy() const noexcept;
  const char* what() const noexcept override;

  // The rank that failed, or no_rank when the error did not come out of a vote.
  int rank() const noexcept { return rank_; }

  // The same error as all ranks see it after a vote: `failures` of `ranks` ranks failed, and `rank`
  // is the lowest of them.
  Error at_rank(int rank, int failures, int ranks) const;

  // The same error of a Balancer with this name, which what() begins with; without the name where
  // memory is refused.
  Error of(const std::string& name) const noexcept;
  const std::string& name() const noexcept;  // empty: none

  // The same from plain texts. Needs no memory: where it is refused, an Error kept in reserve is
  // used, as long as few others live that came from there.
  struct Told {
    ErrorKind kind;
    const char *where, *problem, *remedy;
    int rank, failures, ranks;
  };
  static Error told(const Told& told) noexcept;

  // For an allocation that was refused; needs no memory either.
  static Error out_of_memory(const char* stage) noexcept;

  // Makes the reserve. Every Communicator calls this.
  static void make_reserve();

  ~Error() override;
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;

 private:
  struct Text;
  class Reserve;
  Error(ErrorKind kind, int rank, std::shared_ptr<const Text> text) noexcept;

  ErrorKind kind_;
  int rank_ = no_rank;
  std::shared_ptr<const Text> text_;
};

// Refuses bad input of one stage: refuse("What is wrong.", "What to do about it.") throws an Error.
struct EVENKEEL_API Refusal {
  const char* stage;
  [[noreturn]] void operator()(std::string problem, std::string remedy) const;
};

}  // namespace evenkeel

// --- Assertions ----------------------------------------------------------------------------------
// Checks of evenkeel's own invariants, by level (CMake option EVENKEEL_ASSERTIONS). User input is
// never checked here: it is checked at every level and reported by exceptions. A broken invariant
// is an Error too: nothing aborts the process. The collective form is in comm/vote.hpp.

namespace evenkeel::detail {

[[noreturn]] EVENKEEL_API void assertion_failed(const char* condition, const char* meaning,
                                                const char* file, int line);

}  // namespace evenkeel::detail

// Throws an Error that says what the condition means, if it is false; evaluated from the level
// `local` on. Local.
#if EVENKEEL_ASSERTION_LEVEL >= 1
#define EVENKEEL_ASSERT(condition, meaning) \
  ((condition) ? void()                     \
               : ::evenkeel::detail::assertion_failed(#condition, meaning, __FILE__, __LINE__))
#else
#define EVENKEEL_ASSERT(condition, meaning) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
