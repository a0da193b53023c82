// Compares placing with the requirements of each method, on any space. Every object must belong to
// one part, the parts must match the domains, and the loads must be those of the parts.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/place/phases.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::place_test {
namespace {

using Place = std::array<double, 3>;

const Method methods[] = {Hilbert{}, Morton{}, Snake{}, Staggered{}, Tensor{}, RecursiveBisection{},
                          Voronoi{}, Mesh{}};

class PlaceOn : public test::OnRanks {
 protected:
  std::vector<Place> x;
  std::vector<double> weights;
  std::vector<std::int64_t> group;

  void make(std::int64_t all) {
    for (std::int64_t id = rank; id < all; id += size) {
      x.push_back(test::place_in_unit(id));
      weights.push_back(1 + static_cast<double>(test::mix(id, 7) % 4));
      group.push_back(id % 4 == 0 ? -1 : id / 12);
    }
  }
  static Region region(bool is_bound = false) { return {3, {{0, 0, 0}, {1, 1, 1}}, is_bound}; }

  Prepared prepared(const Set& all, const PlaceOptions& options, bool is_bound = false) const {
    return prepare(communicator, Status(), {&all, 1}, region(is_bound), options);
  }
  Assignment placed(const Prepared& prepared, std::span<const double> given, const Goal& goal = {},
                    const Domains& last = {}, bool counts_objects = false) const {
    return place(communicator, Status(), prepared, Weights(&given, 1), goal, last, counts_objects);
  }

  // The rank that an assignment gives to each object of this rank, in the order of the objects.
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
  // The loads of each of `parts`, summed over all ranks. If `of_object` is empty, objects weigh 1.
  std::vector<double> loads_by_hand(const std::vector<int>& parts_of_objects, int parts,
                                    const std::vector<double>& of_object) const {
    std::vector<double> loads(static_cast<std::size_t>(parts));
    for (std::size_t i = 0; i < parts_of_objects.size(); ++i)
      loads[static_cast<std::size_t>(parts_of_objects[i])] += of_object.empty() ? 1 : of_object[i];
    communicator.all_reduce(std::span<double>(loads), Reduction::sum);
    return loads;
  }
  double lambda_by_hand(const std::vector<int>& ranks, const std::vector<double>& of_object) const {
    return lambda_of(loads_by_hand(ranks, size, of_object));
  }
};

TEST_F(PlaceOn, EachMethodPlacesEachObjectWhereItsDomainsSay) {
  make(4000);
  const Set all = set(x);
  for (const Method& method : methods)
    for (const bool is_weighted : {false, true}) {
      SCOPED_TRACE(to_text(method));
      const auto here = test::array_of(weights, Space::where(MemoryKind::host));
      const std::span<const double> given =
          is_weighted ? std::span<const double>(here.span()) : std::span<const double>();
      const Prepared ready = prepared(all, {.method = method});
      const Assignment found = placed(ready, given, EvenGoal{1.02}, {}, true);
      const std::vector<int> ranks = ranks_of(ready, found);
      ASSERT_EQ(ranks.size(), x.size());
      for (std::size_t i = 0; i < ranks.size(); ++i)
        ASSERT_EQ(ranks[i], owner_of(found.domains, x[i])) << i;
      const std::vector<double> none;
      EXPECT_NEAR(found.lambda, lambda_by_hand(ranks, is_weighted ? weights : none), 1e-9);
      EXPECT_LT(found.lambda, 1.3);
      EXPECT_TRUE(found.is_changed);
      EXPECT_EQ(generation_of(found.domains), generation_of(Domains()) + 1);
      EXPECT_EQ(static_cast<double>(found.fewest_objects),
                std::ranges::min(loads_by_hand(ranks, size, {})));

      // Domains that are even enough must be kept.
      const Assignment again = placed(ready, given, EvenGoal{found.lambda * 1.001}, found.domains);
      EXPECT_FALSE(again.is_changed);
      EXPECT_EQ(ranks_of(ready, again), ranks);
      EXPECT_EQ(generation_of(again.domains), generation_of(found.domains) + 1);
    }
}

TEST_F(PlaceOn, WhereNothingWeighsAnythingObjectsCount) {
  make(3000);
  const Set all = set(x);
  const std::vector<double> zeros(x.size());
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Prepared ready = prepared(all, {.method = method});
    const Assignment found = placed(ready, zeros, EvenGoal{1.02});
    EXPECT_NEAR(found.lambda, lambda_by_hand(ranks_of(ready, found), {}), 1e-9);
  }
}

