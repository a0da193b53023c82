#include "core/phase_costs.hpp"
#include "core/values.hpp"

#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/place.hpp>

namespace evenkeel::phases_test {
namespace {

using test::Pattern;
using test::PhaseCosts;

constexpr std::uint64_t end = end_of_curve(3).value;

// --- Objects, the same on all ranks --------------------------------------------------------------

// Objects in the order of the curve.
struct Objects {
  std::vector<CurveKey> keys;
  PhaseCosts costs;
};

Objects objects_of(Pattern pattern, std::size_t phases, std::size_t count) {
  std::mt19937_64 random(count);
  Objects objects;
  objects.costs = test::phase_costs(pattern, phases, count, 3);
  // Clusters of many densities.
  for (std::size_t i = 0; i < count; ++i)
    objects.keys.push_back({i % 3 == 0 ? random() % end : (end >> (random() % 40)) - 1 - i});
  std::sort(objects.keys.begin(), objects.keys.end());
  return objects;
}

// The rank that owns each object, and the order of the objects.
enum class Spread : std::uint8_t { in_order, in_turn, shuffled, all_on_last };
constexpr std::array spreads = {Spread::in_order, Spread::in_turn, Spread::shuffled,
                                Spread::all_on_last};

std::vector<std::size_t> mine_of(Spread spread, std::size_t count) {
  const auto rank = static_cast<std::size_t>(test::rank());
  const auto size = static_cast<std::size_t>(test::size());
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t owner = i * size / count;
    if (spread == Spread::in_turn || spread == Spread::shuffled) owner = i * 7 % size;
    if (spread == Spread::all_on_last) owner = size - 1;
    if (owner == rank) mine.push_back(i);
  }
  if (spread == Spread::shuffled) std::shuffle(mine.begin(), mine.end(), std::mt19937_64(rank));
  return mine;
}

// The objects of this rank in two sets, in the memory of the space under test. The second set has
// its costs in the order of objects, which is the reverse of the order of its keys.
struct Brought {
  std::vector<std::vector<std::size_t>> objects{2};  // of each set, in the order of costs
  std::vector<exec::Array<CurveKey>> keys;
  std::vector<exec::Array<std::int64_t>> order;
  std::vector<std::vector<exec::Array<double>>> costs{2};
  std::vector<std::vector<std::span<const double>>> spans{2};
  std::vector<PhasedKeys> sets;

