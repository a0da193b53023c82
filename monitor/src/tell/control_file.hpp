#pragma once

// A file through which somebody outside gives commands to a running application, one per line, as
// `echo pause > run.control` writes it. It is taken away once it has been read, but only when each
// of its lines is a command: nothing else that may stand at that path is touched. Only a regular
// file of this user's own is read, and none that has another name or is reached by a link. Looking
// for it waits for nobody.

#include "decide/decision.hpp"
#include "tell/files.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace evenkeel {

// What was found. `problem` is a sentence about a file that is left where it is; it is told once
// for each state of the file.
struct ControlText {
  std::vector<std::string> lines = {};  // commands, without empty ones
  std::string problem = {};
};

class ControlFile {
 public:
  explicit ControlFile(std::string path) : path_(std::move(path)) {}

  // The problem with a line; empty for a command that somebody here obeys.
  using Judge = std::function<std::string(const std::string& line)>;

  // The commands, which are no longer in the file then. Nothing while there is no file, or its last
  // line is not complete.
  ControlText take(const Judge& judge);

 private:
  struct Content {
    ControlText text;
    bool is_complete = false;  // each line is a command
  };
  static Content judged(std::string content, const Judge& judge);
  ControlText take_what_came_late(const Judge& judge);
  Content take_away(const detail::OpenedFile& seen, const Judge& judge);
  std::string told_once(const std::string& problem, const struct stat& status);

  std::string path_;
  struct Told {
    std::string problem = {};
    struct stat status = {};
  };
  Told told_;               // last, and of which file
  std::string unfinished_;  // the state of a file that lacked its last line feed
  // The file that was taken last: somebody may have opened it before, and write to it still.
  detail::FileDescriptor taken_;
  std::size_t taken_bytes_ = 0;
};

// The command that goes to all ranks; nothing if the text is not such a command.
std::optional<Command> command_from_text(const std::string& text);

}  // namespace evenkeel
