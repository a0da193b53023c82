#include "graph/first/gain_heap.hpp"
#include "graph/first/host_graph.hpp"

#include <evenkeel/backends/exec/bodies.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace evenkeel::graphs {

namespace {

// The part of the graph that is being divided: its rows with local numbers, and the number of each
// vertex in the whole graph.
struct GraphPiece {
  std::vector<std::int64_t> offsets = {0};
  std::vector<Vertex> columns;
  std::vector<EdgeUnits> edges;
  std::vector<Vertex> whole;

  Vertex size() const { return static_cast<Vertex>(whole.size()); }
};

using Sums = std::array<std::int64_t, most_constraints>;
constexpr signed char no_pin = -1;

// The wanted and the greatest weight of each of two sides, by constraint.
struct Sides {
  int constraints = 1;
  std::array<Sums, 2> wanted = {}, most = {};
};

inline std::size_t at(std::int64_t v) { return static_cast<std::size_t>(v); }

// Compares weights of vertices of a piece with the wanted and the greatest weights of its sides.
class SideBalance {
 public:
  // Refers to its arguments.
  SideBalance(const HostGraph& graph, const GraphPiece& piece, const Sides& sides)
      : graph_(graph), piece_(piece), sides_(sides) {}

  void add_to(Sums& sums, Vertex v, int sign) const {
    for (int c = 0; c < sides_.constraints; ++c)
      sums[at(c)] += sign * graph_.weight(piece_.whole[at(v)], c);
  }
  // Returns true if weights / wanted weights, averaged over the constraints, is below 1.
  bool is_below(const Sums& weights, const Sums& wanted) const {
    double there = 0;
    int counted = 0;
    for (int c = 0; c < sides_.constraints; ++c) {
      if (wanted[at(c)] == 0) continue;
      there += static_cast<double>(weights[at(c)]) / static_cast<double>(wanted[at(c)]);
      ++counted;
    }
    return there < counted;
  }
  // Called while side 0 grows. Returns false if, in some constraint, side 0 with vertex v would
  // exceed its greatest weight, and would also be further from its wanted weight than without v.
  bool fits(const Sums& lower, Vertex v) const {
    for (int c = 0; c < sides_.constraints; ++c) {
      const std::int64_t after =
          lower[at(c)] + graph_.weight(piece_.whole[at(v)], c) - sides_.wanted[0][at(c)];
      if (after > 0 && after > sides_.wanted[0][at(c)] - lower[at(c)] &&
          after > sides_.most[0][at(c)] - sides_.wanted[0][at(c)])
        return false;
    }
    return true;
  }
  // Returns the greatest relative excess of a side over its greatest weight; 0 if there is no
  // excess.
  double excess_of(const std::array<Sums, 2>& weights) const {
    double greatest = 0;
    for (std::size_t s = 0; s < 2; ++s)
      for (int c = 0; c < sides_.constraints; ++c) {
        const auto most = static_cast<double>(sides_.most[s][at(c)]);
        const double over = static_cast<double>(weights[s][at(c)]) - most;
        if (over > 0) greatest = std::max(greatest, over / std::max(most, 1.0));
      }
    return greatest;
  }

 private:
  const HostGraph& graph_;
  const GraphPiece& piece_;
  const Sides& sides_;
};

// A division of a piece into sides 0 and 1, and the search for a better one.
class GraphDivision {
 public:
  GraphDivision(const HostGraph& graph, const GraphPiece& piece, const Sides& sides,
                const std::vector<signed char>& pinned)
      : graph_(graph),
        piece_(piece),
        sides_(sides),
        balance_(graph, piece, sides),
        pinned_(pinned),
        side_(static_cast<std::size_t>(piece.size())),
        gain_(side_.size()),
        stamp_(side_.size()) {}

  std::int64_t cut() const { return cut_; }
  double excess() const { return balance_.excess_of(weights_); }
  const std::vector<signed char>& sides() const { return side_; }

