// A few objects that are far from all others must not hinder balancing.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/users_logger.hpp"

namespace evenkeel::far_objects_test {
namespace {

using namespace test;

constexpr std::int64_t objects = 2000;

double in_unit_box(std::int64_t id, int axis) {
  return 5e-20 * static_cast<double>(test::mix(id, axis));
}

constexpr Scene near = {"near", &in_unit_box};
constexpr Scene one_far = {"one far", [](std::int64_t id, int axis) {
                             return id == 17 && axis == 0 ? 1e7 : in_unit_box(id, axis);
                           }};
constexpr Scene three_far = {"three far", [](std::int64_t id, int axis) {
                               if (id == 3) return axis == 1 ? -1e7 : 0.5;
                               if (id == 900) return axis == 0 ? 1e9 : 1e8;
                               if (id == 1999) return -1e12;
                               return in_unit_box(id, axis);
                             }};
// Curves can separate the clusters, since each cluster still has many cells.
constexpr Scene two_clusters = {"two clusters", [](std::int64_t id, int axis) {
                                  return in_unit_box(id, axis) + (id % 2 == 0 ? 1e3 : 0);
                                }};

bool is_curve(const Method& method) { return method.index() < 3; }

class FarObjects : public test::OnRanks {
 protected:
  static Options quiet(const Method& method) {
    Options options;
    options.method = method;
    options.trigger = Never{};
    options.deterministic = true;
    options.log = LogLevel::summary;
    return options;
  }

  double lambda_of(std::size_t here) const {
    return evenkeel::lambda_of(communicator.all_gather(static_cast<double>(here)));
  }

  // Returns the lambda of the objects on the ranks, after one rebalance.
  template <class Cloud>
  double balanced(Balancer& balancer, Cloud& cloud, const Scene& scene) const {
    write_objects(cloud.as_set(), scene, cloud.id);
    const MoveReport report = balancer.rebalance(cloud.as_set());
    test::expect_agreed(communicator, balancer, report);
    test::expect_at_owners(balancer, cloud.as_set());
    test::expect_intact(communicator, cloud.as_set(), scene, test::counting<std::int64_t>(objects));
    return lambda_of(cloud.id.size());
  }

  template <class Cloud>
  Cloud fresh() const {
    const Ids ids = test::ids_here(communicator, test::in_turn, objects);
    Cloud cloud(ids.size());
    cloud.id = ids;
    return cloud;
  }