// Members of a group must be in one part, and the loads must count them there.
TEST_F(PlaceOn, GroupsStayTogether) {
  make(3000);
  const Set all = set(x, {}, {.group = group});
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Prepared ready = prepared(all, {.method = method}, true);
    const Assignment found = placed(ready, {}, EvenGoal{1.05});
    const std::vector<int> ranks = ranks_of(ready, found);
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
      const std::string told =
          "evenkeel: rank " + std::to_string(culprit) + ": ship: The anchor is down. Weigh it.";
      const PlaceOptions options = {.method = method};
      EXPECT_EQ(test::error_everywhere([&] {
                  placed(prepare(communicator, status, {&all, 1}, region(), options), {});
                }),
                told);
      const PreparedToCut ready = prepare_to_cut(status, {&all, 1}, region(), options);
      EXPECT_EQ(test::error_everywhere(
                    [&] { cut_anew(communicator, Status(), ready, Weights(&ones, 1), {}, {}); }),
                told);
    }
}

// --- Only domains --------------------------------------------------------------------------------

// Any number of ranks can cut any number of parts without sorting. If there are as many parts as
// ranks, the domains must be those of a placement of the same objects.
TEST_F(PlaceOn, AFreshCutIsWhatPlacingFinds) {
  make(4000);
  const Set all = set(x);
  const auto here = test::array_of(weights, Space::where(MemoryKind::host));
  const std::span<const double> given = here.span();
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const PlaceOptions options = {.method = method};
    const PreparedToCut ready = prepare_to_cut(Status(), {&all, 1}, region(), options);
    const FreshCut found = cut_anew(communicator, Status(), ready, Weights(&given, 1), {}, {});
    const Assignment assigned = placed(prepared(all, options), given);
    // Placing may assign parts to the ranks that hold most of them.
    if (rank_of_part(assigned.domains).empty()) {
      EXPECT_TRUE(is_same_division(found.domains, assigned.domains));
    }
    EXPECT_DOUBLE_EQ(found.lambda, assigned.lambda);
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
      std::vector<int> owners;
      for (const Place& place : x) owners.push_back(owner_of(found.domains, place));
      EXPECT_NEAR(found.lambda, lambda_of(loads_by_hand(owners, parts, weights)), 1e-9);
      EXPECT_LT(found.lambda, parts == 40 ? 1.7 : 1.2);
    }
}

// A box that is not a cube, with and without periods, and from a sample of the objects or from all.
TEST_F(PlaceOn, CellsAreTheSameOnAnyNumberOfRanks) {
  const Region wide{3, {{0, 0, 0}, {3, 1, 0.5}}, false};
  const auto cut_of = [&](const Communicator& ranks, std::int64_t all, std::int64_t first,
                          std::int64_t step, const PlaceOptions& options) {
    std::vector<Place> places;
    std::vector<double> costs;
    for (std::int64_t id = first; id < all; id += step) {
      const Place at = test::place_in_unit(id);
      places.push_back({3 * at[0] * at[0], at[1], at[2] / 2});
      costs.push_back(1 + static_cast<double>(test::mix(id, 7) % 4));
    }
    const Set objects = set(places);
    const std::span<const double> given = costs;
    const PreparedToCut ready = prepare_to_cut(Status(), {&objects, 1}, wide, options);
    return cut_anew(ranks, Status(), ready, Weights(&given, 1), {.parts = 6}, {});
  };
  for (const std::int64_t all : {0, 700, 5000})
    for (const bool wraps : {false, true}) {
      for (const bool is_mesh : {false, true}) {
        PlaceOptions options = {.method = Voronoi{}, .periodic = {wraps, false, wraps}};
        if (is_mesh) options.method = Mesh{};
        const FreshCut found = cut_of(communicator, all, rank, size, options);
        const FreshCut alone = cut_of(Communicator::self(), all, 0, 1, options);
        EXPECT_TRUE(is_same_division(found.domains, alone.domains)) << all;
        EXPECT_LE(found.lambda, all == 700 ? 1.04 : is_mesh ? 1.021 : 1.011);
        EXPECT_EQ(found.lambda, alone.lambda);
      }
    }
}

