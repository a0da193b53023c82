#pragma once

// Intercepts the calls of MPI: makes a chosen call fail without doing anything, and finds ranks
// that wait for ever. Every wait is a loop here. If all ranks have polled many times without
// progress, each throws Stranded. So a hang is one of several results, and does not end the
// program. Include this in one source file of a program.

#include "support/refused_memory.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>

namespace evenkeel::test {

struct Stranded {};

enum class Call : int {
  allreduce,
  iallreduce,
  exscan,
  broadcast,
  allgather,
  allgatherv,
  gatherv,
  barrier,
  duplicate,
  ibarrier,
  issend,
  isend,
  irecv,
  recv,
  iprobe,
  test,
  testall,
  wait,
  type_contiguous,
  type_commit,
  op_create,
  count
};
inline constexpr std::array<const char*, static_cast<std::size_t>(Call::count)> names_of_calls = {
    "MPI_Allreduce", "MPI_Iallreduce", "MPI_Exscan",          "MPI_Bcast",
    "MPI_Allgather", "MPI_Allgatherv", "MPI_Gatherv",         "MPI_Barrier",
    "MPI_Comm_dup",  "MPI_Ibarrier",   "MPI_Issend",          "MPI_Isend",
    "MPI_Irecv",     "MPI_Recv",       "MPI_Iprobe",          "MPI_Test",
    "MPI_Testall",   "MPI_Wait",       "MPI_Type_contiguous", "MPI_Type_commit",
    "MPI_Op_create"};

class Harbour {
 public:
  static constexpr int most_ranks = 16;
  static constexpr auto patience = std::chrono::milliseconds(250);
  static constexpr std::int64_t many_turns = 5000;  // of each rank, however rarely it runs

  static Harbour& here() {
    static Harbour harbour;
    return harbour;
  }

  // Collective. Must be called first.
  void open() {
    PMPI_Comm_dup(MPI_COMM_WORLD, &ranks_);
    PMPI_Comm_rank(ranks_, &rank_);
    PMPI_Comm_size(ranks_, &size_);
    void* mine = nullptr;
    MPI_Aint bytes = 0;
    int unit = 0;
    PMPI_Win_allocate_shared(rank_ == 0 ? sizeof(Seats) : 0, 1, MPI_INFO_NULL, ranks_, &mine,
                             &window_);
    PMPI_Win_shared_query(window_, 0, &bytes, &unit, &mine);
    seats_ = static_cast<Seats*>(mine);
    if (rank_ == 0) new (mine) Seats();
    PMPI_Barrier(ranks_);
  }
  void close() {
    PMPI_Win_free(&window_);
    PMPI_Comm_free(&ranks_);
    seats_ = nullptr;
  }
  MPI_Comm ranks() const { return ranks_; }

  // --- Failing calls -----------------------------------------------------------------------------

  // Makes the n-th call of this kind on this rank fail, counted from 1. If `and_later` is true, all
  // later calls fail, too.
  void arm(Call call, std::int64_t n, bool and_later) {
    call_ = call;
    until_ = n;
    and_later_ = and_later;
    seen_ = failed_ = 0;
  }
  void disarm() { until_ = 0; }
  std::int64_t failed() const { return failed_; }

  bool fails(Call call) {
    if (until_ == 0 || call != call_) return false;
    ++seen_;
    if (seen_ < until_ || (seen_ > until_ && !and_later_)) return false;
    ++failed_;
    return true;
  }

  // --- Waiting -----------------------------------------------------------------------------------

  // A try begins on this rank with enter(), and ends with leave().
  void enter() {
    is_stranded_ = false;
    last_moves_ = -1;
    seat().has_left = false;
    ++seat().moves;
  }
  void leave() {
    seat().has_left = true;
    ++seat().moves;
  }

  void moved() {
    if (seats_ != nullptr) ++seat().moves;
  }

