#pragma once

// Reads a file that grows, line by line.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace evenkeel::tool::watch {

class Following {
 public:
  // `take` gets each whole line without its end; `begin_again` is called where the file has become
  // another one, or shorter: what was read so far is of the past.
  Following(std::string path, std::function<void(std::string_view)> take,
            std::function<void()> begin_again);

  // Reads what has come since the last call; true: there was something. An Error where the file
  // cannot be read, but for one that was there before: it may come back.
  bool advance();

 private:
  std::string path_;
  std::function<void(std::string_view)> take_;
  std::function<void()> begin_again_;
  std::uint64_t device_ = 0, file_ = 0, offset_ = 0;
  bool was_there_ = false;
  std::string rest_;  // of a line that has no end yet
};

}  // namespace evenkeel::tool::watch
