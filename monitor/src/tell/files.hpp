#pragma once

// How files are opened whose paths a user has given. Only regular files are: opening waits for
// nobody, so that a FIFO or a device cannot hold up the run. No process that the application starts
// inherits them. No call here raises a signal: a write that fails returns the reason.

#include <evenkeel/backends/export.hpp>

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
  // False when the system reports only now that a write has failed; errno says why.
  bool close() noexcept;

 private:
  int number_ = -1;
};

// A file, or why there is none. `reason` is a clause such as "it is not a regular file".
struct OpenedFile {
  FileDescriptor file;
  struct stat status = {};
  std::string reason;
  bool is_missing = false;  // there is no such file

  explicit operator bool() const noexcept { return file.is_open(); }
};

enum class Links { followed, refused };

// Opens a regular file, or makes one where `flags` have O_CREAT.
OpenedFile open_regular(const std::string& path, int flags, Links links = Links::followed);

// The content from `offset` on, but no more than `most` bytes; as much as can be read.
std::string read_from(const FileDescriptor& file, std::size_t offset, std::size_t most);

// Returns 0 when all is written, and the error number otherwise.
int write_whole(const FileDescriptor& file, std::string_view text) noexcept;

// What the system says of an error number.
std::string reason_of(int error_number);

// The path with the links at its end followed, whether or not there is a file yet.
std::string without_links(const std::string& path);

// Whether two paths lead to one file, however they are spelled: to one that is there, or to the
// same name in the same directory. An empty path leads nowhere.
bool lead_to_one_file(const std::string& a, const std::string& b);

// Until the end of the scope, a write to a pipe that nobody reads and a write beyond the allowed
// size of files fail in this thread, and raise no signal.
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
