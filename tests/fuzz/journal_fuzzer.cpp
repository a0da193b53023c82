// A journal must become a page, or be refused by one line that blames the file.

#include "fuzzer.hpp"

#include "report/page.hpp"

using evenkeel::test::demand;

namespace report = evenkeel::tool::report;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const evenkeel::tool::MemorySource source("input", bytes);
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
