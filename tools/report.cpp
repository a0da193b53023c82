// evenkeel report: a run that is on record, as a page to read.

#include "command.hpp"
#include "files/output_file.hpp"
#include "progress.hpp"
#include "report/journal.hpp"
#include "report/model.hpp"
#include "report/page.hpp"

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

// The file is opened before anything is read, and gets its name last.
Output run(const ReportArguments& asked) {
  const auto file = std::make_shared<OutputFile>(asked.html);
  file->write(report::page_of(model_of(asked.journal)));
  file->finish();
  return {"", [file] { file->commit(); }};
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
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
