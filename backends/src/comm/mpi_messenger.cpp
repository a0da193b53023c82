// Messages by MPI. Life of the duplicated communicator: see communicator.hpp.

#include "comm/messenger.hpp"

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

// All tags of evenkeel. Notes alternate between two, so that one of the next round, sent by a rank
// that is ahead, is not taken for one of this round. Nobody is two rounds ahead: each ends with a
// barrier.
enum class Tag : int { note_even, note_odd, data };

constexpr const char* stage_name = "backends/comm";

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(
      ErrorKind::communication, Where{stage_name},
      std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)) + '.',
      "See the output of MPI; the communicator may be unusable.");
}

bool mpi_is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  if (initialized) MPI_Finalized(&finalized);
  return initialized && !finalized;
}

MPI_Datatype datatype_of(ScalarType type) {
  switch (type) {
    case ScalarType::none: return MPI_BYTE;
    case ScalarType::int8: return MPI_INT8_T;
    case ScalarType::int16: return MPI_INT16_T;
    case ScalarType::int32: return MPI_INT32_T;
    case ScalarType::int64: return MPI_INT64_T;
    case ScalarType::uint8: return MPI_UINT8_T;
    case ScalarType::uint16: return MPI_UINT16_T;
    case ScalarType::uint32: return MPI_UINT32_T;
    case ScalarType::uint64: return MPI_UINT64_T;
    case ScalarType::float32: return MPI_FLOAT;
    case ScalarType::float64: return MPI_DOUBLE;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return MPI_SUM;
    case Reduction::least: return MPI_MIN;
    case Reduction::greatest: return MPI_MAX;
  }
  return MPI_OP_NULL;
}

// The duplicated communicator and what hangs on it. An attribute on MPI_COMM_SELF shares the
// ownership, so that MPI_Finalize, which deletes that attribute first of all, frees what is still
// alive.
class Handle {
 public:
  struct Combiner {
    MPI_User_function* function;
    std::int64_t bytes;
    MPI_Op operation;
    MPI_Datatype datatype;
  };

  static std::shared_ptr<Handle> duplicate(MPI_Comm users) {
    auto handle = std::make_shared<Handle>();
    check(MPI_Comm_dup(users, &handle->communicator_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(handle->communicator_, MPI_ERRORS_RETURN);
    auto* owner = new std::shared_ptr<Handle>(handle);
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &release_attribute, &handle->key_, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, handle->key_, owner), "MPI_Comm_set_attr");
    return handle;
  }

  // Frees now, or when the last pending reduction is complete. No exception is under way.
  void release() noexcept {
    released_ = true;
    if (pending_ > 0 || !mpi_is_running() || communicator_ == MPI_COMM_NULL) return;
    free_all();  // before the attribute goes: MPI need not allow nested calls in its call-back
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }

  void begin_reduction() noexcept { ++pending_; }
  void end_reduction() noexcept {
    --pending_;
    if (released_) release();
  }

  // From here on nothing is freed: a reduction is under way that others may not have joined.
  void abandon(std::unique_ptr<std::byte[]> buffer) noexcept {
    abandoned_ = true;
    static_cast<void>(buffer.release());  // MPI may write to it until the process ends
  }

  MPI_Comm communicator() const {
    if (communicator_ == MPI_COMM_NULL)
      throw Error(ErrorKind::bad_input, Where{stage_name}, "MPI has been finalized.",
                  "Let what communicates end before MPI_Finalize.");
    return communicator_;
  }

  const Combiner& combiner(const Combination& combination) {
    for (const Combiner& known : combiners_)
      if (known.function == combination.function && known.bytes == combination.bytes) return known;
    Combiner made{combination.function, combination.bytes, MPI_OP_NULL, MPI_DATATYPE_NULL};
    combiners_.reserve(combiners_.size() + 1);
    check(MPI_Type_contiguous(static_cast<int>(combination.bytes), MPI_BYTE, &made.datatype),
          "MPI_Type_contiguous");
    check(MPI_Type_commit(&made.datatype), "MPI_Type_commit");
    check(MPI_Op_create(combination.function, 1, &made.operation), "MPI_Op_create");
    return combiners_.emplace_back(made);
  }

 private:
  static int release_attribute(MPI_Comm, int, void* attribute, void*) {
    auto* owner = static_cast<std::shared_ptr<Handle>*>(attribute);
    (*owner)->free_all();
    delete owner;
    return MPI_SUCCESS;
  }

  void free_all() noexcept {
    if (!abandoned_ && pending_ == 0 && communicator_ != MPI_COMM_NULL) {
      for (Combiner& combiner : combiners_) {
        MPI_Op_free(&combiner.operation);
        MPI_Type_free(&combiner.datatype);
      }
      MPI_Comm_free(&communicator_);
    }
    combiners_.clear();
    communicator_ = MPI_COMM_NULL;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int key_ = MPI_KEYVAL_INVALID;
  int pending_ = 0;
  bool released_ = false, abandoned_ = false;
  std::vector<Combiner> combiners_;
};

class MpiReduction final : public Pending {
 public:
  MpiReduction(std::shared_ptr<Handle> handle, const void* mine, const Combination& combination)
      : handle_(std::move(handle)),
        value_(std::make_unique<std::byte[]>(static_cast<std::size_t>(combination.bytes))) {
    const Handle::Combiner& combiner = handle_->combiner(combination);
    std::memcpy(value_.get(), mine, static_cast<std::size_t>(combination.bytes));
    check(MPI_Iallreduce(MPI_IN_PLACE, value_.get(), 1, combiner.datatype, combiner.operation,
                         handle_->communicator(), &request_),
          "MPI_Iallreduce");
    handle_->begin_reduction();
  }

