#pragma once

// Owns a duplicated communicator, and the reductions that are under way on it.

#include "comm/mpi_call.hpp"

#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/process.hpp>

namespace evenkeel::detail {

// A duplicated communicator and the MPI objects that belong to it. An attribute of MPI_COMM_SELF
// shares the ownership. MPI_Finalize deletes that attribute before anything else, and so frees the
// objects of handles that are still alive.
class MpiHandle {
 public:
  // The MPI operation and the MPI datatype for a function and a value size. They are freed with the
  // handle.
  struct Combiner {
    MPI_User_function* function;
    std::int64_t bytes;
    MPI_Op operation;
    MPI_Datatype datatype;
  };

  // Allocates all memory that duplicate() needs. Local.
  static std::shared_ptr<MpiHandle> prepared();
  // Collective over `users`. Call it once for a prepared handle.
  static void duplicate(MPI_Comm users, std::shared_ptr<MpiHandle> handle);

  // Throws if MPI has been finalized.
  MPI_Comm communicator() const;

  // Call this after a call for which other ranks may wait. If `code` is not MPI_SUCCESS, throws an
  // Error or, if the user has asked for it, ends all ranks.
  void check_shared(int code, const char* call) const;
  // If `code` is a failure and the user has asked for it, ends all ranks. Otherwise returns.
  void abort_if_asked(int code, const char* call) const noexcept;
  void set_on_mpi_error(OnMpiError what) noexcept { on_mpi_error_ = what; }
  const Combiner& combiner(const Combination& combination);

  // Frees the communicator now, or when the last pending reduction is complete. Does nothing in a
  // forked child, whose calls of MPI would disturb its parent. Do not call it while an exception is
  // under way.
  void release() noexcept;

  // MPI_Finalize calls the function before anything is freed.
  void at_finalize(std::function<void()> function) { at_finalize_ = std::move(function); }
  // Allocates memory, so that abandoning one more reduction cannot fail.
  void prepare_reduction() { abandoned_.reserve(abandoned_.size() + ++prepared_); }
  void forget_reduction() noexcept { --prepared_; }

  void begin_reduction() noexcept { ++pending_; }
  void end_reduction() noexcept;

  // A text about an abandoned reduction. MPI_Finalize writes it to stderr if other ranks have not
  // joined the reduction, or if its result is not fine.
  struct LastWords {
    std::string words = {};  // empty if there is no text
    bool (*is_fine)(const void* value) = nullptr;
    void say_of(const void* value, bool is_complete) const noexcept;
  };

  // Takes over a reduction that is under way. If another rank never joins it, it never completes.
  // MPI may write to the buffer until it completes, so the buffer and the communicator stay alive
  // until then.
  void abandon(std::unique_ptr<std::byte[]> buffer, MPI_Request request, LastWords last) noexcept;

 private:
  struct Abandoned {
    std::unique_ptr<std::byte[]> buffer;
    MPI_Request request;
    LastWords last;
  };

  static int release_attribute(MPI_Comm, int, void* attribute, void*);
  void free_all() noexcept;
  void settle_abandoned() noexcept;

  HomeProcess home_;
  std::unique_ptr<std::shared_ptr<MpiHandle>> owner_;  // until the attribute owns this handle
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int key_ = MPI_KEYVAL_INVALID;
  OnMpiError on_mpi_error_ = OnMpiError::error;
  std::size_t prepared_ = 0;
  int pending_ = 0;
  bool released_ = false;
  std::function<void()> at_finalize_;
  std::vector<Combiner> combiners_;
  std::vector<Abandoned> abandoned_;
  std::shared_ptr<MpiHandle>* kept_before_ = nullptr;
  static std::shared_ptr<MpiHandle>* last_kept;
};

std::unique_ptr<Pending> prepare_mpi_reduction(std::shared_ptr<MpiHandle> handle,
                                               const Combination& combination);

}  // namespace evenkeel::detail
