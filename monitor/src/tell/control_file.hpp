#pragma once

// A file through which somebody outside gives commands to a running application, one per line, as
// `echo pause > run.control` writes it. The file is removed once it has been read.

#include "decide/decision.hpp"

#include <optional>
#include <string>

namespace evenkeel {

class ControlFile {
 public:
  explicit ControlFile(std::string path) : path_(std::move(path)) {}

  // The content, without its last line feed; nothing while there is no file, or its last line is
  // not complete. Of a file that is far too long, the beginning.
  std::optional<std::string> take() const;

 private:
  std::string path_;
};

// The command that goes to all ranks; nothing if the text is not such a command.
std::optional<Command> command_from_text(const std::string& text);

}  // namespace evenkeel
