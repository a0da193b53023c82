// All ranks must find misuse at the first look. They must also find that ranks diverge.

#include "monitor/drive/balancer/crew.hpp"

namespace evenkeel::inspection_test {
namespace {

constexpr const char* nothing = "nothing was thrown";
constexpr int objects = 40;

// With the default warm-up of 3 and epochs of 8 steps, looks settle at these steps.
constexpr std::int64_t first_look = 16, second_look = 24, third_look = 32;

bool never(const LoadView&) { return false; }

struct Crowd {
  Kokkos::View<double* [3], Kokkos::HostSpace> x { "x", objects };
  Kokkos::View<double*, Kokkos::HostSpace> mass{"mass", objects};
  decltype(Kokkos::create_mirror_view(mass)) mirror;
  std::vector<double> weight = std::vector<double>(objects, 1.0);
  bool weighted = false;

  explicit Crowd(int rank) { place(rank); }
  void place(int rank) {
    for (int i = 0; i < objects; ++i)
      for (int d = 0; d < 3; ++d) x(i, d) = std::fmod(0.377 * (i + objects * rank) * (d + 1), 1.0);
  }
  Set as_set() { return weighted ? set(x, carry(mass), {.weight = weight}) : set(x, carry(mass)); }
};

struct Misuse {
  void (*strike)(Crowd&);
  void (*mend)(Crowd&);
  const char* told;
};

constexpr Misuse misuses[] = {
    {[](Crowd& crowd) { crowd.mirror = Kokkos::create_mirror_view(crowd.mass); },
     [](Crowd& crowd) { crowd.mirror = {}; },
     "core/field: Field 1, 'mass', is also held by another View, which would keep the old values. "
     "Release the other View first, or give the set .keep_allocation or .allow_aliases. Most often "
     "it is a host mirror: on a host create_mirror_view returns the View itself."},
    {[](Crowd& crowd) { crowd.x(7, 1) = std::nan(""); }, [](Crowd& crowd) { crowd.x(7, 1) = 0.5; },
     "core/bounds: Component 1 of the position of object 7 is not finite."},
    {[](Crowd& crowd) { Kokkos::resize(crowd.mass, objects - 3); },
     [](Crowd& crowd) { Kokkos::resize(crowd.mass, objects); },
     "core/field: Field 1, 'mass', has 37 objects, but the set has 40."},
    {[](Crowd& crowd) { crowd.x(0, 2) = 9; }, [](Crowd& crowd) { crowd.x(0, 2) = 0.5; },
     "core/box: Objects extend from "},
    {[](Crowd& crowd) { crowd.weight[5] = -1; }, [](Crowd& crowd) { crowd.weight[5] = 1; },
     "core/weights: The weight of object 5 in 'std::vector' is -1."},
    {[](Crowd& crowd) { crowd.weight.resize(3); },
     [](Crowd& crowd) { crowd.weight.assign(objects, 1.0); },
     "core/field: There are 3 weights for 40 objects."},
};

class InspectionTest : public test::OnRanks {
 protected:
  static Options options_with(const Trigger& trigger) {
    return {.trigger = trigger, .box = Box{{0, 0, 0}, {1, 1, 1}}, .deterministic = true};
  }

