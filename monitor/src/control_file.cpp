#include "control_file.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <utility>

namespace evenkeel {

std::optional<std::string> ControlFile::take() const {
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  constexpr std::size_t longest = 4096;
  for (char c = 0; line.size() < longest && file.get(c);) {
    if (c == '\n') {
      file.close();
      if (std::remove(path_.c_str()) != 0) return std::nullopt;  // it would be read for ever
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      return line;
    }
    line += c;
  }
  return std::nullopt;
}

std::optional<Command> command_from_text(const std::string& text) {
  constexpr std::array<std::pair<const char*, Command>, 3> commands = {
      {{"pause", Command::pause}, {"resume", Command::resume}, {"rebalance", Command::rebalance}}};
  for (const auto& [name, command] : commands)
    if (text == name) return command;
  return std::nullopt;
}

}  // namespace evenkeel