  ~MpiReduction() override {
    if (is_pending()) handle_->abandon(std::move(value_));
  }

  bool test() override {
    if (!is_pending()) return true;
    handle_->communicator();  // throws when MPI has gone
    int complete = 0;
    check(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE), "MPI_Test");
    if (!is_pending()) handle_->end_reduction();
    return !is_pending();
  }

  void wait() override {
    if (!is_pending()) return;
    handle_->communicator();
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    handle_->end_reduction();
  }

  const void* value() const noexcept override { return value_.get(); }

 private:
  bool is_pending() const noexcept { return request_ != MPI_REQUEST_NULL; }

  std::shared_ptr<Handle> handle_;
  std::unique_ptr<std::byte[]> value_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class MpiMessenger final : public Messenger {
 public:
  MpiMessenger(MPI_Comm users, std::int64_t piece_bytes)
      : handle_(Handle::duplicate(users)), piece_bytes_(piece_bytes) {
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

  void reduce(void* values, std::int64_t count, ScalarType type, Reduction reduction) override {
    in_pieces(values, count, bytes_of(type), [&](void* piece, int length) {
      check(MPI_Allreduce(MPI_IN_PLACE, piece, length, datatype_of(type), operation_of(reduction),
                          handle_->communicator()),
            "MPI_Allreduce");
    });
  }

  void exclusive_scan(void* values, std::int64_t count, ScalarType type) override {
    in_pieces(values, count, bytes_of(type), [&](void* piece, int length) {
      check(MPI_Exscan(MPI_IN_PLACE, piece, length, datatype_of(type), MPI_SUM,
                       handle_->communicator()),
            "MPI_Exscan");
    });
    // MPI leaves rank 0's values undefined
    if (rank_ == 0 && count != 0)
      std::memset(values, 0, static_cast<std::size_t>(count * bytes_of(type)));
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
    const Handle::Combiner& combiner = handle_->combiner(combination);
    check(MPI_Allreduce(MPI_IN_PLACE, value, 1, combiner.datatype, combiner.operation,
                        handle_->communicator()),
          "MPI_Allreduce");
  }

  std::unique_ptr<Pending> start_combine(const void* mine,
                                         const Combination& combination) override {
    return std::make_unique<MpiReduction>(handle_, mine, combination);
  }

  std::vector<RawNote> announce(const std::vector<RawNote>& notes, std::int64_t bytes) override;
  void transfer(std::span<const Send> sends, std::span<const Receive> receives) override;

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

  std::shared_ptr<Handle> handle_;
  std::int64_t piece_bytes_;
  int rank_ = 0, size_ = 1;
  int exceptions_at_birth_ = std::uncaught_exceptions();
  bool odd_round_ = false;
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
    if (root == rank_ && rank != rank_ && bytes != 0) receives.push_back({rank, target, bytes});
    if (root >= 0 && root != rank_ && rank == rank_ && bytes != 0)
      sends.push_back({root, mine, bytes});
    if (arrives_here) target += bytes;
  }
  if (root >= 0) transfer(sends, receives);
}

std::vector<RawNote> MpiMessenger::announce(const std::vector<RawNote>& notes, std::int64_t bytes) {
  MPI_Comm communicator = handle_->communicator();
  const int tag =
      static_cast<int>(std::exchange(odd_round_, !odd_round_) ? Tag::note_odd : Tag::note_even);
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

void MpiMessenger::transfer(std::span<const Send> sends, std::span<const Receive> receives) {
  MPI_Comm communicator = handle_->communicator();
  const int tag = static_cast<int>(Tag::data);
  std::vector<MPI_Request> requests;
  std::vector<int> expected;  // bytes of each piece that is received; receives come first
  for (const Receive& receive : receives)
    in_pieces(receive.data, receive.bytes, 1, [&](void* piece, int length) {
      expected.push_back(length);
      check(MPI_Irecv(piece, length, MPI_BYTE, receive.from, tag, communicator,
                      &requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Irecv");
    });
  for (const Send& send : sends)
    in_pieces(const_cast<void*>(send.data), send.bytes, 1, [&](void* piece, int length) {
      check(MPI_Isend(piece, length, MPI_BYTE, send.to, tag, communicator,
                      &requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Isend");
    });

  // One by one: MPI_Waitall of OpenMPI 4.1 can spin for ever when a message was too long
  // (measured).
  int first_failure = MPI_SUCCESS;
  std::optional<Error> wrong_length;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Status status;
    const int code = MPI_Wait(&requests[i], &status);
    if (code != MPI_SUCCESS && first_failure == MPI_SUCCESS) first_failure = code;
    if (code != MPI_SUCCESS || i >= expected.size() || wrong_length) continue;
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    if (length != expected[i])
      wrong_length.emplace(ErrorKind::communication, Where{stage_name},
                           "Rank " + std::to_string(status.MPI_SOURCE) + " sent " +
                               std::to_string(length) + " bytes where " +
                               std::to_string(expected[i]) + " were expected.",
                           "Both sides of a transfer must state the same size.");
  }
  check(first_failure, "A transfer");
  if (wrong_length) throw *wrong_length;
}

}  // namespace

std::shared_ptr<Messenger> make_mpi_messenger(MPI_Comm users, std::int64_t piece_bytes) {
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
  return std::make_shared<MpiMessenger>(users, piece_bytes);
}

}  // namespace evenkeel::detail
