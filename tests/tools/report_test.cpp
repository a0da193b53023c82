// Runs `evenkeel report` as its users start it, and opens the page in a browser.

#include "tools/program_test.hpp"
#include "tools/report/journals.hpp"

namespace evenkeel::tool::report_test {
namespace {

using test::Ended;
using test::journal_of;
using test::Words;

class ReportProgram : public test::ProgramTest {
 protected:
  ReportProgram() : ProgramTest("report") {}

  // The page of this journal.
  std::string page_of(const std::string& journal) const {
    output_of({file("J.jsonl", journal), "--html", html_});
    return test::content_of(html_);
  }

  // Also expects that the program leaves no file.
  void expect_refused(const Words& arguments, const std::string& text) const {
    ProgramTest::expect_refused(arguments, text);
    for (const std::string& name : directory_.files())
      EXPECT_EQ(name.find("out.html"), std::string::npos) << name;
  }

  const std::string html_ = path("out.html");
};

TEST_F(ReportProgram, APageThatNeedsNothingElse) {
  const std::string page = page_of(journal_of({}));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* reference : {"http:", "https:", "src=", "url(", "@import", "onclick", "{{"})
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
}

TEST_F(ReportProgram, SaysWhatItHasRead) {
  const std::string journal = file("J.jsonl", journal_of({}) + "{}\n{\"step\":");
  EXPECT_EQ(output_of({journal, "--html", html_}), "journal    of evenkeel " EVENKEEL_TEST_VERSION
                                                   ", on 4 ranks, cut off in its last line\n"
                                                   "looks      40, of 320 steps\n"
                                                   "rebalances 6\n"
                                                   "left out   1 line, which cannot be understood\n"
                                                   "page       '" +
                                                       html_ + "'\n");
}

TEST_F(ReportProgram, InputThatIsRefused) {
  const std::string missing = path("missing.jsonl");
  expect_refused({}, "journal is required");
  expect_refused({missing}, "--html is required");
  expect_refused({missing, "--html", html_},
                 "tools/files: The file '" + missing + "' cannot be read");
  const std::string empty = file("empty.jsonl", "");
  expect_refused({empty, "--html", html_},
                 "tools/files: The file '" + empty + "' is not a journal: it is empty.");
  const std::string other = file("other.jsonl", "a,b\n1,2\n");
  expect_refused({other, "--html", html_}, "tools/files: The file '" + other +
                                               "' is not a journal: no line in it is from a "
                                               "journal.");
  const std::string journal = file("J.jsonl", journal_of({}));
  expect_refused({journal, "--html", path("none/out.html")}, "tools/files: The file '");
}

// The journal is forged. A terminal would obey its control characters.
TEST_F(ReportProgram, ControlCharactersBecomeEscapes) {
  auto lines = test::lines_of({});
  const std::string version = EVENKEEL_TEST_VERSION;
  lines[0].replace(lines[0].find(version), version.size(), R"(\u001b[2J\u009b)");
  const std::string journal = file("J.jsonl", test::text_of(lines));
  EXPECT_TRUE(output_of({journal, "--html", html_})
                  .starts_with(R"(journal    of evenkeel \u001b[2J\u009b, on 4 ranks)"));
  const std::string evil = path("a\x1b[2J\x7f.jsonl");
  const Ended ended = run({evil, "--html", html_});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err.find('\x7f'), std::string::npos);
  EXPECT_TRUE(ended.err.find("[2J\\u007f.jsonl") != std::string::npos) << ended.err;
}

