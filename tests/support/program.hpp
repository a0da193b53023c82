#pragma once

// Runs another program and tells how it has ended.

#include "support/scratch.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace evenkeel::test {

using Words = std::vector<std::string>;

struct Ended {
  int status = -1;  // -1: not started, or ended by a signal
  std::string out, err;
};

struct ProgramOptions {
  std::string out = {};  // a file for its output, which is then not read; empty: it is
  // No file may become longer, as if the disk were full.
  rlim_t most_bytes = RLIM_INFINITY;
};

// While it lives, this process and those that it starts make no file longer than so.
class FileLimit {
 public:
  explicit FileLimit(rlim_t most_bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    if (most_bytes == RLIM_INFINITY) return;
    const rlimit limit = {most_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    if (handler_ != SIG_ERR) std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int) = SIG_ERR;
};

// The first word is the program, looked for in PATH where it has no slash. Spawned, not forked:
// that is safe where MPI runs, and other threads.
inline Ended run_program(const ScratchDirectory& directory, Words words,
                         const ProgramOptions& options = {}) {
  const std::string out = options.out.empty() ? directory.path_of("stdout") : options.out;
  const std::string err = directory.path_of("stderr");
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int how = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), how, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), how, 0600);
  pid_t child = -1;
  int code = 0, status = 0;
  {
    const FileLimit limit(options.most_bytes);
    code = posix_spawnp(&child, pointers[0], &files, nullptr, pointers.data(), environ);
  }
  posix_spawn_file_actions_destroy(&files);
  if (code == 0) waitpid(child, &status, 0);
  const bool ended = code == 0 && WIFEXITED(status);
  Ended all{ended ? WEXITSTATUS(status) : -1, options.out.empty() ? content_of(out) : "",
            content_of(err)};
  for (const char* name : {"stdout", "stderr"}) std::filesystem::remove(directory.path_of(name));
  return all;
}

}  // namespace evenkeel::test