  // Grows side 0 from a vertex until it has its wanted weight.
  void grow(std::uint64_t seed) {
    const Vertex count = piece_.size();
    begin_with_pins();
    const auto push = [this](Vertex v) { heap_of(1).push(gain_[at(v)], name(v), v); };
    if (!pinned_.empty())
      for (Vertex v = 0; v < count; ++v)
        if (may_join(v) && touches(v, 0)) push(v);
    const std::uint64_t draw = exec::mixed(seed);
    Vertex scan = count == 0 ? 0 : static_cast<Vertex>(draw % static_cast<std::uint64_t>(count));
    Vertex tried = 0;
    while (balance_.is_below(weights_[0], sides_.wanted[0])) {
      Vertex next = pop_joining();
      for (; next < 0 && tried < count; ++tried, scan = scan + 1 < count ? scan + 1 : 0)
        if (may_join(scan)) next = scan;
      if (next < 0) break;
      if (!balance_.fits(weights_[0], next)) continue;
      move(next);
      for_neighbours(next, [&](Vertex u, EdgeUnits) {
        if (may_join(u)) push(u);
      });
    }
  }

  // Each pass moves single vertices, and then restores the best state of the pass.
  void refine(int passes) {
    for (int pass = 0; pass < passes; ++pass)
      if (!refine_once()) return;
  }

 private:
  GainHeap& heap_of(int side) { return heaps_[at(side)]; }
  std::uint64_t name(Vertex v) const { return graph_.names[at(piece_.whole[at(v)])]; }
  bool is_free(Vertex v) const { return pinned_.empty() || pinned_[at(v)] < 0; }
  bool may_join(Vertex v) const { return side_[at(v)] == 1 && is_free(v); }

  // Side 0 begins with the vertices that must be in it.
  void begin_with_pins() {
    weights_ = {};
    for (Vertex v = 0; v < piece_.size(); ++v) {
      side_[at(v)] = !pinned_.empty() && pinned_[at(v)] == 0 ? 0 : 1;
      balance_.add_to(weights_[side_[at(v)]], v, 1);
    }
    reckon();
    for (GainHeap& heap : heaps_) heap.clear();
  }
  // Removes and returns the vertex of side 1 whose move to side 0 gains most; removes stale entries
  // before it. Returns -1 if there is no such vertex.
  Vertex pop_joining() {
    GainHeap& heap = heap_of(1);
    while (!heap.empty()) {
      const auto [gain, tie, v] = heap.pop();
      if (side_[at(v)] == 1 && gain == gain_[at(v)]) return v;
    }
    return -1;
  }

  template <class Visit>
  void for_neighbours(Vertex v, const Visit& visit) const {
    for (std::int64_t e = piece_.offsets[at(v)]; e < piece_.offsets[at(v) + 1]; ++e)
      visit(piece_.columns[at(e)], piece_.edges[at(e)]);
  }
  bool touches(Vertex v, int side) const {
    bool found = false;
    for_neighbours(v, [&](Vertex u, EdgeUnits) { found |= side_[at(u)] == side; });
    return found;
  }
  void reckon() {
    cut_ = 0;
    for (Vertex v = 0; v < piece_.size(); ++v) {
      std::int64_t gain = 0;
      for_neighbours(v, [&](Vertex u, EdgeUnits weight) {
        const bool is_cut = side_[at(u)] != side_[at(v)];
        gain += is_cut ? weight : -std::int64_t{weight};
        if (is_cut && u < v) cut_ += weight;
      });
      gain_[at(v)] = gain;
    }
  }
  void move(Vertex v) {
    const signed char from = side_[at(v)], to = static_cast<signed char>(1 - from);
    cut_ -= gain_[at(v)];
    gain_[at(v)] = -gain_[at(v)];
    side_[at(v)] = to;
    balance_.add_to(weights_[at(from)], v, -1);
    balance_.add_to(weights_[at(to)], v, 1);
    for_neighbours(v, [&](Vertex u, EdgeUnits weight) {
      gain_[at(u)] += side_[at(u)] == to ? -2 * std::int64_t{weight} : 2 * std::int64_t{weight};
    });
  }

