// evenkeel assign: assigns blocks to ranks, and says how good any map could be.

#include "assign/input.hpp"
#include "command.hpp"
#include "files/output_file.hpp"
#include "files/write_array.hpp"
#include "progress.hpp"

#include <evenkeel/backends/text.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace evenkeel::tool {

namespace {

// The output file is opened before any input is read, so that a bad name is refused at once.
Output run(const AssignArguments& asked) {
  static_cast<void>(checked(asked));
  std::shared_ptr<OutputFile> file;
  if (asked.out) file = std::make_shared<OutputFile>(*asked.out);
  ProgressLine line(true);
  const BlockInput input =
      read_blocks(asked, [&](const std::string& path) { return line.on_reading(path); });
  line.on_stage("assigning the blocks of " + in_quotes(*asked.costs));
  const auto start = std::chrono::steady_clock::now();
  const BlockMap found = map_of(input);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::string report = report_of(asked, input, found, taken.count());
  if (file == nullptr) return report;
  write_array(*file, format_of(*asked.out), std::span<const std::int32_t>(found.map));
  file->finish();
  return {std::move(report), [file] { file->commit(); }};
}

}  // namespace

Run add_assign(CLI::App& app) {
  const auto asked = std::make_shared<AssignArguments>();
  CLI::App& command =
      *app.add_subcommand("assign", "Assign blocks to ranks, with a bound for all maps");
  constexpr bool required = true;
  add_option(command, "--costs", asked->costs, "C.npy|C.csv",
             "A row for each block: its cost, or a column for each phase", required);
  add_option(command, "--ranks", asked->ranks, "N", "The number of ranks", required);
  add_option(command, "--from", asked->from, "M.npy|M.csv",
             "The present rank of each block, or -1 for a new block; then few bytes move");
  add_option(command, "--bytes", asked->bytes, "B.npy|B.csv",
             "The bytes of each block; 1 if they are not given");
  add_option(command, "--place", asked->place, "P.npy|P.csv",
             "The centre of each block: x and y, or x, y and z");
  add_option(command, "--edges", asked->edges, "E.npy|E.csv",
             "A row for each pair of neighbours: two blocks, and a weight if you like");
  add_option(command, "--most-blocks", asked->most_blocks, "B", "The most blocks of a rank");
  add_option(command, "--memory", asked->memory, "M|M,..|M.npy|M.csv",
             "The most bytes of a rank, such as 16GiB: for all ranks, or for each one");
  add_option(command, "--capacity", asked->capacity, "C",
             "The greatest cost of a rank, summed over phases");
  add_option(command, "--speeds", asked->speeds, "S.npy|S.csv", "The relative speed of each rank");
  add_option(command, "--nodes", asked->nodes, "N.npy|N.csv",
             "The node of each rank; faces and moves between nodes count four times");
  add_option(command, "--target-lambda", asked->target_lambda, "L",
             "The lambda (greatest / average load) that is even enough; 1.05 if it is not given");
  add_option(command, "--out", asked->out, "M.npy|M.csv", "Write the rank of each block");
  command.add_flag("--json", asked->json, "Print JSON");
  add_examples(
      command,
      {{"evenkeel assign --costs c.csv --ranks 64 --place xyz.csv --out map.csv",
        "Even loads and few cut faces; map.csv has the rank of each block"},
       {"evenkeel assign --costs c.csv --ranks 64 --from map.csv --bytes b.csv --memory 64GB",
        "Few moved bytes, and at most 64 GB on each rank"}});
  return [asked]() -> Output { return run(*asked); };
}

}  // namespace evenkeel::tool
