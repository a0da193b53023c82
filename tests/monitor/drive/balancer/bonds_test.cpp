#include "monitor/drive/balancer/crew.hpp"

namespace evenkeel::bonds_test {
namespace {

using namespace test;

struct Molecules {
  test::Vectors cloud;
  Ids molecule;
  std::vector<int> wall;  // if not 0, the object is in a wall, which stays

  explicit Molecules(const Ids& ids) : cloud(ids.size()) {
    write_objects(cloud.as_set(), everywhere, ids);
    for (const std::int64_t id : ids) {
      molecule.push_back(id % 10 == 0 ? -1 : id / 3);
      wall.push_back(id % 50 == 0 ? 1 : 0);
    }
  }
  Set as_set() {
    return set(cloud.x, carry(cloud.id, molecule, wall), {.group = molecule, .pinned = wall});
  }
};

using BalancerBonds = test::OnRanks;

// After any number of rebalances by any method, each molecule must be on one rank, and walls must
// stay.
TEST_F(BalancerBonds, HoldByAllMethods) {
  for (const Method& method : all_methods) {
    SCOPED_TRACE("method " + std::to_string(method.index()));
    Molecules all(ids_here(communicator, test::in_turn, 300));
    Ids walls;
    for (const std::int64_t id : all.cloud.id)
      if (id % 50 == 0) walls.push_back(id);
    Balancer balancer(communicator, {.method = method});
    for (int turn = 0; turn < 3; ++turn) {
      const MoveReport report = balancer.rebalance(all.as_set());
      EXPECT_EQ(report.moved, turn != 1 && communicator.size() > 1) << "turn " << turn;
      std::map<std::int64_t, std::int64_t> here;
      for (const std::int64_t molecule : all.molecule) ++here[molecule];
      const auto sizes = [](std::int64_t molecule) {
        std::int64_t atoms = 0;
        for (std::int64_t id = 3 * molecule; id < 3 * molecule + 3; ++id) atoms += id % 10 != 0;
        return atoms;
      };
      here.erase(-1);
      for (const auto& [molecule, atoms] : here)
        EXPECT_EQ(atoms, sizes(molecule)) << "molecule " << molecule;
      for (const std::int64_t id : walls) EXPECT_EQ(std::ranges::count(all.cloud.id, id), 1);
      if (turn == 1)  // all objects drift
        for (auto& place : all.cloud.x) place = {-place[1], place[2], -place[0]};
    }
    balancer.finish();
    EXPECT_EQ(communicator.all_reduce(std::ssize(all.cloud.id) + 0L, Reduction::sum), 300);
  }
}

// --- Families of an adaptive mesh, as in docs/moving.md ------------------------------------------

// Cells below level `coarsest` may be merged into a cell of that level. Coarser cells may not be
// merged.
std::int64_t family_of(std::int64_t key, int level, int coarsest) {
  return level > coarsest ? key >> 3 * (level - coarsest) : -1;
}

struct Mesh {
  std::vector<std::array<double, 3>> centre;
  std::vector<std::int64_t> key, family;
  std::vector<int> level;

  // Adds the leaves below a cell. The tree is deeper near the corner.
  void refine(std::int64_t cell, int depth, std::array<double, 3> lower, double width) {
    if (depth >= (lower[0] + lower[1] + lower[2] < 0.3 ? 4 : 2)) {
      key.push_back(cell);
      level.push_back(depth);
      centre.push_back({lower[0] + width / 2, lower[1] + width / 2, lower[2] + width / 2});
      return;
    }
    const double half = width / 2;
    for (int child = 0; child < 8; ++child)
      refine(8 * cell + child, depth + 1,
             {lower[0] + half * (child / 4), lower[1] + half * (child / 2 % 2),
              lower[2] + half * (child % 2)},
             half);
  }
};

// Cells that may be merged, over one level or several, must be on one rank.
TEST_F(BalancerBonds, HoldFamiliesWithinFamilies) {
  for (const int coarsest : {1, 2, 3}) {
    Mesh mesh;
    if (communicator.rank() == 0) mesh.refine(1, 0, {0, 0, 0}, 1);
    for (std::size_t i = 0; i < mesh.key.size(); ++i)
      mesh.family.push_back(family_of(mesh.key[i], mesh.level[i], coarsest));
    const std::int64_t all = communicator.all_reduce(std::ssize(mesh.key) + 0L, Reduction::sum);
    Balancer balancer(communicator, {});
    balancer.rebalance(mesh.centre, carry(mesh.key, mesh.level, mesh.family),
                       {.group = mesh.family});
    EXPECT_EQ(communicator.all_reduce(std::ssize(mesh.key) + 0L, Reduction::sum), all);
    const std::vector<std::int64_t> families =
        communicator.all_gather(std::span<const std::int64_t>(mesh.family)).values;
    std::int64_t grouped = 0;
    for (std::size_t i = 0; i < mesh.key.size(); ++i) {
      EXPECT_EQ(mesh.family[i], family_of(mesh.key[i], mesh.level[i], coarsest)) << "carried";
      if (mesh.family[i] < 0) continue;
      ++grouped;
      EXPECT_EQ(std::ranges::count(families, mesh.family[i]),
                std::ranges::count(mesh.family, mesh.family[i]))
          << "all of them are here";
    }
    EXPECT_GT(communicator.all_reduce(grouped, Reduction::sum), 0);
    balancer.finish();
  }
}

}  // namespace
}  // namespace evenkeel::bonds_test