  Brought(const Objects& all, const std::vector<std::size_t>& mine) {
    const Space& space = test::space();
    const std::size_t half = mine.size() / 2;
    objects[0].assign(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(half));
    objects[1].assign(mine.rbegin(), mine.rend() - static_cast<std::ptrdiff_t>(half));
    for (std::size_t s = 0; s < 2; ++s) {
      std::vector<CurveKey> keys_of_set;
      for (const std::size_t i : objects[s]) keys_of_set.push_back(all.keys[i]);
      if (s == 1) std::reverse(keys_of_set.begin(), keys_of_set.end());
      keys.emplace_back(space, "keys", std::span<const CurveKey>(keys_of_set));
      std::vector<std::int64_t> places(s == 1 ? keys_of_set.size() : 0);
      std::iota(places.rbegin(), places.rend(), 0);
      order.emplace_back(space, "order", std::span<const std::int64_t>(places));
      for (const std::vector<double>& phase : all.costs) {
        std::vector<double> of_set;
        for (const std::size_t i : objects[s]) of_set.push_back(phase[i]);
        costs[s].emplace_back(space, "costs", std::span<const double>(of_set));
      }
    }
    for (std::size_t s = 0; s < 2; ++s) {
      for (const exec::Array<double>& phase : costs[s]) spans[s].push_back(phase.span());
      sets.push_back({keys[s].span(), spans[s], order[s].span(), keys[s].memory()});
    }
  }
};

// Each offset is the first object at or after a splitter.
std::vector<std::int64_t> offsets_of(const Objects& objects, const Splitters& splitters) {
  std::vector<std::int64_t> offsets;
  for (const CurveKey splitter : splitters)
    offsets.push_back(std::lower_bound(objects.keys.begin(), objects.keys.end(), splitter) -
                      objects.keys.begin());
  return offsets;
}

class CutPhasesOn : public test::OnRanks {
 protected:
  PhaseCut cut_of(const Objects& objects, Spread spread, int parts) const {
    const Brought brought(objects, mine_of(spread, objects.keys.size()));
    return cut_phases(communicator, brought.sets,
                      {.parts = parts, .phases = static_cast<int>(objects.costs.size())});
  }
};

// Expects the loads to follow from the splitters.
void expect_loads(const PhaseCut& found, const Objects& objects, int parts) {
  ASSERT_EQ(std::ssize(found.splitters), parts + 1);
  EXPECT_EQ(found.splitters.front(), CurveKey{0});
  EXPECT_EQ(found.splitters.back(), end_of_curve(3));
  ASSERT_TRUE(std::is_sorted(found.splitters.begin(), found.splitters.end()));
  const std::vector<std::int64_t> offsets = offsets_of(objects, found.splitters);
  EXPECT_EQ(found.loads.step, test::step_of(objects.costs, offsets));
  ASSERT_EQ(found.loads.phases.size(), objects.costs.size());
  for (std::size_t phase = 0; phase < objects.costs.size(); ++phase) {
    const std::vector<double>& costs = objects.costs[phase];
    EXPECT_EQ(found.loads.phases[phase].greatest, test::step_of({costs}, offsets));
    EXPECT_EQ(found.loads.phases[phase].sum, std::accumulate(costs.begin(), costs.end(), 0.0));
    EXPECT_EQ(found.loads.phases[phase].heaviest, *std::max_element(costs.begin(), costs.end()));
    ASSERT_EQ(std::ssize(found.loads_of_parts[phase]), parts);
    EXPECT_EQ(std::accumulate(found.loads_of_parts[phase].begin(),
                              found.loads_of_parts[phase].end(), 0.0),
              found.loads.phases[phase].sum);
  }
}

// --- By hand -------------------------------------------------------------------------------------

// The example of chain/phases_test.cpp.
TEST_F(CutPhasesOn, TwoSolversApart) {
  Objects objects;
  for (std::uint64_t i = 0; i < 8; ++i) objects.keys.push_back({100 * i});
  objects.costs = {{9, 9, 9, 9, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1, 1, 1}};
  for (const Spread spread : spreads) {
    const PhaseCut found = cut_of(objects, spread, 3);
    expect_loads(found, objects, 3);
    EXPECT_EQ(offsets_of(objects, found.splitters), (std::vector<std::int64_t>{0, 2, 6, 8}));
    EXPECT_DOUBLE_EQ(found.loads.shortfall_percent, 50);
    EXPECT_EQ(found.loads_of_parts[0], (std::vector<double>{18, 18, 0}));
    EXPECT_EQ(found.loads_of_parts[1], (std::vector<double>{0, 2, 2}));
  }
}

// --- Against the serial form ---------------------------------------------------------------------

TEST_F(CutPhasesOn, AsGoodAsTheSerialForm) {
  constexpr std::size_t count = 8000;
  for (const Pattern pattern : test::patterns)
    for (const std::size_t phases : {1U, 2U, 3U})
      for (const int parts : {3, 40}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(pattern)) + ", " + std::to_string(phases) +
                     " phases, " + std::to_string(parts) + " parts");
        const Objects objects = objects_of(pattern, phases, count);
        const PhaseCut found = cut_of(objects, Spread::in_turn, parts);
        expect_loads(found, objects, parts);
        const PhaseChain serial = cut_phases(test::spans_of(objects.costs), parts);
        EXPECT_LE(found.loads.step, 1.01 * serial.loads.step);
        EXPECT_NEAR(found.loads.bound, serial.loads.bound, 1e-12 * serial.loads.bound);
      }
}

TEST_F(CutPhasesOn, FewObjects) {
  for (const Pattern pattern : test::patterns)
    for (const std::size_t count : {1U, 2U, 5U, 30U})
      for (const int parts : {2, 5}) {
        const Objects objects = objects_of(pattern, 2, count);
        const PhaseCut found = cut_of(objects, Spread::in_turn, parts);
        expect_loads(found, objects, parts);
        EXPECT_LE(found.loads.step,
                  1.1 * cut_phases(test::spans_of(objects.costs), parts).loads.step)
            << static_cast<int>(pattern) << ' ' << count << ' ' << parts;
      }
}