  // Call this in each turn of a loop that waits. If it returns false, end the loop.
  bool wait() {
    if (seats_ == nullptr) return true;
    if (is_stranded_) return strand();
    ++seat().turns;
    std::int64_t moves = 0;
    for (int r = 0; r < size_; ++r) moves += seat(r).moves;
    const auto now = std::chrono::steady_clock::now();
    if (moves != last_moves_) {
      last_moves_ = moves;
      since_ = now;
      for (int r = 0; r < size_; ++r) turns_before_[static_cast<std::size_t>(r)] = seat(r).turns;
    } else if (now - since_ > patience && all_have_asked()) {
      return strand();
    }
    std::this_thread::yield();
    return true;
  }
  bool is_stranded() const { return is_stranded_; }

 private:
  // It is not aligned to a cache line, since MPI does not promise such alignment for memory that
  // ranks share.
  struct Seat {
    std::atomic<std::int64_t> moves{0}, turns{0};
    std::atomic<bool> has_left{false};
  };
  struct Seats {
    std::array<Seat, most_ranks> of_rank;
  };

  Seat& seat(int rank) { return seats_->of_rank[static_cast<std::size_t>(rank)]; }
  Seat& seat() { return seat(rank_); }
  bool all_have_asked() {
    for (int r = 0; r < size_; ++r)
      if (!seat(r).has_left &&
          seat(r).turns - turns_before_[static_cast<std::size_t>(r)] < many_turns)
        return false;
    return true;
  }
  bool strand() {
    is_stranded_ = true;
    return false;
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0, size_ = 1;
  Seats* seats_ = nullptr;
  Call call_ = Call::count;
  std::int64_t until_ = 0, seen_ = 0, failed_ = 0;
  bool and_later_ = false;
  bool is_stranded_ = false;
  std::int64_t last_moves_ = -1;
  std::array<std::int64_t, most_ranks> turns_before_ = {};
  std::chrono::steady_clock::time_point since_;
};

namespace mpi {

// While an object of this class lives, allocations count as MPI's own.
class Inside {
 public:
  Inside() { ++refusals.inside_mpi; }
  ~Inside() { --refusals.inside_mpi; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

inline int stranded() {
  if (std::uncaught_exceptions() == 0) throw Stranded();
  return MPI_ERR_OTHER;  // in a destructor
}

// Completes a request.
inline int complete(MPI_Request* request, MPI_Status* status) {
  const Inside inside;
  while (Harbour::here().wait()) {
    int done = 0;
    const int code = PMPI_Test(request, &done, status);
    if (code == MPI_SUCCESS && !done) continue;
    Harbour::here().moved();
    return code;
  }
  return stranded();
}

template <class Start>
int blocking(Call call, const Start& start, MPI_Status* status = MPI_STATUS_IGNORE) {
  if (Harbour::here().fails(call)) return MPI_ERR_OTHER;
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const Inside inside;
    const int code = start(&request);
    if (code != MPI_SUCCESS) return code;
  }
  return complete(&request, status);
}

template <class Function>
int local(Call call, const Function& function) {
  if (Harbour::here().fails(call)) return MPI_ERR_OTHER;
  const Inside inside;
  Harbour::here().moved();
  return function();
}

// Sets `done` if the call has made progress.
template <class Function>
int poll(Call call, int* done, const Function& function) {
  if (Harbour::here().fails(call)) return MPI_ERR_OTHER;
  {
    const Inside inside;
    const int code = function();
    if (code != MPI_SUCCESS || *done) {
      Harbour::here().moved();
      return code;
    }
  }
  return Harbour::here().wait() ? MPI_SUCCESS : stranded();
}

}  // namespace mpi

}  // namespace evenkeel::test

extern "C" {

using evenkeel::test::Call;
using evenkeel::test::mpi::blocking;
using evenkeel::test::mpi::local;
using evenkeel::test::mpi::poll;

int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks) {
  return blocking(Call::allreduce, [&](MPI_Request* request) {
    return PMPI_Iallreduce(from, to, n, type, op, ranks, request);
  });
}
int MPI_Exscan(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks) {
  return blocking(Call::exscan, [&](MPI_Request* request) {
    return PMPI_Iexscan(from, to, n, type, op, ranks, request);
  });
}
int MPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm ranks) {
  return blocking(Call::broadcast, [&](MPI_Request* request) {
    return PMPI_Ibcast(data, n, type, root, ranks, request);
  });
}
int MPI_Allgather(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into,
                  MPI_Comm ranks) {
  return blocking(Call::allgather, [&](MPI_Request* request) {
    return PMPI_Iallgather(from, n, type, to, m, into, ranks, request);
  });
}
int MPI_Allgatherv(const void* from, int n, MPI_Datatype type, void* to, const int* counts,
                   const int* places, MPI_Datatype into, MPI_Comm ranks) {
  return blocking(Call::allgatherv, [&](MPI_Request* request) {
    return PMPI_Iallgatherv(from, n, type, to, counts, places, into, ranks, request);
  });
}
int MPI_Gatherv(const void* from, int n, MPI_Datatype type, void* to, const int* counts,
                const int* places, MPI_Datatype into, int root, MPI_Comm ranks) {
  return blocking(Call::gatherv, [&](MPI_Request* request) {
    return PMPI_Igatherv(from, n, type, to, counts, places, into, root, ranks, request);
  });
}
int MPI_Barrier(MPI_Comm ranks) {
  return blocking(Call::barrier,
                  [&](MPI_Request* request) { return PMPI_Ibarrier(ranks, request); });
}
int MPI_Comm_dup_with_info(MPI_Comm ranks, MPI_Info, MPI_Comm* made) {
  return blocking(Call::duplicate,
                  [&](MPI_Request* request) { return PMPI_Comm_idup(ranks, made, request); });
}
int MPI_Recv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
             MPI_Status* status) {
  const auto start = [&](MPI_Request* request) {
    return PMPI_Irecv(data, n, type, from, tag, ranks, request);
  };
  return blocking(Call::recv, start, status);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (evenkeel::test::Harbour::here().fails(Call::wait)) return MPI_ERR_OTHER;
  return evenkeel::test::mpi::complete(request, status);
}
int MPI_Iallreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm ranks,
                   MPI_Request* request) {
  return local(Call::iallreduce,
               [&] { return PMPI_Iallreduce(from, to, n, type, op, ranks, request); });
}
int MPI_Ibarrier(MPI_Comm ranks, MPI_Request* request) {
  return local(Call::ibarrier, [&] { return PMPI_Ibarrier(ranks, request); });
}
int MPI_Issend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
               MPI_Request* request) {
  return local(Call::issend, [&] { return PMPI_Issend(data, n, type, to, tag, ranks, request); });
}
int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  return local(Call::isend, [&] { return PMPI_Isend(data, n, type, to, tag, ranks, request); });
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  return local(Call::irecv, [&] { return PMPI_Irecv(data, n, type, from, tag, ranks, request); });
}
int MPI_Type_contiguous(int n, MPI_Datatype old, MPI_Datatype* made) {
  return local(Call::type_contiguous, [&] { return PMPI_Type_contiguous(n, old, made); });
}
int MPI_Type_commit(MPI_Datatype* type) {
  return local(Call::type_commit, [&] { return PMPI_Type_commit(type); });
}
int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* made) {
  return local(Call::op_create, [&] { return PMPI_Op_create(function, commutes, made); });
}
int MPI_Iprobe(int from, int tag, MPI_Comm ranks, int* done, MPI_Status* status) {
  *done = 0;
  return poll(Call::iprobe, done, [&] { return PMPI_Iprobe(from, tag, ranks, done, status); });
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 0;
  return poll(Call::test, done, [&] { return PMPI_Test(request, done, status); });
}
int MPI_Testall(int n, MPI_Request* requests, int* done, MPI_Status* statuses) {
  *done = 0;
  if (n == 0) {
    *done = 1;
    return evenkeel::test::Harbour::here().fails(Call::testall) ? MPI_ERR_OTHER : MPI_SUCCESS;
  }
  return poll(Call::testall, done, [&] { return PMPI_Testall(n, requests, done, statuses); });
}
}
