#include "comm/mpi_flight.hpp"
#include "comm/stage.hpp"

namespace evenkeel::detail {

namespace {

struct MessagePiece {
  MPI_Request request;
  int bytes;
  bool is_posted;
};

// A message of any length is sent as a number of full pieces, and a last piece that is not full and
// may be empty. So the receiver notices if the two sides disagree about the length.
template <class Function>
void for_pieces(const void* data, std::int64_t bytes, std::int64_t piece_bytes,
                const Function& function) {
  auto* place = static_cast<std::byte*>(const_cast<void*>(data));
  for (; bytes >= piece_bytes; bytes -= piece_bytes, place += piece_bytes)
    function(place, static_cast<int>(piece_bytes));
  function(place, static_cast<int>(bytes));
}

// The constructor allocates all memory. The destructor always completes every posted request,
// because MPI must not write to freed memory. It waits for requests one by one, because MPI_Waitall
// of OpenMPI 4.1 can spin for ever if a message was too long (measured).
//
// If a call fails, it is repeated, so that the other rank does not wait. The failure is still
// reported when the message is over, because the content cannot be trusted.
class MpiFlight final : public Flight {
 public:
  MpiFlight(std::shared_ptr<MpiHandle> handle, std::int64_t most_bytes, std::int64_t piece_bytes)
      : handle_(std::move(handle)), piece_bytes_(piece_bytes) {
    pieces_.reserve(static_cast<std::size_t>(most_bytes / piece_bytes) + 1);
  }
  MpiFlight(const MpiFlight&) = delete;
  MpiFlight& operator=(const MpiFlight&) = delete;
  ~MpiFlight() override { MpiFlight::wait(); }

  void start(int tag, const Send& send) noexcept override {
    begin(send.to, false);
    post(send.data, send.bytes, "MPI_Isend",
         [&](MPI_Comm communicator, void* piece, int bytes, MPI_Request* to) {
           return MPI_Isend(piece, bytes, MPI_BYTE, send.to, tag, communicator, to);
         });
  }
  void start(int tag, const Receive& receive) noexcept override {
    begin(receive.from, true);
    post(receive.data, receive.bytes, "MPI_Irecv",
         [&](MPI_Comm communicator, void* piece, int bytes, MPI_Request* to) {
           return MPI_Irecv(piece, bytes, MPI_BYTE, receive.from, tag, communicator, to);
         });
  }

  bool test() override {
    while (done_ < pieces_.size()) {
      MPI_Request& request = pieces_[done_].request;
      int over = 0;
      MPI_Status status;
      const int code = completing(request, [&] { return MPI_Test(&request, &over, &status); });
      if (code == MPI_SUCCESS && !over) return false;
      if (code != MPI_SUCCESS && left_of(request) != Left::failed) {
        note(code);
        return false;
      }
      end_piece(code, status);
    }
    return true;
  }

  // Waits until each request is complete, even if calls of MPI fail, because MPI may still use the
  // memory of the message.
  void wait() override {
    while (done_ < pieces_.size()) {
      MPI_Request& request = pieces_[done_].request;
      MPI_Status status;
      const int code = completing(request, [&] { return MPI_Wait(&request, &status); });
      if (code == MPI_SUCCESS || left_of(request) == Left::failed) {
        end_piece(code, status);
      } else {
        note(code);
        handle_->abort_if_asked(code, "MPI_Wait");
      }
    }
  }

  void throw_if_failed() const override {
    if (expected_ >= 0)
      throw Error(ErrorKind::communication, Where{stage_name},
                  "Rank " + std::to_string(partner_) + " sent " +
                      (sent_ < 0 ? std::string("too many") : std::to_string(sent_)) + " bytes; " +
                      std::to_string(expected_) + " were expected.",
                  "Both sides of a transfer must state the same size.");
    check(failure_, "A transfer");
  }

 private:
  void begin(int partner, bool receives) noexcept {
    pieces_.clear();
    done_ = 0;
    partner_ = partner;
    receives_ = receives;
    failure_ = MPI_SUCCESS;
    sent_ = expected_ = -1;
  }

  template <class Post>
  void post(const void* data, std::int64_t bytes, const char* call, const Post& post_piece) {
    MPI_Comm communicator = handle_->communicator();
    for_pieces(data, bytes, piece_bytes_, [&](void* piece, int length) {
      MPI_Request request = MPI_REQUEST_NULL;
      const int code = repeated([&] {
        request = MPI_REQUEST_NULL;
        const int once = post_piece(communicator, piece, length, &request);
        note(once);
        return once;
      });
      if (code != MPI_SUCCESS) {  // the other rank will wait for this piece
        request = MPI_REQUEST_NULL;
        handle_->abort_if_asked(code, call);
      }
      pieces_.push_back({request, length, code == MPI_SUCCESS});
    });
  }

  void note(int code) {
    if (failure_ == MPI_SUCCESS) failure_ = code;
  }

  // If a piece has the wrong length, the following pieces may never arrive, so they are cancelled.
  void end_piece(int code, const MPI_Status& status) {
    MessagePiece& piece = pieces_[done_++];
    piece.request = MPI_REQUEST_NULL;
    note(code);
    if (!receives_ || !piece.is_posted) return;
    int length = 0;
    if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &length);
    if ((code == MPI_SUCCESS && length == piece.bytes) || expected_ >= 0) return;
    sent_ = code == MPI_SUCCESS ? length : -1;
    expected_ = piece.bytes;
    for (std::size_t rest = done_; rest < pieces_.size(); ++rest)
      if (pieces_[rest].request != MPI_REQUEST_NULL) MPI_Cancel(&pieces_[rest].request);
  }

  std::shared_ptr<MpiHandle> handle_;
  std::int64_t piece_bytes_;
  std::vector<MessagePiece> pieces_;
  std::size_t done_ = 0;
  int partner_ = 0;
  bool receives_ = false;
  int failure_ = MPI_SUCCESS;
  int sent_ = -1, expected_ = -1;  // bytes, if a piece has the wrong length
};

}  // namespace

std::unique_ptr<Flight> make_mpi_flight(std::shared_ptr<MpiHandle> handle, std::int64_t most_bytes,
                                        std::int64_t piece_bytes) {
  return std::make_unique<MpiFlight>(std::move(handle), most_bytes, piece_bytes);
}

}  // namespace evenkeel::detail
