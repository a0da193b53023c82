// evenkeel control: a command to a run, and whether the run has taken it.

#include "command.hpp"
#include "control/request.hpp"
#include "files/refusal.hpp"
#include "teach/examples.hpp"

#include <evenkeel/backends/text.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace evenkeel::tool {

namespace {

struct ControlArguments {
  std::string file, command, path, name;
  double wait = 60;  // seconds
};

std::chrono::milliseconds patience_of(double seconds) {
  constexpr double most = 1e9;  // thirty years
  if (!(seconds >= 0 && seconds <= most))
    throw Error(ErrorKind::bad_input, Where{"tools/control"},
                joined({"--wait is ", text_of(seconds), "."}), "Give seconds; 0: do not wait.");
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Output run(const ControlArguments& asked) {
  const std::chrono::milliseconds patience = patience_of(asked.wait);
  const std::string line = control_line(asked.command, asked.path, asked.name);
  const std::string shown = line.substr(0, line.size() - 1);
  const ControlRequest request(asked.file, line);
  if (patience.count() == 0) return joined({"written    ", shown, "\n"});
  if (request.is_taken_within(patience)) return joined({"taken      ", shown, "\n"});
  give_up(joined({"No run has taken ", in_quotes(shown), " from ", in_quotes(asked.file), " in ",
                  text_of(asked.wait), " s."}),
          "It stays there for the next look of a run that has this control file; the log of the "
          "run says what is wrong with a file that it does not take.");
}

}  // namespace

Run add_control(CLI::App& app) {
  const auto asked = std::make_shared<ControlArguments>();
  CLI::App& command = *app.add_subcommand("control", "A command to a run that goes on");
  command.add_option("file", asked->file, "The file that the run has as its option `control`")
      ->required()
      ->type_name("FILE");
  command.add_option("command", asked->command, "What to do")
      ->required()
      ->type_name("pause|resume|rebalance|journal");
  command.add_option("path", asked->path, "Of the journal that is to be written")
      ->type_name("PATH");
  command.add_option("--name", asked->name, "Of the Balancer that it is for; else for all")
      ->type_name("NAME");
  command.add_option("--wait", asked->wait, "How long to wait until the run has taken it; 60")
      ->type_name("SECONDS");
  add_examples(command,
               {{"evenkeel control run.control pause", "Move nothing until resume"},
                {"evenkeel control run.control rebalance", "Rebalance at the next look"},
                {"evenkeel control run.control journal run.jsonl", "Write a journal from now on"}});
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