// --- Independence of the ranks -------------------------------------------------------------------

// In the last spread, one rank has all objects, as if there were fewer ranks.
TEST_F(CutPhasesOn, TheSameHoweverObjectsAreSpread) {
  for (const Pattern pattern : test::patterns) {
    Objects objects = objects_of(pattern, 3, 3000);
    for (std::vector<double>& phase : objects.costs)  // sums in double would be rounded
      for (double& cost : phase) cost = std::sqrt(cost) / 7;
    const PhaseCut first = cut_of(objects, spreads.front(), 13);
    for (const Spread spread : spreads) {
      const PhaseCut found = cut_of(objects, spread, 13);
      EXPECT_EQ(found.splitters, first.splitters);
      EXPECT_EQ(found.loads_of_parts, first.loads_of_parts);
      EXPECT_EQ(found.loads.step, first.loads.step);
    }
  }
}

// --- One weight per object -----------------------------------------------------------------------

bool has_empty_part(const PhaseCut& cut) {
  for (std::size_t part = 0; part + 1 < cut.splitters.size(); ++part)
    if (cut.loads_of_parts[0][part] + cut.loads_of_parts[1][part] == 0) return true;
  return false;
}

std::vector<double> loads_of(const std::vector<double>& costs,
                             const std::vector<std::int64_t>& offsets) {
  std::vector<double> loads;
  for (std::size_t part = 0; part + 1 < offsets.size(); ++part)
    loads.push_back(
        std::accumulate(costs.begin() + offsets[part], costs.begin() + offsets[part + 1], 0.0));
  return loads;
}

TEST_F(CutPhasesOn, WeightsLeadACutToTheSameParts) {
  for (const Pattern pattern : test::patterns)
    for (const Spread spread : {Spread::in_order, Spread::shuffled}) {
      SCOPED_TRACE(static_cast<int>(pattern));
      constexpr int parts = 24;
      const Objects objects = objects_of(pattern, 2, 5000);
      const Brought brought(objects, mine_of(spread, objects.keys.size()));
      const PhaseCut found = cut_phases(communicator, brought.sets, {.parts = parts, .phases = 2});
      const std::vector<exec::Array<double>> weights = phase_weights(brought.sets, found);
      ASSERT_EQ(weights.size(), 2U);
      // The weights are in the order of keys. For the second set, this is the reverse of the order
      // of costs.
      std::vector<double> reversed = weights[1].on_host();
      std::reverse(reversed.begin(), reversed.end());
      const auto second = test::array_of(reversed);
      const std::vector<WeightedKeys> weighted = {
          {brought.keys[0].span(), weights[0].span(), brought.keys[0].memory()},
          {brought.keys[1].span(), second.span(), brought.keys[1].memory()}};
      const Cut single = cut(communicator, weighted, {.parts = parts});
      const std::vector<std::int64_t> offsets = offsets_of(objects, single.splitters);
      if (has_empty_part(found)) {
        EXPECT_LE(test::step_of(objects.costs, offsets), found.loads.step);
      } else {
        EXPECT_NEAR(single.lambda(), 1, 1e-9);
        for (const std::size_t phase : {0U, 1U})
          EXPECT_EQ(loads_of(objects.costs[phase], offsets), found.loads_of_parts[phase]);
      }
    }
}

