// evenkeel fit: finds costs from measurements in files. Each kind of measurement has its option and
// its source in fit/. The user gives exactly one of these options.

#include "command.hpp"
#include "files/refusal.hpp"
#include "fit/counts.hpp"
#include "fit/patches.hpp"
#include "progress.hpp"

#include <evenkeel/backends/text.hpp>

#include <memory>
#include <optional>
#include <string>

namespace evenkeel::tool {

namespace {

struct FitArguments {
  std::optional<std::string> patches, counts, seconds, method;
  bool json = false;
};

Output run_patches(const FitArguments& asked) {
  if (asked.seconds || asked.method)
    refuse_fit("--seconds and --method go with --counts, not with --patches.", "Leave them out.");
  ProgressLine line(true);
  const PatchTable table = read_patch_timings(*asked.patches, line.on_reading(*asked.patches));
  line.on_stage("fitting " + in_quotes(*asked.patches));
  return report_of(fit_patches(table.dimensions, table.timings), asked.json);
}

Output run_counts(const FitArguments& asked) {
  const FitMethod method = fit_method_from(asked.method.value_or("robust"));
  if (!asked.seconds)
    refuse_fit("--counts is given without --seconds.", "Name the file with the seconds, too.");
  ProgressLine line(true);
  const CountTable table = read_counts(*asked.counts, *asked.seconds, [&](const std::string& path) {
    return line.on_reading(path);
  });
  const WorkEstimate fit =
      fit_counts(table, method, line.on_work("fitting " + in_quotes(*asked.counts)));
  return report_of(table, fit, method, asked.json);
}

Output run(const FitArguments& asked) {
  if (asked.patches.has_value() == asked.counts.has_value())
    refuse_fit(
        asked.patches ? "Both --patches and --counts are given." : "There is nothing to fit.",
        "Give timings of patches (--patches T.csv), or the work of ranks and the seconds that it "
        "took (--counts A.csv --seconds t.csv).");
  return asked.patches ? run_patches(asked) : run_counts(asked);
}

}  // namespace

Run add_fit(CLI::App& app) {
  const auto asked = std::make_shared<FitArguments>();
  CLI::App& command = *app.add_subcommand("fit", "Fit costs to measurements");
  add_option(command, "--patches", asked->patches, "T.npy|T.csv",
             "A row for each patch that was timed: mx, my, in 3-D mz, and seconds");
  add_option(command, "--counts", asked->counts, "A.npy|A.csv",
             "A row for each rank: the amount of each type of work");
  add_option(command, "--seconds", asked->seconds, "t.npy|t.csv",
             "The seconds that each rank took: a column for each measurement");
  add_option(command, "--method", asked->method, "robust|minimum_norm",
             "The method; robust if it is not given");
  command.add_flag("--json", asked->json, "Print JSON");
  add_examples(command,
               {{"evenkeel fit --counts had.csv --seconds took.csv",
                 "The cost of each type of work, from the amounts and the seconds of ranks"},
                {"evenkeel fit --patches timings.csv",
                 "The costs of a cell, a boundary and a patch, from timings of patches"}});
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
