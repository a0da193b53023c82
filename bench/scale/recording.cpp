#include "recording.hpp"

#include <mpi.h>

#include <utility>

namespace evenkeel::scale {

namespace {

Calls* current = nullptr;  // of the Recording that lives, if any

std::int64_t size_of(MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return bytes;
}

std::int64_t ranks_of(MPI_Comm ranks) {
  int size = 1;
  PMPI_Comm_size(ranks, &size);
  return size;
}

void note(CallKind kind, std::int64_t count = 0, MPI_Datatype type = MPI_BYTE) {
  if (current != nullptr) current->push_back({kind, count * size_of(type)});
}

// The counts are known on all ranks.
void note_gather(CallKind kind, const int* counts, MPI_Datatype type, MPI_Comm ranks) {
  if (current == nullptr) return;
  std::int64_t all = 0;
  for (std::int64_t r = 0; r < ranks_of(ranks); ++r) all += counts[r];
  note(kind, all, type);
}

}  // namespace

Recording::Recording() { current = &calls_; }
Recording::~Recording() { current = nullptr; }
Calls Recording::take() { return std::exchange(calls_, {}); }

}  // namespace evenkeel::scale

using namespace evenkeel::scale;

extern "C" {

int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks) {
  note(CallKind::reduction, n, type);
  return PMPI_Allreduce(from, to, n, type, op, ranks);
}
int MPI_Iallreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks,
                   MPI_Request* request) {
  note(CallKind::pending_reduction, n, type);
  return PMPI_Iallreduce(from, to, n, type, op, ranks, request);
}
int MPI_Exscan(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks) {
  note(CallKind::scan, n, type);
  return PMPI_Exscan(from, to, n, type, op, ranks);
}
int MPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm ranks) {
  note(CallKind::broadcast, n, type);
  return PMPI_Bcast(data, n, type, root, ranks);
}
int MPI_Allgather(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into,
                  MPI_Comm ranks) {
  note(CallKind::gather, m * ranks_of(ranks), into);
  return PMPI_Allgather(from, n, type, to, m, into, ranks);
}
int MPI_Allgatherv(const void* from, int n, MPI_Datatype type, void* to, const int* counts,
                   const int* places, MPI_Datatype into, MPI_Comm ranks) {
  note_gather(CallKind::gather_several, counts, into, ranks);
  return PMPI_Allgatherv(from, n, type, to, counts, places, into, ranks);
}
int MPI_Gatherv(const void* from, int n, MPI_Datatype type, void* to, const int* counts,
                const int* places, MPI_Datatype into, int root, MPI_Comm ranks) {
  note_gather(CallKind::gather_to_root, counts, into, ranks);
  return PMPI_Gatherv(from, n, type, to, counts, places, into, root, ranks);
}
int MPI_Barrier(MPI_Comm ranks) {
  note(CallKind::barrier);
  return PMPI_Barrier(ranks);
}
int MPI_Ibarrier(MPI_Comm ranks, MPI_Request* request) {
  note(CallKind::barrier);
  return PMPI_Ibarrier(ranks, request);
}
int MPI_Issend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
               MPI_Request* request) {
  note(CallKind::note, n, type);
  return PMPI_Issend(data, n, type, to, tag, ranks, request);
}
int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  note(CallKind::message, n, type);
  return PMPI_Isend(data, n, type, to, tag, ranks, request);
}
int MPI_Send(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  note(CallKind::message, n, type);
  return PMPI_Send(data, n, type, to, tag, ranks);
}

// Other libraries call these.
int MPI_Rsend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  note(CallKind::message, n, type);
  return PMPI_Rsend(data, n, type, to, tag, ranks);
}
int MPI_Reduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm ranks) {
  note(CallKind::reduction, n, type);
  return PMPI_Reduce(from, to, n, type, op, root, ranks);
}
int MPI_Reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm ranks) {
  note_gather(CallKind::reduction, counts, type, ranks);
  return PMPI_Reduce_scatter(from, to, counts, type, op, ranks);
}
int MPI_Scan(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks) {
  note(CallKind::scan, n, type);
  return PMPI_Scan(from, to, n, type, op, ranks);
}

}  // extern "C"
