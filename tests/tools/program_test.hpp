#pragma once

// Runs a sub-command of the program as its users start it, in a directory of the test. Tests what
// the program promises for input that it refuses.

#include "support/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace evenkeel::test {

class ProgramTest : public testing::Test {
 protected:
  explicit ProgramTest(std::string command) : command_(std::move(command)) {}

  // `launcher` contains words before the program.
  Ended run(const Words& arguments, const ProgramOptions& options = {}, Words launcher = {}) const {
    launcher.insert(launcher.end(), {EVENKEEL_TEST_PROGRAM, command_});
    return run_program(directory_, plus(std::move(launcher), arguments), options);
  }
  // Returns the stdout of a command that succeeds without a warning.
  std::string output_of(const Words& arguments) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.out;
  }
  nlohmann::json json(Words arguments, const Words& launcher = {}) const {
    const Ended ended = run(plus(std::move(arguments), {"--json"}), {}, launcher);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return nlohmann::json::parse(ended.out);
  }

  // Expects status 2, nothing on stdout and one line on stderr, which begins like this.
  void expect_refused(const Words& arguments, const std::string& text) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(ended.err.starts_with("evenkeel: " + text)) << ended.err;
    EXPECT_TRUE(ended.err.ends_with(".\n")) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }

  static Words plus(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string file(std::string_view name, std::string_view content) const {
    return directory_.with_file(name, content);
  }
  std::string path(std::string_view name) const { return directory_.path_of(name); }

  ScratchDirectory directory_;

 private:
  std::string command_;
};

inline Words keys_of(const nlohmann::json& object) {
  Words keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace evenkeel::test
