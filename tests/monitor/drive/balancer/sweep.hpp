#pragma once

// In a try, something fails on one rank during a rebalance, or during the steps around a look. Each
// try must end in one of two ways. Absorbed: all ranks continue as if nothing had failed. Proper:
// all ranks throw the same Error, nothing has changed, and the next rebalance works.
//
// With EVENKEEL_TEST_SWEEP=whole everything is tried; otherwise every n-th failure, see
// docs/reliability.md. Include this in one source file.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"

#if EVENKEEL_HAS_MPI
#include "support/mpi_faults.hpp"
#endif

#include <evenkeel/core/field/payload.hpp>

#include <cstdio>
#include <exception>
#include <new>

#include <unistd.h>

extern "C" char __executable_start;

namespace evenkeel::test {

#if !EVENKEEL_HAS_MPI
struct Stranded {};
#endif

// --- The application -----------------------------------------------------------------------------

inline constexpr std::int64_t objects = 90;

// Hooks allocate this text.
inline std::unique_ptr<std::string> noted;

struct SweptCloud {
  Kokkos::View<double* [3], Kokkos::HostSpace> x;
  Ids id;
  std::vector<float> heat;
  std::vector<int> first;
  std::vector<std::int64_t> neighbours;
  std::vector<std::int64_t> group;
  bool is_bound = false;
  bool is_plain = false;

  void load(const Communicator& communicator) {
    const Ids ids = ids_here(communicator, in_turn, objects);
    x = decltype(x)("x", ids.size());
    id.resize(ids.size());
    heat.resize(ids.size());
    first.assign(1, 0);
    neighbours.clear();
    group.clear();
    for (const std::int64_t i : ids) {
      for (std::int64_t k = 0; k < i % 4; ++k) neighbours.push_back(100 * i + k);
      first.push_back(static_cast<int>(neighbours.size()));
      group.push_back(i % 5 == 0 ? i / 10 : -1);
    }
    write_objects(as_set(), everywhere, ids);
  }
  Set as_set() {
    SetOptions options;
    if (is_bound) options.group = group;
    if (is_plain) return set(x, carry(id, heat), options);
    return set(x, carry(id, heat, csr(first, neighbours)), options);
  }
  void expect_complete(const Communicator& communicator) {
    test::expect_intact(communicator, as_set(), everywhere, test::counting<std::int64_t>(objects));
    if (is_plain) return;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < id.size(); ++i) {
      const auto begin = static_cast<std::size_t>(first[i]);
      const auto length = static_cast<std::int64_t>(first[i + 1] - first[i]);
      wrong += length == id[i] % 4 ? 0 : 1;
      for (std::int64_t k = 0; k < length; ++k)
        wrong += neighbours[begin + static_cast<std::size_t>(k)] == 100 * id[i] + k ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }
  test::Snapshot seen() { return test::snapshot_of({{as_set()}}); }
};

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
  std::fprintf(stderr, "frames %s:", what.c_str());
  const auto base = reinterpret_cast<std::uintptr_t>(&__executable_start);
  for (int f = 1; f < refusals.depth; ++f)
    std::fprintf(stderr, " 0x%zx", reinterpret_cast<std::uintptr_t>(refusals.frames[f]) - base);
  std::fprintf(stderr, "\n");
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

// The state before the failure, and the calls during which something fails.
struct Scenario {
  const char* name;
  Method method;
  bool is_bound;
  bool is_first;         // no rebalance has taken place
  bool looks;            // steps until a look leads to a rebalance; otherwise one by hand
  double target_lambda;  // if it is 0, always cuts again
  int stride;            // of a sample
  bool has_watcher = false;
  bool migrates = false;  // instead of a rebalance
  bool is_plain = false;  // no payload
  bool is_hooked = false;
};

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
  std::unique_ptr<Balancer> balancer;
  SweptCloud cloud;
  std::optional<Kernel> work;
  std::vector<Set> sets;  // filled again before each try

