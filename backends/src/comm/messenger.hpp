#pragma once

// Carries messages between ranks. There are two implementations: by MPI, and for a single process.
// The interface has bytes and run-time types; Communicator has the typed interface. All members are
// collective except those that are marked local.

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>

namespace evenkeel::detail {

// Sends or receives one message after another. The memory of a message must stay valid until the
// message is over. The destructor waits until it is over.
class Flight {
 public:
  virtual ~Flight();
  // Starts a message; the previous one must be over. If this fails, throw_if_failed() reports it
  // later. Between two ranks, the k-th send of an exchange matches the k-th receive.
  virtual void start(int exchange, const Send& send) noexcept = 0;
  virtual void start(int exchange, const Receive& receive) noexcept = 0;
  virtual bool test() = 0;  // true if the message is over; makes progress
  virtual void wait() = 0;
  virtual void throw_if_failed() const = 0;  // call it when the message is over
};

class Messenger {
 public:
  virtual ~Messenger();

  virtual int rank() const noexcept = 0;  // local
  virtual int size() const noexcept = 0;  // local
  virtual std::shared_ptr<Messenger> duplicate() const = 0;
  virtual std::shared_ptr<Messenger> on_node() const = 0;

  virtual void barrier() = 0;
  virtual bool ranks_share_cores() = 0;
  virtual void reduce(void* values, std::int64_t count, ScalarType type, Reduction reduction) = 0;
  // On rank 0 the result is undefined.
  virtual void exclusive_scan(void* values, std::int64_t count, ScalarType type,
                              Reduction reduction) = 0;
  virtual void broadcast(void* data, std::int64_t bytes, int root) = 0;
  virtual void gather_equal(const void* mine, std::int64_t bytes, void* all) = 0;
  // Returns the number of each rank. The memory belongs to the messenger, and is valid until the
  // next call.
  virtual std::span<std::int64_t> gather_numbers(std::int64_t mine) = 0;
  // If root is -1, all ranks receive. bytes_of_rank must be the same on all ranks. Only receiving
  // ranks use `all`.
  virtual void gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
                      int root) = 0;

  virtual void combine(void* value, const Combination& combination) = 0;
  virtual std::unique_ptr<Pending> prepare_combine(const Combination& combination) = 0;  // local

  // Each note has `bytes` bytes and must go to another rank. If calls fail on this rank, it still
  // takes part in the exchange, and returns the first failure. `arrived` is complete only if all
  // ranks return without a failure.
  virtual Status announce(std::span<const RawNote> notes, std::int64_t bytes,
                          std::vector<RawNote>& arrived) = 0;
  // Returns the number of the next exchange of data messages. All ranks must call it, but it does
  // not communicate.
  virtual int next_exchange() noexcept = 0;
  // Local. Returns a Flight for messages of at most `most_bytes` bytes.
  virtual std::unique_ptr<Flight> make_flight(std::int64_t most_bytes) = 0;

  // Local.
  virtual void at_finalize(std::function<void()> function) = 0;

  // Local. All ranks must pass the same value.
  virtual void cut_messages(std::int64_t piece_bytes) noexcept = 0;
  virtual void set_on_mpi_error(OnMpiError what) noexcept = 0;
};

std::shared_ptr<Messenger> make_self_messenger();
#if EVENKEEL_HAS_MPI
std::shared_ptr<Messenger> make_mpi_messenger(MPI_Comm users);
#endif

}  // namespace evenkeel::detail
