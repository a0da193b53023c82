// What a halo asks of MPI, seen through MPI's profiling interface: one message to each partner,
// whatever the number of fields, one reduction, and nothing to anybody else.

#include "support/harness.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/halo.hpp>

#if EVENKEEL_HAS_MPI

#include <mpi.h>

#include <array>
#include <set>
#include <vector>

namespace evenkeel {
namespace {

// Ranks are those of MPI_COMM_WORLD, of which all communicators here are duplicates.
struct Traffic {
  std::set<int> to;
  int notes = 0, messages = 0, reductions = 0;
};

// MPI's functions have no other way to find it.
Traffic* record = nullptr;

template <class Function>
Traffic traffic_of(const Function& function) {
  Traffic traffic;
  record = &traffic;
  function();
  record = nullptr;
  return traffic;
}

void sent_to(int rank, int Traffic::*kind) {
  if (record == nullptr) return;
  record->to.insert(rank);
  ++(record->*kind);
}
void reduced() {
  if (record != nullptr) ++record->reductions;
}

}  // namespace
}  // namespace evenkeel

using evenkeel::Traffic;

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  evenkeel::sent_to(to, &Traffic::messages);
  return PMPI_Isend(data, count, type, to, tag, ranks, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
               MPI_Request* request) {
  evenkeel::sent_to(to, &Traffic::notes);
  return PMPI_Issend(data, count, type, to, tag, ranks, request);
}
int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm ranks) {
  evenkeel::reduced();
  return PMPI_Allreduce(mine, all, count, type, operation, ranks);
}
int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm ranks, MPI_Request* request) {
  evenkeel::reduced();
  return PMPI_Iallreduce(mine, all, count, type, operation, ranks, request);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

namespace evenkeel {
namespace {

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

namespace evenkeel {
namespace {
TEST(HaloMessages, ThereAreNone) {}
}  // namespace
}  // namespace evenkeel

#endif