  static bool is_whole() {
    const char* how = std::getenv("EVENKEEL_TEST_SWEEP");
    return how != nullptr && std::string(how) == "whole";
  }
  static int stride_of(int sampled) {
    const char* how = std::getenv("EVENKEEL_TEST_SWEEP");
    if (is_whole()) return 1;
    return how != nullptr && std::atoi(how) > 0 ? std::atoi(how) : sampled;
  }

  void begin(const Scenario& scenario) {
    Options options{.method = scenario.method,
                    .trigger = Threshold{.lambda = 1.05},
                    .target_lambda = scenario.target_lambda,
                    .epoch_steps = 6,
                    .warmup_steps = 0,
                    .own_clock = &virtual_now,
                    .watcher = scenario.has_watcher,
                    .log = LogLevel::off};
    balancer = std::make_unique<Balancer>(*communicator, options);
    work.emplace(balancer->kernel("work"));
    if (scenario.is_hooked) {
      balancer->before_move([] { noted = std::make_unique<std::string>(100, 'b'); });
      balancer->after_move(
          [](const MoveReport&) { noted = std::make_unique<std::string>(100, 'a'); });
    }
    cloud.is_bound = scenario.is_bound;
    cloud.is_plain = scenario.is_plain;
    if (scenario.is_first) return;
    load();
    step();
    balancer->rebalance(std::span<const Set>(sets));
  }

  void load() {
    cloud.load(*communicator);
    sets.assign(1, cloud.as_set());
  }

  MoveReport step() {
    spend(*work, 1000000 * (rank + 1));
    virtual_time += 1000;
    return balancer->step(std::span<const Set>(sets));
  }

  // The calls during which something fails. Returns true if objects have moved.
  bool act(const Scenario& scenario) {
    if (scenario.migrates) return balancer->migrate(std::span<const Set>(sets)).moved;
    if (!scenario.looks) return balancer->rebalance(std::span<const Set>(sets)).moved;
    bool moved = false;
    for (int i = 0; i < 13; ++i) moved = step().moved || moved;
    return moved;
  }

