#include "journal/reader.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tools/report/journals.hpp"
#include "watch/following.hpp"
#include "watch/frame.hpp"
#include "watch/server.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace evenkeel::tool::watch::watch_test {
namespace {

View view_of(const std::vector<std::string>& lines) {
  View view;
  LineTaker taker("J.jsonl", Care::tolerant,
                  {[&](const JournalHeader& start) { take(view, start); },
                   [&](const JournalPlace&, const JournalLine& look) { take(view, look); },
                   [&](const JournalFinish& finish) { take(view, finish); }});
  for (const std::string& line : lines) taker.take(line);
  EXPECT_EQ(taker.reading().broken, 0);
  return view;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

TEST(Frame, FitsTerminalsOfAllSizes) {
  for (const int ranks : {1, 4, 100, 10'000}) {
    const View view = view_of(test::lines_of({.ranks = ranks, .finishes = false}));
    for (const int rows : {1, 2, 5, 7, 10, 24, 200})
      for (const int columns : {20, 33, 80, 300})
        for (const bool has_blocks : {false, true}) {
          const std::vector<std::string> frame = frame_of(view, {rows, columns}, has_blocks);
          EXPECT_LE(frame.size(), static_cast<std::size_t>(rows));
          for (const std::string& line : frame) EXPECT_LE(width_of(line), columns) << line;
          const bool is_plain =
              std::ranges::all_of(text_of(frame), [](char letter) { return letter > 0; });
          EXPECT_TRUE(has_blocks || is_plain);
        }
  }
}

TEST(Frame, ShowsTheRun) {
  const View view = view_of(test::lines_of({.ranks = 4, .name = "fluid", .finishes = false}));
  const std::string text = text_of(frame_of(view, {24, 200}, true));
  for (const char* const part :
       {"fluid", "4 ranks", "lambda", "rank 0", "rank 3", "█", "next look"})
    EXPECT_MENTIONS(text, part);
  // Rank 0 is the heaviest, so its load over the average is lambda.
  EXPECT_GT(view.lambda, 1);
  const double mean = (view.loads[0] + view.loads[1] + view.loads[2] + view.loads[3]) / 4;
  EXPECT_NEAR(view.loads[0] / mean, view.lambda, 1e-6);
}

TEST(Frame, RebalancesThatChangedNothingCountApart) {
  const View view = view_of(test::lines_of({.finishes = false, .some_change_nothing = true}));
  EXPECT_EQ(view.rebalances, 3);
  EXPECT_EQ(view.unchanged, 3);
  EXPECT_MENTIONS(text_of(frame_of(view, {24, 200}, true)),
                  "3 rebalances, and 3 that changed nothing");
  EXPECT_MENTIONS(metrics_of(view), "unchanged_rebalances_total");
}

// The line of a look may follow that of a rebalance at a later step.
TEST(Frame, ARebalanceWithoutALookLeavesTheNextLookInItsPlace) {
  auto lines = test::lines_of({.looks = 7, .finishes = false});
  lines.insert(lines.end() - 1, to_json(test::due_after(58)) + '\n');
  const View view = view_of(lines);
  EXPECT_EQ(view.looks, 7);
  EXPECT_EQ(view.step, 58);
  EXPECT_EQ(view.next_look, 64);
  EXPECT_TRUE(line_of(view).starts_with("step 56: hold: ")) << line_of(view);
}

TEST(Frame, BeforeTheFirstLook) {
  EXPECT_MENTIONS(text_of(frame_of({}, {24, 80}, true)), "No look yet.");
}

TEST(Metrics, SayWhatTheViewSays) {
  View view = view_of(test::lines_of({.ranks = 4, .name = "a \"b\"\\c"}));
  const std::string text = metrics_of(view);
  EXPECT_MENTIONS(text, "evenkeel_ranks{run=\"a \\\"b\\\"\\\\c\"} 4\n");
  EXPECT_MENTIONS(text, "\nevenkeel_finished{run=\"a \\\"b\\\"\\\\c\"} 1\n");
  EXPECT_MENTIONS(text, "rank=\"3\"} ");
  EXPECT_MENTIONS(text, "# TYPE evenkeel_lambda gauge\n");
  EXPECT_EQ(text.find("slow_rank"), std::string::npos);
  view.slow = {.rank = 2, .percent = 14.5};
  EXPECT_MENTIONS(metrics_of(view), "rank=\"2\"} 14.5\n");
  EXPECT_MENTIONS(text_of(frame_of(view, {24, 200}, true)), "rank 2 is 14 % slower");
}

TEST(Memory, IsShownIfItIsLimited) {
  const View view = view_of(test::lines_of({.looks = 40, .finishes = false, .fills_memory = true}));
  EXPECT_MENTIONS(text_of(frame_of(view, {24, 200}, true)), "rank 3 is 50 % full");
  const std::string text = metrics_of(view);
  EXPECT_MENTIONS(text, "evenkeel_fullest_bytes{run=\"fluid\",rank=\"3\"} 4e+10\n");
  EXPECT_MENTIONS(text, "evenkeel_fullest_limit_bytes{run=\"fluid\",rank=\"3\"} 8e+10\n");
  EXPECT_MENTIONS(text, "evenkeel_steps_until_full{run=\"fluid\",rank=\"3\"} 320\n");
  EXPECT_EQ(metrics_of(view_of(test::lines_of({}))).find("fullest"), std::string::npos);
}

// A terminal obeys control characters, and a program that reads metrics may refuse them.
TEST(HostileJournal, ControlCharactersBecomeEscapes) {
  const std::string evil =
      "\x1b]0;taken\x07\r\n\xC2\x9b"
      "2J\x7f";
  auto lines = test::lines_of({.ranks = 4, .name = evil, .finishes = false});
  View view = view_of(lines);
  EXPECT_EQ(view.name, evil);
  view.decisions.back().reason = evil;
  const std::string metrics = metrics_of(view), line = line_of(view);
  EXPECT_MENTIONS(metrics, R"(run="\\u001b]0;taken\\u0007\\u000d\n\\u009b2J\\u007f")");
  EXPECT_MENTIONS(line, R"(: \u001b]0;taken\u0007\u000d\u000a\u009b2J\u007f)");
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  for (const std::string& text : {metrics, line, text_of(frame_of(view, {24, 200}, true))}) {
    EXPECT_TRUE(std::ranges::none_of(
        text, [](unsigned char byte) { return (byte < 0x20 && byte != '\n') || byte == 0x7f; }));
    EXPECT_EQ(text.find("\xC2\x9b"), std::string::npos);
  }
  EXPECT_MENTIONS(text_of(frame_of(view, {24, 200}, true)), R"(\u001b]0;taken)");
}

TEST(Server, AnswersThisMachineAlone) {
  const auto answers = [](std::string_view path) {
    return path == "/" ? HttpAnswer{200, "text/html", "page"} : HttpAnswer{404, "text/plain", "no"};
  };
  const auto status = [&](const std::string& request) {
    return response_to(request, answers).substr(9, 3);
  };
  const std::string host = "Host: 127.0.0.1:8080\r\n\r\n";
  EXPECT_EQ(status("GET / HTTP/1.1\r\n" + host), "200");
  EXPECT_EQ(status("GET /?x=1 HTTP/1.1\r\nhost: localhost\r\n\r\n"), "200");
  EXPECT_EQ(status("GET /other HTTP/1.1\r\n" + host), "404");
  EXPECT_EQ(status("POST / HTTP/1.1\r\n" + host), "405");
  for (const char* const stranger : {"Host: evil.example\r\n", "Host: localhost.evil\r\n", ""})
    EXPECT_EQ(status(std::string("GET / HTTP/1.1\r\n") + stranger + "\r\n"), "403") << stranger;
  for (const char* const rubbish :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "a b c\r\n\r\n"})
    EXPECT_EQ(status(rubbish), "400") << rubbish;
  const std::string head = response_to("HEAD / HTTP/1.1\r\n" + host, answers);
  EXPECT_MENTIONS(head, "Content-Length: 4\r\n");
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

// A browser that sends a request at once, and receives only when it is asked to.
class Browser {
 public:
  Browser(const LoopbackServer& server, std::string_view request)
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(socket_.number(), request.data(), request.size(), MSG_NOSIGNAL),
              std::ssize(request));
  }

