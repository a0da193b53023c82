
#include "decide/looks.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"
#include "tell/watcher.hpp"

#include <evenkeel/backends/error.hpp>

#include <latch>

namespace evenkeel::protocol_test {
namespace {

constexpr std::int64_t d = protocol_latency_steps;
constexpr std::int64_t last = 2 * d + 1;  // the step, counted from the end of the epoch, that
                                          // settles a look
constexpr std::int64_t first_end = 8;     // of the epoch in tests of one look

// How far the watcher is when its answer is needed.
enum class Pace { no_thread, as_it_comes, ahead, stuck };

const auto paces = testing::Values(Pace::no_thread, Pace::as_it_comes, Pace::ahead, Pace::stuck);

std::string name_of_pace(const testing::TestParamInfo<Pace>& info) {
  constexpr std::array names = {"NoThread", "AsItComes", "Ahead", "Stuck"};
  return names[static_cast<std::size_t>(info.param)];
}

class PacedWatcher {
 public:
  explicit PacedWatcher(Pace pace)
      : pace_(pace), watcher_(pace != Pace::no_thread, std::chrono::microseconds(50)) {
    if (pace == Pace::stuck) watcher_.offer([this] { end_.wait(); });
  }
  ~PacedWatcher() { end_.count_down(); }
  PacedWatcher(const PacedWatcher&) = delete;
  PacedWatcher& operator=(const PacedWatcher&) = delete;

  Watcher& watcher() { return watcher_; }
  void catch_up() {
    if (pace_ == Pace::ahead) drain();
  }

 private:
  // Waits until all tasks have run. Some tasks run only once a later one is offered.
  void drain() {
    std::atomic<bool> done = false;
    watcher_.offer([&] { done = true; });
    while (!done) {
      watcher_.offer([] {});
      std::this_thread::yield();
    }
  }

  Pace pace_;
  std::latch end_{1};
  Watcher watcher_;
};

int& asked_on_this_thread() {
  thread_local int count = 0;
  return count;
}

bool is_uneven(const LoadView& load) {
  ++asked_on_this_thread();
  return load.slowest > load.average;
}

bool never(const LoadView&) { return false; }
bool fails(const LoadView&) { throw std::runtime_error("the rule has a gap"); }

DecisionState first_state() { return {.trigger = Custom{&is_uneven}}; }

// The load of a rank in an epoch, which every rank can compute.
std::int64_t load_of(int rank, std::int64_t step) {
  std::mt19937_64 random(static_cast<std::uint64_t>(1000 * step + rank));
  return static_cast<std::int64_t>(random() % 1'000'000);
}

Sample sample_of(int rank, std::int64_t step, std::int64_t generation = 0) {
  const std::int64_t load = load_of(rank, step);
  Sample sample = {.step = step,
                   .steps = 6,
                   .generation = generation,
                   .objects = 10 * (rank + 1),
                   .load = load,
                   .duration = 2 * load,
                   .variance = load / 100,
                   .kernels = {load / 3, load - load / 3},
                   .names = 42};
  test::tell_all_steps(sample, test::StepLoads(static_cast<std::size_t>(8 + rank % 2), load / 6));
  sample.would_be.fresh = load;
  return sample;
}

Totals totals_over(int ranks, std::int64_t step, const DecisionState& state) {
  return test::over_ranks(static_cast<std::size_t>(ranks), [&](std::size_t rank) {
    return totals_of(sample_of(static_cast<int>(rank), step, state.generation), state.mean_load);
  });
}

using test::bytes_of;

// The protocol, the decider and the watcher of one rank.
struct Session {
  Session(const Communicator& outer, Pace pace, const DecisionState& state = first_state(),
          std::uint64_t options_hash = 1, bool with_picture = false)
      : protocol(outer.duplicate(), options_hash, with_picture, MeetingPatience(0, {})),
        looks(state, [this](Watcher::Task task) { watcher.watcher().offer(std::move(task)); }),
        watcher(pace) {}

