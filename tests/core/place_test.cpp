// Placing against what each method must lead to, whatever space works on it: every object belongs
// to one part, parts are of what the domains say, and the loads are those of the parts.

#include "core/listed.hpp"
#include "core/migrate/cloud.hpp"

#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/place/phases.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

using Place = std::array<double, 3>;

const Method methods[] = {Hilbert{},   Morton{}, Snake{},
                          Staggered{}, Tensor{}, RecursiveBisection{}};

class PlaceOn : public testing::Test {
 protected:
  Communicator communicator = test::world();
  int rank = communicator.rank(), size = communicator.size();
  std::vector<Place> x;
  std::vector<double> weights;
  std::vector<std::int64_t> group;

  void make(std::int64_t all) {
    for (std::int64_t id = rank; id < all; id += size) {
      Place place;
      for (int axis = 0; axis < 3; ++axis)
        place[static_cast<std::size_t>(axis)] =
            static_cast<double>(test::mix(id, axis) % 1000) / 1000;
      x.push_back(place);
      weights.push_back(1 + static_cast<double>(test::mix(id, 7) % 4));
      group.push_back(id % 4 == 0 ? -1 : id / 12);
    }
  }
  static Region region() { return {3, {{0, 0, 0}, {1, 1, 1}}, false}; }

  // The rank of each object of this rank by an assignment, in the order of the objects.
  std::vector<int> ranks_of(const Prepared& prepared, const Assignment& assignment) const {
    const auto& orders = assignment.orders.empty() ? prepared.orders : assignment.orders;
    const test::Listed order = test::listed(orders[0]);
    const auto& offsets = assignment.offsets[0];
    const std::vector<int>& owners = rank_of_part(assignment.domains);
    std::vector<int> ranks(order.objects.size(), -1);
    for (int part = 0; part < size; ++part)
      for (std::int64_t k = offsets[static_cast<std::size_t>(part)];
           k < offsets[static_cast<std::size_t>(part) + 1]; ++k)
        ranks[static_cast<std::size_t>(order.objects[static_cast<std::size_t>(k)])] =
            owners.empty() ? part : owners[static_cast<std::size_t>(part)];
    return ranks;
  }
  double lambda_by_hand(const std::vector<int>& ranks, const std::vector<double>& of_object) const {
    std::vector<double> loads(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      loads[static_cast<std::size_t>(ranks[i])] += of_object.empty() ? 1 : of_object[i];
    communicator.all_reduce(std::span<double>(loads), Reduction::sum);
    double sum = 0, most = 0;
    for (const double load : loads) sum += load, most = std::max(most, load);
    return sum > 0 ? most * size / sum : 1;
  }
};

TEST_F(PlaceOn, EachMethodPlacesEachObjectWhereItsDomainsSay) {
  make(4000);
  const Set all = set(x);
  for (const Method& method : methods)
    for (const bool is_weighted : {false, true}) {
      SCOPED_TRACE(to_text(method));
      const exec::Array<double> here(Space::where(MemoryKind::host), "weights",
                                     std::span<const double>(weights));
      const std::span<const double> given =
          is_weighted ? std::span<const double>(here.span()) : std::span<const double>();
      const Prepared prepared =
          prepare(communicator, Status(), {&all, 1}, region(), {.method = method});
      const Domains nobody;
      const Assignment found =
          place(communicator, Status(), prepared, Weights(&given, 1), {1.02, 0}, nobody, true);
      const std::vector<int> ranks = ranks_of(prepared, found);
      ASSERT_EQ(ranks.size(), x.size());
      for (std::size_t i = 0; i < ranks.size(); ++i)
        ASSERT_EQ(ranks[i], owner_of(found.domains, x[i])) << i;
      const std::vector<double> none;
      EXPECT_NEAR(found.lambda, lambda_by_hand(ranks, is_weighted ? weights : none), 1e-9);
      EXPECT_LT(found.lambda, 1.3);
      EXPECT_TRUE(found.is_changed);
      EXPECT_EQ(generation_of(found.domains), generation_of(nobody) + 1);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(size));
      for (const int to : ranks) ++counts[static_cast<std::size_t>(to)];
      communicator.all_reduce(std::span<std::int64_t>(counts), Reduction::sum);
      EXPECT_EQ(found.fewest_objects, *std::ranges::min_element(counts));

      // What is even enough is kept.
      const Assignment again = place(communicator, Status(), prepared, Weights(&given, 1),
                                     {found.lambda * 1.001, 0}, found.domains);
      EXPECT_FALSE(again.is_changed);
      EXPECT_EQ(ranks_of(prepared, again), ranks);
      EXPECT_EQ(generation_of(again.domains), generation_of(found.domains) + 1);
    }
}

