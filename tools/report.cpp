// evenkeel report: shows a recorded run as a page.

#include "command.hpp"
#include "files/output_file.hpp"
#include "files/refusal.hpp"
#include "journal/reader.hpp"
#include "progress.hpp"
#include "report/amounts.hpp"
#include "report/model.hpp"
#include "report/page.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/backends/words.hpp>

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
  Reading reading =
      read_journal(source, Care::tolerant, report::handlers_of(builder), line.on_reading(path));
  return std::move(builder).result(std::move(reading));
}

// The text for stdout.
std::string words_of(const report::Model& model, const std::string& path) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text.append(name).append(value).append("\n");
  };
  line("journal    ", name_of_journal(model.start.version, model.ranks, model.reading));
  line("looks      ", joined({std::to_string(model.looks), ", of ",
                              report::counted(model.last_step - model.first_step, "step")}));
  line("rebalances ", std::to_string(model.changing) + detail::and_unchanged(model.unchanging));
  if (model.reading.broken > 0)
    line("left out   ",
         report::counted(model.reading.broken, "line") + ", which cannot be understood");
  line("page       ", in_quotes(path));
  return text;
}

// Opens the output file before anything is read, and renames it to its target at the end.
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
      .add_option("journal", asked->journal,
                  "The journal of a run, written with its option `journal`")
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
