// evenkeel fit: what things cost, from measurements in files. Each kind of measurement has its
// option, of which exactly one is given, and its source in fit/.

#include "command.hpp"
#include "fit/patches.hpp"
#include "fit/refusal.hpp"

#include <memory>
#include <optional>
#include <string>

namespace evenkeel::tool {

namespace {

struct FitArguments {
  std::optional<std::string> patches;
  bool json = false;
};

Output run(const FitArguments& asked) {
  if (!asked.patches)
    refuse_fit("There is nothing to fit.", "Name a file with timings of patches: --patches T.csv.");
  const PatchTable table = read_patch_timings(*asked.patches);
  return report_of(fit_patches(table.dimensions, table.timings), asked.json);
}

}  // namespace

Run add_fit(CLI::App& app) {
  const auto asked = std::make_shared<FitArguments>();
  CLI::App& command = *app.add_subcommand("fit", "What things cost, from measurements");
  command
      .add_option_function<std::string>(
          "--patches", [asked](const std::string& path) { asked->patches = path; },
          "A row for each patch that was timed: mx, my, in 3-D mz, and seconds")
      ->type_name("T.npy|T.csv");
  command.add_flag("--json", asked->json, "Print JSON");
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
