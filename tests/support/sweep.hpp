#pragma once

// In a try, something fails on one rank during calls of evenkeel. Each try must end in one of two
// ways. Absorbed: all ranks continue as if nothing had failed. Proper: all ranks throw the same
// Error, nothing has changed, and the next calls work.
//
// With EVENKEEL_TEST_SWEEP=whole everything is tried; otherwise every n-th failure, and on one rank
// every refused allocation, see docs/reliability.md. Include this in one source file of a program.

#include "support/harness.hpp"

#if EVENKEEL_HAS_MPI
#include "support/mpi_faults.hpp"
#else
#include "support/refused_memory.hpp"
#endif

#include <cstdio>
#include <exception>
#include <new>

namespace evenkeel::test {

#if !EVENKEEL_HAS_MPI
struct Stranded {};
#endif

// Collective. Works while MPI is made to fail.
inline int over_ranks(int mine, [[maybe_unused]] Reduction reduction) {
#if EVENKEEL_HAS_MPI
  PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT,
                 reduction == Reduction::sum     ? MPI_SUM
                 : reduction == Reduction::least ? MPI_MIN
                                                 : MPI_MAX,
                 Harbour::here().ranks());
#endif
  return mine;
}
inline bool on_all_ranks(bool mine) { return over_ranks(mine ? 1 : 0, Reduction::least) != 0; }
inline bool on_any_rank(bool mine) { return over_ranks(mine ? 1 : 0, Reduction::greatest) != 0; }

// --- What is tried -------------------------------------------------------------------------------

// An object of evenkeel, and the calls of it during which something fails. All members are
// collective, and nothing else fails. After a hang it is never used or destroyed.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;
  // Brings everything into the state before a try.
  virtual void prepare() = 0;
  virtual void act() = 0;
  // If act() has thrown: true if everything is as before.
  virtual bool is_as_before() = 0;
  // If act() has returned: true if it has had its effect.
  virtual bool has_acted() = 0;
  // Uses the object again, and checks the results.
  virtual void go_on() = 0;
};

// Calls with a result that depends only on what load() makes. So a call after a failure must give
// the same as the first call.
class Repeatable : public Subject {
 public:
  void prepare() final {
    if (expected_.empty()) expected_ = result();
    load();
    before_ = state();
  }
  bool is_as_before() final { return on_all_ranks(state() == before_); }
  bool has_acted() override { return on_all_ranks(state() == expected_); }
  void go_on() final { EXPECT_TRUE(result() == expected_); }

 protected:
  virtual void load() = 0;
  virtual std::string state() = 0;  // collective

 private:
  std::string result() {
    load();
    act();
    return state();
  }
  std::string expected_, before_;
};

