#pragma once

// A file through which a user gives commands to a running application, one per line, as `echo pause
// > run.control` writes it. The file is taken away after it has been read, but only if each of its
// lines is a command: any other file at that path is left alone. Only a regular file that belongs
// to this user is read, and it must have no other name and not be reached by a link. Looking for it
// never blocks.

#include "decide/decision.hpp"
#include "tell/files.hpp"

#include <functional>
#include <optional>

namespace evenkeel {

// The result of a look at the file. `problem` is a sentence about a file that is left alone; it is
// reported once for each state of the file.
struct ControlText {
  std::vector<std::string> lines = {};  // commands, without empty ones
  std::string problem = {};
};

class ControlFile {
 public:
  explicit ControlFile(std::string path) : path_(std::move(path)) {}

  // The problem with a line; empty for a command that a Balancer of this process obeys.
  using Judge = std::function<std::string(const std::string& line)>;

  // Takes the commands out of the file. Empty if there is no file, or if its last line is not
  // complete.
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
  struct ControlComplaint {
    std::string problem = {};
    struct stat status = {};
  };
  ControlComplaint complaint_;  // the last one, and its file
  std::string unfinished_;      // the state of a file that lacked its last line feed
  // The file that was taken last: a user may have opened it before, and may still write to it.
  detail::FileDescriptor taken_;
  std::size_t taken_bytes_ = 0;
};

// The command for all ranks; empty if the text is not such a command.
std::optional<Command> command_from_text(const std::string& text);

}  // namespace evenkeel
