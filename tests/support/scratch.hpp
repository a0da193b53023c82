#pragma once

// Files for the tests of readers and writers.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace evenkeel::test {

// A directory of this process. It and its content are removed at the end of the scope.
class ScratchDirectory {
 public:
  ScratchDirectory() { std::filesystem::create_directories(path_); }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string path_of(std::string_view name) const { return (path_ / name).string(); }

  std::string with_file(std::string_view name, std::string_view content) const {
    std::ofstream(path_of(name), std::ios::binary) << content;
    return path_of(name);
  }

  // Returns the names of the files.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("evenkeel-files-" + std::to_string(getpid()));
};

// The system refuses nothing to root. This object drops the rights of root until the end of the
// scope.
class Unprivileged {
 public:
  Unprivileged() {
    if (was_root_ && seteuid(nobody) != 0) throw std::runtime_error("seteuid");
  }
  ~Unprivileged() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t nobody = 65534;
  bool was_root_ = geteuid() == 0;
};

// Until the end of the scope, no file may become longer than this, which simulates a full disk. By
// default the system ends a process that tries; with `Signal::ignored` the write fails.
class FullDisk {
 public:
  enum class Signal { ignored, as_it_is };
  explicit FullDisk(rlim_t bytes, Signal signal = Signal::ignored) {
    if (signal == Signal::ignored) signal_before_ = std::signal(SIGXFSZ, SIG_IGN);
    is_ignored_ = signal == Signal::ignored;
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    if (is_ignored_) std::signal(SIGXFSZ, signal_before_);
  }

 private:
  rlimit before_ = {};
  bool is_ignored_ = false;
  void (*signal_before_)(int) = SIG_DFL;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace evenkeel::test