// Follows the stages of a rebalance: keys from prepare(), weights by object, domains from place().
TEST_F(CutPhasesOn, PlacesAlongACurve) {
  std::vector<std::array<double, 3>> x;
  PhaseCosts costs(2);
  for (int i = test::rank(); i < 6000; i += test::size()) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    std::uniform_real_distribution<double> draw(0, 1);
    x.push_back({draw(random), draw(random), draw(random)});
    costs[0].push_back(x.back()[0]);
    costs[1].push_back(x.back()[1] < 0.3 ? 5 : 0);
  }
  const Set all = set(x);
  const Prepared prepared = prepare(communicator, Status(), {&all, 1},
                                    {3, {{0, 0, 0}, {1, 1, 1}}, false}, {.method = Hilbert{}});
  const Order& order = prepared.orders[0];
  const auto spans = test::spans_of(costs);
  const PhasedKeys phased = {order.keys.span(), spans, order.objects.span(), order.keys.memory()};
  const std::span<const PhasedKeys> sets(&phased, 1);
  const PhaseOptions options{.parts = communicator.size(), .phases = 2};
  const PhaseCut found = cut_phases(communicator, sets, options);
  const std::vector<exec::Array<double>> weights = phase_weights(sets, found);
  const std::span<const double> by_object = weights[0].span();
  const Assignment assignment =
      place(communicator, Status(), prepared, {&by_object, 1}, EvenGoal{}, Domains());
  const Splitters& placed = std::get<CurveDomains>(assignment.domains).splitters();
  const PhaseCut measured = measure_phases(communicator, sets, options, placed);
  EXPECT_EQ(measured.loads_of_parts, found.loads_of_parts);
  EXPECT_NEAR(assignment.lambda, 1, 1e-9);
}

TEST_F(CutPhasesOn, WithoutCostsByCount) {
  Objects objects = objects_of(Pattern::random, 2, 100);
  for (std::vector<double>& phase : objects.costs) std::fill(phase.begin(), phase.end(), 0.0);
  const Brought brought(objects, mine_of(Spread::in_turn, 100));
  const PhaseCut found = cut_phases(communicator, brought.sets, {.parts = 4, .phases = 2});
  EXPECT_EQ(offsets_of(objects, found.splitters), (std::vector<std::int64_t>{0, 25, 50, 75, 100}));
  EXPECT_EQ(found.loads.step, 0);
  EXPECT_EQ(found.loads.shortfall_percent, 0);
  for (const exec::Array<double>& weights : phase_weights(brought.sets, found))
    for (const double weight : weights.on_host()) EXPECT_EQ(weight, 1);
}

// One set has no costs in a phase. In another phase, no rank has work.
TEST_F(CutPhasesOn, SetsThatDoNotTakePart) {
  Objects objects = objects_of(Pattern::gradients, 3, 400);
  std::fill(objects.costs[2].begin(), objects.costs[2].end(), 0.0);
  Brought brought(objects, mine_of(Spread::in_turn, 400));
  for (std::size_t i : brought.objects[1]) objects.costs[0][i] = 0;
  for (std::size_t i : brought.objects[0]) objects.costs[1][i] = 0;
  brought.spans[1][0] = brought.spans[0][1] = {};
  brought.spans[0][2] = brought.spans[1][2] = {};
  const PhaseCut found = cut_phases(communicator, brought.sets, {.parts = 6, .phases = 3});
  // The objects of each set depend on the rank, so the oracle sums over ranks.
  double greatest[2] = {};
  for (std::size_t part = 0; part < 6; ++part)
    for (const std::size_t phase : {0U, 1U}) {
      double load = 0;
      for (const std::size_t i : brought.objects[phase])
        if (!(objects.keys[i] < found.splitters[part]) &&
            objects.keys[i] < found.splitters[part + 1])
          load += objects.costs[phase][i];
      load = communicator.all_reduce(load, Reduction::sum);
      EXPECT_EQ(found.loads_of_parts[phase][part], load);
      greatest[phase] = std::max(greatest[phase], load);
    }
  EXPECT_EQ(found.loads.step, greatest[0] + greatest[1]);
  EXPECT_EQ(found.loads.phases[2].sum, 0);
}

TEST_F(CutPhasesOn, NoObjectsAtAll) {
  const PhaseCut none = cut_phases(communicator, {}, {.parts = 4, .phases = 2, .dimensions = 2});
  EXPECT_EQ(none.splitters, cut(communicator, {}, {.parts = 4, .dimensions = 2}).splitters);
  EXPECT_EQ(none.loads.step, 0);
}

// --- Measuring -----------------------------------------------------------------------------------

