// Messages by MPI.

#include "comm/messenger.hpp"
#include "comm/mpi_handle.hpp"
#include "exec/cores.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel::detail {

namespace {

// All tags of evenkeel. Each exchange has a number, the same on all ranks, and rounds of one kind
// take turns with their tags, so that a note of the next round, sent by a rank that is ahead, or
// what an exchange that failed has left behind, is not taken for one of this round. MPI allows tags
// to 32767.
constexpr int rounds = 1 << 14;
int note_tag(std::uint64_t round) { return static_cast<int>(round % rounds); }
int data_tag(std::uint64_t round) { return rounds + static_cast<int>(round % (rounds - 1)); }

constexpr const char* stage_name = "backends/comm";

class MpiMessenger final : public Messenger {
 public:
  MpiMessenger(MPI_Comm users, std::int64_t piece_bytes)
      : handle_(MpiHandle::duplicate(users)), piece_bytes_(piece_bytes) {
    MPI_Comm_rank(handle_->communicator(), &rank_);
    MPI_Comm_size(handle_->communicator(), &size_);
  }

  // While an exception is under way other ranks may never come here: let go, MPI_Finalize frees it.
  ~MpiMessenger() override {
    if (std::uncaught_exceptions() <= exceptions_at_birth_) handle_->release();
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  std::shared_ptr<Messenger> duplicate() const override {
    return std::make_shared<MpiMessenger>(handle_->communicator(), piece_bytes_);
  }

  void barrier() override { check(MPI_Barrier(handle_->communicator()), "MPI_Barrier"); }

  bool ranks_share_cores() override {
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(handle_->communicator(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL,
                              &node),
          "MPI_Comm_split_type");
    int ranks = 1;
    MPI_Comm_size(node, &ranks);
    CoreMask cores = usable_cores();
    const int code = MPI_Allreduce(MPI_IN_PLACE, cores.data(), static_cast<int>(cores.size()),
                                   MPI_UINT64_T, MPI_BOR, node);
    MPI_Comm_free(&node);
    check(code, "MPI_Allreduce");
    const int known = count_of(cores);  // none: this system does not say
    int shared = known > 0 && ranks > known ? 1 : 0;
    reduce(&shared, 1, ScalarType::int32, Reduction::greatest);
    return shared != 0;
  }

  void reduce(void* values, std::int64_t count, ScalarType type, Reduction reduction) override {
    in_pieces(values, count, bytes_of(type), [&](void* piece, int length) {
      check(MPI_Allreduce(MPI_IN_PLACE, piece, length, datatype_of(type), operation_of(reduction),
                          handle_->communicator()),
            "MPI_Allreduce");
    });
  }

  void exclusive_scan(void* values, std::int64_t count, ScalarType type,
                      Reduction reduction) override {
    in_pieces(values, count, bytes_of(type), [&](void* piece, int length) {
      check(MPI_Exscan(MPI_IN_PLACE, piece, length, datatype_of(type), operation_of(reduction),
                       handle_->communicator()),
            "MPI_Exscan");
    });
  }

  void broadcast(void* data, std::int64_t bytes, int root) override {
    in_pieces(data, bytes, 1, [&](void* piece, int length) {
      check(MPI_Bcast(piece, length, MPI_BYTE, root, handle_->communicator()), "MPI_Bcast");
    });
  }

  void gather_equal(const void* mine, std::int64_t bytes, void* all) override {
    if (bytes > piece_bytes_ / size_) {
      gather(mine, all, std::vector<std::int64_t>(static_cast<std::size_t>(size_), bytes), -1);
      return;
    }
    const int length = static_cast<int>(bytes);
    check(MPI_Allgather(mine, length, MPI_BYTE, all, length, MPI_BYTE, handle_->communicator()),
          "MPI_Allgather");
  }

  void gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
              int root) override;

  void combine(void* value, const Combination& combination) override {
    const MpiHandle::Combiner& combiner = handle_->combiner(combination);
    check(MPI_Allreduce(MPI_IN_PLACE, value, 1, combiner.datatype, combiner.operation,
                        handle_->communicator()),
          "MPI_Allreduce");
  }

  std::unique_ptr<Pending> start_combine(const void* mine,
                                         const Combination& combination) override {
    return start_mpi_reduction(handle_, mine, combination);
  }