  std::shared_ptr<const Look> advance(std::int64_t step) {
    watcher.catch_up();
    return protocol.advance(step, looks) ? looks.take() : nullptr;
  }
  void post(std::int64_t step) {
    protocol.post(sample_of(protocol.communicator().rank(), step, looks.state().generation),
                  looks.state().mean_load);
  }
  std::optional<Totals> finish() {
    const auto unseen = protocol.finish();
    const auto undecided = looks.take_undecided();
    return unseen ? unseen : undecided;
  }
  Totals reduce_now(const Sample& sample) {
    return protocol.reduce_now(Meeting::finish, sample, looks.state().mean_load);
  }
  // Runs `steps` steps of the look at an epoch that ends with `step`.
  void begin_look(std::int64_t steps, std::int64_t step = first_end) {
    post(step);
    for (std::int64_t passed = 1; passed <= steps; ++passed) advance(step + passed);
  }
  // Runs all steps of a look.
  std::shared_ptr<const Look> look(std::int64_t step) {
    post(step);
    for (std::int64_t passed = 1; passed < last; ++passed)
      EXPECT_EQ(advance(step + passed), nullptr);
    return advance(step + last);
  }

  Protocol protocol;
  Looks looks;
  PacedWatcher watcher;
};

class ProtocolTest : public testing::TestWithParam<Pace> {
 protected:
  Communicator outer = test::world();
  int rank = outer.rank(), size = outer.size();
};

INSTANTIATE_TEST_SUITE_P(Paces, ProtocolTest, paces, name_of_pace);

// --- Looks ---------------------------------------------------------------------------------------

// Epochs are as short as possible, one after the other. The results must be those of a serial run.
TEST_P(ProtocolTest, SettlesAtAFixedStepAsASerialRunDoes) {
  Session session(outer, GetParam());
  DecisionState state = first_state();
  std::optional<Verdict> expected;
  Totals totals;
  int settled = 0;
  for (std::int64_t step = 1; step <= 20 * least_epoch_steps; ++step) {
    const auto look = session.advance(step);
    const bool due = expected && step % least_epoch_steps == last % least_epoch_steps;
    ASSERT_EQ(look != nullptr, due) << step;
    if (look) {
      EXPECT_EQ(bytes_of(look->totals), bytes_of(totals));
      EXPECT_EQ(hash_of(look->before), hash_of(state));
      EXPECT_TRUE(look->verdict.decision == expected->decision);
      EXPECT_EQ(hash_of(look->verdict.state), hash_of(expected->state));
      EXPECT_FALSE(look->picture.has_value());
      state = expected->state;
      ++settled;
    }
    EXPECT_EQ(session.looks.state().looks,
              expected && step % least_epoch_steps > d ? expected->state.looks : state.looks);
    if (step % least_epoch_steps == 0) {
      session.post(step);
      totals = totals_over(size, step, state);
      expected = fold(state, totals);
    }
  }
  EXPECT_EQ(settled, 19);
  EXPECT_EQ(hash_of(session.looks.state()), hash_of(state));
}

TEST_P(ProtocolTest, TheRuleIsAskedWhereItWasThoughtOf) {
  Session session(outer, GetParam());
  asked_on_this_thread() = 0;
  const auto look = session.look(first_end);
  ASSERT_NE(look, nullptr);
  EXPECT_EQ(look->verdict.decision.action, size > 1 ? Action::rebalance : Action::hold);
  if (GetParam() == Pace::ahead) {
    EXPECT_EQ(asked_on_this_thread(), 0) << "the watcher's word is taken";
  } else if (GetParam() != Pace::as_it_comes) {
    EXPECT_EQ(asked_on_this_thread(), 1);
  }
}

TEST_P(ProtocolTest, ThePictureShowsTheRanks) {
  Session session(outer, GetParam(), first_state(), 1, true);
  for (const std::int64_t step : {8, 16}) {
    const auto look = session.look(step);
    ASSERT_TRUE(look && look->picture);
    for (int r = 0; r < LoadPicture::slots; ++r)
      EXPECT_EQ(look->picture->values[static_cast<std::size_t>(r)],
                r < size ? load_of(r, step) : 0);
  }
}

TEST_P(ProtocolTest, NothingHappensWithoutALook) {
  Session session(outer, GetParam());
  const std::int64_t steps = rank == 0 ? 100 : 1;  // a message would find no partner
  for (std::int64_t step = 1; step < steps; ++step) EXPECT_EQ(session.advance(step), nullptr);
  EXPECT_NE(session.look(104), nullptr);
}

// Each rank in turn runs ahead, as far as it can without the others. If it had to wait earlier, the
// test would hang.
TEST_P(ProtocolTest, WaitsAtTwoStepsAlone) {
  for (int hasty = 0; hasty < size; ++hasty) {
    Session session(outer, GetParam());
    const auto in_turn = [&](const std::function<void()>& steps) {
      if (rank == hasty) steps();
      outer.barrier();
      if (rank != hasty) steps();
    };
    in_turn([&] { session.begin_look(d - 1); });
    in_turn([&] {
      for (std::int64_t passed = d; passed < last; ++passed) session.advance(first_end + passed);
    });
    EXPECT_NE(session.advance(first_end + last), nullptr);
  }
}

#if EVENKEEL_ASSERTION_LEVEL >= 1
TEST_P(ProtocolTest, OneLookAtATime) {
  Session session(outer, GetParam());
  session.post(first_end);
  EXPECT_ERROR(session.post(first_end + 1), "The protocol of the last look is over");
}
#endif

// --- Rebalances in between -----------------------------------------------------------------------

// The application rebalances at the end of step number `at` of the look.
std::shared_ptr<const Look> look_with_rebalance(Session& session, std::int64_t at,
                                                std::int64_t generation) {
  session.post(first_end);
  for (std::int64_t passed = 0; passed < last; ++passed) {
    EXPECT_EQ(session.advance(first_end + passed), nullptr);
    if (passed == at)
      session.looks.set_state(rebalanced(session.looks.state(), first_end + at, generation));
  }
  return session.advance(first_end + last);
}

TEST_P(ProtocolTest, ANewGenerationDropsALookThatIsNotDecided) {
  for (std::int64_t at = 0; at < last; ++at) {
    Session session(outer, GetParam());
    const auto look = look_with_rebalance(session, at, 1);
    ASSERT_NE(look, nullptr);
    EXPECT_EQ(look->verdict.decision.reason, at <= d ? Reason::outdated : Reason::custom) << at;
    EXPECT_TRUE(fold(look->before, look->totals).decision == look->verdict.decision);
    const DecisionState& state = session.looks.state();
    EXPECT_EQ(state.generation, 1);
    EXPECT_EQ(state.rebalanced_at, first_end + at);
    EXPECT_EQ(state.looks, 1);
    EXPECT_EQ(state.rebalances, 1);
    EXPECT_NE(look->totals.generation_least, state.generation) << "as the monitor notices";

    const auto next = session.look(first_end + at + 100);
    EXPECT_EQ(next->verdict.decision.reason, Reason::custom);
    EXPECT_EQ(next->verdict.state.looks, 2);
  }
}

TEST_P(ProtocolTest, ARebalanceThatMovedNothingStartsTheCoolDown) {
  for (std::int64_t at = 0; at <= d; ++at) {
    DecisionState state = first_state();
    state.cooldown_steps = 100;
    Session session(outer, GetParam(), state);
    const auto look = look_with_rebalance(session, at, 0);
    ASSERT_NE(look, nullptr);
    EXPECT_EQ(look->verdict.decision.reason, Reason::cooling_down);
  }
}

// --- Ranks that run differently ------------------------------------------------------------------

class Disagreement : public ProtocolTest {
 protected:
  // An action of one rank alone, `passed` steps after the end of the epoch.
  using Act = std::function<void(Looks&, std::int64_t passed)>;

