#pragma once

// Shares a control file among the Balancers of one process that watch it. The first Balancer that
// checks for the file reads and removes it for all of them. A line "NAME: command" is for the
// Balancers of that name; a line without a name is for all. Commands for another Balancer are kept
// until it checks.

#include "tell/control_file.hpp"

namespace evenkeel {

class ControlDesk;

// The access of one Balancer to the desk, for the whole life of the Balancer. Different readers may
// belong to different threads.
class ControlReader {
 public:
  ControlReader(const std::string& path, std::string name);
  ~ControlReader();
  ControlReader(const ControlReader&) = delete;
  ControlReader& operator=(const ControlReader&) = delete;

  // Returns the commands for this reader, in the order of the file and without the "NAME: " before
  // them. Also returns the problem to report about the file.
  ControlText listen();

 private:
  friend class ControlDesk;
  std::shared_ptr<ControlDesk> desk_;
  std::string name_;
  std::vector<std::string> waiting_;  // guarded by the mutex of the desk
};

// Returns the reason why no run takes a control file with this content, as a clause, or an empty
// text. The names of Balancers are not checked, since only their run knows them. Pure.
EVENKEEL_API std::string problem_with_commands(const std::string& content);

inline constexpr std::string_view journal_command = "journal ";

}  // namespace evenkeel
