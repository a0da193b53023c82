// The balancers whose program moves the data.

#include "support.hpp"

#include <evenkeel/backends/text.hpp>

#include <sstream>

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of C

// --- Blocks --------------------------------------------------------------------------------------

std::int64_t whole_number(const std::string& key, const std::string& text) {
  const auto number = integer_from_text(text);
  if (!number) c::refuse(key + " is " + in_quotes(text) + '.', "Give a whole number.");
  return *number;
}

void set_block_option(BlockBalancerOptions& options, const std::string& key, std::string text) {
  if (key == "most_blocks") {
    options.most_blocks = whole_number(key, text);
  } else if (key == "price_of_moving") {
    const auto price = real_from_text(text);
    if (!price) c::refuse(key + " is " + in_quotes(text) + '.', "Give a number.");
    options.price_of_moving = *price;
  } else if (key == "consecutive") {
    if (text != "on" && text != "off")
      c::refuse(key + " is " + in_quotes(text) + '.', "Give on or off.");
    options.consecutive = text == "on";
  } else {
    std::erase(text, ' ');
    std::istringstream list(text);
    for (std::string entry; std::getline(list, entry, ',');)
      options.node_of_rank.push_back(static_cast<int>(whole_number(key, entry)));
  }
}

BlockBalancerOptions block_options(const Communicator&, const char* text) {
  BlockBalancerOptions options;
  c::OtherOptions own = {
      {"most_blocks", {}}, {"price_of_moving", {}}, {"consecutive", {}}, {"node_of_rank", {}}};
  options.monitor = c::options_of(text, &own);
  for (const auto& [key, value] : own)
    if (value) set_block_option(options, key, *value);
  return options;
}

// Row b of a list of ids; without offsets, each row has one.
std::vector<std::int64_t> row_of(const std::int64_t* offsets, const std::int64_t* ids,
                                 std::int64_t b) {
  if (ids == nullptr) return {};
  const std::int64_t first = offsets != nullptr ? offsets[b] : b;
  const std::int64_t last = offsets != nullptr ? offsets[b + 1] : b + 1;
  if (first < 0 || last < first)
    c::refuse("The ids of block " + std::to_string(b) + " are those from " + std::to_string(first) +
                  " to before " + std::to_string(last) + '.',
              "Give offsets that begin with 0 and never fall.");
  return {ids + first, ids + last};
}

std::vector<BlockInfo> blocks_of(const ek_blocks* blocks) {
  const ek_blocks& given = c::known(blocks, "ek_blocks");
  if (given.count < 0)
    c::refuse("There are " + std::to_string(given.count) + " blocks.", "Give 0 or more.");
  if (given.count > 0) c::required(given.id, "list of ids");
  std::vector<BlockInfo> all(static_cast<std::size_t>(given.count));
  for (std::int64_t b = 0; b < given.count; ++b) {
    BlockInfo& block = all[static_cast<std::size_t>(b)];
    block.id = given.id[b];
    if (given.bytes != nullptr) block.bytes = given.bytes[b];
    if (given.weight != nullptr) block.weight = given.weight[b];
    if (given.cells != nullptr) std::copy_n(given.cells + 3 * b, 3, block.cells.begin());
    if (given.centre != nullptr)
      std::copy_n(given.centre + 3 * b, 3, block.centre.emplace().begin());
    block.neighbours = row_of(given.first_neighbour, given.neighbour, b);
    block.made_from = row_of(given.first_parent, given.parent, b);
  }
  return all;
}

std::vector<ek_block_move> moves_of(const std::vector<BlockMove>& moves) {
  auto all = c::list_for<ek_block_move>(moves.size());
  for (const BlockMove& move : moves) all.push_back({move.id, move.from, move.to, move.bytes});
  return all;
}

// Keeps a proposal in the handle.
void show(ek_block_balancer& handle, const std::optional<BlockProposal>& wanted,
          const ek_block_proposal** proposal) {
  c::required(proposal, "address for the proposal");  // after the call, so that no rank waits
  *proposal = nullptr;
  if (!wanted) return;
  handle.map = moves_of(wanted->map);
  handle.leaving = moves_of(wanted->leaving);
  handle.arriving = moves_of(wanted->arriving);
  handle.reason = wanted->reason;
  handle.proposal = {std::ssize(handle.map),
                     std::ssize(handle.leaving),
                     std::ssize(handle.arriving),
                     handle.map.data(),
                     handle.leaving.data(),
                     handle.arriving.data(),
                     wanted->blocks_moved,
                     wanted->bytes_moved,
                     wanted->lambda_before,
                     wanted->lambda,
                     wanted->bound,
                     handle.reason.c_str()};
  *proposal = &handle.proposal;
}

ek_block_balancer& with_blocks(ek_block_balancer* handle) {
  return c::live(handle, "ek_block_balancer");
}

// --- Graphs --------------------------------------------------------------------------------------

