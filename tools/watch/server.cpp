#include "watch/server.hpp"

#include "files/refusal.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

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

std::string received(int connection) {
  std::string request;
  std::array<char, 1024> bytes = {};
  while (request.size() < longest_request && request.find("\r\n\r\n") == request.npos) {
    const ssize_t got = recv(connection, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    request.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return request;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
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

LoopbackServer::LoopbackServer(std::uint16_t port)
    : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (descriptor_ < 0) refuse_port(port);
  const int on = 1;
  setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  constexpr int backlog = 16;
  if (bind(descriptor_, any, length) != 0 || listen(descriptor_, backlog) != 0 ||
      getsockname(descriptor_, any, &length) != 0) {
    const int error = errno;
    close(descriptor_);
    errno = error;
    refuse_port(port);
  }
  port_ = ntohs(address.sin_port);
}

LoopbackServer::~LoopbackServer() { close(descriptor_); }

void LoopbackServer::answer(const Answers& answers) const {
  for (;;) {
    const int connection = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    const timeval second = {1, 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
    const std::string request = received(connection);
    if (!request.empty()) send_all(connection, response_to(request, answers));
    shutdown(connection, SHUT_RDWR);
    close(connection);
  }
}

}  // namespace evenkeel::tool::watch