  // Rank `odd` acts alone. The Error must be thrown at the last step of the look, and not before.
  std::string error_of(Session& session, int odd, const Act& act, std::int64_t ahead = 0) {
    const std::int64_t step = first_end + (rank == odd ? ahead : 0);
    for (std::int64_t passed = 0; passed < last; ++passed) {
      if (rank == odd) act(session.looks, passed);
      if (passed == 0)
        session.post(step);
      else
        EXPECT_EQ(test::error_of([&] { session.advance(step + passed); }), "nothing was thrown");
    }
    return test::error_everywhere([&] { session.advance(step + last); });
  }

  // Each rank in turn acts alone.
  void expect_error(const Act& act, const std::string& about, std::int64_t ahead = 0) {
    for (int odd = 0; odd < size; ++odd) {
      Session session(outer, GetParam(), first_state(),
                      about == "the options" && rank == odd ? 2 : 1);
      const std::string text = error_of(session, odd, act, ahead);
      EXPECT_MENTIONS(text, size == 1
                                ? "nothing was thrown"
                                : "The ranks do not agree on " + about + ". Nothing was moved.");
      if (about == "the options") continue;
      session.looks.set_state(first_state());
      EXPECT_NE(session.look(first_end + 100), nullptr) << "nothing is left over";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Paces, Disagreement, paces, name_of_pace);

// Acts once, before the step `when` of the look.
template <class Change>
auto before_step(std::int64_t when, Change change) {
  return [when, change](Looks& looks, std::int64_t passed) {
    if (passed != when) return;
    DecisionState state = looks.state();
    change(state);
    looks.set_state(state);
  };
}

TEST_P(Disagreement, NobodyDiffers) {
  Session session(outer, GetParam());
  EXPECT_EQ(error_of(session, 0, [](Looks&, std::int64_t) {}), "nothing was thrown");
}

TEST_P(Disagreement, AnotherRule) {
  expect_error(before_step(0, [](DecisionState& state) { state.trigger = Custom{&never}; }),
               "the decision");
}

// A custom rule throws on one rank, or on all.
TEST_P(Disagreement, ARuleThatThrows) {
  for (int odd = 0; odd <= size; ++odd) {
    Session session(outer, GetParam());
    const auto fail = before_step(0, [](DecisionState& state) { state.trigger = Custom{&fails}; });
    const std::string text = error_of(session, odd == size ? rank : odd, fail);
    EXPECT_MENTIONS(text, "evenkeel: rank " + std::to_string(odd % size));
    EXPECT_MENTIONS(text,
                    ": monitor/epoch: The application threw an exception: the rule has a gap. "
                    "Nothing was moved. "
                    "Balancing is off from here on.");
    session.looks.set_state(first_state());
    EXPECT_NE(session.look(first_end + 100), nullptr) << "nothing is left over";
  }
}

TEST_P(Disagreement, AnotherState) {
  for (const std::int64_t when : {std::int64_t{0}, d})
    expect_error(before_step(when, [](DecisionState& state) { ++state.looks; }),
                 "what was observed");
  expect_error(before_step(0, [](DecisionState& state) { state.floor_percent = 1e-9; }),
               "what was observed");
}

TEST_P(Disagreement, AnotherGeneration) {
  for (std::int64_t when = 0; when <= d + 1; ++when)
    expect_error(
        before_step(when, [](DecisionState& state) { ++state.generation; }),
        "the generation, what was observed" + std::string(when > 0 ? ", the decision" : ""));
}

TEST_P(Disagreement, AnotherStep) {
  expect_error([](Looks&, std::int64_t) {}, "the number of the step", 1);
}

TEST_P(Disagreement, OtherOptions) {
  expect_error([](Looks&, std::int64_t) {}, "the options");
}

// --- The end -------------------------------------------------------------------------------------

TEST_P(ProtocolTest, FinishesInEveryPhaseOfALook) {
  for (std::int64_t phase = 0; phase <= last; ++phase)
    for (const bool with_picture : {false, true}) {
      Session session(outer, GetParam(), first_state(), 1, with_picture);
      session.begin_look(phase);
      static_cast<void>(session.finish());
      EXPECT_FALSE(session.finish().has_value()) << "they are reported once";
      for (std::int64_t passed = phase + 1; passed <= last; ++passed)
        EXPECT_EQ(session.advance(first_end + passed), nullptr);
      EXPECT_NE(session.look(first_end + 100), nullptr);
    }
}

TEST_P(ProtocolTest, FinishesUnused) {
  Session session(outer, GetParam());
  EXPECT_FALSE(session.finish().has_value());
  EXPECT_EQ(session.advance(1), nullptr);
}

// Each look must count once: either in the state, or in the totals that finish() returns.
TEST_P(ProtocolTest, FinishHandsBackWhatTheStateKnowsNothingOf) {
  for (std::int64_t phase = 0; phase <= last; ++phase)
    for (const bool with_picture : {false, true}) {
      Session session(outer, GetParam(), first_state(), 1, with_picture);
      ASSERT_NE(session.look(first_end), nullptr);
      const DecisionState before = session.looks.state();
      const std::int64_t step = first_end + 8;
      session.begin_look(phase, step);
      const std::optional<Totals> unseen = session.finish();
      ASSERT_EQ(unseen.has_value(), phase <= d) << phase;
      const DecisionState& state = session.looks.state();
      EXPECT_EQ(state.looks, phase <= d ? 1 : 2);
      const Totals expected = totals_over(size, step, before);
      if (unseen) {
        EXPECT_EQ(bytes_of(*unseen), bytes_of(expected));
        EXPECT_EQ(hash_of(state), hash_of(before));
      }
      const DecisionState books = unseen ? accounted(state, *unseen) : state;
      EXPECT_EQ(books.ledger.run.steps, 2 * expected.all_steps);
    }
}

// --- Apart from looks ----------------------------------------------------------------------------

TEST_P(ProtocolTest, ReducesAtOnce) {
  DecisionState state = first_state();
  state.mean_load = 300'000;  // the picture counts spreads around this load
  Session session(outer, GetParam(), state);
  const Totals all = session.reduce_now(sample_of(rank, 5));
  EXPECT_EQ(bytes_of(all), bytes_of(totals_over(size, 5, state)));
  EXPECT_EQ(hash_of(session.looks.state()), hash_of(state)) << "the state does not know";
}

TEST_P(ProtocolTest, ReducesAtOnceInEveryPhaseOfALook) {
  for (std::int64_t phase = 0; phase < last; ++phase) {
    Session session(outer, GetParam());
    session.begin_look(phase);
    const Totals all = session.reduce_now(sample_of(rank, 5));
    EXPECT_EQ(bytes_of(all), bytes_of(totals_over(size, 5, session.looks.state())));
    for (std::int64_t passed = phase + 1; passed < last; ++passed)
      session.advance(first_end + passed);
    const auto look = session.advance(first_end + last);
    ASSERT_NE(look, nullptr);
    EXPECT_EQ(bytes_of(look->totals), bytes_of(totals_over(size, first_end, first_state())));
  }
}

TEST_P(ProtocolTest, ReducesAfterTheEnd) {
  Session session(outer, GetParam());
  session.post(first_end);
  ASSERT_TRUE(session.finish().has_value());
  const Totals all = session.reduce_now(sample_of(rank, first_end + 3));
  EXPECT_EQ(bytes_of(all), bytes_of(totals_over(size, first_end + 3, first_state())));
}

TEST_P(ProtocolTest, IsLetGoInEveryPhaseOfALook) {
  for (std::int64_t phase = 0; phase <= last; ++phase) {
    std::optional<Session> session;
    session.emplace(outer, GetParam(), first_state(), 1, true);
    session->begin_look(phase);
    session.reset();
    EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
  }
}

TEST_P(ProtocolTest, IsLetGoWhileUnwindingInEveryPhaseOfALook) {
  for (std::int64_t phase = 0; phase <= last; ++phase) {
    const auto give_up = [&] {
      Session session(outer, GetParam());
      session.begin_look(phase);
      throw std::runtime_error("the application gives up");
    };
    EXPECT_THROW(give_up(), std::runtime_error);
    EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
  }
}

// One rank alone destroys its session; the others continue until they need its contribution.
TEST_P(ProtocolTest, IsLetGoByOneRank) {
  for (int odd = 0; odd < size; ++odd)
    for (const std::int64_t phase : {std::int64_t{0}, d + 1}) {
      std::optional<Session> session;
      session.emplace(outer, GetParam());
      session->begin_look(phase);
      if (rank == odd) session.reset();
      const std::int64_t until = phase == 0 ? d : last;
      for (std::int64_t passed = phase + 1; session && passed <= until; ++passed)
        EXPECT_EQ(session->advance(first_end + passed) != nullptr, passed == last);
      EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
    }
}

}  // namespace
}  // namespace evenkeel::protocol_test