  std::vector<RawNote> announce(const std::vector<RawNote>& notes, std::int64_t bytes) override;
  void transfer(std::span<const Send> sends, std::span<const Receive> receives) override;
  void cut_messages(std::int64_t piece_bytes) noexcept override { piece_bytes_ = piece_bytes; }

 private:
  // Calls function(piece, count) for pieces that a 31-bit count can name.
  template <class Function>
  void in_pieces(void* data, std::int64_t count, std::int64_t bytes_each,
                 Function&& function) const {
    const std::int64_t most = std::max<std::int64_t>(1, piece_bytes_ / bytes_each);
    for (std::int64_t done = 0; done < count; done += most)
      function(static_cast<std::byte*>(data) + done * bytes_each,
               static_cast<int>(std::min(most, count - done)));
  }

  void gather_piecewise(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
                        int root);

  std::shared_ptr<MpiHandle> handle_;
  std::int64_t piece_bytes_;
  int rank_ = 0, size_ = 1;
  int exceptions_at_birth_ = std::uncaught_exceptions();
  std::uint64_t note_rounds_ = 0, data_rounds_ = 0;
};

void MpiMessenger::gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
                          int root) {
  std::vector<int> counts, displacements;
  std::int64_t total = 0;
  for (const std::int64_t bytes : bytes_of_rank) {
    if (bytes > piece_bytes_ || total > std::numeric_limits<int>::max() - bytes)
      return gather_piecewise(mine, all, bytes_of_rank, root);
    counts.push_back(static_cast<int>(bytes));
    displacements.push_back(static_cast<int>(total));
    total += bytes;
  }
  const int length = counts[static_cast<std::size_t>(rank_)];
  if (root < 0) {
    check(MPI_Allgatherv(mine, length, MPI_BYTE, all, counts.data(), displacements.data(), MPI_BYTE,
                         handle_->communicator()),
          "MPI_Allgatherv");
  } else {
    check(MPI_Gatherv(mine, length, MPI_BYTE, all, counts.data(), displacements.data(), MPI_BYTE,
                      root, handle_->communicator()),
          "MPI_Gatherv");
  }
}

// Beyond 31 bits in total: each rank in turn broadcasts its part, or sends it to root.
void MpiMessenger::gather_piecewise(const void* mine, void* all,
                                    std::span<const std::int64_t> bytes_of_rank, int root) {
  auto* target = static_cast<std::byte*>(all);
  const bool arrives_here = root < 0 || root == rank_;
  std::vector<Send> sends;
  std::vector<Receive> receives;
  for (int rank = 0; rank < size_; ++rank) {
    const std::int64_t bytes = bytes_of_rank[static_cast<std::size_t>(rank)];
    if (rank == rank_ && arrives_here && bytes != 0)
      std::memcpy(target, mine, static_cast<std::size_t>(bytes));
    if (root < 0) broadcast(target, bytes, rank);
    if (root == rank_ && rank != rank_) receives.push_back({rank, target, bytes});
    if (root >= 0 && root != rank_ && rank == rank_) sends.push_back({root, mine, bytes});
    if (arrives_here) target += bytes;
  }
  if (root >= 0) transfer(sends, receives);
}

std::vector<RawNote> MpiMessenger::announce(const std::vector<RawNote>& notes, std::int64_t bytes) {
  MPI_Comm communicator = handle_->communicator();
  const int tag = note_tag(note_rounds_++);
  std::vector<MPI_Request> requests(notes.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < notes.size(); ++i)
    check(MPI_Issend(notes[i].content.data(), static_cast<int>(bytes), MPI_BYTE, notes[i].rank, tag,
                     communicator, &requests[i]),
          "MPI_Issend");

  std::vector<RawNote> arrived;
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool all_mine_taken = false;
  while (true) {
    int waiting = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator, &waiting, &status), "MPI_Iprobe");
    if (waiting) {
      RawNote note{status.MPI_SOURCE, std::vector<std::byte>(static_cast<std::size_t>(bytes))};
      check(MPI_Recv(note.content.data(), static_cast<int>(bytes), MPI_BYTE, note.rank, tag,
                     communicator, MPI_STATUS_IGNORE),
            "MPI_Recv");
      arrived.push_back(std::move(note));
    }
    int done = 0;
    if (all_mine_taken) {
      check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done) break;  // everybody's notes have been taken, so none is on its way here
    } else {
      check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                        MPI_STATUSES_IGNORE),
            "MPI_Testall");
      if (done) {
        check(MPI_Ibarrier(communicator, &barrier), "MPI_Ibarrier");
        all_mine_taken = true;
      }
    }
  }
  return arrived;
}

