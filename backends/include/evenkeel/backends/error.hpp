#pragma once

// The one exception type of evenkeel. An Error says where it arose, what is wrong and what to do.
// An Error that a vote throws is the same on all ranks and names the rank that failed.
//
// Copies share one text, so copying never fails. A vote can throw an Error even if no memory is
// left: a reserve is allocated in advance.

#include <evenkeel/backends/config.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace evenkeel {

// The cause of an Error, by which an application can choose how to react.
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

// The place at which an error arose: a stage of evenkeel ("core/field", "backends/comm"), or the
// file and line of a broken assertion.
struct Where {
  std::string stage;
};

// A failure, with its cause, its place, the problem and a remedy.
class EVENKEEL_API Error : public std::runtime_error {
 public:
  static constexpr int no_rank = -1;

  // `what` says what is wrong, and `remedy` what to do about it, in sentences that end with a full
  // stop.
  Error(ErrorKind kind, Where where, std::string what, std::string remedy);

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& where() const noexcept;
  const std::string& problem() const noexcept;
  const std::string& remedy() const noexcept;
  const char* what() const noexcept override;

  // The rank that failed, or no_rank if no vote has thrown this error.
  int rank() const noexcept { return rank_; }

  // Returns this error as all ranks get it after a vote: `failures` of `ranks` ranks failed, and
  // `rank` is the lowest of these.
  Error at_rank(int rank, int failures, int ranks) const;

  // Returns this error with the name of a Balancer, which what() shows after "evenkeel: ". If no
  // memory is left for the name, the error has no name.
  Error of(const std::string& name) const noexcept;
  const std::string& name() const noexcept;  // empty without a name

  // Makes an Error from plain texts. If no memory is left, the Error keeps its text in the reserve,
  // which has room for a few texts. If existing Errors already use all of this room, a further
  // Error says only that memory was refused.
  struct Told {
    ErrorKind kind;
    const char *where, *problem, *remedy;
    int rank, failures, ranks;
  };
  static Error told(const Told& told) noexcept;

  // An Error for a refused allocation. It needs no memory either.
  static Error out_of_memory(const char* stage) noexcept;

  // Allocates the reserve. Every Communicator calls this when it is made.
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

}  // namespace evenkeel

// --- Assertions ----------------------------------------------------------------------------------
// Checks of evenkeel's own invariants, by level (CMake option EVENKEEL_ASSERTIONS). They are not
// for user input, which is checked at every level. A broken invariant throws an Error, too; nothing
// aborts the process. The collective form is in comm/ballot.hpp.

namespace evenkeel::detail {

// Refuses bad input of one stage: refuse("What is wrong.", "What to do about it.") throws an Error.
struct EVENKEEL_API Refusal {
  const char* stage;
  [[noreturn]] void operator()(std::string problem, std::string remedy) const;
};

[[noreturn]] EVENKEEL_API void assertion_failed(const char* condition, const char* meaning,
                                                const char* file, int line);

}  // namespace evenkeel::detail

// Throws an Error that states `meaning` if the condition is false. At the level `off` the condition
// is not evaluated. Local.
#if EVENKEEL_ASSERTION_LEVEL >= 1
#define EVENKEEL_ASSERT(condition, meaning) \
  ((condition) ? void()                     \
               : ::evenkeel::detail::assertion_failed(#condition, meaning, __FILE__, __LINE__))
#else
#define EVENKEEL_ASSERT(condition, meaning) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