GraphBalancerOptions graph_options(const Communicator&, const char* text) {
  GraphBalancerOptions options;
  c::OtherOptions own = {{"costs", {}}};
  options.monitor = c::options_of(text, &own);
  const std::string costs = own.front().second.value_or("measured");
  if (costs != "measured" && costs != "as_given")
    c::refuse("costs is " + in_quotes(costs) + '.', "Give measured or as_given.");
  if (costs == "as_given") options.costs = VertexCosts::as_given;
  if (const auto* method = std::get_if<ByGraph>(&options.monitor.method)) options.method = *method;
  return options;
}

void show(ek_graph_balancer& handle, const std::optional<GraphCut>& cut,
          const ek_graph_proposal** proposal) {
  c::required(proposal, "address for the proposal");
  *proposal = nullptr;
  if (!cut) return;
  handle.parts = cut->parts.on_host();
  handle.parts.reserve(1);
  handle.proposal.count = std::ssize(handle.parts);
  handle.proposal.parts = handle.parts.data();
  handle.proposal.report.size = sizeof(ek_cut_report);
  c::write_report(cut->report, cut->report.cut, cut->report.cut_edges, &handle.proposal.report);
  *proposal = &handle.proposal;
}

// --- Grids ---------------------------------------------------------------------------------------

GridBalancerOptions grid_options(const Communicator& ranks, const char* text) {
  GridBalancerOptions options;
  options.monitor = c::options_of(text);
  const Options& given = options.monitor;
  if (!given.box)
    c::refuse("A grid balancer has no box.", "Give \"box = 0,0,0,1,1,1\" in its options.");
  options.box = *given.box;
  options.periodic = given.periodic;
  options.rounds.cell_size = given.cell_size;
  options.rounds.least_width = given.least_width;
  options.grid.rank_of_part = given.rank_of_part;
  const int dimensions = options.box.upper[2] > options.box.lower[2] ? 3 : 2;
  options.grid.shape.dimensions = dimensions;
  const Method& method = given.method;
  if (const auto* bisection = std::get_if<RecursiveBisection>(&method))
    options.bisection = *bisection;
  else if (std::holds_alternative<Voronoi>(method))
    options.voronoi = Voronoi{};
  else if (const auto* mesh = std::get_if<Mesh>(&method))
    options.mesh = *mesh;
  else if (!std::holds_alternative<Staggered>(method) && !std::holds_alternative<Tensor>(method) &&
           !std::holds_alternative<Hilbert>(method))
    c::refuse("The method of a grid balancer is " + in_quotes(to_text(method)) + '.',
              "Give staggered, tensor, bisection, voronoi or mesh.");
  if (std::holds_alternative<Tensor>(method)) options.scheme = GridScheme::tensor;
  if (!options.bisection && !options.voronoi && !options.mesh)
    options.grid.shape = shape_with(extents_of(method).value_or(std::array<int, 3>{}), ranks.size(),
                                    dimensions, options.box);
  return options;
}

ek_grid_balancer& with_grid(ek_grid_balancer* handle) {
  return c::live(handle, "ek_grid_balancer");
}

std::vector<ek_cells> cells_of(const std::vector<CellMoves::Parcel>& parcels) {
  auto all = c::list_for<ek_cells>(parcels.size());
  for (const auto& [rank, cells] : parcels) {
    ek_cells& range = all.emplace_back();
    range.rank = rank;
    std::ranges::copy(cells.begin, range.begin);
    std::ranges::copy(cells.end, range.end);
  }
  return all;
}

// Keeps proposed domains in the handle.
void show(ek_grid_balancer& handle, std::optional<Domains> proposed, int* is_proposed) {
  handle.proposed = std::move(proposed);
  if (is_proposed != nullptr) *is_proposed = handle.proposed ? 1 : 0;
}

std::array<double, 3> place_of(const double* centre) { return {centre[0], centre[1], centre[2]}; }

}  // namespace

