#include "files/byte_source.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace evenkeel::tool {

namespace {

[[noreturn]] void refuse_file(const std::string& path, std::string_view reason) {
  refuse(joined({"The file ", in_quotes(path), " cannot be read: ", reason, "."}),
         "Name a regular file that exists and that you may read.");
}

// Closes the descriptor before it throws, since no object owns the descriptor yet.
std::uint64_t size_of_regular_file(int descriptor, const std::string& path) {
  struct stat status = {};
  const bool known = fstat(descriptor, &status) == 0;
  const int error_number = errno;
  if (known && S_ISREG(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
  close(descriptor);
  if (!known) refuse_file(path, reason_of(error_number));
  refuse_file(path, S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
}

// O_NONBLOCK keeps open() from waiting for the writer of a named pipe.
int open_to_read(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse_file(path, reason_of(errno));
  return descriptor;
}

}  // namespace

ByteSource::ByteSource(std::string name, std::uint64_t size)
    : name_(std::move(name)), size_(size) {}

void ByteSource::read(std::uint64_t offset, std::span<char> bytes) const {
  if (offset > size_ || bytes.size() > size_ - offset)
    refuse(joined({"Bytes beyond the end of ", in_quotes(name_), " were asked for."}),
           "Ask for bytes that it has.");
  if (!bytes.empty()) read_within(offset, bytes);
}

void ByteSource::refuse_shrunk(std::uint64_t end) const {
  refuse(joined({"The file ", in_quotes(name_), " now ends at byte ", std::to_string(end),
                 "; it had ", std::to_string(size_), " bytes when it was opened."}),
         "Run again when no program writes to it.");
}

FileSource::FileSource(const std::string& path)
    : ByteSource(path, 0), descriptor_(open_to_read(path)) {
  set_size(size_of_regular_file(descriptor_, path));
}

FileSource::~FileSource() { close(descriptor_); }

void FileSource::read_within(std::uint64_t offset, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      give_up(joined({"The file ", in_quotes(name()), " cannot be read at byte ",
                      std::to_string(offset), ": ", reason_of(errno), "."}),
              "Check the disk that holds it.");
    if (got == 0) refuse_shrunk(offset);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

MemorySource::MemorySource(std::string name, std::string_view bytes)
    : ByteSource(std::move(name), bytes.size()), bytes_(bytes) {}

void MemorySource::read_within(std::uint64_t offset, std::span<char> bytes) const {
  std::ranges::copy(bytes_.substr(offset, bytes.size()), bytes.begin());
}

}  // namespace evenkeel::tool
