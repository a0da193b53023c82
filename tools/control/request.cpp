#include "control/request.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <thread>
#include <utility>

namespace evenkeel::tool {

namespace {

[[noreturn]] void refuse_control(std::string problem, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{"tools/control"}, std::move(problem), std::move(remedy));
}

[[noreturn]] void refuse_file(const std::string& path, std::string_view reason) {
  refuse_control(
      joined({"The control file ", in_quotes(path), " cannot be written: ", reason, "."}),
      "Name the file that the run has as its option control.");
}

bool has_control_characters(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// It neither waits for a FIFO's reader nor follows a link.
int opened(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (descriptor < 0) refuse_file(path, errno == ELOOP ? "it is a link" : reason_of(errno));
  struct stat status = {};
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  close(descriptor);
  refuse_file(path, "it is not a regular file");
}

}  // namespace

std::string control_line(const std::string& command, const std::string& path,
                         const std::string& name) {
  const bool is_journal = command == "journal";
  if (!is_journal && command != "pause" && command != "resume" && command != "rebalance")
    refuse_control(joined({in_quotes(command), " is not a command."}),
                   "Give pause, resume, rebalance, or journal and a path.");
  if (is_journal == path.empty())
    refuse_control(is_journal ? "The command journal lacks its path."
                              : joined({"The command ", command, " has no path."}),
                   "Give a path to journal, and to no other command.");
  if (has_control_characters(path))
    refuse_control("The path of the journal has control characters.", "Name another file.");
  if (name.find_first_of(" :") != std::string::npos || has_control_characters(name))
    refuse_control(joined({"--name is ", in_quotes(name), "."}),
                   "Give the name of a Balancer, which is one word.");
  return joined({name, name.empty() ? "" : ": ", command, path.empty() ? "" : " ", path, "\n"});
}

ControlRequest::ControlRequest(std::string path, const std::string& line)
    : path_(std::move(path)), descriptor_(opened(path_)) {
  ssize_t written = 0;
  do written = write(descriptor_, line.data(), line.size());
  while (written < 0 && errno == EINTR);
  if (std::cmp_equal(written, line.size())) return;
  const int error_number = written < 0 ? errno : ENOSPC;
  close(descriptor_);
  give_up(joined({"The control file ", in_quotes(path_),
                  " could not be written: ", reason_of(error_number), "."}),
          "Make room, and take away what was left there.");
}

ControlRequest::~ControlRequest() { close(descriptor_); }

// A file that was put aside to be read still has a name.
bool ControlRequest::is_taken() const {
  struct stat status = {};
  return fstat(descriptor_, &status) == 0 && status.st_nlink == 0;
}

bool ControlRequest::is_taken_within(std::chrono::milliseconds time) const {
  constexpr std::chrono::milliseconds between{20};
  const auto end = std::chrono::steady_clock::now() + time;
  while (!is_taken()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(between);
  }
  return true;
}

}  // namespace evenkeel::tool
