#pragma once

// A command in the control file of a run: written as a run reads it, and watched until the run has
// taken it.

#include <chrono>
#include <string>

namespace evenkeel::tool {

// The line for a command as docs/monitor.md has them: its word, the path of a journal or nothing,
// and the name of the Balancer that it is for or nothing. An Error of bad input for anything else.
std::string control_line(const std::string& command, const std::string& path,
                         const std::string& name);

// Adds a line to the file, which it makes if there is none. It does not wait, whatever stands at
// that path; an Error of bad input if that is not a regular file.
class ControlRequest {
 public:
  ControlRequest(std::string path, const std::string& line);
  ~ControlRequest();
  ControlRequest(const ControlRequest&) = delete;
  ControlRequest& operator=(const ControlRequest&) = delete;

  // Whether the run takes it within this time. A run takes the whole file away, and only when it
  // obeys each line.
  bool is_taken_within(std::chrono::milliseconds time) const;

 private:
  bool is_taken() const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace evenkeel::tool
