// An input is a script of what browsers do to the server of `evenkeel watch --serve`:
//   0..9   the browser that acts from now on; it connects if it has no connection
//   <...>  the browser sends the bytes in between
//   r x    the browser receives what has arrived; closes the connection
//   .      the server takes a turn
// Whatever they do, each of them gets whole answers or beginnings of one, only this machine is
// answered, and a browser that comes after them gets its page.

#include "fuzzer.hpp"

#include "watch/server.hpp"

#include <array>
#include <optional>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

using evenkeel::test::demand;

namespace watch = evenkeel::tool::watch;

namespace {

const std::string page(5000, 'p');

watch::HttpAnswer answer(std::string_view path) {
  demand(path.find('?') == path.npos, "a path has no query");
  return path == "/" ? watch::HttpAnswer{200, "text/html", page}
                     : watch::HttpAnswer{404, "text/plain", ""};
}

class Browser {
 public:
  // Tries again if the ports of one of its addresses are in use.
  explicit Browser(const watch::LoopbackServer& server) {
    constexpr int most_tries = 100;
    int tries = 0;
    while (!connects_to(server)) demand(++tries < most_tries, "the server listens");
  }
  void send(std::string_view bytes) {
    static_cast<void>(::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  // Returns true if the server has ended the connection.
  bool receive() {
    std::array<char, 4096> bytes = {};
    for (;;) {
      const ssize_t got = recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got <= 0) return got == 0 || errno != EAGAIN;
      received_.append(bytes.data(), static_cast<std::size_t>(got));
      demand(received_.starts_with("HTTP/1.1 "), "an answer begins with its status");
      const std::size_t head = received_.find("\r\n\r\n");
      demand(head == received_.npos || received_.size() - head - 4 <= page.size(),
             "a connection has one answer");
    }
  }
  const std::string& received() const { return received_; }

 private:
  // The ports of millions of connections run out, and those of connections that the server ends
  // stay in use for a while. So each browser has an address of its own, and ends at once.
  bool connects_to(const watch::LoopbackServer& server) {
    socket_ = evenkeel::detail::FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const linger at_once = {1, 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    static std::uint32_t browsers = 0;
    constexpr std::uint32_t addresses = 1 << 16;
    sockaddr_in own = {}, its = {};
    own.sin_family = its.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + ++browsers % addresses);
    its.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    its.sin_port = htons(server.port());
    return bind(socket_.number(), reinterpret_cast<sockaddr*>(&own), sizeof own) == 0 &&
           connect(socket_.number(), reinterpret_cast<sockaddr*>(&its), sizeof its) == 0;
  }

  evenkeel::detail::FileDescriptor socket_;
  std::string received_;
};

void play(std::string_view script, watch::LoopbackServer& server) {
  std::array<std::optional<Browser>, 10> browsers;
  std::size_t acting = 0;
  constexpr int most_waiting = 10;  // fewer than the system queues
  int waiting = 0;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const char step = script[i];
    if (step >= '0' && step <= '9') acting = static_cast<std::size_t>(step - '0');
    std::optional<Browser>& browser = browsers[acting];
    if (step == '.' || waiting == most_waiting) {
      server.advance(answer);
      waiting = 0;
    }
    if (step == 'x') browser.reset();
    if (step == '.' || step == 'x') continue;
    if (!browser) {
      browser.emplace(server);
      ++waiting;
    }
    if (step == 'r' && browser->receive()) browser.reset();
    if (step != '<') continue;
    const std::size_t end = std::min(script.find('>', i), script.size());
    browser->send(script.substr(i + 1, end - i - 1));
    i = end;
  }
}

void demand_a_page(watch::LoopbackServer& server) {
  Browser last(server);
  last.send("GET /?now HTTP/1.1\r\nHost: localhost\r\n\r\n");
  constexpr int most_turns = 1000;
  int turns = 0;
  while (!last.receive() && turns++ < most_turns) server.advance(answer);
  demand(last.received().starts_with("HTTP/1.1 200 OK\r\n"), "a browser gets an answer");
  demand(last.received().ends_with("\r\n\r\n" + page), "a browser gets the page");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view script(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t most_bytes = 20000;  // less than a socket holds, so that no send waits
  if (size > most_bytes) return 0;
  const std::string whole = watch::response_to(script, answer);
  demand(whole.starts_with("HTTP/1.1 "), "a request has an answer");
  watch::LoopbackServer server(0, std::chrono::hours(1));
  play(script, server);
  demand_a_page(server);
  return 0;
}
