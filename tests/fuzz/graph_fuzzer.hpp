#pragma once

// The demands of the fuzzers of readers of graphs: an input is read, or refused by one line that
// blames the input. The rows are those of a graph, and several portions together are the whole
// graph.

#include "fuzzer.hpp"

#include "files/graph_offence.hpp"

#include <cmath>

namespace evenkeel::test {

using ReadGraph = tool::GraphFile (*)(const tool::ByteSource&, const tool::GraphPortion&,
                                      const tool::Progress&);

inline void demand_rows(const tool::GraphFile& graph) {
  const auto rows = static_cast<std::size_t>(graph.rows());
  demand(graph.offsets.front() == 0, "offsets begin with 0");
  for (std::size_t r = 0; r < rows; ++r)
    demand(graph.offsets[r] <= graph.offsets[r + 1], "offsets ascend");
  demand(graph.offsets.back() == std::ssize(graph.columns), "offsets end with the entries");
  demand(graph.entries == std::ssize(graph.columns), "the entries are counted");
  for (const std::int64_t column : graph.columns)
    demand(column >= 0 && column < graph.vertices, "neighbours are vertices");
  demand(graph.edge_weights.empty() || graph.edge_weights.size() == graph.columns.size(),
         "a weight for each entry");
  for (const double weight : graph.edge_weights)
    demand(std::isfinite(weight) && weight > 0, "edges have positive weights");
  demand(graph.vertex_weights.size() == rows * static_cast<std::size_t>(graph.constraints),
         "as many weights for each vertex");
  demand(graph.vertex_sizes.empty() || graph.vertex_sizes.size() == rows, "a size for each");
  for (const auto* numbers : {&graph.vertex_weights, &graph.vertex_sizes})
    for (const double number : *numbers) demand(number >= 0, "weights are not negative");
}

// Reads the input in portions. As in the tools, one Error refuses the whole input.
inline tool::GraphFile read_in_portions(ReadGraph read, const tool::ByteSource& source) {
  const tool::GraphFile whole = read(source, {}, {});
  demand_rows(whole);
  demand(whole.rows() == whole.vertices, "a row for each vertex");
  tool::GraphFile pieces;
  constexpr std::int64_t portions = 3;
  for (std::int64_t p = 0; p < portions; ++p) {
    const tool::GraphFile piece = read(source, {p, portions}, {});
    demand_rows(piece);
    demand(piece.vertices == whole.vertices, "every portion sees the whole");
    demand(piece.first == pieces.rows(), "portions follow one another");
    for (std::size_t r = 1; r < piece.offsets.size(); ++r)
      pieces.offsets.push_back(pieces.entries + piece.offsets[r]);
    pieces.entries += piece.entries;
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(pieces.columns, piece.columns);
    append(pieces.edge_weights, piece.edge_weights);
    append(pieces.vertex_weights, piece.vertex_weights);
    append(pieces.vertex_sizes, piece.vertex_sizes);
  }
  demand(pieces.offsets == whole.offsets && pieces.columns == whole.columns, "the same rows");
  demand(same_bits(pieces.edge_weights, whole.edge_weights), "the same weights of edges");
  demand(same_bits(pieces.vertex_weights, whole.vertex_weights), "the same weights of vertices");
  demand(same_bits(pieces.vertex_sizes, whole.vertex_sizes), "the same sizes");
  return whole;
}

// Returns true if the input was read as a graph without offence.
inline bool read_or_refuse(ReadGraph read, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const tool::GraphFile graph = read_in_portions(read, tool::MemorySource("input", bytes));
    tool::check_declared_edges(graph, "input");
    const auto offence = tool::first_offence(Communicator::self(), graph);
    if (offence) demand(!tool::sentence_on(*offence, 1).empty(), "an offence has a message");
    return !offence;
  } catch (const Error& error) {
    const std::string text = error.what();
    demand(error.kind() == ErrorKind::bad_input, "the input is to blame");
    demand(text.find('\n') == std::string::npos, "one line");
    demand(text.find("'input'") != std::string::npos, "the file is named");
    demand(!error.remedy().empty(), "there is something to do");
    return true;
  }
}

}  // namespace evenkeel::test