  bool refine_once() {
    ++pass_;
    for (GainHeap& heap : heaps_) heap.clear();
    const auto push = [&](Vertex v) { heap_of(side_[at(v)]).push(gain_[at(v)], name(v), v); };
    for (Vertex v = 0; v < piece_.size(); ++v)
      if (is_free(v) && (touches(v, 1 - side_[at(v)]) || piece_.size() < 64)) push(v);
    std::vector<Vertex> moved;
    std::size_t kept = 0;
    std::int64_t best_cut = cut_;
    double best_excess = excess();
    const std::int64_t before_cut = cut_;
    const double before_excess = best_excess;
    const std::size_t patience = 40 + side_.size() / 30;
    while (moved.size() - kept < patience) {
      const Vertex v = next_move();
      if (v < 0) break;
      move(v);
      stamp_[at(v)] = pass_;
      moved.push_back(v);
      for_neighbours(v, [&](Vertex u, EdgeUnits) {
        if (stamp_[at(u)] != pass_ && is_free(u)) push(u);
      });
      const double now = excess();
      if (now < best_excess || (now == best_excess && cut_ < best_cut)) {
        best_excess = now;
        best_cut = cut_;
        kept = moved.size();
      }
    }
    while (moved.size() > kept) {
      move(moved.back());
      moved.pop_back();
    }
    return best_excess < before_excess || best_cut < before_cut;
  }

  // Returns the best vertex in the heap of a side that has not moved in this pass, or -1.
  Vertex best_of(int side) {
    GainHeap& heap = heap_of(side);
    while (!heap.empty()) {
      const auto& [gain, tie, v] = heap.top();
      if (side_[at(v)] == side && stamp_[at(v)] != pass_ && gain == gain_[at(v)]) return v;
      heap.pop();
    }
    return -1;
  }
  // Among the vertices of both heaps, returns the one with the greatest gain whose move leaves no
  // side above its greatest weight, or reduces the excess. Returns -1 if there is no such vertex.
  Vertex next_move() {
    const double now = excess();
    Vertex best = -1;
    for (int side = 0; side < 2; ++side) {
      // The first few vertices may be too heavy, and a later one may fit.
      std::vector<Vertex> skipped;
      Vertex found = -1;
      for (int tried = 0; tried < 8; ++tried) {
        const Vertex v = best_of(side);
        if (v < 0) break;
        std::array<Sums, 2> after = weights_;
        balance_.add_to(after[at(side)], v, -1);
        balance_.add_to(after[at(1 - side)], v, 1);
        const double then = balance_.excess_of(after);
        if (then == 0 || then < now) {
          found = v;
          break;
        }
        heap_of(side).pop();
        skipped.push_back(v);
      }
      for (const Vertex v : skipped) heap_of(side).push(gain_[at(v)], name(v), v);
      if (found < 0) continue;
      // If a side is too heavy, `found` relieves it, whatever its gain is.
      if (best < 0 || gain_[at(found)] > gain_[at(best)]) best = found;
    }
    return best;
  }

  const HostGraph& graph_;
  const GraphPiece& piece_;
  const Sides& sides_;
  SideBalance balance_;
  const std::vector<signed char>& pinned_;
  std::vector<signed char> side_;
  std::vector<std::int64_t> gain_;
  std::vector<int> stamp_;
  int pass_ = 0;
  std::array<Sums, 2> weights_ = {};
  std::array<GainHeap, 2> heaps_;
  std::int64_t cut_ = 0;
};

class GraphBisection {
 public:
  GraphBisection(const HostGraph& graph, const Goal& goal, std::uint64_t seed, int tries)
      : graph_(graph),
        goal_(goal),
        seed_(seed),
        tries_(tries),
        parts_(static_cast<std::size_t>(graph.size()), 0),
        local_(static_cast<std::size_t>(graph.size()), 0) {}

  std::vector<int> run() {
    GraphPiece all;
    all.offsets = graph_.offsets;
    all.columns = graph_.columns;
    all.edges = graph_.edges;
    all.whole.resize(static_cast<std::size_t>(graph_.size()));
    std::iota(all.whole.begin(), all.whole.end(), 0);
    divide(all, 0, goal_.parts);
    return parts_;
  }

