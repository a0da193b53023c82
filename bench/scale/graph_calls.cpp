#include "graph_calls.hpp"

#include "recording.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/graph.hpp>

#include <algorithm>
#include <vector>

namespace evenkeel::scale {

namespace {

constexpr std::int64_t word = 8;

// A slab of a grid, side x side x (side * ranks), with neighbours by number.
struct Slab {
  std::vector<std::int64_t> offsets = {0}, columns;

  Slab(int side, int rank, int ranks) {
    const std::int64_t n = side, layers = n * ranks;
    for (std::int64_t z = n * rank; z < n * (rank + 1); ++z)
      for (std::int64_t y = 0; y < n; ++y)
        for (std::int64_t x = 0; x < n; ++x) {
          const std::int64_t vertex = (z * n + y) * n + x;
          if (z > 0) columns.push_back(vertex - n * n);
          if (y > 0) columns.push_back(vertex - n);
          if (x > 0) columns.push_back(vertex - 1);
          if (x + 1 < n) columns.push_back(vertex + 1);
          if (y + 1 < n) columns.push_back(vertex + n);
          if (z + 1 < layers) columns.push_back(vertex + n * n);
          offsets.push_back(std::ssize(columns));
        }
  }
};

bool is_gather(CallKind kind) {
  return kind == CallKind::gather || kind == CallKind::gather_several;
}

}  // namespace

GraphCalls count_graph_calls(const Communicator& world, int side) {
  Slab slab(side, world.rank(), world.size());
  const Calls calls = recorded([&] {
    static_cast<void>(cut_graph(Space::where(MemoryKind::host), world,
                                graph(slab.offsets, slab.columns), {}, {}));
  });
  const std::int64_t ranks = world.size();
  GraphCalls counted;
  for (const Call& call : calls) {
    if (!is_collective(call.kind)) {
      counted.messages += 1;
      counted.bytes_of_messages += call.bytes;
    } else if (is_gather(call.kind)) {
      counted.gathers += 1;
      counted.words_gathered += call.bytes / word / ranks;
    } else if (call.kind == CallKind::reduction && call.bytes >= word * ranks &&
               call.bytes < static_cast<std::int64_t>(sizeof(detail::Ballot)) && ranks > 1 &&
               call.bytes > 2 * word) {
      counted.sums_of_parts += 1;
      counted.words_of_parts += std::max<std::int64_t>(1, call.bytes / word / ranks);
    } else {
      counted.small.push_back(call);
    }
  }
  counted.messages = world.all_reduce(counted.messages, Reduction::greatest);
  counted.bytes_of_messages = world.all_reduce(counted.bytes_of_messages, Reduction::greatest);
  return counted;
}

Calls graph_calls_on(const GraphCalls& counted, std::int64_t ranks) {
  Calls calls = counted.small;
  for (std::int64_t i = 0; i < counted.sums_of_parts; ++i)
    calls.push_back({CallKind::reduction, word * ranks * counted.words_of_parts /
                                              std::max<std::int64_t>(1, counted.sums_of_parts)});
  for (std::int64_t i = 0; i < counted.gathers; ++i)
    calls.push_back({CallKind::gather_several, word * ranks * counted.words_gathered /
                                                   std::max<std::int64_t>(1, counted.gathers)});
  return calls;
}

}  // namespace evenkeel::scale
