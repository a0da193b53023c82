#include "monitor/drive/balancer/crew.hpp"

#include <map>

namespace evenkeel {
namespace {

using test::everywhere;
using test::Ids;
using test::ids_here;

const Method methods[] = {Hilbert{},   Morton{}, Snake{},
                          Staggered{}, Tensor{}, RecursiveBisection{}};

struct Molecules {
  test::Vectors cloud;
  Ids molecule;
  std::vector<int> wall;  // not 0: it belongs to one, which stays

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

// A molecule is on one rank, however often and by whatever method; walls stay.
TEST(BalancerBonds, HoldByAllMethods) {
  const Communicator communicator = test::world();
  for (const Method& method : methods) {
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
        std::int64_t size = 0;
        for (std::int64_t id = 3 * molecule; id < 3 * molecule + 3; ++id) size += id % 10 != 0;
        return size;
      };
      here.erase(-1);
      for (const auto& [molecule, size] : here)
        EXPECT_EQ(size, sizes(molecule)) << "molecule " << molecule;
      for (const std::int64_t id : walls) EXPECT_EQ(std::ranges::count(all.cloud.id, id), 1);
      if (turn == 1)  // all drift
        for (auto& place : all.cloud.x) place = {-place[1], place[2], -place[0]};
    }
    balancer.finish();
    EXPECT_EQ(communicator.all_reduce(std::ssize(all.cloud.id) + 0L, Reduction::sum), 300);
  }
}

}  // namespace
}  // namespace evenkeel
