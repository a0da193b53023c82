#include "comm/mpi_flight.hpp"

#include "comm/mpi_call.hpp"

#include <evenkeel/backends/error.hpp>

#include <string>
#include <vector>

namespace evenkeel::detail {

namespace {

constexpr const char* stage_name = "backends/comm";

struct Piece {
  MPI_Request request;
  int bytes;
};

// A message of any length is sent as full pieces and a last one that is not full, perhaps empty, so
// that the receiver notices when the two sides disagree about the length.
template <class Function>
void for_pieces(const void* data, std::int64_t bytes, std::int64_t piece_bytes,
                const Function& function) {
  auto* place = static_cast<std::byte*>(const_cast<void*>(data));
  for (; bytes >= piece_bytes; bytes -= piece_bytes, place += piece_bytes)
    function(place, static_cast<int>(piece_bytes));
  function(place, static_cast<int>(bytes));
}

// The destructor completes every posted request, whatever happens: MPI must not write to memory
// that is gone. It waits for requests one by one, since MPI_Waitall of OpenMPI 4.1 can spin for
// ever when a message was too long (measured).
class MpiFlight final : public Flight {
 public:
  MpiFlight(int partner, bool receives) : partner_(partner), receives_(receives) {}
  MpiFlight(const MpiFlight&) = delete;
  MpiFlight& operator=(const MpiFlight&) = delete;
  ~MpiFlight() override { MpiFlight::wait(); }

  template <class Post>
  void post(const void* data, std::int64_t bytes, std::int64_t piece_bytes,
            const Post& post_piece) {
    pieces_.reserve(static_cast<std::size_t>(bytes / piece_bytes) + 1);
    for_pieces(data, bytes, piece_bytes, [&](void* piece, int length) {
      MPI_Request request = MPI_REQUEST_NULL;
      note(post_piece(piece, length, &request));
      pieces_.push_back({request, length});
    });
  }

  bool test() override {
    while (done_ < pieces_.size()) {
      int over = 0;
      MPI_Status status;
      const int code = MPI_Test(&pieces_[done_].request, &over, &status);
      if (code == MPI_SUCCESS && !over) return false;
      end_piece(code, status);
    }
    return true;
  }

  void wait() override {
    while (done_ < pieces_.size()) {
      MPI_Status status;
      const int code = MPI_Wait(&pieces_[done_].request, &status);
      end_piece(code, status);
    }
  }

  void throw_if_failed() const override {
    if (!wrong_.empty())
      throw Error(ErrorKind::communication, Where{stage_name}, wrong_,
                  "Both sides of a transfer must state the same size.");
    check(failure_, "A transfer");
  }

 private:
  void note(int code) {
    if (failure_ == MPI_SUCCESS) failure_ = code;
  }

  // After a piece of the wrong length the other pieces may never arrive, so they are cancelled.
  void end_piece(int code, const MPI_Status& status) {
    const Piece& piece = pieces_[done_++];
    if (!receives_) return note(code);
    int length = 0;
    if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &length);
    if ((code == MPI_SUCCESS && length == piece.bytes) || !wrong_.empty()) return;
    wrong_ = "Rank " + std::to_string(partner_) + " sent " +
             (code == MPI_SUCCESS ? std::to_string(length) : std::string("more")) +
             " bytes where " + std::to_string(piece.bytes) + " were expected.";
    for (std::size_t rest = done_; rest < pieces_.size(); ++rest)
      MPI_Cancel(&pieces_[rest].request);
  }

  std::vector<Piece> pieces_;
  std::size_t done_ = 0;
  int partner_;
  bool receives_;
  int failure_ = MPI_SUCCESS;
  std::string wrong_;
};

}  // namespace

std::unique_ptr<Flight> start_mpi_send(MPI_Comm communicator, int tag, const Send& send,
                                       std::int64_t piece_bytes) {
  auto flight = std::make_unique<MpiFlight>(send.to, false);
  flight->post(send.data, send.bytes, piece_bytes, [&](void* piece, int bytes, MPI_Request* to) {
    return MPI_Isend(piece, bytes, MPI_BYTE, send.to, tag, communicator, to);
  });
  return flight;
}

std::unique_ptr<Flight> start_mpi_receive(MPI_Comm communicator, int tag, const Receive& receive,
                                          std::int64_t piece_bytes) {
  auto flight = std::make_unique<MpiFlight>(receive.from, true);
  flight->post(receive.data, receive.bytes, piece_bytes,
               [&](void* piece, int bytes, MPI_Request* to) {
                 return MPI_Irecv(piece, bytes, MPI_BYTE, receive.from, tag, communicator, to);
               });
  return flight;
}

}  // namespace evenkeel::detail
