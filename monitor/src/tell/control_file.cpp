#include "tell/control_file.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <utility>

namespace evenkeel {

std::optional<std::string> ControlFile::take() const {
  std::ifstream file(path_, std::ios::binary);
  constexpr std::size_t most = 4096;
  std::string said;
  for (char c = 0; said.size() < most && file.get(c);) {
    if (c == '\n')
      while (!said.empty() && (said.back() == '\r' || said.back() == ' ')) said.pop_back();
    said += c;
  }
  const bool is_whole = !said.empty() && (said.back() == '\n' || said.size() == most);
  file.close();
  // A file that cannot be removed would be read again and again.
  if (!is_whole || std::remove(path_.c_str()) != 0) return std::nullopt;
  if (said.back() == '\n') said.pop_back();
  return said;
}

std::optional<Command> command_from_text(const std::string& text) {
  constexpr std::array<std::pair<const char*, Command>, 3> commands = {
      {{"pause", Command::pause}, {"resume", Command::resume}, {"rebalance", Command::rebalance}}};
  for (const auto& [name, command] : commands)
    if (text == name) return command;
  return std::nullopt;
}

}  // namespace evenkeel
