// A journal must become a page, or be refused by one line that blames the file. Line by line, it
// must become frames of `evenkeel watch`, which fit the terminal and have no control characters.

#include "fuzzer.hpp"

#include "report/page.hpp"
#include "watch/frame.hpp"

using evenkeel::test::demand;

namespace report = evenkeel::tool::report;
namespace watch = evenkeel::tool::watch;

namespace {

void demand_printable(std::string_view text, std::string_view kept = "\n") {
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    demand(kept.find(letter) != kept.npos || (byte >= 0x20 && byte != 0x7f),
           "a terminal gets no control characters");
  }
  demand(text.find("\xC2\x9b") == text.npos, "a terminal gets no control sequences");
}

void follow(std::string_view journal) {
  watch::View view;
  evenkeel::tool::LineTaker taker(
      "input", evenkeel::tool::Care::tolerant,
      {[&](const evenkeel::JournalHeader& start) { take(view, start); },
       [&](const evenkeel::tool::JournalPlace&, const evenkeel::JournalLine& look) {
         take(view, look);
       },
       [&](const evenkeel::JournalFinish& finish) { take(view, finish); }});
  while (!journal.empty()) {
    const std::size_t end = std::min(journal.find('\n'), journal.size());
    taker.take(journal.substr(0, end));
    journal.remove_prefix(std::min(end + 1, journal.size()));
    view.broken = taker.reading().broken;
  }
  for (const watch::Size size : {watch::Size{24, 80}, watch::Size{3, 20}})
    for (const std::string& line : frame_of(view, size, true)) {
      demand(watch::width_of(line) <= size.columns, "a frame fits the terminal");
      demand_printable(line);
    }
  demand_printable(line_of(view));
  demand_printable(metrics_of(view), "\n\t");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const evenkeel::tool::MemorySource source("input", bytes);
  follow(bytes);
  report::ModelBuilder builder;
  try {
    evenkeel::tool::Reading reading = evenkeel::tool::read_journal(
        source, evenkeel::tool::Care::tolerant, report::handlers_of(builder));
    const report::Model model = std::move(builder).result(std::move(reading));
    const std::string page = report::page_of(model);
    demand(page.ends_with("</html>\n"), "the page is whole");
    demand(page.find("<script", page.find("<script", page.find("<script") + 1) + 1) == page.npos,
           "the page has its own two scripts");
  } catch (const evenkeel::Error& error) {
    const std::string text = error.what();
    demand(error.kind() == evenkeel::ErrorKind::bad_input, "the input is to blame");
    demand(text.find('\n') == std::string::npos, "one line");
    demand(text.find("'input'") != std::string::npos, "the file is named");
  }
  return 0;
}