// A message of any length is a row of full pieces and a last one that is not full, perhaps empty,
// so that both ends notice when they do not agree about the length.
template <class Function>
void for_pieces(const void* data, std::int64_t bytes, std::int64_t piece_bytes,
                Function&& function) {
  auto* place = static_cast<std::byte*>(const_cast<void*>(data));
  for (; bytes >= piece_bytes; bytes -= piece_bytes, place += piece_bytes)
    function(place, static_cast<int>(piece_bytes));
  function(place, static_cast<int>(bytes));
}

struct Piece {
  MPI_Request request;
  int partner;
  int bytes;
};

// Waits for one piece that is received; what does not come as it was stated is returned.
std::optional<Error> finish_receive(Piece& piece) {
  MPI_Status status;
  const int code = MPI_Wait(&piece.request, &status);
  int length = 0;
  if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &length);
  if (code == MPI_SUCCESS && length == piece.bytes) return std::nullopt;
  const std::string sent = code == MPI_SUCCESS ? std::to_string(length) : std::string("more");
  return Error(ErrorKind::communication, Where{stage_name},
               "Rank " + std::to_string(piece.partner) + " sent " + sent + " bytes where " +
                   std::to_string(piece.bytes) + " were expected.",
               "Both sides of a transfer must state the same size.");
}

// Whatever happens, all that was posted is complete before this returns or throws: MPI must not
// write to memory that is gone. Requests are waited for one by one, since MPI_Waitall of
// OpenMPI 4.1 can spin for ever when a message was too long (measured).
void MpiMessenger::transfer(std::span<const Send> sends, std::span<const Receive> receives) {
  MPI_Comm communicator = handle_->communicator();
  const int tag = data_tag(data_rounds_++);
  std::vector<Piece> incoming, outgoing;
  for (const Receive& receive : receives)
    for_pieces(receive.data, receive.bytes, piece_bytes_, [&](void*, int bytes) {
      incoming.push_back({MPI_REQUEST_NULL, receive.from, bytes});
    });
  for (const Send& send : sends)
    for_pieces(send.data, send.bytes, piece_bytes_, [&](void*, int bytes) {
      outgoing.push_back({MPI_REQUEST_NULL, send.to, bytes});
    });

  int failure = MPI_SUCCESS;
  const auto note = [&](int code) {
    if (failure == MPI_SUCCESS) failure = code;
  };
  auto next = incoming.begin();
  for (const Receive& receive : receives)
    for_pieces(receive.data, receive.bytes, piece_bytes_, [&](void* piece, int bytes) {
      note(MPI_Irecv(piece, bytes, MPI_BYTE, receive.from, tag, communicator, &next++->request));
    });
  next = outgoing.begin();
  for (const Send& send : sends)
    for_pieces(send.data, send.bytes, piece_bytes_, [&](void* piece, int bytes) {
      note(MPI_Isend(piece, bytes, MPI_BYTE, send.to, tag, communicator, &next++->request));
    });

  std::optional<Error> error;
  for (Piece& piece : incoming) {
    // After a message of the wrong length the rest from that rank may never come.
    if (error && error->problem().starts_with("Rank " + std::to_string(piece.partner) + " sent"))
      MPI_Cancel(&piece.request);
    if (std::optional<Error> wrong = finish_receive(piece); wrong && !error)
      error = std::move(wrong);
  }
  for (Piece& piece : outgoing) note(MPI_Wait(&piece.request, MPI_STATUS_IGNORE));
  if (error) throw Error(*error);
  check(failure, "A transfer");
}

}  // namespace

std::shared_ptr<Messenger> make_mpi_messenger(MPI_Comm users) {
  if (!mpi_is_running())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "MPI is not running.",
                "Call MPI_Init or MPI_Init_thread before making a Communicator.");
  if (users == MPI_COMM_NULL)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The communicator is MPI_COMM_NULL.",
                "Pass a communicator that this rank belongs to.");
  int between_groups = 0;
  MPI_Comm_test_inter(users, &between_groups);
  if (between_groups)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The communicator connects two groups.",
                "Pass an intracommunicator (MPI_Intercomm_merge makes one).");
  return std::make_shared<MpiMessenger>(users, CommunicatorOptions().piece_bytes);
}

}  // namespace evenkeel::detail
