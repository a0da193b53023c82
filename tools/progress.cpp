#include "progress.hpp"

#include <evenkeel/backends/text.hpp>

#include <iostream>

#include <unistd.h>

namespace evenkeel::tool {

namespace {

constexpr const char* start_of_empty_line = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(bool may_speak) : speaks_(may_speak && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (has_shown_) std::cerr << start_of_empty_line << std::flush;
}

Progress ProgressLine::on_reading(const std::string& name) {
  if (!speaks_) return {};
  return [this, text = "reading " + in_quotes(name)](std::uint64_t bytes, std::uint64_t of_bytes) {
    if (of_bytes > 0) show(text, static_cast<double>(bytes) / static_cast<double>(of_bytes));
  };
}

std::function<void(double done)> ProgressLine::on_work(const std::string& name) {
  if (!speaks_) return {};
  return [this, name](double done) { show(name, done); };
}

void ProgressLine::on_stage(const std::string& name) {
  if (speaks_ && Clock::now() >= first_) show(name);
}

void ProgressLine::show(const std::string& text) {
  std::cerr << start_of_empty_line << text << std::flush;
  has_shown_ = true;
  next_ = Clock::now() + between;
}

void ProgressLine::show(const std::string& text, double done) {
  if (Clock::now() >= next_)
    show(text + ": " + std::to_string(static_cast<int>(100 * done)) + " %");
}

}  // namespace evenkeel::tool
