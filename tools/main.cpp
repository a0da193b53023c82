// The program `evenkeel` parses its arguments, runs one sub-command, and prints the whole output or
// an error.

#include "command.hpp"
#include "files/printable.hpp"
#include "ranks.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <string>

namespace {

using evenkeel::tool::Output;
using evenkeel::tool::printable;
using evenkeel::tool::printable_line;
using evenkeel::tool::Ranks;

enum ExitStatus : int { success = 0, failure = 1, bad_input = 2 };

// Prints the message on one line, and returns the status.
int report(const Ranks& ranks, const std::string& message, ExitStatus status) {
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  const std::string prefix = "evenkeel: ";
  if (line.compare(0, prefix.size(), prefix) != 0) line.insert(0, prefix);
  if (ranks.is_first()) std::cerr << printable_line(line) << '\n';
  return status;
}

// Collective if the ranks were started. Returns the same status on all ranks.
int print(const Ranks& ranks, const std::string& output) {
  if (ranks.is_first()) std::cout << printable(output) << std::flush;
  if (ranks.as_first_says(static_cast<bool>(std::cout))) return success;
  return report(ranks, "stdout cannot be written.", failure);
}

int run(int argc, char** argv, Ranks& ranks) {
  CLI::App app("Dynamic load balancing for MPI + GPU simulations", "evenkeel");
  app.set_version_flag("--version", "evenkeel " EVENKEEL_VERSION);
  app.require_subcommand(1);
  app.footer("`evenkeel COMMAND --help` shows more, with examples.");
  std::map<std::string, evenkeel::tool::Run> commands;
  commands["assign"] = evenkeel::tool::add_assign(app);
  commands["control"] = evenkeel::tool::add_control(app);
  commands["fit"] = evenkeel::tool::add_fit(app);
  commands["info"] = evenkeel::tool::add_info(app);
  commands["partition"] = evenkeel::tool::add_partition(app, ranks);
  commands["replay"] = evenkeel::tool::add_replay(app);
  commands["report"] = evenkeel::tool::add_report(app);
  commands["watch"] = evenkeel::tool::add_watch(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print(ranks, app.help());
  } catch (const CLI::CallForAllHelp&) {
    return print(ranks, app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion& version) {
    return print(ranks, std::string(version.what()) + '\n');
  } catch (const CLI::ParseError& error) {
    if (app.got_subcommand("partition") && Ranks::are_launched()) ranks.start();
    return report(ranks, std::string(error.what()) + ". See evenkeel --help.", bad_input);
  }
  const Output output = commands.at(app.get_subcommands().front()->get_name())();
  const int status = print(ranks, output.text);
  if (status == success && output.commit) output.commit();
  return status;
}

// An Error is the same on all ranks. Any other exception may have occurred on this rank alone.
int run_and_report(int argc, char** argv, Ranks& ranks) {
  try {
    return run(argc, argv, ranks);
  } catch (const evenkeel::Error& error) {
    return report(ranks, error.what(),
                  error.kind() == evenkeel::ErrorKind::bad_input ? bad_input : failure);
  } catch (const std::exception& error) {
    report(ranks, error.what(), failure);
    ranks.give_up();
    return failure;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Ranks ranks;
  return run_and_report(argc, argv, ranks);
}
