#include "comm/mpi_handle.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

#include <cstdio>
#include <cstring>

namespace evenkeel::detail {

std::shared_ptr<MpiHandle> MpiHandle::prepared() {
  auto handle = std::make_shared<MpiHandle>();
  constexpr std::size_t many = 64;  // evenkeel has fewer kinds of reductions
  handle->combiners_.reserve(many);
  handle->owner_ = std::make_unique<std::shared_ptr<MpiHandle>>();
  return handle;
}

void MpiHandle::duplicate(MPI_Comm users, std::shared_ptr<MpiHandle> handle) {
  MpiHandle& self = *handle;
  // Drops the user's hints: some let messages overtake each other, or forbid MPI_ANY_SOURCE.
  check(MPI_Comm_dup_with_info(users, MPI_INFO_NULL, &self.communicator_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(self.communicator_, MPI_ERRORS_RETURN);
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &release_attribute, &self.key_, nullptr),
        "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, self.key_, self.owner_.get()), "MPI_Comm_set_attr");
  *self.owner_ = std::move(handle);
  static_cast<void>(self.owner_.release());  // the attribute owns it now
}

MPI_Comm MpiHandle::communicator() const {
  if (communicator_ == MPI_COMM_NULL)
    throw Error(ErrorKind::bad_input, Where{"backends/comm"}, "MPI has been finalized.",
                "Finish all communication before MPI_Finalize.");
  return communicator_;
}

void MpiHandle::abort_if_asked(int code, const char* call) const noexcept {
  if (on_mpi_error_ != OnMpiError::abort) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0, rank = 0;
  MPI_Error_string(code, text, &length);
  MPI_Comm_rank(communicator_, &rank);
  std::fprintf(stderr,
               "evenkeel: rank %d: %s failed: %s. Other ranks would wait for ever, so "
               "on_mpi_error = abort ends all ranks.\n",
               rank, call, text);
  std::fflush(stderr);
  MPI_Abort(communicator_, 1);
}

void MpiHandle::check_shared(int code, const char* call) const {
  if (code == MPI_SUCCESS) return;
  abort_if_asked(code, call);
  check(code, call);
}

// If this fails, other ranks wait in the collective call that needs the combiner. So a failure is
// treated like that of a collective call.
const MpiHandle::Combiner& MpiHandle::combiner(const Combination& combination) {
  communicator();  // throws if MPI has ended
  for (const Combiner& known : combiners_)
    if (known.function == combination.function && known.bytes == combination.bytes) return known;
  Combiner made{combination.function, combination.bytes, MPI_OP_NULL, MPI_DATATYPE_NULL};
  combiners_.reserve(combiners_.size() + 1);
  const int bytes = static_cast<int>(combination.bytes);
  check_shared(repeated([&] { return MPI_Type_contiguous(bytes, MPI_BYTE, &made.datatype); }),
               "MPI_Type_contiguous");
  check_shared(repeated([&] { return MPI_Type_commit(&made.datatype); }), "MPI_Type_commit");
  check_shared(repeated([&] { return MPI_Op_create(combination.function, 1, &made.operation); }),
               "MPI_Op_create");
  return combiners_.emplace_back(made);
}

void MpiHandle::release() noexcept {
  released_ = true;
  if (pending_ > 0 || !home_.is_here() || !mpi_is_running() || communicator_ == MPI_COMM_NULL)
    return;
  free_all();  // before the attribute is deleted: MPI may forbid nested calls in its call-back
  MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
  MPI_Comm_free_keyval(&key_);
}

void MpiHandle::end_reduction() noexcept {
  --pending_;
  if (released_) release();
}

void MpiHandle::abandon(std::unique_ptr<std::byte[]> buffer, MPI_Request request,
                        LastWords last) noexcept {
  if (mpi_is_running()) abandoned_.push_back({std::move(buffer), request, std::move(last)});
}

void MpiHandle::LastWords::say_of(const void* value, bool is_complete) const noexcept {
  if (words.empty() || (is_complete && is_fine(value))) return;
  std::fputs(words.c_str(), stderr);
  std::fflush(stderr);
}

namespace {

// Tries to complete an abandoned reduction. Other ranks that end in the same way come here at about
// the same time, and waiting here helps all of them to complete it.
bool completes(MPI_Request& request, bool is_worth_waiting) noexcept {
  constexpr double most_seconds = 0.5;
  const Stopwatch stopwatch;
  int complete = 0;
  do {
    if (MPI_Test(&request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  } while (complete == 0 && is_worth_waiting && stopwatch.seconds() < most_seconds);
  return complete != 0;
}

}  // namespace

// Called when MPI ends. Frees only the buffers of completed reductions, because MPI may still write
// to the others.
void MpiHandle::settle_abandoned() noexcept {
  std::erase_if(abandoned_, [&](Abandoned& reduction) {
    const bool is_complete = completes(reduction.request, !reduction.last.words.empty());
    reduction.last.say_of(reduction.buffer.get(), is_complete);
    if (is_complete) --pending_;
    return is_complete;
  });
}

// Handles that outlive MPI are never freed. They form a list: `last_kept` points to the owner of
// the latest handle, and in each handle `kept_before_` points to the owner of the handle before it.
constinit std::shared_ptr<MpiHandle>* MpiHandle::last_kept = nullptr;

int MpiHandle::release_attribute(MPI_Comm, int, void* attribute, void*) {
  auto* owner = static_cast<std::shared_ptr<MpiHandle>*>(attribute);
  if (const auto function = std::exchange((*owner)->at_finalize_, {})) function();
  (*owner)->settle_abandoned();
  (*owner)->free_all();
  if (!(*owner)->abandoned_.empty()) {
    (*owner)->kept_before_ = std::exchange(last_kept, owner);
    return MPI_SUCCESS;
  }
  delete owner;
  return MPI_SUCCESS;
}

void MpiHandle::free_all() noexcept {
  if (pending_ == 0 && communicator_ != MPI_COMM_NULL) {
    for (Combiner& combiner : combiners_) {
      MPI_Op_free(&combiner.operation);
      MPI_Type_free(&combiner.datatype);
    }
    MPI_Comm_free(&communicator_);
  }
  combiners_.clear();
  communicator_ = MPI_COMM_NULL;
}

namespace {

class MpiReduction final : public Pending {
 public:
  MpiReduction(std::shared_ptr<MpiHandle> handle, const Combination& combination)
      : handle_(std::move(handle)),
        combiner_(handle_->combiner(combination)),
        value_(std::make_unique<std::byte[]>(static_cast<std::size_t>(combination.bytes))) {
    handle_->prepare_reduction();
  }
  MpiReduction(const MpiReduction&) = delete;
  MpiReduction& operator=(const MpiReduction&) = delete;

  ~MpiReduction() override {
    if (is_pending()) handle_->abandon(std::move(value_), request_, std::move(last_));
    handle_->forget_reduction();
  }

  void let_go(std::string words, bool (*is_fine)(const void*)) override {
    last_ = {std::move(words), is_fine};
    if (test()) last_.say_of(value_.get(), true);
  }

  // If a call fails and returns no request, it has posted nothing, so it is repeated.
  void start(const void* mine) override {
    MPI_Comm communicator = handle_->communicator();
    code_ = MPI_SUCCESS;
    handle_->check_shared(repeated([&] {
                            std::memcpy(value_.get(), mine,
                                        static_cast<std::size_t>(combiner_.bytes));
                            request_ = MPI_REQUEST_NULL;
                            return MPI_Iallreduce(MPI_IN_PLACE, value_.get(), 1, combiner_.datatype,
                                                  combiner_.operation, communicator, &request_);
                          }),
                          "MPI_Iallreduce");
    handle_->begin_reduction();
  }

  bool is_under_way() const noexcept override { return is_pending(); }

  // If only the call has failed, and not the reduction, the next call may succeed. So this fails
  // only if many successive calls fail.
  bool test() override {
    if (!is_pending()) return require_success();
    handle_->communicator();  // throws if MPI has ended
    int complete = 0;
    const int code =
        completing(request_, [&] { return MPI_Test(&request_, &complete, MPI_STATUS_IGNORE); });
    if (code == MPI_SUCCESS ? complete != 0 : left_of(request_) == Left::failed)
      end(code);
    else if (code == MPI_SUCCESS)
      failures_ = 0;
    else if (++failures_ >= most_failures)
      handle_->check_shared(code, "MPI_Test");
    return !is_pending() && require_success();
  }

  void wait() override {
    if (is_pending()) handle_->communicator();
    if (is_pending()) {
      const int code = completing(request_, [&] { return MPI_Wait(&request_, MPI_STATUS_IGNORE); });
      if (code != MPI_SUCCESS && left_of(request_) != Left::failed)
        handle_->check_shared(code, "MPI_Wait");
      end(code);
    }
    require_success();
  }

  const void* value() const noexcept override { return value_.get(); }

 private:
  static constexpr int most_failures = 1000;  // of successive calls
  bool is_pending() const noexcept { return request_ != MPI_REQUEST_NULL; }
  void end(int code) {
    code_ = code;
    request_ = MPI_REQUEST_NULL;
    handle_->end_reduction();
  }
  bool require_success() const {  // a failure is thrown by each later test() and wait()
    handle_->check_shared(code_, "A reduction");
    return true;
  }

  std::shared_ptr<MpiHandle> handle_;
  MpiHandle::Combiner combiner_;
  std::unique_ptr<std::byte[]> value_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int code_ = MPI_SUCCESS;
  int failures_ = 0;
  MpiHandle::LastWords last_;
};

}  // namespace

std::unique_ptr<Pending> prepare_mpi_reduction(std::shared_ptr<MpiHandle> handle,
                                               const Combination& combination) {
  return std::make_unique<MpiReduction>(std::move(handle), combination);
}

}  // namespace evenkeel::detail
