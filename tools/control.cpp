// evenkeel control: sends a command to a run, and waits until the run has taken it.

#include "command.hpp"
#include "files/refusal.hpp"
#include "tell/control_desk.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace evenkeel::tool {

namespace {

using evenkeel::detail::FileDescriptor;

struct ControlArguments {
  std::string file, command, path, name;
  double wait = 60;  // seconds
};

[[noreturn]] void refuse_file(const std::string& path, std::string_view reason) {
  refuse_control(
      joined({"The control file ", in_quotes(path), " cannot be written: ", reason, "."}),
      "Give the path of the control file, which is the run's option control.");
}

bool has_control_characters(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// Opens the file. Does not wait for the other end of a FIFO, and does not follow a link.
FileDescriptor opened(const std::string& path) {
  FileDescriptor file(
      open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file.is_open()) refuse_file(path, errno == ELOOP ? "it is a link" : reason_of(errno));
  return file;
}

// Throws an Error of bad input if no run would take the file with this line at its end. So a line
// is never added to a file of another kind.
void require_control_file(const std::string& path, const FileDescriptor& file,
                          const std::string& line) {
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) refuse_file(path, reason_of(errno));
  if (!S_ISREG(status.st_mode)) refuse_file(path, "it is not a regular file");
  std::string problem = unfitness_of(status);
  constexpr std::size_t more_than_a_run_reads = 8192;
  const std::string content = evenkeel::detail::read_from(file, 0, more_than_a_run_reads);
  if (problem.empty() && !content.empty()) problem = problem_with_commands(content);
  if (problem.empty()) problem = problem_with_commands(content + line);
  if (!problem.empty()) refuse_file(path, problem);
}

// The line for a command as docs/monitor.md describes it: the name of the Balancer that it is for,
// if given, the word of the command, and the path of a journal, if the command needs one. Throws an
// Error of bad input if any of these is invalid.
std::string control_line(const std::string& command, const std::string& path,
                         const std::string& name) {
  const bool is_journal = command == "journal";
  if (!is_journal && command != "pause" && command != "resume" && command != "rebalance")
    refuse_control(joined({in_quotes(command), " is not a command."}),
                   "Give pause, resume, rebalance, or journal and a path.");
  if (is_journal == path.empty())
    refuse_control(is_journal ? "The command journal lacks its path."
                              : joined({"The command ", command, " takes no path."}),
                   "Give a path with journal, and with no other command.");
  if (has_control_characters(path))
    refuse_control("The path of the journal has control characters.", "Name another file.");
  if (name.find_first_of(" :") != std::string::npos || has_control_characters(name))
    refuse_control.value("--name", name, "Give the name of a Balancer, which is one word.");
  return joined({name, name.empty() ? "" : ": ", command, path.empty() ? "" : " ", path, "\n"});
}

// Adds a line to the file, and creates the file if it is missing. Never waits. Throws an Error of
// bad input if the path does not lead to a control file.
class ControlRequest {
 public:
  ControlRequest(const std::string& path, const std::string& line);

  // True if the run takes the line within this time. A run removes the file only after it has
  // obeyed all its lines.
  bool is_taken_within(std::chrono::milliseconds time) const;

 private:
  bool is_taken() const;

  FileDescriptor file_;
};

ControlRequest::ControlRequest(const std::string& path, const std::string& line)
    : file_(opened(path)) {
  require_control_file(path, file_, line);
  ssize_t written = 0;
  do written = write(file_.number(), line.data(), line.size());
  while (written < 0 && errno == EINTR);
  if (std::cmp_equal(written, line.size())) return;
  give_up(joined({"The control file ", in_quotes(path),
                  " could not be written: ", reason_of(written < 0 ? errno : ENOSPC), "."}),
          "Free some space, and delete the incomplete file.");
}

// A run renames the file, obeys its lines, and then unlinks the file. So the file has no name left
// once the run has taken it.
bool ControlRequest::is_taken() const {
  struct stat status = {};
  return fstat(file_.number(), &status) == 0 && status.st_nlink == 0;
}

bool ControlRequest::is_taken_within(std::chrono::milliseconds time) const {
  constexpr std::chrono::milliseconds between{20};
  const auto end = std::chrono::steady_clock::now() + time;
  while (!is_taken()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(between);
  }
  return true;
}

std::chrono::milliseconds patience_of(double seconds) {
  constexpr double most = 1e9;  // thirty years
  if (!(seconds >= 0 && seconds <= most))
    refuse_control(joined({"--wait is ", text_of(seconds), "."}),
                   "Give seconds; 0 writes the command and does not wait.");
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Output run(const ControlArguments& asked) {
  const std::chrono::milliseconds patience = patience_of(asked.wait);
  const std::string line = control_line(asked.command, asked.path, asked.name);
  if (const std::string problem = problem_with_commands(line); !problem.empty())
    refuse_control(joined({"No run would obey this command: ", problem, "."}),
                   "Give a shorter path or name.");
  const std::string shown = line.substr(0, line.size() - 1);
  const ControlRequest request(asked.file, line);
  if (patience.count() == 0) return joined({"written    ", shown, "\n"});
  if (request.is_taken_within(patience)) return joined({"taken      ", shown, "\n"});
  give_up(joined({"No run has taken ", in_quotes(shown), " from ", in_quotes(asked.file), " in ",
                  text_of(asked.wait), " s."}),
          "The command stays in the file until the next look of a run that has this control file. "
          "If a run does not take the file, its log gives the reason.");
}

}  // namespace

Run add_control(CLI::App& app) {
  const auto asked = std::make_shared<ControlArguments>();
  CLI::App& command = *app.add_subcommand("control", "Send a command to a live run");
  command.add_option("file", asked->file, "The file that the option `control` of the run names")
      ->required()
      ->type_name("FILE");
  command.add_option("command", asked->command, "The command")
      ->required()
      ->type_name("pause|resume|rebalance|journal");
  command.add_option("path", asked->path, "The file to write, only with the command 'journal'")
      ->type_name("PATH");
  command.add_option("--name", asked->name, "The Balancer to command; all if it is not given")
      ->type_name("NAME");
  command
      .add_option("--wait", asked->wait,
                  "How long to wait until the run has taken the command; 60 by default")
      ->type_name("SECONDS");
  add_examples(command, {{"evenkeel control run.control pause", "Stop the trigger until resume"},
                         {"evenkeel control run.control rebalance", "Rebalance at the next look"},
                         {"evenkeel control run.control journal run.jsonl",
                          "Write the last looks and all later ones"}});
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