  template <class Cloud>
  void expect_as_good(const Method& method, const Scene& scene) const {
    SCOPED_TRACE(std::string(scene.name) + ", method " + std::to_string(method.index()));
    double lambdas[2];
    const Scene* const scenes[] = {&near, &scene};
    for (std::size_t i = 0; i < 2; ++i) {
      Cloud cloud = fresh<Cloud>();
      Balancer balancer(communicator, quiet(method));
      lambdas[i] = balanced(balancer, cloud, *scenes[i]);
      balancer.finish();
    }
    EXPECT_LE(lambdas[1], 1.02 * lambdas[0]);
    const double exact = 1 + 4.0 * size / static_cast<double>(objects);
    EXPECT_TRUE(!is_curve(method) || lambdas[1] <= exact) << lambdas[1];
  }
};

using Flat = Numbered<std::array<double, 2>>;
using Deep = Numbered<Point>;

TEST_F(FarObjects, TheCutIsAsEvenAsWithoutThem) {
  for (const Method& method : all_methods)
    for (const Scene& scene : {one_far, three_far}) {
      expect_as_good<Deep>(method, scene);
      expect_as_good<Flat>(method, scene);
    }
}

TEST_F(FarObjects, TwoClustersAreBothCut) {
  for (const Method& method : {Method(Hilbert{}), Method(Morton{}), Method(RecursiveBisection{})}) {
    const test::UsersLogger logger;
    Deep cloud = fresh<Deep>();
    Balancer balancer(communicator, quiet(method));
    EXPECT_LE(balanced(balancer, cloud, two_clusters), 1.02);
    EXPECT_GT(box_of(balancer.domains()).upper[0], 1e3) << "both are in the box";
    balancer.finish();
    EXPECT_EQ(logger.count_of("warning: "), 0);
  }
}

// The object leaves, comes back, and leaves again. The box must stay, so keys do not change.
TEST_F(FarObjects, OneThatReturns) {
  for (const Method& method : all_methods) {
    const test::UsersLogger logger;
    Deep cloud = fresh<Deep>();
    Balancer balancer(communicator, quiet(method));
    balanced(balancer, cloud, near);
    const Box box = box_of(balancer.domains());
    for (const Scene& scene : {one_far, one_far, near, one_far}) {
      const double lambda = balanced(balancer, cloud, scene);
      EXPECT_LE(lambda, 1.1) << scene.name;
      EXPECT_EQ(box_of(balancer.domains()), box) << scene.name;
    }
    balancer.finish();
    EXPECT_EQ(logger.count_of("warning: 1 object is far from all others, and counts as if on the "
                              "edge of the measured box"),
              rank == 0 ? 2 : 0)
        << "once each time that it goes";
  }
}

// For a while, the box must grow with the object. Then it must be measured without it.
TEST_F(FarObjects, OneThatFliesOff) {
  Deep cloud = fresh<Deep>();
  Balancer balancer(communicator, quiet(Hilbert{}));
  balanced(balancer, cloud, near);
  for (double distance = 2; distance < 1e12; distance *= 4) {
    write_objects(cloud.as_set(), near, cloud.id);
    for (std::size_t i = 0; i < cloud.id.size(); ++i)
      if (cloud.id[i] == 1000) cloud.x[i][2] = distance;
    balancer.rebalance(cloud.as_set());
    test::expect_at_owners(balancer, cloud.as_set());
    EXPECT_LE(lambda_of(cloud.id.size()), 1.06) << distance;
  }
  EXPECT_LT(box_of(balancer.domains()).upper[2], 2e3);
  balancer.finish();
}

// --- Imbalance that no box can cure is reported --------------------------------------------------

// The number of warnings that begin with `text`, in three rebalances.
int warnings(const Communicator& communicator, const Scene& scene, const Options& options,
             const std::string& text) {
  const test::UsersLogger logger;
  const Ids ids = test::ids_here(communicator, test::in_turn, objects);
  Deep cloud(ids.size());
  write_objects(cloud.as_set(), scene, ids);
  Balancer balancer(communicator, options);
  for (int i = 0; i < 3; ++i) balancer.rebalance(cloud.as_set());
  balancer.finish();
  return logger.count_of(text + " lambda is " + std::to_string(communicator.size()) + ". ");
}

int warnings_of_cells(const Communicator& communicator, const Scene& scene,
                      const Options& options) {
  return warnings(communicator, scene, options,
                  "2000 of 2000 objects are in one cell of the lattice, which no cut can divide:");
}

TEST_F(FarObjects, ObjectsInOneCellAreToldOnce) {
  const int expected = rank == 0 && size > 1 ? 1 : 0;
  EXPECT_EQ(warnings_of_cells(communicator, test::in_one_point, quiet(Hilbert{})), expected);
  Options given = quiet(Morton{});
  given.box = Box{{-1e8, -1e8, -1e8}, {1e8, 1e8, 1e8}};
  constexpr Scene together = {"together",
                              [](std::int64_t id, int axis) { return 1 + in_unit_box(id, axis); }};
  EXPECT_EQ(warnings_of_cells(communicator, together, given), expected) << "it stays as given";
  EXPECT_EQ(warnings_of_cells(communicator, near, quiet(Hilbert{})), 0);
  EXPECT_EQ(warnings_of_cells(communicator, test::in_one_point, quiet(RecursiveBisection{})), 0);
}

TEST_F(FarObjects, WhatAMeshCannotDivideIsToldOnce) {
  const std::string text = "The hexahedra of a mesh cannot divide these objects evenly:";
  EXPECT_EQ(warnings(communicator, test::in_one_point, quiet(Mesh{}), text),
            rank == 0 && size > 1 ? 1 : 0);
  EXPECT_EQ(warnings(communicator, test::in_one_point, quiet(Voronoi{}), text), 0);
}

}  // namespace
}  // namespace evenkeel::far_objects_test
