#include "comm/mpi_notes.hpp"
#include "comm/stage.hpp"

namespace evenkeel::detail {

namespace {

// Memory that MPI may read until the requests are complete.
struct OutgoingNotes {
  std::vector<RawNote> notes;
  std::vector<MPI_Request> requests;
};

// One round of notes on this rank. After a failure the round continues, because other ranks wait
// for this rank; the failure is returned at the end. A call that fails is repeated in the next turn
// of the loop. Only if calls fail in many successive turns does the round end early; then other
// ranks may wait for ever.
class Round {
 public:
  Round(const MpiHandle& handle, int tag, std::int64_t bytes)
      : handle_(handle),
        communicator_(handle.communicator()),
        tag_(tag),
        bytes_(static_cast<int>(bytes)) {}

  Status run(std::span<const RawNote> notes, std::vector<RawNote>& arrived) {
    post(notes);
    while (!is_over_ && failures_ < most_failures) {
      const int before = failures_;
      take(arrived);
      if (is_joined_)
        end();
      else
        join();
      if (failures_ == before) failures_ = 0;
    }
    if (!is_over_) give_up();
    return std::move(status_);
  }

 private:
  static constexpr int most_failures = 1000;  // in successive turns

  // Records the failure of a call. Returns true if the call has succeeded.
  bool tell(int code, const char* call) {
    if (code == MPI_SUCCESS) return true;
    ++failures_;
    last_ = code;
    if (status_.ok()) status_ = attempt(stage_name, [&] { check(code, call); });
    return false;
  }

  void post(std::span<const RawNote> notes) {
    const Status made = attempt(stage_name, [&] {
      outgoing_ = std::make_unique<OutgoingNotes>();
      outgoing_->notes.assign(notes.begin(), notes.end());
      outgoing_->requests.assign(notes.size(), MPI_REQUEST_NULL);
    });
    if (!made.ok()) {
      status_ = made;
      outgoing_.reset();
      return;
    }
    for (std::size_t i = 0; i < outgoing_->notes.size(); ++i) {
      const RawNote& note = outgoing_->notes[i];
      MPI_Request& request = outgoing_->requests[i];
      const int code = repeated([&] {
        request = MPI_REQUEST_NULL;
        return MPI_Issend(note.content.data(), bytes_, MPI_BYTE, note.rank, tag_, communicator_,
                          &request);
      });
      if (!tell(code, "MPI_Issend")) request = MPI_REQUEST_NULL;
    }
  }

  // Receives a note if one has come, even if there is no memory to keep it.
  void take(std::vector<RawNote>& arrived) {
    int waiting = 0;
    MPI_Status from;
    if (!tell(MPI_Iprobe(MPI_ANY_SOURCE, tag_, communicator_, &waiting, &from), "MPI_Iprobe"))
      return;
    if (!waiting) return;
    RawNote note{from.MPI_SOURCE, {}};
    const int code = MPI_Recv(note.content.data(), bytes_, MPI_BYTE, note.rank, tag_, communicator_,
                              MPI_STATUS_IGNORE);
    if (!tell(code, "MPI_Recv")) return;
    failures_ = 0;
    const Status kept = attempt(stage_name, [&] { arrived.push_back(note); });
    if (status_.ok()) status_ = kept;
  }

  // Joins the barrier if the receivers have taken all notes of this rank.
  void join() {
    if (!are_taken()) return;
    const int code = MPI_Ibarrier(communicator_, &barrier_);
    is_joined_ = tell(code, "MPI_Ibarrier");
    if (is_joined_) failures_ = 0;
  }
  bool are_taken() {
    if (outgoing_ == nullptr || outgoing_->requests.empty()) return true;
    std::vector<MPI_Request>& requests = outgoing_->requests;
    int done = 0;
    const int code =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (tell(code, "MPI_Testall")) return done != 0;
    return std::all_of(requests.begin(), requests.end(),
                       [](MPI_Request request) { return left_of(request) == Left::failed; });
  }

  // Ends the round if all ranks have joined the barrier: then all notes have been received.
  void end() {
    int done = 0;
    const bool is_told = tell(MPI_Test(&barrier_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    is_over_ = is_told ? done != 0 : left_of(barrier_) == Left::failed;
  }

  // Leaks the memory of notes that have not been taken, because MPI may still read it.
  void give_up() {
    handle_.abort_if_asked(last_, "An exchange of notes");
    static_cast<void>(outgoing_.release());
  }

  const MpiHandle& handle_;
  MPI_Comm communicator_;
  int tag_, bytes_;
  std::unique_ptr<OutgoingNotes> outgoing_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  bool is_joined_ = false, is_over_ = false;
  int failures_ = 0, last_ = MPI_SUCCESS;
  Status status_;
};

}  // namespace

Status exchange_notes(const MpiHandle& handle, int tag, std::span<const RawNote> notes,
                      std::int64_t bytes, std::vector<RawNote>& arrived) {
  return Round(handle, tag, bytes).run(notes, arrived);
}

}  // namespace evenkeel::detail
