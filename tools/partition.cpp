// evenkeel partition: cuts the objects or the graph in a file into parts of equal work.

#include "command.hpp"
#include "files/output_file.hpp"
#include "files/refusal.hpp"
#include "files/write_array.hpp"
#include "partition/graph/cutting.hpp"
#include "partition/graph/input.hpp"
#include "partition/graph/options.hpp"
#include "partition/methods.hpp"
#include "partition/objects.hpp"
#include "partition/options.hpp"
#include "partition/partitioning.hpp"
#include "partition/picture.hpp"
#include "partition/speeds.hpp"
#include "progress.hpp"
#include "ranks.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/extras/vtk.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::tool {

namespace {

// The requested output files on rank 0; empty on other ranks. They are opened before any
// computation, so that a bad name is refused at once. All files are complete before the first is
// renamed to its target.
struct OutputFiles {
  std::optional<OutputFile> parts, domains;
};

using Files = std::shared_ptr<OutputFiles>;

Files open_files(const Communicator& communicator, const std::optional<std::string>& parts,
                 const std::optional<std::string>& domains = {}) {
  auto files = std::make_shared<OutputFiles>();
  vote(communicator, attempt(refuse_partition.stage, [&] {
         if (communicator.rank() != 0) return;
         if (parts) files->parts.emplace(*parts);
         if (domains) files->domains.emplace(*domains);
       }));
  return files;
}

// Rank 0 writes its own parts and then those of the others, piece by piece, so that it never holds
// the parts of all ranks. If writing fails, it continues to receive, since the others still send.
void write_parts(const Communicator& communicator, const std::vector<std::int32_t>& mine,
                 ArrayFormat format, OutputFiles& files) {
  constexpr std::int64_t most_at_once = std::int64_t{1} << 20U;
  const std::vector<std::int64_t> counts = communicator.all_gather(std::int64_t{std::ssize(mine)});
  std::optional<ColumnWriter> writer;
  Status written = attempt(refuse_partition.stage, [&] {
    if (!files.parts) return;
    writer.emplace(
        *files.parts, format,
        static_cast<std::uint64_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
    writer->add(mine);
  });
  for (int rank = 1; rank < communicator.size(); ++rank)
    for (std::int64_t begin = 0; begin < counts[static_cast<std::size_t>(rank)];
         begin += most_at_once) {
      std::span<const std::int32_t> piece;
      if (communicator.rank() == rank)
        piece = std::span(mine).subspan(
            static_cast<std::size_t>(begin),
            static_cast<std::size_t>(std::min(most_at_once, std::ssize(mine) - begin)));
      const auto received = gather(communicator, Status(), piece, 0);
      if (!written.ok() || !writer) continue;
      written = attempt(refuse_partition.stage, [&] { writer->add(received.values); });
    }
  vote(communicator, written);
  vote(communicator, attempt(refuse_partition.stage, [&] {
         if (files.parts) files.parts->finish();
       }));
}

void write_domains(const Communicator& communicator, const Partition& partition, int dimensions,
                   OutputFiles& files) {
  const std::vector<DomainCell> cells = picture_of(communicator, partition);
  vote(communicator, attempt(refuse_partition.stage, [&] {
         if (!files.domains) return;
         files.domains->write(vtu_of(dimensions, cells));
         files.domains->finish();
       }));
}

void commit(const Communicator& communicator, OutputFiles& files) {
  vote(communicator, attempt(refuse_partition.stage, [&] {
         if (files.parts) files.parts->commit();
         if (files.domains) files.domains->commit();
       }));
}

// Commits the files. This is the last act of the command, after its output was printed.
std::function<void()> committing(const Communicator& communicator, const Files& files) {
  return [&communicator, files] { commit(communicator, *files); };
}

Output partition_objects(const Communicator& communicator, const PartitionOptions& options) {
  const Files files = open_files(communicator, options.out, options.vtk);
  ProgressLine line(communicator.rank() == 0);
  FileObjects objects = read_objects(
      communicator, options, [&](const std::string& name) { return line.on_reading(name); });
  objects.speeds = read_speeds(communicator, options.speeds, options.parts);
  const std::string cutting = "cutting " + in_quotes(options.points);
  line.on_stage(cutting);
  Partition found = partition(communicator, objects, options, line.on_work(cutting));
  if (!options.vtk) found.keys = {};  // only a picture of the domains needs the keys
  line.on_stage("writing");
  if (options.out) write_parts(communicator, found.parts, format_of(*options.out), *files);
  if (options.vtk) write_domains(communicator, found, objects.dimensions, *files);
  return {report_of(options, objects, found), committing(communicator, files)};
}

GraphInput read_shown(const Communicator& communicator, const GraphPartitionOptions& options) {
  ProgressLine line(communicator.rank() == 0);
  return read_graph_input(communicator, options, line.on_reading(options.graph));
}

GraphPartition cut_shown(const Communicator& communicator, const GraphInput& input,
                         const GraphPartitionOptions& options) {
  ProgressLine line(communicator.rank() == 0);
  return cut(communicator, input, options, line.on_work("cutting " + in_quotes(options.graph)));
}

Output partition_graph(const Communicator& communicator, const GraphPartitionOptions& options) {
  const Files files = open_files(communicator, options.out);
  GraphInput input = read_shown(communicator, options);
  input.speeds = read_speeds(communicator, options.speeds, options.parts);
  const GraphPartition found = cut_shown(communicator, input, options);
  if (options.out) write_parts(communicator, found.parts, format_of(*options.out), *files);
  return {report_of(options, input, found), committing(communicator, files)};
}

Output run(const Communicator& communicator, const PartitionArguments& asked) {
  if (is_by_graph(asked)) return partition_graph(communicator, checked_for_graph(asked));
  return partition_objects(communicator, checked(asked));
}

// With a single rank, the message need not name the rank that failed.
[[noreturn]] void throw_without_rank(const Error& error) {
  throw Error(error.kind(), Where{error.where()}, error.problem(), error.remedy());
}

void add_partition_examples(CLI::App& command) {
  add_examples(
      command,
      {{"evenkeel partition --points p.npy --weights w.npy --parts 64 --method hilbert --out o.npy",
        "Parts of equal weight along a Hilbert curve; o.npy has the part of each point"},
       {"evenkeel partition --points p.csv --parts 12 --method staggered --grid 3x2x2 --vtk d.vtu",
        "A staggered grid of 3 x 2 x 2 domains, and a picture of it for ParaView"},
       {"evenkeel partition --graph mesh.graph --parts 64 --method graph --effort fast",
        "Parts of a mesh with few edges between them"},
       {"evenkeel partition --graph mesh.graph --parts 64 --method graph --from o.npy --out n.npy",
        "The same, beginning from earlier parts, so that few vertices change parts"},
       {"mpirun -n 8 evenkeel partition --points p.npy --parts 1000 --method bisection --json",
        "On 8 processes, each of which reads its share"}});
}

void add_graph_options(CLI::App& command, PartitionArguments& asked) {
  add_option(command, "--from", asked.from, "P.npy|P.csv",
             "graph: earlier parts to begin from, so that few vertices change parts");
  add_option(command, "--uncuttable", asked.uncuttable, "M.npy|M.csv",
             "graph: 1 for each neighbour that must stay in the same part, else 0");
  add_option(command, "--effort", asked.effort, "polish|fast|good|best",
             "graph: how hard to search for a small cut; good if it is not given");
  add_option(command, "--moving-cost", asked.moving_cost, "C",
             "graph: how many more edges may be cut to keep one vertex in its part");
}

}  // namespace

Run add_partition(CLI::App& app, Ranks& ranks) {
  const auto asked = std::make_shared<PartitionArguments>();
  CLI::App& command = *app.add_subcommand(
      "partition", "Cut objects or a graph into parts of equal work; also under mpirun");
  constexpr bool required = true;
  add_option(command, "--points", asked->points, "P.npy|P.csv",
             "A row of 2 or 3 coordinates for each object");
  add_option(command, "--graph", asked->graph, "G.graph|G.mtx|O.npy,C.npy",
             "graph: the neighbours of each vertex");
  add_option(command, "--weights", asked->weights, "W.npy|W.csv",
             "A weight for each object or vertex");
  add_option(command, "--parts", asked->parts, "N", "The number of parts", required);
  add_option(command, "--speeds", asked->speeds, "S.npy|S.csv",
             "The relative speed of each part; its work is proportional to it");
  add_option(command, "--memory", asked->memory, "M",
             "With --bytes: no part may have objects of more than M bytes, such as 16GiB");
  add_option(command, "--bytes", asked->bytes, "B.npy|B.csv", "The bytes of each object");
  const std::string methods = choice_of_methods();
  add_option(command, "--method", asked->method, methods.c_str(), "The method", required);
  add_option(command, "--box", asked->box, "LO,..,HI,..",
             "The box around all objects, its lower corner first; measured if it is not given");
  add_option(command, "--work", asked->work, "count|weights",
             "The work of a part; weights if there are any");
  add_option(command, "--target-lambda", asked->target_lambda, "L",
             "The lambda (greatest / average work) that is even enough; if it is not given, 1.03 "
             "for graph, and as even as possible for other methods");
  add_option(command, "--grid", asked->grid, "AxBxC",
             "Domains along each axis of a grid; as near to cubes as possible if it is not given");
  add_option(
      command, "--rounds", asked->rounds, "R",
      "tensor, staggered, voronoi, mesh: rounds that improve even domains by their work alone");
  add_option(
      command, "--cell-size", asked->cell_size, "S|SX,SY[,SZ]",
      "bisection, tensor, staggered: put borders between cells, counted from the lower face");
  add_option(command, "--least-width", asked->least_width, "W|WX,WY[,WZ]",
             "bisection, tensor, staggered: the least width of a domain along each axis");
  add_option(command, "--axes", asked->axes, "xyz",
             "bisection: the axes across which boxes are cut; all if it is not given");
  add_option(command, "--halo", asked->halo, "WIDTH",
             "auto: the width of the halo, in a straight line");
  add_option(command, "--ghost-cost", asked->ghost_cost, "C",
             "auto: the cost of a ghost, where the work on an object is 1; 0.1 if not given");
  add_graph_options(command, *asked);
  add_option(command, "--out", asked->out, "P.npy|P.csv",
             "Write the part of each object or vertex, in their order");
  add_option(command, "--vtk", asked->vtk, "domains.vtu", "Write the domains as boxes");
  command.add_flag("--json", asked->json, "Print JSON");
  add_partition_examples(command);
  return [asked, &ranks]() -> Output {
    const Communicator& communicator = ranks.start();
    try {
      return run(communicator, *asked);
    } catch (const Error& error) {
      if (communicator.size() == 1) throw_without_rank(error);
      throw;
    }
  };
}

}  // namespace evenkeel::tool
