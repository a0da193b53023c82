// evenkeel report: a run that is on record, as a page to read.

#include "command.hpp"
#include "files/output_file.hpp"
#include "files/refusal.hpp"
#include "progress.hpp"
#include "report/amounts.hpp"
#include "report/journal.hpp"
#include "report/model.hpp"
#include "report/page.hpp"
#include "teach/examples.hpp"
#include "tell/words.hpp"

#include <evenkeel/backends/text.hpp>

#include <memory>
#include <string>
#include <utility>

namespace evenkeel::tool {

namespace {

struct ReportArguments {
  std::string journal, html;
};

report::Model model_of(const std::string& path) {
  const FileSource source(path);
  ProgressLine line(true);
  report::ModelBuilder builder;
  report::Reading reading =
      report::read_journal(source,
                           {[&](const report::Start& start) { builder.start(start); },
                            [&](const report::Look& look) { builder.add(look); },
                            [&](const report::Finish& finish) { builder.finish(finish); }},
                           line.on_reading(path));
  return std::move(builder).result(std::move(reading));
}

std::string journal_text(const report::Model& model) {
  const report::Reading& reading = model.reading;
  return joined({"of evenkeel ", model.start.version.empty() ? "unknown" : model.start.version,
                 ", on ", report::counted(model.ranks, "rank"),
                 reading.is_cut_off      ? ", cut off in its last line"
                 : reading.is_unfinished ? ", which was not finished"
                                         : ""});
}

// What stdout gets to know.
std::string words_of(const report::Model& model, const std::string& path) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text.append(name).append(value).append("\n");
  };
  line("journal    ", journal_text(model));
  line("looks      ", joined({std::to_string(model.looks), ", of ",
                              report::counted(model.last_step - model.first_step, "step")}));
  line("rebalances ", std::to_string(model.changing) + detail::and_unchanged(model.unchanging));
  if (model.reading.broken > 0)
    line("left out   ",
         report::counted(model.reading.broken, "line") + ", which cannot be understood");
  line("page       ", in_quotes(path));
  return text;
}

// The file is opened before anything is read, and gets its name last.
Output run(const ReportArguments& asked) {
  const auto file = std::make_shared<OutputFile>(asked.html);
  const report::Model model = model_of(asked.journal);
  file->write(report::page_of(model));
  file->finish();
  return {words_of(model, asked.html), [file] { file->commit(); }};
}

}  // namespace

Run add_report(CLI::App& app) {
  const auto asked = std::make_shared<ReportArguments>();
  CLI::App& command = *app.add_subcommand("report", "A page that shows a recorded run");
  command
      .add_option("journal", asked->journal, "The journal of a run, as its option `journal` said")
      ->required()
      ->type_name("J.jsonl");
  command.add_option("--html", asked->html, "The page to write: one file that needs no other")
      ->required()
      ->type_name("out.html");
  add_examples(command, {{"EVENKEEL_JOURNAL=run.jsonl mpirun -n 4 ./program", "Record a run"},
                         {"evenkeel report run.jsonl --html run.html", "Show it"}});
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