template <class T>
std::string bytes_in(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

struct Trial {
  std::string name;
  std::function<std::unique_ptr<Subject>(const Communicator&)> make;
  int stride;          // of a sample
  bool looks = false;  // it makes steps with looks, so it takes long
  // If false, no vote follows its messages. If one fails, only its rank throws an Error.
  bool votes_on_messages = true;
  // If false, only memory is refused: after a failed gather, its rank votes while the others
  // continue, and MPI ends the program.
  bool fails_calls = true;
  friend void PrintTo(const Trial& trial, std::ostream* out) { *out << trial.name; }
};

inline std::string name_of_trial(const testing::TestParamInfo<Trial>& trial) {
  std::string name = trial.param.name;
  std::erase_if(name, [](char c) { return c == ',' || c == ' '; });
  return name;
}

// --- Results -------------------------------------------------------------------------------------

// `documented` means that docs/reliability.md names the call, after whose failure MPI offers no
// recovery.
enum class Outcome : int { absorbed, proper, documented, hang, wrong };
inline constexpr std::array<const char*, 5> names_of_outcomes = {"absorbed", "proper", "documented",
                                                                 "hang", "wrong"};

struct Tally {
  friend bool operator==(const Tally&, const Tally&) = default;
  std::array<std::int64_t, 5> of{};
  void print(const std::string& what) const {
    std::printf("%-52s", what.c_str());
    for (std::size_t o = 0; o < of.size(); ++o)
      std::printf(" %s %lld", names_of_outcomes[o], static_cast<long long>(of[o]));
    std::printf("\n");
  }
};

// How a try ended on this rank.
struct Ended {
  bool is_stranded = false, has_thrown = false, is_error = false;
  std::string text;
};

template <class Action>
Ended ended(const Action& action) {
  Ended how;
  try {
    action();
  } catch (const Error& error) {
    refusals.disarm();
    how = {false, true, true, error.what()};
  } catch (const Stranded&) {
    refusals.disarm();
    how = {true, true, false, "stranded"};
  } catch (const std::exception& exception) {
    refusals.disarm();
    how = {false, true, false, exception.what()};
  }
  refusals.disarm();
#if EVENKEEL_HAS_MPI
  how.is_stranded = how.is_stranded || Harbour::here().is_stranded();
#endif
  return how;
}

// With EVENKEEL_TEST_SWEEP_TELLS, all tries are printed, with the stack of the refused call.
inline bool tells_all() { return std::getenv("EVENKEEL_TEST_SWEEP_TELLS") != nullptr; }

inline void print_frames(const std::string& what) {
  std::string line = "frames " + what + ':';
  for (int f = 1; f < refusals.depth; ++f) {
    Dl_info info = {};
    if (dladdr(refusals.frames[f], &info) == 0) continue;
    const std::string_view file(info.dli_fname);
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%zx",
                  static_cast<std::size_t>(static_cast<char*>(refusals.frames[f]) -
                                           static_cast<char*>(info.dli_fbase)));
    line += ' ' + std::string(file.substr(file.rfind('/') + 1)) + offset;
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

// If a try crashes, prints the try and the stack.
inline std::string present_try;
[[noreturn]] inline void tell_crash() {
  refusals.disarm();
  print_frames("crash " + present_try);
  refusals.depth = backtrace(refusals.frames, test::Refusals::most_frames);
  print_frames("crash at " + present_try);
  std::abort();
}

// --- The sweep -----------------------------------------------------------------------------------

class Sweep : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    void* first[1];
    backtrace(first, 1);
    std::set_terminate(&tell_crash);
#if EVENKEEL_HAS_MPI
    Harbour::here().open();
#endif
  }
  static void TearDownTestSuite() {
#if EVENKEEL_HAS_MPI
    Harbour::here().close();
#endif
  }

  std::optional<Communicator> communicator{test::world()};
  int rank = test::rank(), size = test::size();
  std::unique_ptr<Subject> subject;

  static bool is_whole() {
    const char* how = std::getenv("EVENKEEL_TEST_SWEEP");
    return how != nullptr && std::string(how) == "whole";
  }
  static int stride_of(int sampled) {
    const char* how = std::getenv("EVENKEEL_TEST_SWEEP");
    if (is_whole()) return 1;
    return how != nullptr && std::atoi(how) > 0 ? std::atoi(how) : sampled;
  }

  // Collective. True if the Error of the rank on which MPI failed names the call or MPI's reason.
  bool is_told(const Ended& mine, int culprit) const {
    return on_all_ranks(rank != culprit ||
                        (mine.is_error && mine.text.find("MPI_") != mine.text.npos));
  }

  // Collective. Returns the outcome of a try.
  Outcome judge(const Ended& mine) {
    if (on_any_rank(mine.is_stranded)) return Outcome::hang;
    if (!on_any_rank(mine.has_thrown)) return Outcome::absorbed;
    const int hash = static_cast<int>(std::hash<std::string>()(mine.text) >> 33U);
    const bool same = over_ranks(hash, Reduction::least) == over_ranks(hash, Reduction::greatest);
    const bool errors = on_all_ranks(mine.is_error), as_before = subject->is_as_before();
    return errors && same && as_before ? Outcome::proper : Outcome::wrong;
  }

  // Runs one try, in which the culprit calls `strike`. Returns false if nothing was left to strike.
  template <class Strike, class Struck>
  bool one_try(const Trial& trial, int culprit, const std::string& what, const Strike& strike,
               const Struck& struck, Tally& tally, bool may_hang = false) {
    if (subject == nullptr) subject = trial.make(*communicator);
    subject->prepare();
    present_try = what;
#if EVENKEEL_HAS_MPI
    Harbour::here().enter();
    PMPI_Barrier(Harbour::here().ranks());
#endif
    if (rank == culprit) strike();
    const Ended how = ended([&] { subject->act(); });
    const bool hit = rank == culprit && struck();
#if EVENKEEL_HAS_MPI
    Harbour::here().disarm();
    Harbour::here().leave();
    PMPI_Barrier(Harbour::here().ranks());
    Harbour::here().enter();
    PMPI_Barrier(Harbour::here().ranks());
#endif
    if (!on_any_rank(hit)) return false;
    Outcome outcome = judge(how);
    if (outcome == Outcome::hang) {
      if (may_hang && is_told(how, culprit)) outcome = Outcome::documented;
      begin_anew();
    } else if (outcome == Outcome::wrong && may_hang && is_told(how, culprit)) {
      outcome = Outcome::documented;  // the other ranks had no call left that needs the culprit
      begin_anew();
    } else {
      if (outcome == Outcome::absorbed && !subject->has_acted()) outcome = Outcome::wrong;
      const Ended after = ended([&] { subject->go_on(); });
      if (on_any_rank(after.has_thrown)) {
        outcome = Outcome::wrong;
        if (after.has_thrown)
          std::fprintf(stderr, "rank %d: afterwards: %s\n", rank, after.text.c_str());
        if (on_any_rank(after.is_stranded)) begin_anew();
      }
    }
    ++tally.of[static_cast<std::size_t>(outcome)];
    const std::string name = names_of_outcomes[static_cast<std::size_t>(outcome)];
    const bool bad = outcome == Outcome::hang || outcome == Outcome::wrong;
    if (bad) ADD_FAILURE() << what << ": " << name << ": " << how.text;
    if (rank == culprit && (bad || tells_all())) print_frames(name + ' ' + what);
    return true;
  }

  // After a hang, communicators are unusable, so they must not be accessed. They and the subject
  // are kept in a list to the end, so that the leak checker still finds them.
  void begin_anew() {
#if EVENKEEL_HAS_MPI
    Harbour::here().enter();
    PMPI_Barrier(Harbour::here().ranks());
#endif
    struct Abandoned {
      Subject* subject;
      std::optional<Communicator>* communicator;
    };
    static auto& abandoned = *new std::vector<Abandoned>;
    abandoned.push_back(
        {subject.release(), new std::optional<Communicator>(std::move(communicator))});
    communicator.emplace(test::world());
  }

  void refuse_memory(const Trial& trial, bool and_all_later) {
    Tally tally;
    const int stride = size == 1 ? 1 : stride_of(trial.stride);  // tries on one rank take no time
    for (int culprit = 0; culprit < size; ++culprit) {
      if (!is_whole() && culprit != size / 2) continue;
      for (std::int64_t n = 1;; n += stride) {
        const std::string what = trial.name + ", allocation " + std::to_string(n) +
                                 (and_all_later ? " and all later" : "") + ", rank " +
                                 std::to_string(culprit);
        const bool goes_on = one_try(
            trial, culprit, what, [&] { refusals.arm(n, and_all_later); },
            [] { return refusals.refused > 0; }, tally);
        if (!goes_on) break;
      }
    }
    subject.reset();
    if (rank == 0) tally.print(trial.name + (and_all_later ? ", for good" : ", once"));
  }

#if EVENKEEL_HAS_MPI
  // If a rank cannot take part in one of these calls, it cannot notify the others, which are
  // already waiting in it.
  static bool may_hang(const Trial& trial, Call call) {
    switch (call) {
      case Call::isend:
      case Call::irecv:
      case Call::test:
      case Call::wait: return !trial.votes_on_messages;
      case Call::allreduce:
      case Call::exscan:
      case Call::broadcast:
      case Call::allgather:
      case Call::allgatherv:
      case Call::gatherv:
      case Call::barrier:
      case Call::duplicate: return true;
      default: return false;
    }
  }

  void fail_calls(const Trial& trial) {
    if (!trial.fails_calls) GTEST_SKIP() << "tries refused memory only";
    for (int c = 0; c < static_cast<int>(Call::count); ++c) {
      const auto call = static_cast<Call>(c);
      const char* const name = names_of_calls[static_cast<std::size_t>(c)];
      // Finding a hang takes long, so a sample of tries has few of them.
      const bool is_sampled = trial.looks == (call == Call::allreduce);
      // After ranks have left this call, MPI cannot end.
      if (call == Call::duplicate && size > 1) continue;
      const bool hangs = may_hang(trial, call);
      if (hangs && !is_whole() && !is_sampled) continue;
      const int stride = stride_of(hangs ? 1000 : 5);
      Tally tally;
      for (int culprit = 0; culprit < size; ++culprit) {
        if (!is_whole() && culprit != size / 2) continue;
        for (std::int64_t n = 1;; n += stride) {
          const std::string what = trial.name + ", " + name + ' ' + std::to_string(n) + ", rank " +
                                   std::to_string(culprit);
          const bool goes_on = one_try(
              trial, culprit, what, [&] { Harbour::here().arm(call, n, false); },
              [] { return Harbour::here().failed() > 0; }, tally, hangs);
          if (!goes_on) break;
        }
      }
      subject.reset();
      if (rank == 0 && tally != Tally()) tally.print(trial.name + ", " + name);
    }
  }
#endif
};

std::vector<Trial> all_trials();  // of the program

class RefusedMemory : public Sweep, public testing::WithParamInterface<Trial> {};
TEST_P(RefusedMemory, Once) { refuse_memory(GetParam(), false); }
TEST_P(RefusedMemory, ForGood) { refuse_memory(GetParam(), true); }
INSTANTIATE_TEST_SUITE_P(All, RefusedMemory, testing::ValuesIn(all_trials()), name_of_trial);

#if EVENKEEL_HAS_MPI
class FailedCalls : public Sweep, public testing::WithParamInterface<Trial> {};
TEST_P(FailedCalls, Once) { fail_calls(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, FailedCalls, testing::ValuesIn(all_trials()), name_of_trial);
#endif

}  // namespace evenkeel::test