// Half of the objects are in lumps, the smallest of which is a thousand times smaller than the
// largest one and is apart from everything else.
TEST_F(PlaceOn, CellsOfVeryDifferentSizesAreEven) {
  constexpr std::int64_t all = 30000, lumps = 10;
  constexpr int parts = 40;
  for (std::int64_t id = rank; id < all; id += size) {
    Place at = test::place_in_unit(id);
    const std::int64_t lump = id % (2 * lumps);
    const Place centre = test::place_in_unit(all + lump);
    const double width = 0.2 * std::pow(10, -3.0 * static_cast<double>(lump) / (lumps - 1));
    for (std::size_t d = 0; d < 3 && lump < lumps; ++d)
      at[d] = 0.2 + 0.6 * centre[d] + width * (at[d] - 0.5);
    x.push_back(at);
  }
  const Set objects = set(x);
  const std::span<const double> given;
  const PreparedToCut ready =
      prepare_to_cut(Status(), {&objects, 1}, region(), {.method = Voronoi{}});
  const FreshCut found =
      cut_anew(communicator, Status(), ready, Weights(&given, 1), {.parts = parts}, {});
  EXPECT_LE(found.lambda, 1.02);
}

// The search begins with the last vertices, so most objects stay where they are.
TEST_F(PlaceOn, AMeshFollowsItsObjects) {
  make(5000);
  const Set all = set(x);
  const Prepared before = prepared(all, {.method = Mesh{}});
  const Assignment first = placed(before, {}, EvenGoal{1.05});
  const std::vector<int> were = ranks_of(before, first);
  for (Place& place : x) place[2] = place[2] * (0.9 + 0.1 * place[2]);
  const Prepared after = prepared(all, {.method = Mesh{}});
  const Assignment next = placed(after, {}, EvenGoal{1.001}, first.domains);
  EXPECT_LE(next.lambda, 1.03);
  EXPECT_EQ(rank_of_part(next.domains), rank_of_part(first.domains));
  const std::vector<int> are = ranks_of(after, next);
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < are.size(); ++i) moved += are[i] != were[i] ? 1 : 0;
  EXPECT_LE(communicator.all_reduce(moved, Reduction::sum), 500);
}

TEST_F(PlaceOn, AMeshNeedsRoomForItsLeastWidth) {
  make(100);
  const Set objects = set(x);
  const std::span<const double> given;
  const PlaceOptions options = {.method = Mesh{{4, 1, 1}}, .least_width = {0.3, 0, 0}};
  const PreparedToCut ready = prepare_to_cut(Status(), {&objects, 1}, region(), options);
  const std::string error = test::error_everywhere(
      [&] { cut_anew(communicator, Status(), ready, Weights(&given, 1), {.parts = 4}, {}); });
  EXPECT_NE(error.find("core/place: There is no room for 4 domains of width 0.3 along x. Choose a "
                       "smaller least_width, or fewer domains along this axis."),
            std::string::npos)
      << error;
}

TEST_F(PlaceOn, BisectionKeepsToItsCellsAndAxes) {
  make(3000);
  const Set all = set(x);
  const Prepared ready = prepared(
      all, {.method = RecursiveBisection{{true, false, true}}, .cell_size = {0.0625, 0, 0.125}});
  const Assignment found = placed(ready, {});
  for (const Bisection& node : std::get<TreeDomains>(found.domains).nodes()) {
    EXPECT_NE(node.axis, 1);
    const double cells = node.border * (node.axis == 0 ? 16 : 8);
    EXPECT_EQ(cells, std::round(cells));
  }
  EXPECT_LT(found.lambda, 1.25);
}

