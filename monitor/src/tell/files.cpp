#include "tell/files.hpp"

#include <array>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace evenkeel::detail {

namespace {

OpenedFile refused(std::string reason) {
  OpenedFile none;
  none.reason = std::move(reason);
  return none;
}

OpenedFile refused(int error_number) {
  OpenedFile none = refused(reason_of(error_number));
  none.is_missing = error_number == ENOENT;
  return none;
}

std::string kind_of(const struct stat& status) {
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link";
  if (S_ISDIR(status.st_mode)) return reason_of(EISDIR);
  return "it is not a regular file";
}

constexpr std::array<int, 2> write_signals = {SIGPIPE, SIGXFSZ};

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

bool FileDescriptor::close() noexcept {
  return number_ < 0 || ::close(std::exchange(number_, -1)) == 0;
}

// Checks the kind of a file before opening it, because opening may already affect a device. Checks
// it again after opening, because the file may have been replaced meanwhile.
OpenedFile open_regular(const std::string& path, int flags, Links links) {
  const bool follows = links == Links::followed;
  struct stat status = {};
  const bool is_there =
      (follows ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status)) == 0;
  if (is_there && !S_ISREG(status.st_mode)) return refused(kind_of(status));
  constexpr mode_t by_umask = 0666;
  const int harmless = O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (follows ? 0 : O_NOFOLLOW);
  OpenedFile opened;
  opened.file = FileDescriptor(::open(path.c_str(), flags | harmless, by_umask));
  if (!opened) return refused(errno);
  if (::fstat(opened.file.number(), &opened.status) != 0) return refused(errno);
  if (!S_ISREG(opened.status.st_mode)) return refused(kind_of(opened.status));
  return opened;
}

std::string read_from(const FileDescriptor& file, std::size_t offset, std::size_t most) {
  std::string text(most, '\0');
  std::size_t length = 0;
  while (length < most) {
    const ssize_t got = ::pread(file.number(), text.data() + length, most - length,
                                static_cast<off_t>(offset + length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

int write_whole(const FileDescriptor& file, std::string_view text) noexcept {
  const WithoutWriteSignals quiet;
  while (!text.empty()) {
    const ssize_t done = ::write(file.number(), text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

bool are_one(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string without_links(const std::string& path) {
  constexpr int most_links = 40;  // as Linux allows
  std::filesystem::path target = path;
  std::error_code error;
  for (int link = 0; link < most_links && std::filesystem::is_symlink(target, error); ++link) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;
  }
  return target.string();
}

bool lead_to_one_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  struct stat of_a = {}, of_b = {};
  if (::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0) return are_one(of_a, of_b);
  const std::filesystem::path at_a = without_links(a), at_b = without_links(b);
  if (at_a.lexically_normal() == at_b.lexically_normal()) return true;
  if (at_a.filename() != at_b.filename()) return false;
  const auto directory = [](const std::filesystem::path& at) {
    return at.has_parent_path() ? at.parent_path() : std::filesystem::path(".");
  };
  return ::stat(directory(at_a).c_str(), &of_a) == 0 &&
         ::stat(directory(at_b).c_str(), &of_b) == 0 && are_one(of_a, of_b);
}

// A signal that was already pending must not be removed.
WithoutWriteSignals::WithoutWriteSignals() noexcept {
  sigset_t waiting, blocked;
  sigemptyset(&waiting);
  sigemptyset(&blocked);
  sigemptyset(&to_remove_);
  if (sigpending(&waiting) != 0) return;
  for (const int signal : write_signals) {
    sigaddset(&blocked, signal);
    if (sigismember(&waiting, signal) == 0) sigaddset(&to_remove_, signal);
  }
  is_blocked_ = pthread_sigmask(SIG_BLOCK, &blocked, &before_) == 0;
}

WithoutWriteSignals::~WithoutWriteSignals() {
  if (!is_blocked_) return;
  const int error_number = errno;
  const timespec no_time = {};
  while (sigtimedwait(&to_remove_, nullptr, &no_time) > 0) continue;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error_number;
}

}  // namespace evenkeel::detail
