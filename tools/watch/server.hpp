#pragma once

// Answers only browsers of this machine. It listens on the loopback address, and refuses requests
// that name another host, since pages of other sites could make a browser send these.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace evenkeel::tool::watch {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8", body;
};
using Answers = std::function<HttpAnswer(std::string_view path)>;

class LoopbackServer {
 public:
  // 0 means any free port. Throws an Error if the port is taken.
  explicit LoopbackServer(std::uint16_t port);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  int descriptor() const noexcept { return descriptor_; }  // readable if a browser has connected

  // Answers all browsers that have connected. Gives up on a slow one after a second.
  void answer(const Answers& answers) const;

 private:
  int descriptor_ = -1;
  std::uint16_t port_ = 0;
};

// The whole answer to a request, with its head. Pure.
std::string response_to(std::string_view request, const Answers& answers);

}  // namespace evenkeel::tool::watch