  // Returns true if the server has ended the connection. Collects the answer.
  bool has_ended() {
    std::array<char, 4096> bytes = {};
    for (;;) {
      const ssize_t got = recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) return false;
      if (got <= 0) return true;
      answer.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  std::string answer;

 private:
  evenkeel::detail::FileDescriptor socket_;
};

constexpr std::string_view usual_request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

// Lets the server work until the browser has its answer.
std::string answer_to(Browser& browser, LoopbackServer& server, const std::string& body) {
  while (!browser.has_ended()) {
    std::vector<pollfd> all;
    server.add_to(all);
    poll(all.data(), all.size(), 10);
    server.advance([&](std::string_view) { return HttpAnswer{200, "text/plain", body}; });
  }
  return browser.answer;
}

TEST(Server, SlowBrowsersDelayNoOther) {
  LoopbackServer server(0, std::chrono::hours(1));
  const std::string long_page(std::size_t{32} << 20U, 'x');  // more than sockets hold
  Browser silent(server, ""), slow(server, "GET / HT"), deaf(server, usual_request);
  server.advance([&](std::string_view) { return HttpAnswer{200, "text/plain", long_page}; });
  for (int i = 0; i < 3; ++i) {
    Browser browser(server, usual_request);
    const std::string answer = answer_to(browser, server, "page");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\npage")) << answer;
  }
  EXPECT_FALSE(silent.has_ended());
  EXPECT_FALSE(slow.has_ended());
  EXPECT_TRUE(answer_to(deaf, server, "page").ends_with("\r\n\r\n" + long_page));
}

TEST(Server, AConnectionEndsWhenItsTimeIsOver) {
  LoopbackServer server(0, std::chrono::milliseconds(0));
  Browser silent(server, ""), slow(server, "GET / HT");
  EXPECT_EQ(answer_to(silent, server, "page"), "");
  EXPECT_EQ(answer_to(slow, server, "page"), "");
}

TEST(Server, AnswersMoreBrowsersThanItTalksToAtATime) {
  LoopbackServer server(0, std::chrono::hours(1));
  std::vector<std::unique_ptr<Browser>> browsers;
  for (int i = 0; i < 16; ++i)
    browsers.push_back(std::make_unique<Browser>(server, i < 10 ? usual_request : ""));
  server.advance([](std::string_view) { return HttpAnswer{200, "text/plain", "page"}; });
  for (int i = 0; i < 10; ++i) browsers.push_back(std::make_unique<Browser>(server, usual_request));
  for (std::size_t i = 0; i < browsers.size(); ++i)
    if (i < 10 || i >= 16) {
      EXPECT_TRUE(answer_to(*browsers[i], server, "page").ends_with("page")) << i;
    }
}

TEST(Server, ManySilentBrowsersDelayNoOther) {
  LoopbackServer server(0, std::chrono::hours(1));
  std::vector<std::unique_ptr<Browser>> silent;
  for (int i = 0; i < 40; ++i) {
    silent.push_back(std::make_unique<Browser>(server, ""));
    server.advance([](std::string_view) { return HttpAnswer{}; });
  }
  Browser browser(server, usual_request);
  EXPECT_TRUE(answer_to(browser, server, "page").ends_with("page"));
  EXPECT_TRUE(silent.front()->has_ended());
  EXPECT_FALSE(silent.back()->has_ended());
}

TEST(Following, ReadsWholeLinesAsTheyCome) {
  const test::ScratchDirectory directory;
  const std::string path = directory.path_of("following.jsonl");
  std::vector<std::string> lines;
  int beginnings = 0;
  Following file(
      path, [&](std::string_view line) { lines.emplace_back(line); },
      [&] {
        ++beginnings;
        lines.clear();
      });
  EXPECT_THROW(file.advance(), Error);  // the file does not exist yet
  const auto append = [&](const std::string& text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
  };
  append("one\ntw");
  EXPECT_TRUE(file.advance());
  EXPECT_EQ(lines, (std::vector<std::string>{"one"}));
  EXPECT_FALSE(file.advance());
  append("o\n\n" + std::string(100'000, 'x') + "\n");
  EXPECT_TRUE(file.advance());
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1], "two");
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(lines[3].size(), 100'000U);
  std::ofstream(path, std::ios::trunc) << "new\n";
  EXPECT_TRUE(file.advance());
  EXPECT_EQ(beginnings, 1);
  EXPECT_EQ(lines, (std::vector<std::string>{"new"}));
  std::filesystem::remove(path);
  EXPECT_FALSE(file.advance());  // the file may reappear
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(file.advance());  // does not wait for a writer
}

}  // namespace
}  // namespace evenkeel::tool::watch::watch_test
