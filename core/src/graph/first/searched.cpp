// Local searches in which vertices move one after the other, also at a loss (Sanders and Schulz,
// 2011: multi-try FM). A search begins with one vertex of a border and continues with neighbours of
// the vertices that it has moved. It ends when a gain has become unlikely, and takes back the moves
// after its best state.

#include "graph/first/gain_heap.hpp"
#include "graph/first/host_graph.hpp"

#include <cmath>

namespace evenkeel::graphs {

namespace {

constexpr int most_rounds = 10;
constexpr double least_gain = 0.001;  // of a round, as a share of the cut

// Decides when a search ends: when its gains, as a random walk with their mean and variance, will
// hardly reach a new best state (Osipov and Sanders, 2010).
class Hope {
 public:
  explicit Hope(std::int64_t vertices)
      : least_moves_(std::log2(static_cast<double>(vertices) + 2)) {}
  void restart() { *this = Hope(*this, 0); }
  void add(double gain) {
    ++moves_;
    const double from_mean = gain - mean_;
    mean_ += from_mean / moves_;
    squares_ += from_mean * (gain - mean_);
  }
  bool is_over() const {
    if (moves_ <= least_moves_) return false;
    const double variance = squares_ / (moves_ - 1);
    return mean_ == 0 || (mean_ < 0 && moves_ * mean_ * mean_ >= factor * variance);
  }

 private:
  static constexpr double factor = 0.25;
  Hope(const Hope& other, int) : least_moves_(other.least_moves_) {}
  double least_moves_, moves_ = 0, mean_ = 0, squares_ = 0;
};

class LocalSearch {
 public:
  // Refers to its arguments.
  LocalSearch(const HostGraph& graph, const Goal& goal, std::vector<int>& parts)
      : graph_(graph),
        goal_(goal),
        parts_(parts),
        weights_(at(goal.parts) * at(goal.constraints), 0),
        lumps_(at(goal.parts), 0),
        sums_(at(goal.parts), 0),
        gains_(parts.size(), 0),
        moved_in_(parts.size(), 0),
        queued_in_(parts.size(), 0),
        changed_in_(parts.size(), 0) {
    for (std::size_t p = 0; p < lumps_.size(); ++p)
      for (int c = 0; c < goal.constraints; ++c) limits_.push_back(goal.limit_of(p, at(c)));
    for (Vertex v = 0; v < graph.size(); ++v) put(v, 1);
  }

  // Searches from each vertex on a border. A vertex moves at most once in a round. Returns the
  // gain.
  std::int64_t run_round() {
    ++round_;
    std::int64_t gain = 0;
    for (Vertex v = 0; v < graph_.size(); ++v)
      if (changed_in_[at(v)] >= round_ - 1 && may_move(v) && is_on_border(v))
        gain += search_from(v);
    return gain;
  }
  std::int64_t cut() const {
    std::int64_t twice = 0;
    for (Vertex v = 0; v < graph_.size(); ++v)
      for_neighbours(v, [&](Vertex u, EdgeUnits weight) {
        if (parts_[at(u)] != parts_[at(v)]) twice += weight;
      });
    return (twice / 2) << finer_bits;
  }

 private:
  struct Wish {
    int part = nowhere;
    std::int64_t gain = 0;
  };
  struct Moved {
    Vertex vertex;
    int from;
  };

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  template <class Visit>
  void for_neighbours(Vertex v, const Visit& visit) const {
    for (std::int64_t e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e)
      visit(graph_.columns[at(e)], graph_.edges[at(e)]);
  }
  bool is_lump(Vertex v) const { return goal_.lump > 0 && graph_.weight(v, 0) >= goal_.lump; }
  bool may_move(Vertex v) const {
    return moved_in_[at(v)] != round_ && (graph_.fixed.empty() || graph_.fixed[at(v)] < 0) &&
           !is_lump(v);
  }
  bool is_on_border(Vertex v) const {
    for (std::int64_t e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e)
      if (parts_[at(graph_.columns[at(e)])] != parts_[at(v)]) return true;
    return false;
  }
  std::int64_t stay(Vertex v, int part) const {
    return !graph_.stay.empty() && graph_.homes[at(v)] == part ? graph_.stay[at(v)] : 0;
  }
  std::int64_t weight_of(int part, int constraint = 0) const {
    return weights_[at(part) * at(goal_.constraints) + at(constraint)];
  }
  bool has_room(int part, Vertex v) const {
    if (lumps_[at(part)] > 0 && weight_of(part) + graph_.weight(v, 0) > goal_.beside_lump)
      return false;
    for (int c = 0; c < goal_.constraints; ++c)
      if (weight_of(part, c) + graph_.weight(v, c) >
          limits_[at(part) * at(goal_.constraints) + at(c)])
        return false;
    return true;
  }
  bool may_lose(int part) const {
    for (int c = 0; c < goal_.constraints; ++c)
      if (weight_of(part, c) < goal_.floor_of(at(part), at(c))) return false;
    return true;
  }
  void put(Vertex v, int sign) {
    const std::size_t part = at(parts_[at(v)]);
    for (int c = 0; c < goal_.constraints; ++c)
      weights_[part * at(goal_.constraints) + at(c)] += sign * graph_.weight(v, c);
    if (is_lump(v)) lumps_[part] += sign;
  }
  void move(Vertex v, int to) {
    put(v, -1);
    parts_[at(v)] = to;
    put(v, 1);
  }

