#include "comm/messenger.hpp"
#include "comm/stage.hpp"
#include "comm/timed_messenger.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdlib>
#include <string_view>

namespace evenkeel {

namespace {

constexpr const char* device_aware_variable = "EVENKEEL_DEVICE_AWARE_MPI";

// The setting that a rank finds in its environment, as a number that ranks can reduce.
enum class EnvironmentWish : int { unset, off, on, unreadable };

EnvironmentWish environment_wish() {
  const char* text = std::getenv(device_aware_variable);
  if (text == nullptr) return EnvironmentWish::unset;
  const std::string_view value(text);
  if (value == "0" || value == "off") return EnvironmentWish::off;
  if (value == "1" || value == "on") return EnvironmentWish::on;
  return EnvironmentWish::unreadable;
}

bool is_possible(const CommunicatorOptions& options) {
  return options.piece_bytes >= 1 && options.piece_bytes <= std::numeric_limits<int>::max();
}

// Agrees on the options of all ranks by one reduction. The environment of rank 0 counts for all
// ranks. If the options of any rank are wrong, all ranks throw the same Error. Returns how device
// memory travels.
Transport agree(const CommunicatorOptions& options, detail::Messenger& messenger) {
  constexpr std::int64_t no_say = std::numeric_limits<std::int64_t>::max();
  const bool first = messenger.rank() == 0;
  enum : std::size_t { least, minus_greatest, possible, wish_of_first, aware_of_first, size };
  std::int64_t values[size];
  values[least] = options.piece_bytes;
  values[minus_greatest] = -options.piece_bytes;
  values[possible] = is_possible(options) ? 1 : 0;
  values[wish_of_first] = first ? static_cast<std::int64_t>(environment_wish()) : no_say;
  values[aware_of_first] = first ? static_cast<std::int64_t>(mpi_is_device_aware()) : no_say;
  messenger.reduce(values, size, ScalarType::int64, Reduction::least);

  if (values[possible] == 0 || values[least] != -values[minus_greatest])
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "piece_bytes is " + std::to_string(values[least]) + " to " +
                    std::to_string(-values[minus_greatest]) + " on the ranks.",
                "Give all ranks the same number from 1 to 2147483647; the default is 1073741824.");
  const auto wish = static_cast<EnvironmentWish>(values[wish_of_first]);
  if (wish == EnvironmentWish::unreadable)
    throw Error(
        ErrorKind::bad_input, Where{stage_name},
        std::string(device_aware_variable) + " is neither 0 nor 1.",
        "Set the variable to 0 to stage device memory on the host, or to 1 to pass device memory "
        "to MPI, or unset the variable.");
  messenger.cut_messages(options.piece_bytes);
  if (options.transport != Transport::automatic) return options.transport;
  const bool aware =
      wish == EnvironmentWish::unset ? values[aware_of_first] != 0 : wish == EnvironmentWish::on;
  return aware ? Transport::device_aware : Transport::host_staged;
}

// Checks that all ranks pass the same value to a collective. This costs a reduction, so only the
// assertion level `collective` makes the check.
void assert_same_everywhere([[maybe_unused]] detail::Messenger& messenger,
                            [[maybe_unused]] std::int64_t value,
                            [[maybe_unused]] const char* meaning) {
#if EVENKEEL_ASSERTION_LEVEL >= 2
  std::int64_t extremes[2] = {value, -value};
  messenger.reduce(extremes, 2, ScalarType::int64, Reduction::least);
  if (extremes[0] != -extremes[1])
    detail::assertion_failed("least == greatest", meaning, __FILE__, __LINE__);
#endif
}

}  // namespace

const char* name_of(OnMpiError what) noexcept {
  return what == OnMpiError::abort ? "abort" : "error";
}

Communicator::Communicator(std::shared_ptr<detail::Messenger> messenger,
                           const CommunicatorOptions& options, Transport transport)
    : messenger_(std::move(messenger)),
      options_(options),
      transport_(transport),
      rank_(messenger_->rank()),
      size_(messenger_->size()) {
  Error::make_reserve();
}

Communicator Communicator::self(CommunicatorOptions options) {
  auto messenger = detail::make_self_messenger();
  const Transport transport = agree(options, *messenger);
  return Communicator(std::move(messenger), options, transport);
}

Communicator Communicator::world(CommunicatorOptions options) {
#if EVENKEEL_HAS_MPI
  return Communicator(MPI_COMM_WORLD, options);
#else
  return self(options);
#endif
}

#if EVENKEEL_HAS_MPI
Communicator::Communicator(MPI_Comm users, CommunicatorOptions options)
    : messenger_(detail::make_mpi_messenger(users)),
      options_(options),
      transport_(agree(options, *messenger_)),
      rank_(messenger_->rank()),
      size_(messenger_->size()) {}
#endif

Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

Communicator Communicator::duplicate() const {
  return Communicator(messenger_->duplicate(), options_, transport_);
}

Communicator Communicator::on_node() const {
  return Communicator(messenger_->on_node(), options_, transport_);
}

void Communicator::set_on_mpi_error(OnMpiError what) const noexcept {
  messenger_->set_on_mpi_error(what);
}

void Communicator::time_calls() {
  if (in_calls_) return;
  in_calls_ = std::make_shared<std::int64_t>(0);
  messenger_ = detail::make_timed_messenger(std::move(messenger_), in_calls_);
}

void Communicator::barrier() const { messenger_->barrier(); }

bool Communicator::ranks_share_cores() const { return messenger_->ranks_share_cores(); }

void Communicator::reduce_in_place(void* values, std::int64_t count, ScalarType type,
                                   Reduction reduction) const {
  assert_same_everywhere(*messenger_, count, "The length of a reduction is the same on all ranks");
  messenger_->reduce(values, count, type, reduction);
}

void Communicator::scan_in_place(void* values, std::int64_t count, ScalarType type,
                                 Reduction reduction) const {
  assert_same_everywhere(*messenger_, count, "The length of a scan is the same on all ranks");
  messenger_->exclusive_scan(values, count, type, reduction);
}

void Communicator::broadcast_bytes(void* data, std::int64_t bytes, int root) const {
  require_rank(root, "root");
  assert_same_everywhere(*messenger_, root, "The root of a broadcast is the same on all ranks");
  assert_same_everywhere(*messenger_, bytes, "The length of a broadcast is the same on all ranks");
  messenger_->broadcast(data, bytes, root);
}

void Communicator::gather_equal(const void* mine, std::int64_t bytes, void* all) const {
  assert_same_everywhere(*messenger_, bytes, "The length of a gather is the same on all ranks");
  messenger_->gather_equal(mine, bytes, all);
}

void Communicator::gather_bytes(const void* mine, void* all,
                                std::span<const std::int64_t> bytes_of_rank, int root) const {
  assert_same_everywhere(*messenger_, root, "The root of a gather is the same on all ranks");
  messenger_->gather(mine, all, bytes_of_rank, root);
}

void Communicator::require_rank(int rank, const char* role) const {
  if (rank < 0 || rank >= size())
    throw Error(ErrorKind::bad_input, Where{stage_name},
                std::string("The ") + role + " is rank " + std::to_string(rank) +
                    ", but there are " + std::to_string(size()) + " ranks.",
                "Name a rank from 0 to " + std::to_string(size() - 1) + '.');
}

}  // namespace evenkeel
