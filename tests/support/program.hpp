#pragma once

// Runs another program, and returns its output and its exit status.

#include "support/scratch.hpp"

#include <sys/wait.h>

#include <optional>

#include <fcntl.h>
#include <spawn.h>

namespace evenkeel::test {

using Words = std::vector<std::string>;

struct Ended {
  int status = -1;  // if it is -1: not started, or ended by a signal
  std::string out, err;
};

struct ProgramOptions {
  std::string out = {};  // if it is not empty, output goes to this file and is not read
  // No file may become longer; this simulates a full disk.
  rlim_t most_bytes = RLIM_INFINITY;
};

// The first word is the program. If it has no slash, it is searched for in PATH. The program is
// spawned, not forked, since this is safe while MPI and other threads run.
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
    std::optional<FullDisk> full;
    if (options.most_bytes != RLIM_INFINITY) full.emplace(options.most_bytes);
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