TEST_F(CutPhasesOn, MeasuresSplitters) {
  const Objects objects = objects_of(Pattern::gradients, 2, 1000);
  const Brought brought(objects, mine_of(Spread::shuffled, 1000));
  const PhaseOptions options{.parts = 3, .phases = 2};
  const Splitters uneven = {{0}, objects.keys[100], objects.keys[100], end_of_curve(3)};
  const PhaseCut measured = measure_phases(communicator, brought.sets, options, uneven);
  expect_loads(measured, objects, 3);
  EXPECT_EQ(measured.splitters, uneven);
  EXPECT_EQ(measured.loads_of_parts[0][1], 0);
  EXPECT_GT(measured.loads.step, cut_phases(communicator, brought.sets, options).loads.step);
}

// --- Misuse --------------------------------------------------------------------------------------

class MisuseOn : public CutPhasesOn {
 protected:
  // The Error on all ranks for a call with these costs on the last rank.
  std::string told_of(const std::vector<std::vector<double>>& costs, std::size_t keys,
                      const PhaseOptions& options, std::size_t objects = 0) const {
    const bool is_last = test::rank() == test::size() - 1;
    const std::vector<CurveKey> on_host(keys, CurveKey{5});
    const auto there = test::array_of(on_host);
    const std::vector<std::int64_t> order(objects);
    const auto order_there = test::array_of(order);
    std::vector<exec::Array<double>> arrays;
    std::vector<std::span<const double>> spans;
    for (const std::vector<double>& phase : costs)
      spans.push_back(
          arrays.emplace_back(test::space(), "costs", std::span<const double>(phase)).span());
    std::vector<PhasedKeys> sets;
    if (is_last) sets.push_back({there.span(), spans, order_there.span(), there.memory()});
    return test::error_everywhere([&] { cut_phases(communicator, sets, options); });
  }
};

TEST_F(MisuseOn, IsToldOnAllRanks) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const PhaseOptions two{.parts = 2, .phases = 2};
  for (const double bad : {-1.0, std::nan(""), infinity, -infinity})
    EXPECT_MENTIONS(told_of({{1, 1}, {1, bad}}, 2, two),
                    "A cost of phase 1 is negative, NaN or infinite.");
  EXPECT_MENTIONS(told_of({{1, 1}, {1}}, 2, two), "1 costs of phase 1 came with 2 keys");
  EXPECT_MENTIONS(told_of({{1, 1}}, 2, two), "costs of 1 phases, but there are 2");
  EXPECT_MENTIONS(told_of({{1}, {1}}, 1, two, 3), "3 objects came with 1 keys");
  constexpr double half = std::numeric_limits<double>::max() / 1.5;
  EXPECT_MENTIONS(told_of({{half}, {half}}, 1, two), "more than a number can hold");
  EXPECT_MENTIONS(told_of({{half, half}, {}}, 2, two), "more than a number can hold");
  EXPECT_MENTIONS(told_of({{1}, {1}}, 1, {.parts = 0, .phases = 2}), "0 parts");
  EXPECT_MENTIONS(told_of({{1}}, 1, {.parts = 2, .phases = 0}), "0 phases");
  EXPECT_MENTIONS(told_of({{1}}, 1, {.parts = 2, .phases = 9}), "1 to 8");
  EXPECT_MENTIONS(told_of({{1}}, 1, {.parts = 2, .phases = 1, .dimensions = 4}), "in 4 dimensions");
}

TEST_F(MisuseOn, OfMeasuring) {
  const PhaseOptions options{.parts = 2, .phases = 1};
  const Splitters falling = {{5}, {3}, end_of_curve(3)}, one_part = {{0}, end_of_curve(3)};
  for (const Splitters& wrong : {falling, one_part, Splitters()})
    EXPECT_ERROR(measure_phases(communicator, {}, options, wrong), "do not make 2 parts");
}

TEST_F(MisuseOn, TheCallersFailureIsToldFirst) {
  const Status failed =
      test::rank() == 0
          ? Status(Error(ErrorKind::bad_input, Where{"test"}, "It failed before.", "Mend it."))
          : Status();
  EXPECT_ERROR(cut_phases({communicator, failed}, {}, {.parts = 2}), "It failed before.");
}

}  // namespace
}  // namespace evenkeel::phases_test
