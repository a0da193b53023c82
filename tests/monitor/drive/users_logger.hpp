#pragma once

// During a test, this is the logger that an application has registered with spdlog. It needs
// spdlog::spdlog.

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

namespace evenkeel::test {

class UsersLogger {
 public:
  UsersLogger() {
    const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    spdlog::register_logger(std::make_shared<spdlog::logger>("evenkeel", sink));
    spdlog::get("evenkeel")->set_pattern("%l: %v");
  }
  UsersLogger(const UsersLogger&) = delete;
  UsersLogger& operator=(const UsersLogger&) = delete;
  ~UsersLogger() { spdlog::drop("evenkeel"); }

  std::string text() const { return text_.str(); }
  int count_of(const std::string& part) const {
    const std::string all = text();
    int count = 0;
    for (auto at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++count;
    return count;
  }

 private:
  std::ostringstream text_;
};

}  // namespace evenkeel::test