  // The other part with room to which v has the strongest connection. The lighter part wins ties.
  Wish wish_of(Vertex v) {
    touched_.clear();
    for_neighbours(v, [&](Vertex u, EdgeUnits weight) {
      const int part = parts_[at(u)];
      if (sums_[at(part)] == 0) touched_.push_back(part);
      sums_[at(part)] += weight;
    });
    const int own_part = parts_[at(v)];
    const std::int64_t own = (sums_[at(own_part)] << finer_bits) + stay(v, own_part);
    Wish best;
    if (may_lose(own_part))
      for (const int part : touched_) {
        if (part == own_part) continue;
        const std::int64_t gain = (sums_[at(part)] << finer_bits) + stay(v, part) - own;
        if (best.part != nowhere &&
            (gain < best.gain || (gain == best.gain && weight_of(part) >= weight_of(best.part))))
          continue;
        if (has_room(part, v)) best = {part, gain};
      }
    for (const int part : touched_) sums_[at(part)] = 0;
    return best;
  }
  void queue(Vertex v) {
    const Wish wish = wish_of(v);
    if (wish.part == nowhere || (queued_in_[at(v)] == search_ && gains_[at(v)] == wish.gain))
      return;
    queued_in_[at(v)] = search_;
    gains_[at(v)] = wish.gain;
    heap_.push(wish.gain, graph_.names[at(v)], v);
  }

  std::int64_t search_from(Vertex seed) {
    ++search_;
    heap_.clear();
    moved_.clear();
    hope_.restart();
    std::size_t kept = 0;
    std::int64_t gain = 0, best = 0;
    queue(seed);
    while (!heap_.empty() && !hope_.is_over()) {
      const auto [old_gain, tie, v] = heap_.pop();
      if (moved_in_[at(v)] == round_ || old_gain != gains_[at(v)]) continue;
      const Wish wish = wish_of(v);
      if (wish.part == nowhere || wish.gain != old_gain) {  // parts have filled up or lost weight
        queued_in_[at(v)] = 0;
        queue(v);
        continue;
      }
      moved_.push_back({v, parts_[at(v)]});
      move(v, wish.part);
      moved_in_[at(v)] = round_;
      gain += wish.gain;
      hope_.add(static_cast<double>(wish.gain));
      if (gain > best) {
        best = gain;
        kept = moved_.size();
        hope_.restart();
      }
      for_neighbours(v, [&](Vertex u, EdgeUnits) {
        if (may_move(u)) queue(u);
      });
    }
    for (; moved_.size() > kept; moved_.pop_back()) move(moved_.back().vertex, moved_.back().from);
    for (const auto& [v, from] : moved_) {
      changed_in_[at(v)] = round_;
      for_neighbours(v, [&](Vertex u, EdgeUnits) { changed_in_[at(u)] = round_; });
    }
    return best;
  }

  const HostGraph& graph_;
  const Goal& goal_;
  std::vector<int>& parts_;
  std::vector<std::int64_t> weights_, limits_, lumps_;  // by part
  std::vector<std::int64_t> sums_;                      // by part; all are 0 between uses
  std::vector<int> touched_;                            // the parts whose sums are not 0
  std::vector<std::int64_t> gains_;                     // of queued vertices
  std::vector<int> moved_in_, queued_in_;               // the last round, the last search
  std::vector<int> changed_in_;  // the last round in which the vertex or a neighbour has moved
  std::vector<Moved> moved_;
  GainHeap heap_;
  Hope hope_{graph_.size()};
  int round_ = 0, search_ = 0;
};

}  // namespace

void search(const HostGraph& graph, const Goal& goal, std::vector<int>& parts) {
  LocalSearch search(graph, goal, parts);
  double cut = static_cast<double>(search.cut());
  for (int round = 0; round < most_rounds; ++round) {
    const auto gain = static_cast<double>(search.run_round());
    if (gain <= least_gain * cut) return;
    cut -= gain;
  }
}

}  // namespace evenkeel::graphs