  // Steps up to step `last`. Only the last step may throw.
  std::string step_to(Balancer& balancer, Crowd& crowd, std::int64_t last, bool may_move = true) {
    while (balancer.steps() + 1 < last)
      EXPECT_EQ(test::error_of([&] { balancer.step(crowd.as_set(), {may_move}); }), nothing)
          << balancer.steps();
    const std::string text =
        test::error_everywhere([&] { balancer.step(crowd.as_set(), {may_move}); });
    return text;
  }
};

// --- Sets that cannot move -----------------------------------------------------------------------

TEST_F(InspectionTest, TheFirstLookTellsAllRanks) {
  for (const bool may_move : {true, false})
    for (const Misuse& misuse : misuses)
      for (int culprit = 0; culprit < size; ++culprit) {
        SCOPED_TRACE(misuse.told);
        Crowd crowd(rank);
        crowd.weighted = std::string(misuse.told).find("weight") != std::string::npos;
        Balancer balancer(communicator, options_with(Custom{&never}));
        if (rank == culprit) misuse.strike(crowd);
        const std::string told = "evenkeel: rank " + std::to_string(culprit) + ": " + misuse.told;
        const std::string text = step_to(balancer, crowd, first_look, may_move);
        EXPECT_MENTIONS(text, told);
        EXPECT_MENTIONS(text,
                        "Nothing was moved; the look after step 11 found this, and "
                        "each later look checks again.");
        EXPECT_MENTIONS(step_to(balancer, crowd, second_look, may_move), told)
            << "until it is mended";
        if (rank == culprit) misuse.mend(crowd);
        EXPECT_EQ(step_to(balancer, crowd, third_look, may_move), nothing);
        EXPECT_EQ(step_to(balancer, crowd, third_look + 20, may_move), nothing);
        EXPECT_NO_THROW(balancer.finish());
      }
}

TEST_F(InspectionTest, ALaterLookFindsWhatComesLater) {
  Crowd crowd(rank);
  Balancer balancer(communicator, options_with(Custom{&never}));
  EXPECT_EQ(step_to(balancer, crowd, first_look + 1), nothing);
  if (rank == size - 1) crowd.x(3, 0) = std::numeric_limits<double>::infinity();
  EXPECT_MENTIONS(step_to(balancer, crowd, second_look),
                  "rank " + std::to_string(size - 1) + ": core/bounds: Component 0");
  balancer.finish();
}

// Decides by the clock, as most runs do.
TEST_F(InspectionTest, TheFirstLookOfARunByTheClock) {
  Crowd crowd(rank);
  Options options = options_with(CostAware{});
  options.deterministic = false;
  options.epoch_steps = 8;
  Balancer balancer(communicator, options);
  if (rank == 0) crowd.mirror = Kokkos::create_mirror_view(crowd.mass);
  EXPECT_MENTIONS(step_to(balancer, crowd, first_look), "rank 0: core/field: Field 1");
  balancer.finish();
}

TEST_F(InspectionTest, WhereNothingCanMoveNothingIsInspected) {
  Crowd crowd(rank);
  Balancer balancer(communicator, options_with(Never{}));
  crowd.mirror = Kokkos::create_mirror_view(crowd.mass);
  if (rank == 0) crowd.x(0, 0) = std::nan("");
  EXPECT_EQ(step_to(balancer, crowd, second_look), nothing);
  balancer.finish();
}

// A rebalance makes its own checks. Its Error must come once.
TEST_F(InspectionTest, ARebalanceTellsBeforeTheLookDoes) {
  Crowd crowd(rank);
  Balancer balancer(communicator, options_with(Custom{&never}));
  if (rank == 0) crowd.x(0, 0) = std::nan("");
  EXPECT_EQ(step_to(balancer, crowd, first_look - 2), nothing);
  EXPECT_ERROR(balancer.rebalance(crowd.as_set()), "core/bounds: Component 0");
  crowd.place(rank);
  EXPECT_EQ(step_to(balancer, crowd, first_look), nothing);
  balancer.finish();
}

// --- Ranks that diverge --------------------------------------------------------------------------

// The Error of the steps, of an additional action of one rank, or of finish().
std::string thrown_by(Balancer& balancer, Crowd& crowd, std::int64_t steps,
                      const std::function<void(std::int64_t)>& besides) {
  const std::string text = test::error_of([&] {
    for (std::int64_t step = 1; step <= steps; ++step) {
      balancer.step(crowd.as_set());
      besides(step);
    }
  });
  const std::string at_the_end = test::error_of([&] { balancer.finish(); });
  return text == nothing ? at_the_end : text;
}

// With the default trigger, looks include surveys, which are collective on another communicator.
TEST_F(InspectionTest, OneStepMoreIsFoundInEveryPhase) {
  for (const Trigger& trigger : {Trigger(CostAware{}), Trigger(Every{.period = 5})})
    for (std::int64_t steps = 1; steps <= 26; ++steps) {
      SCOPED_TRACE(steps);
      const int odd = static_cast<int>(steps) % size;
      Crowd crowd(rank);
      Balancer balancer(communicator, options_with(trigger));
      const std::string text =
          thrown_by(balancer, crowd, steps + (rank == odd ? 1 : 0), [](std::int64_t) {});
      EXPECT_TRUE(test::same_everywhere(communicator, text));
      const bool at_the_end = text.find("Ranks reached finish after ") != std::string::npos;
      const bool before = text.find("The ranks have diverged: ") != std::string::npos;
      EXPECT_EQ(at_the_end || before, size > 1) << text;
    }
}

TEST_F(InspectionTest, ARebalanceOfOneRankAloneIsFound) {
  for (std::int64_t at = 1; at <= 20; ++at) {
    SCOPED_TRACE(at);
    const int odd = static_cast<int>(at) % size;
    Crowd crowd(rank);
    Balancer balancer(communicator, options_with(CostAware{}));
    const std::string text = thrown_by(balancer, crowd, 22, [&](std::int64_t step) {
      if (rank == odd && step == at) balancer.rebalance(crowd.as_set());
    });
    EXPECT_TRUE(test::same_everywhere(communicator, text));
    const std::string told =
        "rank " + std::to_string(odd) + " was at a rebalance after step " + std::to_string(at);
    EXPECT_MENTIONS(text, size > 1 ? told : nothing);
  }
}

}  // namespace
}  // namespace evenkeel::inspection_test
