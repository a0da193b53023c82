#pragma once

// The ranks that compute together, and typed collectives over them.
//
// A Communicator duplicates the user's communicator, so that evenkeel's messages never match the
// user's. MPI reports errors on the duplicate as return codes, which become Errors. Lifetime:
//   - The destructor frees the duplicate, or leaves this to the last reduction under way on it. It
//     makes no MPI call while an exception is under way, since other ranks may not match the call.
//   - MPI_Finalize frees the duplicates that are still alive, by an attribute on MPI_COMM_SELF. A
//     destructor that runs later does nothing.
// Communicator::self() has the same interface for a single process and needs no MPI.
//
// Counts are 64-bit everywhere. Only one thread at a time may use a Communicator; if it is always
// the main thread, MPI_THREAD_FUNNELED suffices.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/scalar.hpp>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace evenkeel {

// --- Transport -----------------------------------------------------------------------------------

// How memory of a device travels between ranks.
enum class Transport : int {
  automatic,    // device_aware if MPI reports that it takes device memory, else host_staged
  host_staged,  // memory other than plain host memory is copied through a buffer on the host
  device_aware  // device pointers are handed to MPI as they are
};

// The name in messages and in the journal.
EVENKEEL_API const char* name_of(Transport transport) noexcept;

// True if this build has a device and MPI reports that it takes pointers to the device's memory.
// Some MPI libraries have no query for this. They count as device-aware only if the environment
// sets MPICH_GPU_SUPPORT_ENABLED, a variable of Cray's MPICH, to 1. Local.
EVENKEEL_API bool mpi_is_device_aware() noexcept;

// --- Communicator --------------------------------------------------------------------------------

namespace detail {
class Messenger;  // carries messages, by MPI or within one process; see src/comm/messenger.hpp

// A type whose values may travel as plain bytes.
template <class T>
concept Sendable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;
}  // namespace detail

// The operation by which reductions and scans combine the values of several ranks.
enum class Reduction : int { sum, least, greatest };

// The reaction of a rank to an MPI failure that no vote can report: the other ranks wait for this
// rank in a call that it could not make. docs/reliability.md lists these calls.
enum class OnMpiError : int {
  error,  // throws an Error; the application has to end the other ranks
  abort   // prints the reason and ends all ranks by MPI_Abort on evenkeel's duplicate
};
// The name in options.
EVENKEEL_API const char* name_of(OnMpiError what) noexcept;

// How messages travel.
struct CommunicatorOptions {
  // How device memory travels. If this is `automatic` and the environment of rank 0 sets
  // EVENKEEL_DEVICE_AWARE_MPI (0 or off, 1 or on), that variable decides for all ranks.
  Transport transport = Transport::automatic;
  // Messages and reductions longer than this are cut into pieces of this size, since an MPI count
  // has 31 bits. From 1 to 2147483647, and the same on all ranks.
  std::int64_t piece_bytes = std::int64_t{1} << 30;
  // If true, host memory is staged, too, which costs a copy. Tests of staging use this on machines
  // without a device.
  bool stage_host_memory = false;
};

// The values of all ranks, one rank after another. The values of rank r start at offsets[r] and end
// before offsets[r+1].
template <class T>
struct Gathered {
  std::vector<T> values;
  std::vector<std::int64_t> offsets;
  // The values of one rank.
  std::span<const T> of_rank(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span<const T>(values).subspan(
        static_cast<std::size_t>(offsets[r]),
        static_cast<std::size_t>(offsets[r + 1] - offsets[r]));
  }
};

// Some ranks: those of a communicator of MPI, or this process alone. Movable, but not copyable.
class EVENKEEL_API Communicator {
 public:
  // This process alone. Local; needs no MPI.
  static Communicator self(CommunicatorOptions options = {});

  // All processes of the program: MPI_COMM_WORLD, or self() if evenkeel was built without MPI.
  // Collective.
  static Communicator world(CommunicatorOptions options = {});

#if EVENKEEL_HAS_MPI
  // Duplicates `users`, an intracommunicator. Collective over it; MPI must be running.
  explicit Communicator(MPI_Comm users, CommunicatorOptions options = {});
#endif

  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  // Another duplicate with the same ranks and options. Collective.
  Communicator duplicate() const;
  // The ranks that share memory with this one, in the same order. Collective.
  Communicator on_node() const;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // How device memory travels over this communicator: device_aware or host_staged.
  Transport transport() const noexcept { return transport_; }
  const CommunicatorOptions& options() const noexcept { return options_; }

  // Collective.
  void barrier() const;

  // Collective. Returns true on all ranks if some node has more ranks than cores on which they may
  // run. Wall time on such a node says little about work.
  bool ranks_share_cores() const;

  // Collective. For each value, the sum, least or greatest over all ranks.
  template <Scalar T>
  T all_reduce(T mine, Reduction reduction) const {
    reduce_in_place(&mine, 1, scalar_type_of<T>(), reduction);
    return mine;
  }
  template <Scalar T>
  void all_reduce(std::span<T> values, Reduction reduction) const {
    reduce_in_place(values.data(), std::ssize(values), scalar_type_of<T>(), reduction);
  }

