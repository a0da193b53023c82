#pragma once

// A file through which a user gives commands to a running application, one per line, for example by
// `echo pause > run.control`. The file is removed after it has been read, but only if each of its
// lines is a command; any other file at that path is left alone. To be read, the file must be
// regular, belong to this user and have one name, and the path must be no symbolic link. Checking
// for the file never blocks.

#include "decide/decision.hpp"
#include "tell/files.hpp"

#include <functional>
#include <optional>

namespace evenkeel {

// The result of reading the file. `problem` is a sentence about a file that is left alone, or
// empty. It is reported once for each state of the file.
struct ControlText {
  std::vector<std::string> lines = {};  // commands, without empty ones
  std::string problem = {};
};

class ControlFile {
 public:
  explicit ControlFile(std::string path) : path_(std::move(path)) {}

  // Returns what is wrong with a line, or an empty text if a Balancer of this process obeys the
  // line.
  using Judge = std::function<std::string(const std::string& line)>;

  // Returns what is wrong with the content of a control file, as a clause, or an empty text. Pure.
  static std::string problem_with(const std::string& content, const Judge& judge);

  // Returns the commands of the file and removes it. The result is empty if there is no file, or if
  // its last line has no line feed yet.
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
  ControlComplaint complaint_;  // the last problem, and the file that had it
  std::string unfinished_;      // the state of a file that lacked its last line feed
  // The file that was taken last. A user who had opened it earlier may still write to it.
  detail::FileDescriptor taken_;
  std::size_t taken_bytes_ = 0;
};

// Returns the reason why commands of a file with this status must not be read, as a clause, or an
// empty text.
EVENKEEL_API std::string unfitness_of(const struct stat& status);

// Returns the command if all ranks must obey it. The result is empty if the text is no command, or
// if it is the command journal.
std::optional<Command> command_from_text(const std::string& text);

}  // namespace evenkeel
