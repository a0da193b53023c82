#pragma once

// Opens regular files whose paths a user has given. Opening never blocks, so a FIFO or a device
// cannot delay the run. Processes that the application starts do not inherit the files. No call
// here raises a signal; a write that fails returns the reason.

#include <evenkeel/backends/config.hpp>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

namespace evenkeel::detail {

// Closes the file at the end of the scope.
class EVENKEEL_API FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) noexcept : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { close(); }

  bool is_open() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }
  // Returns false if the system reports only now that a write has failed; errno holds the reason.
  bool close() noexcept;

 private:
  int number_ = -1;
};

// A file, or the reason why it could not be opened: a clause such as "it is not a regular file".
struct OpenedFile {
  FileDescriptor file;
  struct stat status = {};
  std::string reason;
  bool is_missing = false;  // there is no such file

  explicit operator bool() const noexcept { return file.is_open(); }
};

enum class Links { followed, refused };

// Opens a regular file, or makes one if `flags` have O_CREAT.
OpenedFile open_regular(const std::string& path, int flags, Links links = Links::followed);

// The content from `offset` on, at most `most` bytes; fewer if the file ends or reading fails.
EVENKEEL_API std::string read_from(const FileDescriptor& file, std::size_t offset,
                                   std::size_t most);

// Returns 0 if the whole text is written, and the error number otherwise.
int write_whole(const FileDescriptor& file, std::string_view text) noexcept;

// The system's message for an error number.
std::string reason_of(int error_number);

// True if both describe the same file.
bool are_one(const struct stat& a, const struct stat& b) noexcept;

// Follows symbolic links in the last component of a path; their target need not exist.
std::string without_links(const std::string& path);

// True if two paths, however they are spelled, lead to the same existing file, or to the same name
// in the same directory. False if a path is empty.
bool lead_to_one_file(const std::string& a, const std::string& b);

// Until the end of the scope, two kinds of writes fail in this thread without raising a signal: a
// write to a pipe without a reader, and a write beyond the allowed size of files.
class WithoutWriteSignals {
 public:
  WithoutWriteSignals() noexcept;
  ~WithoutWriteSignals();
  WithoutWriteSignals(const WithoutWriteSignals&) = delete;
  WithoutWriteSignals& operator=(const WithoutWriteSignals&) = delete;

 private:
  sigset_t before_ = {}, to_remove_ = {};
  bool is_blocked_ = false;
};

}  // namespace evenkeel::detail
