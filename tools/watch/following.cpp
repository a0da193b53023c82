#include "watch/following.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace evenkeel::tool::watch {

namespace {

constexpr std::size_t chunk = std::size_t{1} << 16U;
constexpr std::size_t longest_line = std::size_t{64} << 20U;

// O_NONBLOCK keeps open() from waiting for the writer of a named pipe.
class JournalDescriptor {
 public:
  explicit JournalDescriptor(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~JournalDescriptor() {
    if (number_ >= 0) close(number_);
  }
  JournalDescriptor(const JournalDescriptor&) = delete;
  JournalDescriptor& operator=(const JournalDescriptor&) = delete;

  int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace

Following::Following(std::string path, std::function<void(std::string_view)> take,
                     std::function<void()> begin_again)
    : path_(std::move(path)), take_(std::move(take)), begin_again_(std::move(begin_again)) {}

bool Following::advance() {
  const JournalDescriptor file(path_);
  struct stat status = {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    if (was_there_) return false;
    refuse(joined({"The journal ", in_quotes(path_), " cannot be read."}),
           "Name a file that exists and that you may read.");
  }
  const auto device = static_cast<std::uint64_t>(status.st_dev);
  const auto number = static_cast<std::uint64_t>(status.st_ino);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool is_another = was_there_ && (device != device_ || number != file_ || size < offset_);
  device_ = device;
  file_ = number;
  was_there_ = true;
  if (is_another) {
    offset_ = 0;
    rest_.clear();
    begin_again_();
  }
  std::array<char, chunk> bytes = {};
  bool has_read = false;
  for (;;) {
    const ssize_t got =
        pread(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return has_read;
    has_read = true;
    offset_ += static_cast<std::uint64_t>(got);
    std::string_view text(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      rest_.append(text.substr(0, end));
      take_(rest_);
      rest_.clear();
      text.remove_prefix(end + 1);
    }
    rest_.append(text);
    if (rest_.size() > longest_line)
      refuse(joined({"A line of ", in_quotes(path_), " is longer than 64 MiB."}),
             "Give a journal that evenkeel has written.");
  }
}

}  // namespace evenkeel::tool::watch
