// Messages by MPI.

#include "comm/mpi_flight.hpp"
#include "comm/mpi_notes.hpp"
#include "comm/stage.hpp"
#include "exec/cores.hpp"

namespace evenkeel::detail {

namespace {

// The tags of all messages of evenkeel. Rounds of notes and exchanges of data are numbered, with
// the same numbers on all ranks, and the tag follows from the number. A faster rank may already
// send a note of the next round, and a message may be left from a failed exchange. Such messages
// have other tags, so they are not mistaken for those of this round. MPI guarantees tags up to
// 32767.
constexpr int rounds = 1 << 14;
int note_tag(std::uint64_t round) { return static_cast<int>(round % rounds); }
int data_tag(std::uint64_t round) { return rounds + static_cast<int>(round % (rounds - 1)); }

class MpiMessenger final : public Messenger {
 public:
  // Local: allocates all memory. Collective calls come after over().
  MpiMessenger(int rank, int size, std::int64_t piece_bytes)
      : handle_(MpiHandle::prepared()), piece_bytes_(piece_bytes), rank_(rank), size_(size) {
    counts_.resize(static_cast<std::size_t>(size_));
    displacements_.resize(counts_.size());
    numbers_.resize(counts_.size());
  }
  // Collective over `all`, which has all ranks of `users`. If one of them has no memory, all throw
  // the same Error.
  static std::shared_ptr<Messenger> over(MPI_Comm users, MPI_Comm all, std::int64_t piece_bytes) {
    int rank = 0, size = 1, first = 0, ranks = 1;
    MPI_Comm_rank(users, &rank);
    MPI_Comm_size(users, &size);
    MPI_Comm_rank(all, &first);
    MPI_Comm_size(all, &ranks);
    std::shared_ptr<MpiMessenger> made;
    const Status status = attempt(stage_name, [&] {
      Error::make_reserve();
      made = std::make_shared<MpiMessenger>(rank, size, piece_bytes);
    });
    if (status.ok()) first = ranks;  // else the first rank that has failed
    check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, all), "MPI_Allreduce");
    if (first < ranks)
      throw Error::told({ErrorKind::out_of_memory, stage_name, "Memory was refused.",
                         "Use nodes with more memory, or fewer ranks on each.", first, 1, ranks});
    MpiHandle::duplicate(users, made->handle_);
    return made;
  }

  // While an exception is under way, other ranks may never get here. Then MPI_Finalize frees the
  // handle.
  ~MpiMessenger() override {
    if (std::uncaught_exceptions() <= exceptions_at_birth_) handle_->release();
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  std::shared_ptr<Messenger> duplicate() const override {
    return over(handle_->communicator(), handle_->communicator(), piece_bytes_);
  }

  void barrier() override {
    handle_->check_shared(MPI_Barrier(handle_->communicator()), "MPI_Barrier");
  }

  std::shared_ptr<Messenger> on_node() const override {
    const Node node(handle_->communicator(), rank_);
    return over(node.ranks, handle_->communicator(), piece_bytes_);
  }

  bool ranks_share_cores() override {
    const Node node(handle_->communicator(), rank_);
    int ranks = 1;
    MPI_Comm_size(node.ranks, &ranks);
    CoreMask cores = usable_cores();
    check(MPI_Allreduce(MPI_IN_PLACE, cores.data(), static_cast<int>(cores.size()), MPI_UINT64_T,
                        MPI_BOR, node.ranks),
          "MPI_Allreduce");
    const int known = count_of(cores);  // 0 if this system does not report its cores
    int shared = known > 0 && ranks > known ? 1 : 0;
    reduce(&shared, 1, ScalarType::int32, Reduction::greatest);
    return shared != 0;
  }

  void reduce(void* values, std::int64_t count, ScalarType type, Reduction reduction) override {
    in_pieces(values, count, bytes_of(type), [&](void* piece, int length) {
      handle_->check_shared(MPI_Allreduce(MPI_IN_PLACE, piece, length, datatype_of(type),
                                          operation_of(reduction), handle_->communicator()),
                            "MPI_Allreduce");
    });
  }

  void exclusive_scan(void* values, std::int64_t count, ScalarType type,
                      Reduction reduction) override {
    in_pieces(values, count, bytes_of(type), [&](void* piece, int length) {
      handle_->check_shared(MPI_Exscan(MPI_IN_PLACE, piece, length, datatype_of(type),
                                       operation_of(reduction), handle_->communicator()),
                            "MPI_Exscan");
    });
  }

  void broadcast(void* data, std::int64_t bytes, int root) override {
    in_pieces(data, bytes, 1, [&](void* piece, int length) {
      handle_->check_shared(MPI_Bcast(piece, length, MPI_BYTE, root, handle_->communicator()),
                            "MPI_Bcast");
    });
  }

  void gather_equal(const void* mine, std::int64_t bytes, void* all) override {
    if (bytes > piece_bytes_ / size_) {
      gather(mine, all, std::vector<std::int64_t>(static_cast<std::size_t>(size_), bytes), -1);
      return;
    }
    const int length = static_cast<int>(bytes);
    handle_->check_shared(
        MPI_Allgather(mine, length, MPI_BYTE, all, length, MPI_BYTE, handle_->communicator()),
        "MPI_Allgather");
  }

  std::span<std::int64_t> gather_numbers(std::int64_t mine) override {
    handle_->check_shared(MPI_Allgather(&mine, 1, MPI_INT64_T, numbers_.data(), 1, MPI_INT64_T,
                                        handle_->communicator()),
                          "MPI_Allgather");
    return numbers_;
  }
  void gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
              int root) override;

