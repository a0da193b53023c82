// Finds successive shortest paths by Dijkstra's algorithm. Each path leads from any part with an
// excess to the nearest part with room. If a path takes back an earlier flow over a border, the
// cost of that border is negative. Dijkstra's algorithm needs costs that are not negative, so
// potentials are added.

#include "graph/improve/quotient.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t cost_of_border = 1024;
constexpr std::int64_t most_for_narrowness = 512;

class Network {
 public:
  Network(std::span<const Border> borders, std::span<const std::int64_t> excess)
      : borders_(borders),
        excess_(excess.begin(), excess.end()),
        flows_(borders.size(), 0),
        costs_(borders.size()),
        back_(borders.size()),
        firsts_(excess.size() + 1, 0),
        potentials_(excess.size(), 0) {
    std::int64_t widest = 1;
    for (const Border& border : borders) {
      ++firsts_[at(border.from) + 1];
      widest = std::max(widest, border.weight);
    }
    for (std::size_t p = 1; p < firsts_.size(); ++p) firsts_[p] += firsts_[p - 1];
    for (std::size_t b = 0; b < borders.size(); ++b) {
      const double narrowness =
          1 - static_cast<double>(borders[b].weight) / static_cast<double>(widest);
      costs_[b] = cost_of_border + static_cast<std::int64_t>(narrowness * most_for_narrowness);
      back_[b] = find(borders[b].to, borders[b].from);
    }
  }

  std::vector<Flow> run() {
    while (push()) {
    }
    std::vector<Flow> flows;
    for (std::size_t b = 0; b < borders_.size(); ++b)
      if (flows_[b] > 0) flows.push_back({borders_[b].from, borders_[b].to, flows_[b]});
    return flows;
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::size_t find(int from, int to) const {
    const auto begin = borders_.begin() + firsts_[at(from)],
               end = borders_.begin() + firsts_[at(from) + 1];
    return at(
        std::lower_bound(begin, end, to, [](const Border& b, int part) { return b.to < part; }) -
        borders_.begin());
  }
  // The cost of one more unit over a border; it is negative if the unit takes back a flow.
  std::int64_t cost(std::size_t border) const {
    return flows_[back_[border]] > 0 ? -costs_[back_[border]] : costs_[border];
  }

  // Pushes as much as possible along one path. Returns false if there is no excess left, or if no
  // part with room can be reached.
  bool push() {
    const std::size_t parts = excess_.size();
    std::vector<std::int64_t> distance(parts, far);
    std::vector<std::size_t> by(parts, borders_.size());
    using Entry = std::pair<std::int64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::size_t p = 0; p < parts; ++p)
      if (excess_[p] > 0) {
        // All parts with an excess are sources of the search, at distance 0.
        distance[p] = 0;
        queue.emplace(0, p);
      }
    std::vector<char> is_done(parts, 0);
    std::size_t goal = parts;
    std::int64_t nearest = far;
    while (!queue.empty()) {
      const auto [so_far, p] = queue.top();
      queue.pop();
      if (is_done[p] != 0 || so_far > distance[p]) continue;
      is_done[p] = 1;
      if (excess_[p] < 0 && goal == parts) {
        goal = p;
        nearest = so_far;
        break;
      }
      for (std::int64_t b = firsts_[p]; b < firsts_[p + 1]; ++b) {
        const auto q = at(borders_[at(b)].to);
        const std::int64_t reduced = cost(at(b)) + potentials_[p] - potentials_[q];
        if (so_far + std::max<std::int64_t>(reduced, 0) >= distance[q]) continue;
        distance[q] = so_far + std::max<std::int64_t>(reduced, 0);
        by[q] = at(b);
        queue.emplace(distance[q], q);
      }
    }
    if (goal == parts) return false;
    for (std::size_t p = 0; p < parts; ++p) potentials_[p] += std::min(distance[p], nearest);
    std::int64_t amount = -excess_[goal];
    std::size_t source = goal;
    while (by[source] < borders_.size()) {
      const std::size_t back = back_[by[source]];
      if (flows_[back] > 0) amount = std::min(amount, flows_[back]);
      source = at(borders_[by[source]].from);
    }
    amount = std::min(amount, excess_[source]);
    for (std::size_t p = goal; by[p] < borders_.size(); p = at(borders_[by[p]].from)) {
      const std::size_t b = by[p];
      if (flows_[back_[b]] > 0)
        flows_[back_[b]] -= amount;
      else
        flows_[b] += amount;
    }
    excess_[source] -= amount;
    excess_[goal] += amount;
    return amount > 0;
  }

  std::span<const Border> borders_;
  std::vector<std::int64_t> excess_, flows_, costs_;
  std::vector<std::size_t> back_;
  std::vector<std::int64_t> firsts_, potentials_;
};

}  // namespace

std::vector<Flow> cheapest_flows(std::span<const Border> borders,
                                 std::span<const std::int64_t> excess) {
  return Network(borders, excess).run();
}

}  // namespace evenkeel::graphs
