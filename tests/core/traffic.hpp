#pragma once

// Records the MPI calls of a rank through MPI's profiling interface. The MPI functions that are
// defined here replace those of the library. They record the call, and forward it to their PMPI_
// names. Include this in one source file of a program that is built with MPI.

#include <evenkeel/backends/comm/transfer.hpp>

#include <mpi.h>

#include <set>

namespace evenkeel::test {

// Ranks are those of MPI_COMM_WORLD: all communicators of these tests are duplicates of it.
struct Traffic {
  std::set<int> to, from;
  int notes = 0;     // synchronous sends, which no receiver expects
  int messages = 0;  // all other sends
  int arrivals = 0;  // receives of either
  int reductions = 0;
  int all_to_alls = 0;
};

namespace recorder {

// This is global, since the replaced functions of MPI have no other way to reach the record.
inline Traffic* record = nullptr;

class Recording {
 public:
  explicit Recording(Traffic& traffic) { record = &traffic; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { record = nullptr; }
};

inline void note(int Traffic::*kind) {
  if (record != nullptr) ++(record->*kind);
}
inline void sent_to(int rank, int Traffic::*kind) {
  if (record != nullptr) record->to.insert(rank);
  note(kind);
}
inline void arrival_from(int rank) {
  if (record != nullptr) record->from.insert(rank);
  note(&Traffic::arrivals);
}

}  // namespace recorder

template <class Function>
Traffic traffic_of(const Function& function) {
  Traffic traffic;
  const recorder::Recording recording(traffic);
  function();
  return traffic;
}

}  // namespace evenkeel::test

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

using evenkeel::test::Traffic;
using evenkeel::test::recorder::arrival_from;
using evenkeel::test::recorder::note;
using evenkeel::test::recorder::sent_to;

// The last argument of each macro is the name of the request, if the call has one.

// --- Sends ---------------------------------------------------------------------------------------

#define EVENKEEL_TEST_SEND(name, kind, ...)                                           \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag,     \
                 MPI_Comm ranks __VA_OPT__(, MPI_Request* __VA_ARGS__)) {             \
    sent_to(to, &Traffic::kind);                                                      \
    return PMPI_##name(data, count, type, to, tag, ranks __VA_OPT__(, ) __VA_ARGS__); \
  }

EVENKEEL_TEST_SEND(Send, messages)
EVENKEEL_TEST_SEND(Bsend, messages)
EVENKEEL_TEST_SEND(Rsend, messages)
EVENKEEL_TEST_SEND(Ssend, notes)
EVENKEEL_TEST_SEND(Isend, messages, request)
EVENKEEL_TEST_SEND(Ibsend, messages, request)
EVENKEEL_TEST_SEND(Irsend, messages, request)
EVENKEEL_TEST_SEND(Issend, notes, request)
EVENKEEL_TEST_SEND(Send_init, messages, request)
EVENKEEL_TEST_SEND(Bsend_init, messages, request)
EVENKEEL_TEST_SEND(Rsend_init, messages, request)
EVENKEEL_TEST_SEND(Ssend_init, notes, request)

// --- Receives ------------------------------------------------------------------------------------

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
             MPI_Status* status) {
  arrival_from(from);
  return PMPI_Recv(data, count, type, from, tag, ranks, status);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  arrival_from(from);
  return PMPI_Irecv(data, count, type, from, tag, ranks, request);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
                  MPI_Request* request) {
  arrival_from(from);
  return PMPI_Recv_init(data, count, type, from, tag, ranks, request);
}

int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void* received, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
                 MPI_Status* status) {
  sent_to(to, &Traffic::messages);
  arrival_from(from);
  return PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, count, type, from, tag,
                       ranks, status);
}
int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                         int tag, MPI_Comm ranks, MPI_Status* status) {
  sent_to(to, &Traffic::messages);
  arrival_from(from);
  return PMPI_Sendrecv_replace(data, count, type, to, sent_tag, from, tag, ranks, status);
}

// --- From all to all -----------------------------------------------------------------------------

#define EVENKEEL_TEST_ALL_TO_ALL(name, ...)                                                \
  int MPI_##name(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, \
                 int count, MPI_Datatype type,                                             \
                 MPI_Comm ranks __VA_OPT__(, MPI_Request* __VA_ARGS__)) {                  \
    note(&Traffic::all_to_alls);                                                           \
    return PMPI_##name(sent, sent_count, sent_type, received, count, type,                 \
                       ranks __VA_OPT__(, ) __VA_ARGS__);                                  \
  }
EVENKEEL_TEST_ALL_TO_ALL(Alltoall)
EVENKEEL_TEST_ALL_TO_ALL(Ialltoall, request)
EVENKEEL_TEST_ALL_TO_ALL(Neighbor_alltoall)
EVENKEEL_TEST_ALL_TO_ALL(Ineighbor_alltoall, request)

#define EVENKEEL_TEST_ALL_TO_ALL_V(name, ...)                                                     \
  int MPI_##name(const void* sent, const int sent_counts[], const int sent_offsets[],             \
                 MPI_Datatype sent_type, void* received, const int counts[], const int offsets[], \
                 MPI_Datatype type, MPI_Comm ranks __VA_OPT__(, MPI_Request* __VA_ARGS__)) {      \
    note(&Traffic::all_to_alls);                                                                  \
    return PMPI_##name(sent, sent_counts, sent_offsets, sent_type, received, counts, offsets,     \
                       type, ranks __VA_OPT__(, ) __VA_ARGS__);                                   \
  }
EVENKEEL_TEST_ALL_TO_ALL_V(Alltoallv)
EVENKEEL_TEST_ALL_TO_ALL_V(Ialltoallv, request)
EVENKEEL_TEST_ALL_TO_ALL_V(Neighbor_alltoallv)
EVENKEEL_TEST_ALL_TO_ALL_V(Ineighbor_alltoallv, request)

#define EVENKEEL_TEST_ALL_TO_ALL_W(name, Offset, ...)                                          \
  int MPI_##name(const void* sent, const int sent_counts[], const Offset sent_offsets[],       \
                 const MPI_Datatype sent_types[], void* received, const int counts[],          \
                 const Offset offsets[], const MPI_Datatype types[],                           \
                 MPI_Comm ranks __VA_OPT__(, MPI_Request* __VA_ARGS__)) {                      \
    note(&Traffic::all_to_alls);                                                               \
    return PMPI_##name(sent, sent_counts, sent_offsets, sent_types, received, counts, offsets, \
                       types, ranks __VA_OPT__(, ) __VA_ARGS__);                               \
  }
EVENKEEL_TEST_ALL_TO_ALL_W(Alltoallw, int)
EVENKEEL_TEST_ALL_TO_ALL_W(Ialltoallw, int, request)
EVENKEEL_TEST_ALL_TO_ALL_W(Neighbor_alltoallw, MPI_Aint)
EVENKEEL_TEST_ALL_TO_ALL_W(Ineighbor_alltoallw, MPI_Aint, request)

// --- Reductions ----------------------------------------------------------------------------------

int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm ranks) {
  note(&Traffic::reductions);
  return PMPI_Allreduce(mine, all, count, type, operation, ranks);
}
int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm ranks, MPI_Request* request) {
  note(&Traffic::reductions);
  return PMPI_Iallreduce(mine, all, count, type, operation, ranks, request);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