  void combine(void* value, const Combination& combination) override {
    const MpiHandle::Combiner& combiner = handle_->combiner(combination);
    handle_->check_shared(MPI_Allreduce(MPI_IN_PLACE, value, 1, combiner.datatype,
                                        combiner.operation, handle_->communicator()),
                          "MPI_Allreduce");
  }

  std::unique_ptr<Pending> prepare_combine(const Combination& combination) override {
    return prepare_mpi_reduction(handle_, combination);
  }

  Status announce(std::span<const RawNote> notes, std::int64_t bytes,
                  std::vector<RawNote>& arrived) override {
    return exchange_notes(*handle_, note_tag(note_rounds_++), notes, bytes, arrived);
  }
  int next_exchange() noexcept override { return data_tag(data_rounds_++); }
  std::unique_ptr<Flight> make_flight(std::int64_t most_bytes) override {
    return make_mpi_flight(handle_, most_bytes, piece_bytes_);
  }
  void at_finalize(std::function<void()> function) override {
    handle_->at_finalize(std::move(function));
  }
  void cut_messages(std::int64_t piece_bytes) noexcept override { piece_bytes_ = piece_bytes; }
  void set_on_mpi_error(OnMpiError what) noexcept override { handle_->set_on_mpi_error(what); }

 private:
  // The ranks that share memory with this one.
  struct Node {
    Node(MPI_Comm all, int rank) {
      check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &ranks),
            "MPI_Comm_split_type");
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node() { MPI_Comm_free(&ranks); }
    MPI_Comm ranks = MPI_COMM_NULL;
  };

  // Calls function(piece, count) for pieces that are so small that their count fits into 31 bits.
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
  // Values by rank. These are members so that gather() allocates nothing.
  std::vector<int> counts_, displacements_;
  std::vector<std::int64_t> numbers_;
};

void MpiMessenger::gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
                          int root) {
  std::int64_t total = 0;
  for (std::size_t r = 0; r < counts_.size(); ++r) {
    const std::int64_t bytes = bytes_of_rank[r];
    if (bytes > piece_bytes_ || total > std::numeric_limits<int>::max() - bytes)
      return gather_piecewise(mine, all, bytes_of_rank, root);
    counts_[r] = static_cast<int>(bytes);
    displacements_[r] = static_cast<int>(total);
    total += bytes;
  }
  const int length = counts_[static_cast<std::size_t>(rank_)];
  if (root < 0) {
    handle_->check_shared(MPI_Allgatherv(mine, length, MPI_BYTE, all, counts_.data(),
                                         displacements_.data(), MPI_BYTE, handle_->communicator()),
                          "MPI_Allgatherv");
  } else {
    handle_->check_shared(
        MPI_Gatherv(mine, length, MPI_BYTE, all, counts_.data(), displacements_.data(), MPI_BYTE,
                    root, handle_->communicator()),
        "MPI_Gatherv");
  }
}

// Gathers more bytes than 31 bits can count: the ranks broadcast their values in turn, or send them
// to the root.
void MpiMessenger::gather_piecewise(const void* mine, void* all,
                                    std::span<const std::int64_t> bytes_of_rank, int root) {
  auto* target = static_cast<std::byte*>(all);
  const bool arrives_here = root < 0 || root == rank_;
  std::vector<std::unique_ptr<Flight>> flights;
  const int exchange = root < 0 ? 0 : next_exchange();
  for (int rank = 0; rank < size_; ++rank) {
    const std::int64_t bytes = bytes_of_rank[static_cast<std::size_t>(rank)];
    if (rank == rank_ && arrives_here && bytes != 0)
      std::memcpy(target, mine, static_cast<std::size_t>(bytes));
    if (root < 0) broadcast(target, bytes, rank);
    if (root == rank_ && rank != rank_)
      flights.emplace_back(make_flight(bytes))->start(exchange, Receive{rank, target, bytes});
    if (root >= 0 && root != rank_ && rank == rank_)
      flights.emplace_back(make_flight(bytes))->start(exchange, Send{root, mine, bytes});
    if (arrives_here) target += bytes;
  }
  for (const auto& flight : flights) flight->wait();
  for (const auto& flight : flights) flight->throw_if_failed();
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
  return MpiMessenger::over(users, users, CommunicatorOptions().piece_bytes);
}

}  // namespace evenkeel::detail
