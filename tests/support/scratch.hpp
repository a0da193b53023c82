#pragma once

// Files for the tests of readers and writers.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace evenkeel::test {

// A directory of this process, gone with all that is in it at the end of the scope.
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

  // Their names.
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

// What root may do is not refused to anybody: without root's rights until the end of the scope.
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

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace evenkeel::test