extern "C" {

int ek_block_balancer_create(int communicator, const char* options, ek_block_balancer** balancer) {
  return c::create(communicator, options, balancer, &block_options);
}
int ek_block_balancer_describe(ek_block_balancer* balancer, const ek_blocks* blocks) {
  return c::guarded([&] {
    ek_block_balancer& handle = with_blocks(balancer);
    std::vector<BlockInfo> all;
    c::together(handle.ranks, [&] { all = blocks_of(blocks); });
    handle.facade.describe(all);
  });
}
int ek_block_add_cost(ek_block_balancer* balancer, int64_t id, double seconds) {
  return c::guarded([&] { with_blocks(balancer).facade.add_cost(id, seconds); });
}
int ek_block_balancer_step(ek_block_balancer* balancer, int may_move, int changed,
                           const ek_block_proposal** proposal) {
  return c::guarded([&] {
    ek_block_balancer& handle = with_blocks(balancer);
    show(handle, handle.facade.step(c::step_options(may_move, changed)), proposal);
  });
}
int ek_block_balancer_propose(ek_block_balancer* balancer, const ek_block_proposal** proposal) {
  return c::guarded([&] {
    ek_block_balancer& handle = with_blocks(balancer);
    show(handle, handle.facade.propose(), proposal);
  });
}
int ek_block_balancer_accept(ek_block_balancer* balancer, const int64_t* ids, int64_t count) {
  return c::guarded([&] {
    ek_block_balancer& handle = with_blocks(balancer);
    c::together(handle.ranks, [&] {
      if (count > 0) c::required(ids, "list of ids");
    });
    handle.facade.accept(
        std::span(ids, static_cast<std::size_t>(std::max<std::int64_t>(count, 0))));
  });
}

int ek_graph_balancer_create(int communicator, const char* options, ek_graph_balancer** balancer) {
  return c::create(communicator, options, balancer, &graph_options);
}
int ek_graph_balancer_step(ek_graph_balancer* balancer, const ek_graph* graph, int may_move,
                           int changed, const ek_graph_proposal** proposal) {
  return c::guarded([&] {
    ek_graph_balancer& handle = c::live(balancer, "ek_graph_balancer");
    show(handle, handle.facade.step(c::graph_of(graph), c::step_options(may_move, changed)),
         proposal);
  });
}
int ek_graph_balancer_propose(ek_graph_balancer* balancer, const ek_graph* graph,
                              const char* method, const ek_graph_proposal** proposal) {
  return c::guarded([&] {
    ek_graph_balancer& handle = c::live(balancer, "ek_graph_balancer");
    std::optional<ByGraph> by;
    c::together(handle.ranks, [&] {
      if (method != nullptr) by = c::graph_method(method);
    });
    show(handle, handle.facade.propose(c::graph_of(graph), by), proposal);
  });
}

int ek_grid_balancer_create(int communicator, const char* options, ek_grid_balancer** balancer) {
  return c::create(communicator, options, balancer, &grid_options);
}
int ek_grid_balancer_step(ek_grid_balancer* balancer, const ek_set* cells,
                          const double* centre_of_work, int may_move, int changed, int* proposed) {
  return c::guarded([&] {
    ek_grid_balancer& handle = with_grid(balancer);
    const StepOptions how = c::step_options(may_move, changed);
    if (cells != nullptr)
      show(handle, handle.facade.step(c::set_of(cells), how), proposed);
    else if (centre_of_work != nullptr)
      show(handle, handle.facade.step(place_of(centre_of_work), how), proposed);
    else
      show(handle, handle.facade.step(how), proposed);
  });
}
int ek_grid_balancer_propose(ek_grid_balancer* balancer, const ek_set* cells,
                             const double* centre_of_work, double work, int* proposed) {
  return c::guarded([&] {
    ek_grid_balancer& handle = with_grid(balancer);
    if (cells != nullptr)
      show(handle, handle.facade.propose(c::set_of(cells)), proposed);
    else if (centre_of_work != nullptr)
      show(handle, handle.facade.propose(work, place_of(centre_of_work)), proposed);
    else
      show(handle, handle.facade.propose(work), proposed);
  });
}
int ek_grid_balancer_cells(ek_grid_balancer* balancer, const int64_t* cells,
                           const ek_cell_moves** moves) {
  return c::guarded([&] {
    c::required(cells, "number of cells along each axis");
    c::required(moves, "address for the moves");
    ek_grid_balancer& handle = with_grid(balancer);
    const GridBalancer& facade = handle.facade;
    const CellMesh mesh = {box_of(facade.domains()), {cells[0], cells[1], cells[2]}};
    const bool is_open = facade.has_proposal() && handle.proposed;
    const int rank = handle.ranks.rank();
    const CellMoves found =
        cells_between(mesh, facade.domains(), is_open ? *handle.proposed : facade.domains(), rank);
    std::vector<CellMoves::Parcel> staying;
    for (const CellRange& range : found.staying) staying.push_back({rank, range});
    handle.leaving = cells_of(found.leaving);
    handle.entering = cells_of(found.entering);
    handle.staying = cells_of(staying);
    handle.moves = {std::ssize(handle.leaving), std::ssize(handle.entering),
                    std::ssize(handle.staying), handle.leaving.data(),
                    handle.entering.data(),     handle.staying.data()};
    *moves = &handle.moves;
  });
}
int ek_grid_balancer_domain(const ek_grid_balancer* balancer, double* lower, double* upper) {
  return c::guarded([&] {
    c::required(lower, "address for the lower corner");
    c::required(upper, "address for the upper corner");
    const Box box = c::live(balancer, "ek_grid_balancer").facade.domain();
    std::ranges::copy(box.lower, lower);
    std::ranges::copy(box.upper, upper);
  });
}
int ek_grid_balancer_neighbours(ek_grid_balancer* balancer, const int** ranks, int* count) {
  return c::guarded([&] {
    c::required(ranks, "address for the ranks");
    c::required(count, "address for the number of ranks");
    ek_grid_balancer& handle = with_grid(balancer);
    handle.neighbours = handle.facade.neighbours();
    handle.neighbours.reserve(1);
    *ranks = handle.neighbours.data();
    *count = static_cast<int>(handle.neighbours.size());
  });
}

}  // extern "C"