  int all(int mine, Reduction reduction) const {
#if EVENKEEL_HAS_MPI
    PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT,
                   reduction == Reduction::sum     ? MPI_SUM
                   : reduction == Reduction::least ? MPI_MIN
                                                   : MPI_MAX,
                   Harbour::here().ranks());
#else
    static_cast<void>(reduction);
#endif
    return mine;
  }

  // Collective. Returns the outcome of a try. `before` is the state at its begin.
  Outcome judge(const Scenario& scenario, const Ended& mine, const test::Snapshot& before) {
    if (all(mine.is_stranded ? 1 : 0, Reduction::greatest) != 0) return Outcome::hang;
    const int thrown = all(mine.has_thrown ? 1 : 0, Reduction::sum);
    const int hash = static_cast<int>(std::hash<std::string>()(mine.text) >> 33U);
    const bool same = all(hash, Reduction::least) == all(hash, Reduction::greatest);
    const bool errors = all(mine.is_error ? 1 : 0, Reduction::sum) == size;
    if (thrown == 0) return Outcome::absorbed;
    const int as_before = cloud.seen() == before ? 1 : 0;
    // If a hook after the move throws, the objects must have moved on all ranks.
    const bool kept = all(as_before, Reduction::least) != 0 ||
                      (scenario.is_hooked && all(as_before, Reduction::greatest) == 0);
    return errors && same && kept ? Outcome::proper : Outcome::wrong;
  }

  // Runs one try, in which the culprit calls `strike`. Returns false if nothing was left to strike.
  template <class Strike, class Struck>
  bool one_try(const Scenario& scenario, int culprit, const std::string& what, const Strike& strike,
               const Struck& struck, Tally& tally, bool may_hang = false) {
    if (balancer == nullptr || scenario.looks || scenario.is_first) {
      if (balancer != nullptr) finish_quietly();
      begin(scenario);
    }
    load();
    const test::Snapshot before = cloud.seen();
    present_try = what;
#if EVENKEEL_HAS_MPI
    Harbour::here().enter();
    PMPI_Barrier(Harbour::here().ranks());
#endif
    bool moved = false;
    if (rank == culprit) strike();
    const Ended how = ended([&] { moved = act(scenario); });
    const bool hit = rank == culprit && struck();
#if EVENKEEL_HAS_MPI
    Harbour::here().disarm();
#endif
#if EVENKEEL_HAS_MPI
    Harbour::here().leave();
#endif
    if (all(hit ? 1 : 0, Reduction::greatest) == 0) return false;
    Outcome outcome = judge(scenario, how, before);
#if EVENKEEL_HAS_MPI
    Harbour::here().enter();
#endif
    if (outcome == Outcome::hang) {
      // The rank on which MPI failed must name the call.
      const bool tells =
          rank != culprit || (how.is_error && how.text.find("MPI_") != how.text.npos);
      if (may_hang && all(tells ? 1 : 0, Reduction::least) != 0) outcome = Outcome::documented;
      begin_anew();
    } else {
      if (outcome == Outcome::absorbed) {
        // A look may lack memory. Then no rank moves objects.
        const int least = scenario.looks ? all(moved ? 1 : 0, Reduction::greatest) : size > 1;
        if (all(moved ? 1 : 0, Reduction::least) != least) outcome = Outcome::wrong;
      }
      const Ended after = ended([&] { balancer->rebalance(std::span<const Set>(sets)); });
      if (all(after.has_thrown ? 1 : 0, Reduction::greatest) != 0) {
        outcome = Outcome::wrong;
        if (after.has_thrown)
          std::fprintf(stderr, "rank %d: afterwards: %s\n", rank, after.text.c_str());
        if (all(after.is_stranded ? 1 : 0, Reduction::greatest) != 0) {
          begin_anew();
        }
      } else {
        cloud.expect_complete(*communicator);
      }
    }
    ++tally.of[static_cast<std::size_t>(outcome)];
    const std::string name = names_of_outcomes[static_cast<std::size_t>(outcome)];
    const bool bad = outcome == Outcome::hang || outcome == Outcome::wrong;
    if (bad) ADD_FAILURE() << what << ": " << name << ": " << how.text;
    if (rank == culprit && (bad || tells_all())) print_frames(name + ' ' + what);
    return true;
  }

  // After a hang, communicators are unusable, so they must not be accessed. They and the Balancer
  // are kept in a list to the end, so that the leak checker still finds them.
  void begin_anew() {
#if EVENKEEL_HAS_MPI
    Harbour::here().enter();
    PMPI_Barrier(Harbour::here().ranks());
#endif
    struct Abandoned {
      Balancer* balancer;
      std::optional<Communicator>* communicator;
    };
    static auto& abandoned = *new std::vector<Abandoned>;
    abandoned.push_back(
        {balancer.release(), new std::optional<Communicator>(std::move(communicator))});
    communicator.emplace(test::world());
  }

  void finish_quietly() {
    if (balancer == nullptr) return;
    balancer->finish();
    balancer.reset();
  }

  void refuse_memory(const Scenario& scenario, bool and_all_later) {
    Tally tally;
    const int stride = stride_of(scenario.stride);
    for (int culprit = 0; culprit < size; ++culprit) {
      if (!is_whole() && culprit != size / 2) continue;
      for (std::int64_t n = 1;; n += stride) {
        const std::string what = std::string(scenario.name) + ", allocation " + std::to_string(n) +
                                 (and_all_later ? " and all later" : "") + ", rank " +
                                 std::to_string(culprit);
        const bool goes_on = one_try(
            scenario, culprit, what, [&] { refusals.arm(n, and_all_later); },
            [] { return refusals.refused > 0; }, tally);
        if (!goes_on) break;
      }
    }
    finish_quietly();
    if (rank == 0)
      tally.print(std::string(scenario.name) + (and_all_later ? ", for good" : ", once"));
  }
};

}  // namespace evenkeel::test
