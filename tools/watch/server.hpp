#pragma once

// Answers only browsers of this machine. It listens on the loopback address, and refuses requests
// that name another host, since pages of other sites could make a browser send these. It never
// waits for a browser, so a slow one delays neither the program nor other browsers.

#include "tell/files.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

namespace evenkeel::tool::watch {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8", body;
};
using Answers = std::function<HttpAnswer(std::string_view path)>;

class LoopbackServer {
 public:
  // A port of 0 means any free port. A connection ends after `patience`, whether or not the browser
  // has its answer. Throws an Error if the port is taken.
  explicit LoopbackServer(std::uint16_t port,
                          std::chrono::milliseconds patience = std::chrono::seconds(5));

  std::uint16_t port() const noexcept { return port_; }

  // Adds the events after which advance() can do something.
  void add_to(std::vector<pollfd>& all) const;
  // Accepts browsers, receives their requests and sends answers, without waiting for any of them.
  void advance(const Answers& answers);

 private:
  using FileDescriptor = evenkeel::detail::FileDescriptor;
  struct Connection {
    FileDescriptor socket;
    std::chrono::steady_clock::time_point end;
    std::string request = {}, answer = {};  // `answer` is empty until the request is complete
    std::size_t sent = 0;                   // bytes of the answer
  };
  static constexpr std::size_t most_connections = 16;  // another one replaces the oldest

  static bool has_ended(Connection& browser, const Answers& answers);

  FileDescriptor listener_;
  std::chrono::milliseconds patience_;
  std::uint16_t port_ = 0;
  std::vector<Connection> connections_;
};

// The whole answer to a request, with its head. Pure.
std::string response_to(std::string_view request, const Answers& answers);

}  // namespace evenkeel::tool::watch
