#include "recording.hpp"

#include <mpi.h>

namespace evenkeel::scale {

namespace {

Calls* current = nullptr;  // the calls of recorded() while it runs

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

// Notes a gather with counts, which are known on all ranks.
void note_gather(CallKind kind, const int* counts, MPI_Datatype type, MPI_Comm ranks) {
  if (current == nullptr) return;
  std::int64_t all = 0;
  for (std::int64_t r = 0; r < ranks_of(ranks); ++r) all += counts[r];
  note(kind, all, type);
}

}  // namespace

Calls recorded(const std::function<void()>& function) {
  const struct Ends {
    ~Ends() { current = nullptr; }
  } ends;
  Calls calls;
  current = &calls;
  function();
  return calls;
}

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

}  // extern "C"
