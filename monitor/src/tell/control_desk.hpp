#pragma once

// The Balancers of one process that watch the same control file. Whichever looks first takes the
// file away for all of them: a line "NAME: command" is for those of that name, a line without a
// name for each. What is for another waits for it here until it looks itself.

#include "tell/control_file.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel {

class ControlDesk;

// The place of one Balancer at the desk, from its beginning to its end. Different readers may
// belong to different threads.
class ControlReader {
 public:
  ControlReader(const std::string& path, std::string name);
  ~ControlReader();
  ControlReader(const ControlReader&) = delete;
  ControlReader& operator=(const ControlReader&) = delete;

  // Commands for this reader, without its name, in their order; and what is to be told of the file.
  ControlText listen();

 private:
  friend class ControlDesk;
  std::shared_ptr<ControlDesk> desk_;
  std::string name_;
  std::vector<std::string> waiting_;  // under the mutex of the desk
};

inline constexpr std::string_view journal_command = "journal ";

}  // namespace evenkeel