TEST_F(ReportProgram, AFullDiskLeavesNothing) {
  const std::string journal = file("J.jsonl", journal_of({}));
  const Ended ended = run({journal, "--html", html_}, {.most_bytes = 10'000});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_EQ(directory_.files(), std::vector<std::string>{"J.jsonl"});
}

TEST_F(ReportProgram, AnOldPageStaysUntilTheNewOneIsThere) {
  file("out.html", "old");
  EXPECT_EQ(run({file("bad.jsonl", "{}\n"), "--html", html_}).status, 2);
  EXPECT_EQ(test::content_of(html_), "old");
  EXPECT_NE(page_of(journal_of({})), "old");
}

TEST_F(ReportProgram, ShowsHowFullTheFullestRankIs) {
  const std::string text =
      "rank 3 with 40.0 GB of 80.0 GB; at the end rank 3 with 40.0 GB of 80.0 GB; rank 3 is full "
      "in 320 steps at this growth";
  EXPECT_NE(page_of(journal_of({.looks = 40, .fills_memory = true})).find(text), std::string::npos);
  EXPECT_EQ(page_of(journal_of({})).find("fullest rank"), std::string::npos);
}

// The run has ten thousand looks at ten thousand ranks.
TEST_F(ReportProgram, ALongRunOnManyRanksMakesASmallPage) {
  const std::string page =
      page_of(journal_of({.ranks = 10'000, .looks = EVENKEEL_TEST_LOOKS, .has_domains = true}));
  EXPECT_LT(page.size(), std::size_t{5} << 20U);
  EXPECT_GT(page.size(), std::size_t{100} << 10U);
  EXPECT_NE(page.find("10,000 ranks"), std::string::npos);
}

#ifdef EVENKEEL_TEST_BROWSER

// A browser without a window.
class ReportInBrowser : public ReportProgram {
 protected:
  // The document after all scripts have run, and the output of the console.
  Ended opened(const std::string& fragment = "") const {
    const Words words = {EVENKEEL_TEST_BROWSER,
                         "--headless",
                         "--no-sandbox",
                         "--disable-gpu",
                         "--disable-dev-shm-usage",
                         "--user-data-dir=" + path("browser"),
                         "--enable-logging=stderr",
                         "--dump-dom",
                         "file://" + html_ + fragment};
    return test::run_program(directory_, words);
  }
  static void expect_quiet(const Ended& ended) {
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err.find("CONSOLE"), std::string::npos) << ended.err;
  }
  static void expect_shown(const Ended& ended, const std::string& text) {
    EXPECT_NE(ended.out.find(text), std::string::npos) << text << "\n" << ended.out.size();
  }
};

TEST_F(ReportInBrowser, ShowsTheNumbersOfTheJournal) {
  page_of(journal_of({}));
  const Ended ended = opened("#step=48");
  expect_quiet(ended);
  expect_shown(ended, "<h1>Load balance of fluid</h1>");
  expect_shown(ended, "All went well.");
  expect_shown(ended, "data-drawn=\"160\"");  // 4 ranks, 40 looks
  // The look after step 48, at which the first rebalance was decided.
  expect_shown(ended,
               "Steps 41 to 48: lambda 1.50, imbalance 44 %; slowest rank 1.50 ms, average rank "
               "1.00 ms per step, without rebalances 1.50 ms. rebalance (above_threshold): ");
  EXPECT_EQ(ended.out.find("id=\"inspector\" aria-label=\"Look by look\" hidden"),
            std::string::npos);
  expect_shown(ended, "<th scope=\"row\">exchange</th><td>9.00 ms</td><td>75.0 %</td>");
  expect_shown(ended, "<th scope=\"row\">type 1</th><td>0</td><td>100</td><td>7.00 us</td>");
}

// A script in a name would write to the console, or change the document.
TEST_F(ReportInBrowser, RunsNothingOfAJournal) {
  const std::string evil =
      "</script><script>document.title='taken'</script><img src=x "
      "onerror=\"document.title='taken'\">";
  page_of(journal_of({.name = evil, .kernel = evil}));
  const Ended ended = opened();
  expect_quiet(ended);
  EXPECT_EQ(ended.out.find("<title>taken"), std::string::npos);
  EXPECT_EQ(ended.out.find("<img"), std::string::npos);
  expect_shown(ended, "<title>Load balance of &lt;/script&gt;");
}

TEST_F(ReportInBrowser, ShowsManyRanks) {
  page_of(journal_of({.ranks = 10'000, .looks = EVENKEEL_TEST_LOOKS}));
  const Ended ended = opened();
  expect_quiet(ended);
  expect_shown(ended, "data-drawn=");
  expect_shown(ended, "10,000 ranks");
}

TEST_F(ReportInBrowser, ShowsWhatIsThereOfABrokenJournal) {
  auto lines = test::lines_of({.looks = 20});
  lines[3] = "{\"step\":\n";
  const std::string text = test::text_of(lines);
  page_of(text.substr(0, text.size() - 100));
  const Ended ended = opened("#step=160");
  expect_quiet(ended);
  expect_shown(ended, "1 line of 21 cannot be understood and is left out");
  expect_shown(ended, "The last line of the journal is cut off");
  expect_shown(ended, "Steps 153 to 160: lambda 1.10");
}

#endif

}  // namespace
}  // namespace evenkeel::tool::report_test