TEST_F(PlaceOn, WhereNothingWeighsAnythingObjectsCount) {
  make(3000);
  const Set all = set(x);
  const std::vector<double> zeros(x.size());
  const std::span<const double> nothing = zeros;
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Prepared prepared =
        prepare(communicator, Status(), {&all, 1}, region(), {.method = method});
    const Assignment found =
        place(communicator, Status(), prepared, Weights(&nothing, 1), {1.02, 0}, Domains());
    EXPECT_NEAR(found.lambda, lambda_by_hand(ranks_of(prepared, found), {}), 1e-9);
  }
}

// Members of a group are in one part, and the loads count them there.
TEST_F(PlaceOn, GroupsStayTogether) {
  make(3000);
  const Set all = set(x, {}, {.group = group});
  Region bound = region();
  bound.is_bound = true;
  const std::span<const double> ones;
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Prepared prepared = prepare(communicator, Status(), {&all, 1}, bound, {.method = method});
    const Assignment found =
        place(communicator, Status(), prepared, Weights(&ones, 1), {1.05, 0}, Domains());
    const std::vector<int> ranks = ranks_of(prepared, found);
    EXPECT_NEAR(found.lambda, lambda_by_hand(ranks, {}), 1e-9);
    struct Member {
      std::int64_t group;
      int rank;
    };
    std::vector<Member> mine;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (group[i] >= 0) mine.push_back({group[i], ranks[i]});
    std::map<std::int64_t, int> rank_of;
    for (const Member& member : communicator.all_gather(std::span<const Member>(mine)).values)
      EXPECT_EQ(rank_of.emplace(member.group, member.rank).first->second, member.rank);
  }
}

TEST_F(PlaceOn, WhatFailedBeforeIsTheSameErrorOnAll) {
  make(100);
  const Set all = set(x);
  const std::span<const double> ones;
  for (const Method& method : methods)
    for (int culprit = 0; culprit < size; ++culprit) {
      const Status status = rank != culprit ? Status()
                                            : Status(Error(ErrorKind::application, Where{"ship"},
                                                           "The anchor is down.", "Weigh it."));
      const std::string text = test::error_of([&] {
        const Prepared prepared =
            prepare(communicator, status, {&all, 1}, region(), {.method = method});
        place(communicator, Status(), prepared, Weights(&ones, 1), {1.05, 0}, Domains());
      });
      EXPECT_EQ(text, "evenkeel: rank " + std::to_string(culprit) +
                          ": ship: The anchor is down. Weigh it.");
      EXPECT_TRUE(test::same_everywhere(communicator, text));
    }
}

// --- Only domains --------------------------------------------------------------------------------

// Any number of parts, on any number of ranks, without sorting: the domains that a placing of the
// same objects would find, where there are as many parts as ranks.
TEST_F(PlaceOn, AFreshCutIsWhatPlacingFinds) {
  make(4000);
  const Set all = set(x);
  const exec::Array<double> here(Space::where(MemoryKind::host), "weights",
                                 std::span<const double>(weights));
  const std::span<const double> given = here.span();
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const PlaceOptions options = {.method = method};
    const PreparedToCut ready = prepare_to_cut(Status(), {&all, 1}, region(), options);
    const FreshCut found = cut_anew(communicator, Status(), ready, Weights(&given, 1), {}, {});
    const Prepared prepared = prepare(communicator, Status(), {&all, 1}, region(), options);
    const Assignment placed =
        place(communicator, Status(), prepared, Weights(&given, 1), {0, 0}, Domains());
    // Placing may hand parts to the ranks that hold most of them.
    if (rank_of_part(placed.domains).empty()) {
      EXPECT_TRUE(is_same_division(found.domains, placed.domains));
    }
    EXPECT_DOUBLE_EQ(found.lambda, placed.lambda);
    EXPECT_EQ(generation_of(found.domains), 1);
  }
}

