#pragma once

// A file through which somebody outside talks to a running application: a command in a line, as
// `echo pause > run.control` leaves it. It is taken away once it has been read.

#include <evenkeel/monitor/decision.hpp>

#include <optional>
#include <string>

namespace evenkeel {

class ControlFile {
 public:
  explicit ControlFile(std::string path) : path_(std::move(path)) {}

  // What was said, without the last line's end; nothing while there is no file, or it does not end
  // with a line. Of a file that is far too long its beginning.
  std::optional<std::string> take() const;

 private:
  std::string path_;
};

// What it means to all ranks; nothing for what is no such command.
std::optional<Command> command_from_text(const std::string& text);

}  // namespace evenkeel
