#include "progress.hpp"

#include <evenkeel/backends/text.hpp>

#include <iostream>

#include <unistd.h>

namespace evenkeel::tool {

namespace {

constexpr std::chrono::milliseconds before_first{500}, between{100};
constexpr const char* start_of_empty_line = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(bool may_speak) : speaks_(may_speak && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (has_shown_) std::cerr << start_of_empty_line << std::flush;
}

Progress ProgressLine::on_reading(const std::string& name) {
  if (!speaks_) return {};
  next_ = Clock::now() + before_first;
  return [this, name](std::uint64_t bytes, std::uint64_t of_bytes) {
    if (Clock::now() < next_ || of_bytes == 0) return;
    const double percent = 100 * static_cast<double>(bytes) / static_cast<double>(of_bytes);
    show("reading " + in_quotes(name) + ": " + std::to_string(static_cast<int>(percent)) + " %");
  };
}

void ProgressLine::show(const std::string& text) {
  std::cerr << start_of_empty_line << text << std::flush;
  has_shown_ = true;
  next_ = Clock::now() + between;
}

}  // namespace evenkeel::tool
