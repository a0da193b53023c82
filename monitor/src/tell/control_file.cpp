#include "tell/control_file.hpp"

#include <evenkeel/backends/text.hpp>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace evenkeel {

namespace {

using detail::FileDescriptor;

constexpr std::size_t most_control_bytes = 4096;
constexpr const char* no_line_feed = "its last line has no line feed at its end";

// A text that changes whenever a user writes to the file or replaces it.
std::string state_of(const struct stat& status) {
  std::ostringstream text;
  text << status.st_dev << ' ' << status.st_ino << ' ' << status.st_size << ' '
       << status.st_mtim.tv_sec << ' ' << status.st_mtim.tv_nsec;
  return text.str();
}

// A new name in the directory of the file, reserved by an empty file. If that file cannot be made,
// the result is empty.
std::string unused_name(const std::string& path) {
  std::string name = path + ".taken-XXXXXX";
  const FileDescriptor reserved(::mkostemp(name.data(), O_CLOEXEC));
  return reserved.is_open() ? name : std::string();
}

// Renames a file back, unless another file has this name by now. A hard link does this in one step.
// On file systems without hard links, this uses a rename, which cannot check the name.
bool put_back(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  return errno != EEXIST && std::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

std::string unfitness_of(const struct stat& status) {
  if (status.st_uid != ::geteuid()) return "it belongs to another user";
  if (status.st_nlink > 1) return "it has several hard links";
  return {};
}

std::string ControlFile::problem_with(const std::string& content, const Judge& judge) {
  const Content found = judged(content, judge);
  return found.is_complete || !found.text.problem.empty() ? found.text.problem : no_line_feed;
}

ControlFile::Content ControlFile::judged(std::string content, const Judge& judge) {
  Content found;
  if (content.size() > most_control_bytes) {
    found.text.problem = "it has more than " + std::to_string(most_control_bytes) + " bytes";
    return found;
  }
  if (content.empty() || content.back() != '\n') return found;
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    const std::string problem = judge(line);
    if (!problem.empty()) return {{{}, problem}};
    found.text.lines.push_back(line);
  }
  found.is_complete = !found.text.lines.empty();
  if (!found.is_complete) found.text.problem = "it holds no command";
  return found;
}

// Returns the commands that a user has added to the file after it was taken.
ControlText ControlFile::take_what_came_late(const Judge& judge) {
  if (!taken_.is_open()) return {};
  const FileDescriptor file = std::move(taken_);
  const Content late = judged(detail::read_from(file, taken_bytes_, most_control_bytes + 1), judge);
  return late.is_complete ? late.text : ControlText();
}

// Renames the file first, so that a later writer makes a new one. Then reads the renamed file
// again, since its content may have grown.
ControlFile::Content ControlFile::take_away(const detail::OpenedFile& seen, const Judge& judge) {
  const std::string aside = unused_name(path_);
  if (aside.empty() || std::rename(path_.c_str(), aside.c_str()) != 0) {
    const std::string reason = detail::reason_of(errno);
    if (!aside.empty()) ::unlink(aside.c_str());
    return {{{}, "it cannot be renamed: " + reason}};
  }
  detail::OpenedFile moved = detail::open_regular(aside, O_RDONLY, detail::Links::refused);
  Content now;
  if (moved && detail::are_one(moved.status, seen.status)) {
    const std::string content = detail::read_from(moved.file, 0, most_control_bytes + 1);
    now = judged(content, judge);
    taken_bytes_ = content.size();
  }
  if (now.is_complete) {
    ::unlink(aside.c_str());
    taken_ = std::move(moved.file);
  } else if (!put_back(aside, path_)) {
    now.text.problem = "it is kept as " + in_quotes(aside);
  }
  return now;
}

// Returns the problem as a sentence, or an empty text if it is already reported for this file. A
// file that only grows, such as the log of another program, counts as unchanged.
std::string ControlFile::told_once(const std::string& problem, const struct stat& status) {
  if (problem.empty()) return {};
  const ControlComplaint before = std::exchange(complaint_, {problem, status});
  const bool is_as_it_was = state_of(before.status) == state_of(status);
  if (before.problem == problem && detail::are_one(before.status, status) &&
      (is_as_it_was || status.st_size > before.status.st_size))
    return {};
  return "The control file " + in_quotes(path_) + " is left alone: " + problem + '.';
}

ControlText ControlFile::take(const Judge& judge) {
  ControlText late = take_what_came_late(judge);
  if (!late.lines.empty()) return late;
  const detail::OpenedFile seen = detail::open_regular(path_, O_RDONLY, detail::Links::refused);
  if (!seen) {
    if (!seen.is_missing) return {{}, told_once(seen.reason, {})};
    complaint_ = {};
    return {};
  }
  const std::string state = state_of(seen.status);
  const std::string unfit = unfitness_of(seen.status);
  if (!unfit.empty()) return {{}, told_once(unfit, seen.status)};
  Content found = judged(detail::read_from(seen.file, 0, most_control_bytes + 1), judge);
  if (found.is_complete) found = take_away(seen, judge);
  if (found.is_complete) {
    complaint_ = {};
    return found.text;
  }
  // The last line may be unfinished, because a user is still writing it.
  const bool is_unfinished = found.text.problem.empty();
  if (is_unfinished && state == unfinished_ && seen.status.st_size > 0)
    found.text.problem = no_line_feed;
  if (is_unfinished) unfinished_ = state;
  return {{}, told_once(found.text.problem, seen.status)};
}

std::optional<Command> command_from_text(const std::string& text) {
  constexpr std::array<std::pair<const char*, Command>, 3> commands = {
      {{"pause", Command::pause}, {"resume", Command::resume}, {"rebalance", Command::rebalance}}};
  for (const auto& [name, command] : commands)
    if (text == name) return command;
  return std::nullopt;
}

}  // namespace evenkeel