TEST_F(PlaceOn, AFreshCutMayHaveMorePartsThanRanks) {
  make(4000);
  const Set all = set(x);
  const std::span<const double> given = weights;
  for (const Method& method : methods)
    for (const int parts : {1, 6, 40}) {
      SCOPED_TRACE(to_text(method) + ", parts: " + std::to_string(parts));
      const PreparedToCut ready = prepare_to_cut(Status(), {&all, 1}, region(), {.method = method});
      const FreshCut found = cut_anew(communicator, Status(), ready, Weights(&given, 1),
                                      {.parts = parts, .generation = 7}, {});
      ASSERT_EQ(parts_of(found.domains), parts);
      EXPECT_EQ(generation_of(found.domains), 7);
      std::vector<double> loads(static_cast<std::size_t>(parts));
      for (std::size_t i = 0; i < x.size(); ++i)
        loads[static_cast<std::size_t>(owner_of(found.domains, x[i]))] += weights[i];
      communicator.all_reduce(std::span<double>(loads), Reduction::sum);
      EXPECT_NEAR(found.lambda, lambda_of(loads), 1e-9);
      EXPECT_LT(found.lambda, parts == 40 ? 1.7 : 1.2);
    }
}

TEST_F(PlaceOn, ACurveMayHaveFewerLevels) {
  make(1000);
  const Set all = set(x);
  const std::span<const double> ones;
  Domains last;
  for (const int levels : {3, 4, 0}) {
    const PlaceOptions options = {.method = Snake{}, .levels = levels};
    const Prepared prepared = prepare(communicator, Status(), {&all, 1}, region(), options);
    const Assignment found =
        place(communicator, Status(), prepared, Weights(&ones, 1), {1e9, 0}, last);
    EXPECT_TRUE(found.is_changed) << "ranges of another curve are not kept";
    EXPECT_EQ(std::get<CurveDomains>(found.domains).curve(),
              (CurveOptions{CurveKind::snake, levels}));
    const std::vector<int> ranks = ranks_of(prepared, found);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      ASSERT_EQ(ranks[i], owner_of(found.domains, x[i])) << i;
    last = found.domains;
  }
}

TEST_F(PlaceOn, WhatFailedBeforeAFreshCutIsTheSameErrorOnAll) {
  make(100);
  const Set all = set(x);
  const std::span<const double> ones;
  for (const Method& method : methods)
    for (int culprit = 0; culprit < size; ++culprit) {
      const Status status = rank != culprit ? Status()
                                            : Status(Error(ErrorKind::application, Where{"ship"},
                                                           "The anchor is down.", "Weigh it."));
      const PreparedToCut ready = prepare_to_cut(status, {&all, 1}, region(), {.method = method});
      const std::string text = test::error_of(
          [&] { cut_anew(communicator, Status(), ready, Weights(&ones, 1), {}, {}); });
      EXPECT_EQ(text, "evenkeel: rank " + std::to_string(culprit) +
                          ": ship: The anchor is down. Weigh it.");
    }
}