TEST_F(PlaceOn, ACurveMayHaveFewerLevels) {
  make(1000);
  const Set all = set(x);
  Domains last;
  for (const int levels : {3, 4, 0}) {
    const Prepared ready = prepared(all, {.method = Snake{}, .levels = levels});
    const Assignment found = placed(ready, {}, EvenGoal{1e9}, last);
    EXPECT_TRUE(found.is_changed) << "ranges of another curve are not kept";
    EXPECT_EQ(std::get<CurveDomains>(found.domains).curve(),
              (CurveOptions{CurveKind::snake, levels}));
    const std::vector<int> ranks = ranks_of(ready, found);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      ASSERT_EQ(ranks[i], owner_of(found.domains, x[i])) << i;
    last = found.domains;
  }
}

TEST(Methods, AreWhatTheirTextsSay) {
  for (const Method& method : methods) EXPECT_EQ(method_from_text(to_text(method)), method);
  EXPECT_EQ(method_from_text("tensor 4x2"), Method(Tensor{{4, 2, 1}}));
  for (const Effort effort : {Effort::polish, Effort::fast, Effort::good}) {
    const Method method =
        ByGraph{.effort = effort, .target_lambda = 1.1, .moving_cost = 1e-3, .edge_seconds = 2e-8};
    EXPECT_EQ(method_from_text(to_text(method)), method);
  }
  EXPECT_EQ(to_text(ByGraph{}), "graph");
  EXPECT_EQ(method_from_text("graph fast"), Method(ByGraph{.effort = Effort::fast}));
  EXPECT_EQ(method_from_text("graph good 1.05"), Method(ByGraph{.target_lambda = 1.05}));
  EXPECT_EQ(to_text(Staggered{{4, 2, 1}}), "staggered 4x2x1");
  EXPECT_EQ(method_from_text(to_text(Staggered{{0, 0, 1}})), Method(Staggered{{0, 0, 1}}));
  for (const char* text :
       {"", "graph quick", "graph good x", "graph good -1", "graph good inf", "graph good 1 1 1 1",
        "graph ", "hilbert 2x2", "tensor -1x1", "tensor 2x", "tensor 1x2x3x4", "Hilbert"})
    EXPECT_FALSE(method_from_text(text)) << text;
}

// Half of the objects take part in the second of two phases. The reported loads must be those of
// the parts, and no worse than those of a cut by the sum of both phases.
TEST_F(PlaceOn, PhasesAlongACurve) {
  make(4000);
  const Set all = set(x);
  const Space host = Space::where(MemoryKind::host);
  std::vector<double> second(x.size()), sum(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    second[i] = x[i][0] < 0.5 ? 3 * weights[i] : 0;
    sum[i] = weights[i] + second[i];
  }
  const auto in_first = test::array_of(weights, host);
  const auto in_second = test::array_of(second, host);
  const auto in_both = test::array_of(sum, host);
  const std::vector<std::vector<std::span<const double>>> costs = {
      {in_first.span(), in_second.span()}};
  const Prepared ready = prepared(all, {});
  const auto step_of = [&](const Assignment& assignment) {
    const std::vector<int> ranks = ranks_of(ready, assignment);
    return std::ranges::max(loads_by_hand(ranks, size, weights)) +
           std::ranges::max(loads_by_hand(ranks, size, second));
  };
  const auto by_phases = [&](double target, std::int64_t fewest, const Domains& last) {
    return place_phases(communicator, Status(), ready, costs, 2, target, {fewest}, last);
  };
  const Assignment plain = placed(ready, in_both.span());
  const PlacedByPhases found = by_phases(1.05, 0, {});
  const double step = step_of(found.allowed.assignment);
  ASSERT_EQ(found.loads.phases.size(), 2U);
  EXPECT_NEAR(found.loads.step, step, 1e-6 * step);
  EXPECT_LE(step, 1.01 * step_of(plain));
  EXPECT_GE(step, found.loads.bound * (1 - 1e-9));
  // Domains that are nearly as good must be kept. Without earlier domains, each part must get the
  // required number of objects.
  const Domains& last = found.allowed.assignment.domains;
  const PlacedByPhases kept = by_phases(1.05, 0, last);
  EXPECT_FALSE(kept.allowed.assignment.is_changed);
  EXPECT_NEAR(kept.loads.step, step, 1e-6 * step);
  const PlacedByPhases enough = by_phases(0, 10, {});
  EXPECT_GE(enough.allowed.assignment.fewest_objects, 10);
}

}  // namespace
}  // namespace evenkeel::place_test
