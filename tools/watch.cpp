// evenkeel watch: shows a run while its journal grows. In a terminal it draws one frame after the
// other; elsewhere it prints a line for each look. With --serve it answers browsers, too.

#include "command.hpp"
#include "files/refusal.hpp"
#include "journal/reader.hpp"
#include "report/model.hpp"
#include "report/page.hpp"
#include "watch/following.hpp"
#include "watch/frame.hpp"
#include "watch/server.hpp"
#include "watch/terminal.hpp"
#include "watch/view.hpp"

#include <evenkeel/backends/text.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace evenkeel::tool {

namespace {

using watch::EndSignals;
using watch::HttpAnswer;
using watch::View;

struct WatchArguments {
  std::string journal;
  std::optional<std::uint16_t> port;
  bool once = false;
};

constexpr int milliseconds_between_looks = 250;
constexpr int seconds_between_pages = 5;

// All that is known of a run so far. It keeps the data of pages only if it serves pages.
class Watched {
 public:
  Watched(std::string path, bool has_pages, std::function<void()> on_look)
      : path_(std::move(path)), has_pages_(has_pages), on_look_(std::move(on_look)) {
    begin_again();
  }

  void take(std::string_view line) {
    lines_->take(line);
    constexpr std::int64_t most_strange = 100;
    if (lines_->reading().lines >= most_strange) refuse_strangers();
    view_.broken = lines_->reading().broken;
    view_.is_unfinished = lines_->reading().is_unfinished;
  }
  void begin_again() {
    view_ = {};
    builder_.emplace();
    lines_.emplace(
        path_, Care::tolerant,
        JournalHandlers{[this](const JournalHeader& start) { add(start); },
                        [this](const JournalPlace&, const JournalLine& look) { add(look); },
                        [this](const JournalFinish& finish) { add(finish); }});
  }

  // Throws an Error if no line was understood: some lines of a journal may be damaged, but not all.
  void refuse_strangers() const {
    if (lines_->reading().lines == 0 || lines_->has_understood()) return;
    refuse(joined({"The file ", in_quotes(path_), " is not a journal."}),
           "Give a journal that a run writes, by its option journal.");
  }

  const View& view() const { return view_; }
  bool has_ended() const { return view_.summary || view_.is_unfinished; }
  std::string page() const {
    report::ModelBuilder builder = *builder_;
    const report::Model model = std::move(builder).result(lines_->reading());
    return report::page_of(model, {.refresh_seconds = has_ended() ? 0 : seconds_between_pages});
  }

 private:
  void add(const JournalHeader& start) {
    watch::take(view_, start);
    if (has_pages_) builder_->start(start);
  }
  void add(const JournalLine& look) {
    watch::take(view_, look);
    if (has_pages_) builder_->add(look);
    on_look_();
  }
  void add(const JournalFinish& finish) {
    watch::take(view_, finish);
    if (has_pages_) builder_->finish(finish);
  }

  std::string path_;
  bool has_pages_;
  std::function<void()> on_look_;
  View view_;
  std::optional<report::ModelBuilder> builder_;
  std::optional<LineTaker> lines_;
};

HttpAnswer answer_for(const Watched& run, std::string_view path) {
  if (path == "/") return {200, "text/html; charset=utf-8", run.page()};
  if (path == "/metrics")
    return {200, "text/plain; version=0.0.4; charset=utf-8", watch::metrics_of(run.view())};
  return {404, "text/plain; charset=utf-8", "Ask for / or /metrics.\n"};
}

// Waits until a key is pressed, a browser is ready, or the time between two looks is over.
void wait_for_something(bool has_keys, const std::optional<watch::LoopbackServer>& server) {
  std::vector<pollfd> all;
  if (has_keys) all.push_back({STDIN_FILENO, POLLIN, 0});
  if (server) server->add_to(all);
  poll(all.data(), all.size(), milliseconds_between_looks);
}

std::string last_words(const View& view) {
  if (view.summary) return *view.summary + '\n';
  if (view.is_unfinished) return "The run has ended without finish().\n";
  return view.looks > 0 ? watch::line_of(view) : "No look yet.\n";
}

Output run(const WatchArguments& asked) {
  const bool draws = watch::Terminal::is_there() && !asked.once;
  const EndSignals signals;
  std::optional<Watched> run;
  run.emplace(asked.journal, asked.port.has_value(), [&] {
    if (!draws) std::cout << watch::line_of(run->view()) << std::flush;
  });
  watch::Following file(
      asked.journal, [&](std::string_view line) { run->take(line); }, [&] { run->begin_again(); });
  file.advance();  // throws its Error before the terminal changes
  run->refuse_strangers();
  std::optional<watch::LoopbackServer> server;
  if (asked.port) server.emplace(*asked.port);
  if (server)
    std::cerr << "evenkeel: serves http://127.0.0.1:" << server->port() << "/ and /metrics\n";
  {
    std::optional<watch::Terminal> terminal;
    if (draws) terminal.emplace();
    while (!asked.once && !EndSignals::has_come() && std::cout) {
      if (terminal) {
        terminal->show(
            watch::frame_of(run->view(), watch::Terminal::size(), watch::Terminal::has_blocks()));
        if (terminal->wants_end()) break;
      }
      if (run->has_ended() && !server) break;
      wait_for_something(draws && isatty(STDIN_FILENO) == 1, server);
      if (server) server->advance([&](std::string_view path) { return answer_for(*run, path); });
      file.advance();
    }
  }
  const bool is_told = !draws && !run->has_ended() && run->view().looks > 0;
  return is_told ? std::string() : last_words(run->view());
}

}  // namespace

Run add_watch(CLI::App& app) {
  const auto asked = std::make_shared<WatchArguments>();
  CLI::App& command = *app.add_subcommand("watch", "Follow a live run in a terminal or a browser");
  command.add_option("journal", asked->journal, "The journal that the run writes")
      ->required()
      ->type_name("J.jsonl");
  command
      .add_option("--serve", asked->port,
                  "Serve the page of `report`, and /metrics for Prometheus, to browsers of this "
                  "machine; 0 takes a free port")
      ->type_name("PORT");
  command.add_flag("--once", asked->once, "Print what is there, and do not wait for more");
  add_examples(command, {{"evenkeel watch run.jsonl", "In a terminal: q ends it"},
                         {"evenkeel watch run.jsonl --once | tail -n 3", "The last looks"},
                         {"evenkeel watch run.jsonl --serve 8080",
                          "In a browser, at http://127.0.0.1:8080/"}});
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
