#include "watch/server.hpp"

#include "files/refusal.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace evenkeel::tool::watch {

namespace {

constexpr std::size_t longest_request = 8192;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The value of a line in the head of the request. It is empty if the line is missing.
std::string_view header(std::string_view request, std::string_view name) {
  while (!request.empty()) {
    const std::size_t end = request.find("\r\n");
    std::string_view line = request.substr(0, end);
    request.remove_prefix(end == request.npos ? request.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !equals_ignoring_case(line.substr(0, colon), name)) continue;
    line.remove_prefix(colon + 1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line;
  }
  return {};
}

bool is_this_machine(std::string_view host) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty() || rest.front() == ':') return true;
  }
  return false;
}

const char* words_for(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    default: return "Method Not Allowed";
  }
}

std::string whole(const HttpAnswer& answer, bool has_body) {
  return "HTTP/1.1 " + std::to_string(answer.status) + ' ' + words_for(answer.status) +
         "\r\nContent-Type: " + answer.type +
         "\r\nContent-Length: " + std::to_string(answer.body.size()) +
         "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: "
         "close\r\n\r\n" +
         (has_body ? answer.body : "");
}

enum class Transfer { waits, ended };

// Receives until the head of the request is complete, or no more will come.
Transfer receive(int socket, std::string& request) {
  std::array<char, 1024> bytes = {};
  while (request.size() < longest_request && request.find("\r\n\r\n") == request.npos) {
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Transfer::waits;
    if (got <= 0) break;
    request.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return Transfer::ended;
}

Transfer send_more(int socket, std::string_view answer, std::size_t& sent) {
  while (sent < answer.size()) {
    const ssize_t done = send(socket, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Transfer::waits;
    if (done <= 0) break;
    sent += static_cast<std::size_t>(done);
  }
  shutdown(socket, SHUT_RDWR);
  return Transfer::ended;
}

[[noreturn]] void refuse_port(std::uint16_t port) {
  refuse("The port " + std::to_string(port) + " cannot be served: " + reason_of(errno) + ".",
         "Choose another port; 0 takes a free one.");
}

}  // namespace

std::string response_to(std::string_view request, const Answers& answers) {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || last <= first || !line.substr(last + 1).starts_with("HTTP/1."))
    return whole({400, "text/plain; charset=utf-8", "This is not an HTTP request.\n"}, true);
  const std::string_view method = line.substr(0, first);
  std::string_view path = line.substr(first + 1, last - first - 1);
  if (!is_this_machine(header(request, "Host")))
    return whole({403, "text/plain; charset=utf-8", "Only browsers of this machine are served.\n"},
                 true);
  if (method != "GET" && method != "HEAD")
    return whole({405, "text/plain; charset=utf-8", "Only GET and HEAD are served.\n"}, true);
  path = path.substr(0, path.find('?'));
  return whole(answers(path), method == "GET");
}

LoopbackServer::LoopbackServer(std::uint16_t port, std::chrono::milliseconds patience)
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      patience_(patience) {
  if (!listener_.is_open()) refuse_port(port);
  const int on = 1;
  setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  constexpr int backlog = 16;
  if (bind(listener_.number(), any, length) != 0 || listen(listener_.number(), backlog) != 0 ||
      getsockname(listener_.number(), any, &length) != 0)
    refuse_port(port);
  port_ = ntohs(address.sin_port);
}

void LoopbackServer::add_to(std::vector<pollfd>& all) const {
  all.push_back({listener_.number(), POLLIN, 0});
  for (const Connection& each : connections_)
    all.push_back({each.socket.number(), each.answer.empty() ? short{POLLIN} : short{POLLOUT}, 0});
}

void LoopbackServer::advance(const Answers& answers) {
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < most_connections; ++i) {
    FileDescriptor socket(
        accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) break;
    if (connections_.size() == most_connections) connections_.erase(connections_.begin());
    connections_.push_back({std::move(socket), now + patience_});
  }
  std::erase_if(connections_, [&](Connection& each) {
    return has_ended(each, answers) || std::chrono::steady_clock::now() >= each.end;
  });
}

// Receives and sends as much as is possible without waiting. Returns true if the connection has
// failed, or if the whole answer was sent.
bool LoopbackServer::has_ended(Connection& browser, const Answers& answers) {
  const int socket = browser.socket.number();
  if (browser.answer.empty()) {
    const Transfer transfer = receive(socket, browser.request);
    if (transfer == Transfer::waits) return false;
    if (browser.request.empty()) return true;
    browser.answer = response_to(browser.request, answers);
  }
  return send_more(socket, browser.answer, browser.sent) != Transfer::waits;
}

}  // namespace evenkeel::tool::watch
