#pragma once

// Reads a growing file line by line.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace evenkeel::tool::watch {

class Following {
 public:
  // `take` gets each whole line without its end. `begin_again` is called if the file was replaced
  // or has become shorter. The lines that were read so far are then obsolete.
  Following(std::string path, std::function<void(std::string_view)> take,
            std::function<void()> begin_again);

  // Reads the bytes that were added since the last call. Returns false if there were no new bytes.
  // Throws an Error if the file cannot be read, unless it could be read before: then it may come
  // back.
  bool advance();

 private:
  std::string path_;
  std::function<void(std::string_view)> take_;
  std::function<void()> begin_again_;
  std::uint64_t device_ = 0, file_ = 0, offset_ = 0;
  bool was_there_ = false;
  std::string rest_;  // the beginning of a line whose end is still missing
};

}  // namespace evenkeel::tool::watch
