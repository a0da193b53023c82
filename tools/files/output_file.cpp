#include "files/output_file.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace evenkeel::tool {

namespace {

// The path without symbolic links, as far as it exists.
std::filesystem::path place_of(const std::string& path) {
  std::error_code unknown;
  const auto whole = std::filesystem::absolute(path, unknown);
  if (unknown) return {path};
  const auto place = std::filesystem::weakly_canonical(whole, unknown);
  return unknown ? std::filesystem::path(path) : place;
}

[[noreturn]] void refuse_target(const std::string& path, std::string_view reason) {
  refuse(joined({"The file ", in_quotes(path), " cannot be written: ", reason, "."}),
         "Name a file in a directory that exists and that you may write to.");
}

// The target of a chain of symbolic links, whether or not it exists yet.
std::string follow_links(const std::string& path) {
  constexpr int most_links = 40;  // as Linux allows
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(target, error); ++links) {
    if (links == most_links) refuse_target(path, reason_of(ELOOP));
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) refuse_target(path, error.message());
    target = target.parent_path() / next;
  }
  return target.string();
}

// Checks that the target can be written. Returns the permissions of an existing file, or nothing.
std::optional<mode_t> check_target(const std::string& path, const std::string& target) {
  if (path.empty()) refuse_target(path, "it has no name");
  struct stat status = {};
  if (stat(target.c_str(), &status) != 0) {
    if (errno != ENOENT) refuse_target(path, reason_of(errno));
    return std::nullopt;
  }
  if (S_ISDIR(status.st_mode)) refuse_target(path, "it is a directory");
  if (!S_ISREG(status.st_mode)) refuse_target(path, "it is not a regular file");
  if (faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0)
    refuse_target(path, reason_of(errno));
  return status.st_mode & static_cast<mode_t>(07777);
}

// Opens a file with an unused name beside the target: a rename is atomic only within a file system.
std::pair<int, std::string> open_temporary(const std::string& path, const std::string& target) {
  const std::string stem = joined({target, ".partial-", std::to_string(getpid())});
  for (int attempt = 0;; ++attempt) {
    const std::string name = joined({stem, "-", std::to_string(attempt)});
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, name};
    if (errno != EEXIST || attempt == 1000) refuse_target(path, reason_of(errno));
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(follow_links(path)) {
  const auto mode = check_target(path_, target_);
  std::tie(descriptor_, temporary_) = open_temporary(path_, target_);
  if (mode && fchmod(descriptor_, *mode) != 0) {
    const int error_number = errno;
    discard();
    refuse_target(path_, reason_of(error_number));
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
}

void OutputFile::give_up_writing(int error_number) const {
  give_up(joined({"The file ", in_quotes(path_), " could not be written: ", reason_of(error_number),
                  "."}),
          "Free some space or name another path; no part of the file was left.");
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) give_up_writing(errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

// Some file systems report a full disk only here.
void OutputFile::finish() {
  if (fsync(descriptor_) != 0) give_up_writing(errno);
  if (close(std::exchange(descriptor_, -1)) != 0) give_up_writing(errno);
}

void OutputFile::commit() {
  if (descriptor_ >= 0) finish();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) give_up_writing(errno);
  temporary_.clear();
}

void refuse_same_files(const CommandRefusal& refusal, const std::vector<NamedFile>& files,
                       std::size_t outputs) {
  for (std::size_t written = 0; written < outputs; ++written)
    for (std::size_t other = written + 1; other < files.size(); ++other)
      if (place_of(files[written].path) == place_of(files[other].path))
        refusal(joined({files[written].option, " and ", files[other].option,
                        " name the same file, ", in_quotes(files[written].path), "."}),
                "Give each a file of its own.");
}

}  // namespace evenkeel::tool
