// evenkeel completion, evenkeel manual: what shells and `man` are told of the program. Both read
// the command line that the program parses, so that they know all of it.

#include "command.hpp"
#include "teach/command_line.hpp"
#include "teach/completion.hpp"
#include "teach/examples.hpp"
#include "teach/manual.hpp"

#include <evenkeel/backends/config.hpp>

#include <map>
#include <memory>
#include <string>

namespace evenkeel::tool {

Run add_completion(CLI::App& app) {
  static const std::map<std::string, Shell> shells = {
      {"bash", Shell::bash}, {"fish", Shell::fish}, {"zsh", Shell::zsh}};
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("completion", "Print a script that completes commands");
  command.add_option("shell", *shell, "The shell that it is for")
      ->type_name("bash|fish|zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "fish", "zsh"}).description(""));
  add_examples(command, {{"source <(evenkeel completion bash)", "In this shell"},
                         {"evenkeel completion zsh > ~/.zfunc/_evenkeel",
                          "From now on, in zsh with ~/.zfunc in its fpath"}});
  return [&app, shell]() -> Output { return completion_for(shells.at(*shell), commands_of(app)); };
}

Run add_manual(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("manual", "Print the manual page");
  add_examples(command, {{"evenkeel manual | man -l -", "Read it"}});
  return [&app]() -> Output { return manual_page(commands_of(app), EVENKEEL_VERSION); };
}

}  // namespace evenkeel::tool