TEST(Methods, AreWhatTheirTextsSay) {
  for (const Method& method : methods) EXPECT_EQ(method_from_text(to_text(method)), method);
  EXPECT_EQ(method_from_text("tensor 4x2"), Method(Tensor{{4, 2, 1}}));
  for (const Effort effort : {Effort::polish, Effort::fast, Effort::good}) {
    const Method method =
        ByGraph{.effort = effort, .tolerance = 0.1, .moving_cost = 1e-3, .edge_seconds = 2e-8};
    EXPECT_EQ(method_from_text(to_text(method)), method);
  }
  EXPECT_EQ(to_text(ByGraph{}), "graph");
  EXPECT_EQ(method_from_text("graph fast"), Method(ByGraph{.effort = Effort::fast}));
  EXPECT_EQ(method_from_text("graph good 0.05"), Method(ByGraph{.tolerance = 0.05}));
  EXPECT_EQ(to_text(Staggered{{4, 2, 1}}), "staggered 4x2x1");
  EXPECT_EQ(method_from_text(to_text(Staggered{{0, 0, 1}})), Method(Staggered{{0, 0, 1}}));
  for (const char* text :
       {"", "graph quick", "graph good x", "graph good -1", "graph good inf", "graph good 1 1 1 1",
        "graph ", "hilbert 2x2", "tensor -1x1", "tensor 2x", "tensor 1x2x3x4", "Hilbert"})
    EXPECT_FALSE(method_from_text(text)) << text;
}

// Two phases, of which the second lies on half of the objects. What is reported is what the parts
// have, and no worse than the cut by the sum of both.
TEST_F(PlaceOn, PhasesAlongACurve) {
  make(4000);
  const Set all = set(x);
  const Space host = Space::where(MemoryKind::host);
  std::vector<double> second(x.size()), sum(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    second[i] = x[i][0] < 0.5 ? 3 * weights[i] : 0;
    sum[i] = weights[i] + second[i];
  }
  const exec::Array<double> in_first(host, "first", std::span<const double>(weights));
  const exec::Array<double> in_second(host, "second", std::span<const double>(second));
  const exec::Array<double> in_both(host, "both", std::span<const double>(sum));
  const std::vector<std::vector<std::span<const double>>> costs = {
      {in_first.span(), in_second.span()}};
  const std::vector<std::span<const double>> by_sum = {in_both.span()};
  PlaceOptions options;
  const auto step_of = [&](const Prepared& prepared, const Assignment& assignment) {
    const std::vector<int> ranks = ranks_of(prepared, assignment);
    double step = 0;
    for (const auto* of_phase : {&weights, &second}) {
      std::vector<double> loads(static_cast<std::size_t>(size));
      for (std::size_t i = 0; i < ranks.size(); ++i)
        loads[static_cast<std::size_t>(ranks[i])] += (*of_phase)[i];
      communicator.all_reduce(std::span<double>(loads), Reduction::sum);
      step += *std::max_element(loads.begin(), loads.end());
    }
    return step;
  };
  const Prepared prepared = prepare(communicator, Status(), {&all, 1}, region(), options);
  const Assignment plain = place(communicator, Status(), prepared, by_sum, {0, 0}, Domains());
  const PlacedByPhases placed =
      place_phases(communicator, Status(), prepared, costs, 2, 1.05, 0, Domains());
  const double step = step_of(prepared, placed.allowed.assignment);
  ASSERT_EQ(placed.loads.phases.size(), 2U);
  EXPECT_NEAR(placed.loads.step, step, 1e-6 * step);
  EXPECT_LE(step, 1.01 * step_of(prepared, plain));
  EXPECT_GE(step, placed.loads.bound * (1 - 1e-9));
  // Domains that are nearly as good are kept, and none where nothing is to be kept.
  const Domains& last = placed.allowed.assignment.domains;
  const PlacedByPhases kept =
      place_phases(communicator, Status(), prepared, costs, 2, 1.05, 0, last);
  EXPECT_FALSE(kept.allowed.assignment.is_changed);
  EXPECT_NEAR(kept.loads.step, step, 1e-6 * step);
  const PlacedByPhases enough =
      place_phases(communicator, Status(), prepared, costs, 2, 0, 10, Domains());
  EXPECT_GE(enough.allowed.assignment.fewest_objects, 10);
}

}  // namespace
}  // namespace evenkeel