  // Collective. The sum, least or greatest over all lower ranks. Rank 0 gets the neutral element:
  // 0, the greatest or the lowest value of the type.
  template <Scalar T>
  T exclusive_scan(T mine, Reduction reduction = Reduction::sum) const {
    exclusive_scan(std::span(&mine, 1), reduction);
    return mine;
  }
  template <Scalar T>
  void exclusive_scan(std::span<T> values, Reduction reduction = Reduction::sum) const {
    scan_in_place(values.data(), std::ssize(values), scalar_type_of<T>(), reduction);
    if (rank() == 0) std::fill(values.begin(), values.end(), neutral<T>(reduction));
  }

  // Collective. All ranks get the root's values; `values` has the same length everywhere.
  template <detail::Sendable T>
  void broadcast(std::span<T> values, int root) const {
    broadcast_bytes(values.data(), static_cast<std::int64_t>(values.size_bytes()), root);
  }
  template <detail::Sendable T>
  T broadcast(T value, int root) const {
    broadcast_bytes(&value, sizeof(T), root);
    return value;
  }

  // Collective. One value of each rank, in the order of ranks, on all ranks.
  template <detail::Sendable T>
  std::vector<T> all_gather(const T& mine) const {
    std::vector<T> all(static_cast<std::size_t>(size()));
    gather_equal(&mine, sizeof(T), all.data());
    return all;
  }

  // Collective. Gathers any number of values from each rank. All ranks get the values, or only the
  // root if one is given.
  template <detail::Sendable T>
  Gathered<T> all_gather(std::span<const T> mine) const {
    return gather_values(mine, everywhere);
  }
  template <detail::Sendable T>
  Gathered<T> gather(std::span<const T> mine, int root) const {
    return gather_values(mine, root);
  }

  // Collective. Gathers one value of each rank into `all`, in the order of ranks. Allocates nothing
  // unless sizeof(T) > piece_bytes / size().
  template <detail::Sendable T>
  void all_gather(const T& mine, std::span<T> all) const {
    gather_equal(&mine, sizeof(T), all.data());
  }

  // Sets the reaction to an MPI failure. Local; all ranks must set the same. Duplicates do not take
  // it over.
  void set_on_mpi_error(OnMpiError what) const noexcept;

  // Local. From now on, adds up the CPU time of the calling thread inside collectives and
  // transfers, where a rank may burn time while it waits for other ranks. Duplicates do not take it
  // over.
  void time_calls();
  // Nanoseconds so far; 0 without time_calls().
  std::int64_t cpu_in_calls() const noexcept { return in_calls_ ? *in_calls_ : 0; }

  // For the other parts of backends/comm.
  const std::shared_ptr<detail::Messenger>& messenger() const noexcept { return messenger_; }

 private:
  static constexpr int everywhere = -1;

  template <Scalar T>
  static constexpr T neutral(Reduction reduction) {
    using Limits = std::numeric_limits<T>;
    if (reduction == Reduction::sum) return T{0};
    return reduction == Reduction::least ? Limits::max() : Limits::lowest();
  }

  Communicator(std::shared_ptr<detail::Messenger> messenger, const CommunicatorOptions& options,
               Transport transport);

  void reduce_in_place(void* values, std::int64_t count, ScalarType type,
                       Reduction reduction) const;
  void scan_in_place(void* values, std::int64_t count, ScalarType type, Reduction reduction) const;
  void broadcast_bytes(void* data, std::int64_t bytes, int root) const;
  void gather_equal(const void* mine, std::int64_t bytes, void* all) const;
  void gather_bytes(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
                    int root) const;
  void require_rank(int rank, const char* role) const;

  template <class T>
  Gathered<T> gather_values(std::span<const T> mine, int root) const;

  std::shared_ptr<detail::Messenger> messenger_;
  std::shared_ptr<std::int64_t> in_calls_;  // null without time_calls()
  CommunicatorOptions options_;
  Transport transport_ = Transport::host_staged;
  int rank_ = 0, size_ = 1;
};

template <class T>
Gathered<T> Communicator::gather_values(std::span<const T> mine, int root) const {
  if (root != everywhere) require_rank(root, "root");
  const std::vector<std::int64_t> counts = all_gather(std::ssize(mine) + std::int64_t{0});
  Gathered<T> gathered;
  gathered.offsets.assign(1, 0);
  for (const std::int64_t count : counts)
    gathered.offsets.push_back(gathered.offsets.back() + count);
  std::vector<std::int64_t> bytes(counts);
  for (std::int64_t& size : bytes) size *= static_cast<std::int64_t>(sizeof(T));
  if (root == everywhere || root == rank()) {
    gathered.values.resize(static_cast<std::size_t>(gathered.offsets.back()));
  } else {
    gathered.offsets.assign(static_cast<std::size_t>(size()) + 1, 0);
  }
  gather_bytes(mine.data(), gathered.values.data(), bytes, root);
  return gathered;
}

}  // namespace evenkeel
