// Counts the MPI messages of a halo. There must be one to each partner, whatever the number of
// fields, one reduction, and no message to other ranks.

#include "support/harness.hpp"

#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/halo.hpp>

#if EVENKEEL_HAS_MPI

#include "core/traffic.hpp"

namespace evenkeel {
namespace {

using test::Traffic;
using test::traffic_of;

TEST(HaloMessages, OneToEachPartner) {
  const Communicator ranks = test::world();
  const int rank = ranks.rank(), size = ranks.size();
  const Box box = {{0, 0, 0}, {static_cast<double>(size), 1, 1}};
  const Domains domains = GridDomains::uniform({3, {size, 1, 1}}, box, GridScheme::tensor);
  std::vector<std::array<double, 3>> x(100, {rank + 0.5, 0.5, 0.5});
  std::set<int> partners;
  if (rank > 0) partners.insert(rank - 1);
  if (rank + 1 < size) partners.insert(rank + 1);
  const auto few = static_cast<int>(partners.size());

  Halo halo;
  const Traffic made = traffic_of([&] { halo = Halo(ranks, domains, set(x), 0.75); });
  EXPECT_EQ(made.to, partners);
  EXPECT_EQ(made.notes, few);
  EXPECT_EQ(made.messages, few);
  EXPECT_EQ(made.reductions, 2);

  const auto all = static_cast<std::size_t>(halo.owned() + halo.ghosts());
  x.resize(all);
  std::vector<float> charge(all);
  std::vector<std::array<char, 5>> name(all);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Traffic exchanged = traffic_of([&] { halo.exchange(set(x, carry(charge, name))); });
    EXPECT_EQ(exchanged.to, partners);
    EXPECT_EQ(exchanged.notes, 0);
    EXPECT_EQ(exchanged.messages, few);
    EXPECT_EQ(exchanged.reductions, 1);
    const Traffic summed = traffic_of([&] { halo.sum_back(carry(x, charge)); });
    EXPECT_EQ(summed.to, partners);
    EXPECT_EQ(summed.messages, few);
    EXPECT_EQ(summed.reductions, 1);
  }
}

}  // namespace
}  // namespace evenkeel

#else

TEST(HaloMessages, AProcessAloneHasNone) { GTEST_SKIP() << "built without MPI"; }

#endif
