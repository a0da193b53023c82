#pragma once

// The Balancers of one process that watch the same control file. The first one that looks takes the
// file away for all of them. A line "NAME: command" is for those of that name, a line without a
// name for each. Commands for another Balancer wait here until that one looks.

#include "tell/control_file.hpp"

namespace evenkeel {

class ControlDesk;

// The seat of one Balancer at the desk, for its whole life. Different readers may belong to
// different threads.
class ControlReader {
 public:
  ControlReader(const std::string& path, std::string name);
  ~ControlReader();
  ControlReader(const ControlReader&) = delete;
  ControlReader& operator=(const ControlReader&) = delete;

  // Returns the commands for this reader, without its name, in their order, and the problem to
  // report about the file.
  ControlText listen();

 private:
  friend class ControlDesk;
  std::shared_ptr<ControlDesk> desk_;
  std::string name_;
  std::vector<std::string> waiting_;  // guarded by the mutex of the desk
};

inline constexpr std::string_view journal_command = "journal ";

}  // namespace evenkeel
