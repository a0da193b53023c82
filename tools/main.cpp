// The program `evenkeel`. Parses, runs one sub-command, prints its output whole or an error.

#include "command.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>

namespace {

enum Status : int { success = 0, failure = 1, bad_input = 2 };

// The rank that the launcher gave this process; 0 when there is none. Asked without MPI, so that
// `info` works where MPI does not.
bool is_rank_zero() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  return true;
}

int report(const std::string& message, Status status) {
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  const std::string prefix = "evenkeel: ";
  if (line.compare(0, prefix.size(), prefix) != 0) line.insert(0, prefix);
  if (is_rank_zero()) std::cerr << line << '\n';
  return status;
}

int print(const std::string& output) {
  if (!is_rank_zero()) return success;
  std::cout << output << std::flush;
  return std::cout ? success : report("stdout cannot be written.", failure);
}

int run(int argc, char** argv) {
  CLI::App app("Dynamic load balancing for MPI + GPU simulations", "evenkeel");
  app.set_version_flag("--version", "evenkeel " EVENKEEL_VERSION);
  app.require_subcommand(1);
  std::map<std::string, evenkeel::tool::Run> commands;
  commands["info"] = evenkeel::tool::add_info(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print(app.help());
  } catch (const CLI::CallForAllHelp&) {
    return print(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion& version) {
    return print(std::string(version.what()) + '\n');
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + ". See evenkeel --help.", bad_input);
  }
  return print(commands.at(app.get_subcommands().front()->get_name())());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const evenkeel::Error& error) {
    return report(error.what(),
                  error.kind() == evenkeel::ErrorKind::bad_input ? bad_input : failure);
  } catch (const std::exception& error) {
    return report(error.what(), failure);
  }
}
