#include "graph_calls.hpp"

#include "graph/cut/multilevel.hpp"
#include "recording.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <mpi.h>

#include <fstream>
#include <sstream>

namespace evenkeel::scale {

namespace {

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

GraphCount count_on(const Communicator& ranks, int side) {
  Slab slab(side, ranks.rank(), ranks.size());
  const Calls calls = recorded([&] {
    static_cast<void>(cut_graph(Space::where(MemoryKind::host), ranks,
                                graph(slab.offsets, slab.columns), {}, {}));
  });
  GraphCount count;
  count.ranks = ranks.size();
  for (const Call& call : calls) {
    const bool is_gather = call.kind == CallKind::gather || call.kind == CallKind::gather_several;
    if (!is_collective(call.kind)) {
      count.messages += 1;
      count.bytes_sent += call.bytes;
    } else if (is_gather) {
      count.gathers += 1;
      count.bytes_gathered += call.bytes;
    } else {
      count.reductions += 1;
      count.bytes_reduced += call.bytes;
    }
  }
  count.messages = ranks.all_reduce(count.messages, Reduction::greatest);
  count.bytes_sent = ranks.all_reduce(count.bytes_sent, Reduction::greatest);
  return count;
}

// The line through points, by least squares.
class Line {
 public:
  void add(double x, double y) {
    points_ += 1;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
  }
  double at(double x) const {
    const double spread = points_ * xx_ - x_ * x_;
    const double slope = spread > 0 ? (points_ * xy_ - x_ * y_) / spread : 0;
    return y_ / points_ + slope * (x - x_ / points_);
  }

 private:
  double points_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

// Vertices of the coarsest level, by the library's rule.
double coarsest_on(std::int64_t ranks) {
  return static_cast<double>(std::max(graphs::least_coarsest, graphs::vertices_per_part * ranks));
}

}  // namespace

std::vector<GraphCount> count_graph_calls(const Communicator& world, int side) {
  std::vector<GraphCount> counts;
  for (int third = 1; third <= 3; ++third) {
    const int ranks = std::max(1, world.size() * third / 3);
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world.rank() < ranks ? 0 : MPI_UNDEFINED, world.rank(), &some);
    if (some != MPI_COMM_NULL) {
      counts.push_back(count_on(Communicator(some), side));
      MPI_Comm_free(&some);
    }
  }
  return counts;
}

std::string text_of(const std::vector<GraphCount>& counts) {
  std::ostringstream text;
  for (const GraphCount& count : counts)
    text << count.ranks << ' ' << count.reductions << ' ' << count.bytes_reduced << ' '
         << count.gathers << ' ' << count.bytes_gathered << ' ' << count.messages << ' '
         << count.bytes_sent << '\n';
  return text.str();
}

std::optional<std::vector<GraphCount>> read_counts(const std::string& file) {
  std::ifstream text(file);
  std::vector<GraphCount> counts;
  GraphCount count;
  while (text >> count.ranks >> count.reductions >> count.bytes_reduced >> count.gathers >>
         count.bytes_gathered >> count.messages >> count.bytes_sent)
    counts.push_back(count);
  if (counts.empty()) return std::nullopt;
  return counts;
}

GraphOnRanks graph_on(const std::vector<GraphCount>& counts, std::int64_t ranks) {
  Line reductions;
  for (const GraphCount& count : counts)
    reductions.add(static_cast<double>(count.ranks),
                   static_cast<double>(count.bytes_reduced) /
                       static_cast<double>(std::max<std::int64_t>(1, count.reductions)));
  const GraphCount& most = counts.back();
  const auto at_least_a_word = [](double bytes) {
    return std::max<std::int64_t>(8, static_cast<std::int64_t>(bytes));
  };
  const double growth = coarsest_on(ranks) / coarsest_on(most.ranks);
  GraphOnRanks on;
  on.bytes_of_coarsest =
      static_cast<std::int64_t>(growth * static_cast<double>(most.bytes_gathered));
  const Call reduction = {CallKind::reduction,
                          at_least_a_word(reductions.at(static_cast<double>(ranks)))};
  const Call gather = {CallKind::gather_several,
                       on.bytes_of_coarsest / std::max<std::int64_t>(1, most.gathers)};
  on.collectives.assign(static_cast<std::size_t>(most.reductions), reduction);
  on.collectives.insert(on.collectives.end(), static_cast<std::size_t>(most.gathers), gather);
  on.messages = most.messages;
  on.bytes_sent = most.bytes_sent;
  return on;
}

}  // namespace evenkeel::scale