 private:
  void divide(const GraphPiece& piece, int first, int parts) {
    if (parts == 1) {
      for (const Vertex v : piece.whole) parts_[at(v)] = first;
      return;
    }
    const int left = (parts + 1) / 2;
    const Sides sides = sides_of(piece, first, left, parts);
    const std::vector<signed char> pinned = pins_of(piece, first, left);
    GraphDivision best(graph_, piece, sides, pinned);
    std::vector<signed char> best_sides;
    std::int64_t best_cut = 0;
    double best_excess = 0;
    for (int attempt = 0; attempt < tries_; ++attempt) {
      best.grow(seed_ * 1024 + static_cast<std::uint64_t>(first) * 64 +
                static_cast<std::uint64_t>(attempt));
      best.refine(6);
      if (!best_sides.empty() &&
          (best.excess() > best_excess || (best.excess() == best_excess && best.cut() >= best_cut)))
        continue;
      best_sides = best.sides();
      best_cut = best.cut();
      best_excess = best.excess();
    }
    const auto [lower, upper] = split(piece, best_sides);
    divide(lower, first, left);
    divide(upper, first + left, parts - left);
  }

  Sides sides_of(const GraphPiece& piece, int first, int left, int parts) const {
    Sides sides;
    sides.constraints = goal_.constraints;
    for (int c = 0; c < goal_.constraints; ++c) {
      std::int64_t sum = 0, heaviest = 0;
      for (const Vertex v : piece.whole) {
        sum += graph_.weight(v, c);
        heaviest = std::max(heaviest, graph_.weight(v, c));
      }
      const double share =
          goal_.share_of(at(first), at(left)) / goal_.share_of(at(first), at(parts));
      const auto wanted = static_cast<std::int64_t>(static_cast<double>(sum) * share);
      sides.wanted[0][at(c)] = wanted;
      sides.wanted[1][at(c)] = sum - wanted;
      // The limits of parts allow some excess over the average. Each level of bisection, down to
      // single parts, uses an equal share of it.
      for (std::size_t s = 0; s < 2; ++s) {
        const int its_parts = s == 0 ? left : parts - left;
        const double want = static_cast<double>(sides.wanted[s][at(c)]);
        const double limit = limit_of(s == 0 ? first : first + left, its_parts, at(c));
        const double full = std::min(limit, static_cast<double>(sum));
        const double slack = std::max(0.0, full - want);
        int levels = 1;
        while ((1 << levels) < 2 * its_parts) ++levels;
        sides.most[s][at(c)] = static_cast<std::int64_t>(want + slack / levels);
      }
    }
    return sides;
  }

  // The sum of the limits of `count` parts.
  double limit_of(int first, int count, std::size_t constraint) const {
    return static_cast<double>(goal_.limits[constraint]) * goal_.share_of(at(first), at(count)) +
           static_cast<double>(goal_.raises[constraint]) * count;
  }

  // Returns the side of each vertex, for those that are fixed; empty if no vertex is fixed.
  std::vector<signed char> pins_of(const GraphPiece& piece, int first, int left) const {
    std::vector<signed char> pinned;
    if (graph_.fixed.empty()) return pinned;
    for (const Vertex v : piece.whole) {
      const int part = graph_.fixed[at(v)];
      pinned.push_back(part < 0 ? no_pin : static_cast<signed char>(part < first + left ? 0 : 1));
    }
    return pinned;
  }

  std::array<GraphPiece, 2> split(const GraphPiece& piece, const std::vector<signed char>& sides) {
    std::array<GraphPiece, 2> halves;
    for (Vertex v = 0; v < piece.size(); ++v) {
      GraphPiece& half = halves[at(sides[at(v)])];
      local_[at(v)] = half.size();
      half.whole.push_back(piece.whole[at(v)]);
    }
    for (Vertex v = 0; v < piece.size(); ++v) {
      GraphPiece& half = halves[at(sides[at(v)])];
      for (std::int64_t e = piece.offsets[at(v)]; e < piece.offsets[at(v) + 1]; ++e) {
        const Vertex u = piece.columns[at(e)];
        if (sides[at(u)] != sides[at(v)]) continue;
        half.columns.push_back(local_[at(u)]);
        half.edges.push_back(piece.edges[at(e)]);
      }
      half.offsets.push_back(std::ssize(half.columns));
    }
    return halves;
  }

  const HostGraph& graph_;
  const Goal& goal_;
  std::uint64_t seed_;
  int tries_;
  std::vector<int> parts_;
  std::vector<Vertex> local_;
};

}  // namespace

std::vector<int> bisected(const HostGraph& graph, const Goal& goal, std::uint64_t seed, int tries) {
  return GraphBisection(graph, goal, seed, tries).run();
}

}  // namespace evenkeel::graphs
