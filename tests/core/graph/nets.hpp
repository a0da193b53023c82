#pragma once

// Whole nets on the host for tests, and the share of a rank.

#include "core/graph/graphs.hpp"

namespace evenkeel::test {

struct NetsOnHost {
  std::int64_t objects = 0;
  std::vector<std::int64_t> offsets = {0}, pins;
  std::vector<double> net_weights;  // if empty, all are 1
  std::vector<double> weights;      // if empty, all are 1
  int constraints = 1;
  std::vector<int> fixed;

  std::int64_t size() const { return std::ssize(offsets) - 1; }
  std::span<const std::int64_t> net(std::int64_t e) const {
    const auto at = static_cast<std::size_t>(e);
    return std::span(pins).subspan(static_cast<std::size_t>(offsets[at]),
                                   static_cast<std::size_t>(offsets[at + 1] - offsets[at]));
  }
  double net_weight(std::int64_t e) const {
    return net_weights.empty() ? 1 : net_weights[static_cast<std::size_t>(e)];
  }
  double weight(std::int64_t v, int constraint) const {
    return weights.empty() ? 1 : weights[static_cast<std::size_t>(v * constraints + constraint)];
  }
  void add(std::span<const std::int64_t> more) {
    pins.insert(pins.end(), more.begin(), more.end());
    offsets.push_back(std::ssize(pins));
  }
  void add(std::initializer_list<std::int64_t> more) {
    add(std::span<const std::int64_t>(more.begin(), more.size()));
  }
};

// The number of parts that a net is in.
inline std::int64_t parts_of_net(const NetsOnHost& nets, std::int64_t e,
                                 const std::vector<int>& parts) {
  std::set<int> seen;
  for (const std::int64_t v : nets.net(e)) seen.insert(parts[static_cast<std::size_t>(v)]);
  return std::ssize(seen);
}

inline double connectivity_of(const NetsOnHost& nets, const std::vector<int>& parts) {
  double sum = 0;
  for (std::int64_t e = 0; e < nets.size(); ++e)
    sum += nets.net_weight(e) *
           static_cast<double>(std::max<std::int64_t>(parts_of_net(nets, e, parts) - 1, 0));
  return sum;
}

// Makes one net for each vertex, with all its neighbours: the rows of a matrix.
inline NetsOnHost rows_of(const GraphOnHost& graph) {
  NetsOnHost nets;
  nets.objects = graph.size();
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    std::vector<std::int64_t> pins(graph.row(v).begin(), graph.row(v).end());
    pins.push_back(v);
    nets.add(pins);
  }
  return nets;
}

// Objects are the cells of a grid. Each node that several cells share is a net.
inline NetsOnHost nodes_of_cells(std::int64_t width, std::int64_t height) {
  NetsOnHost nets;
  nets.objects = width * height;
  for (std::int64_t y = 0; y <= height; ++y)
    for (std::int64_t x = 0; x <= width; ++x) {
      std::vector<std::int64_t> pins;
      for (std::int64_t j = y - 1; j <= y; ++j)
        for (std::int64_t i = x - 1; i <= x; ++i)
          if (i >= 0 && i < width && j >= 0 && j < height) pins.push_back(j * width + i);
      nets.add(pins);
    }
  return nets;
}

// Draws nets of 2 to `most` pins. Most nets are within one group, and the numbers of a group's
// objects are scattered.
inline NetsOnHost communities(std::int64_t objects, std::int64_t groups, std::int64_t count,
                              std::int64_t most, int salt) {
  NetsOnHost nets;
  nets.objects = objects;
  for (std::int64_t e = 0; e < count; ++e) {
    const auto draw = [&](std::int64_t k) {
      return static_cast<std::int64_t>(mix(e * 1000 + k, salt) >> 33U);
    };
    const std::int64_t pins = 2 + draw(0) % (most - 1);
    const std::int64_t group = draw(1) % groups;
    const bool is_within = draw(2) % 10 != 0;
    std::set<std::int64_t> chosen;
    for (std::int64_t k = 0; k < pins; ++k) {
      const std::int64_t any = draw(3 + k) % objects;
      chosen.insert(is_within ? std::min(any / groups * groups + group, objects - 1) : any);
    }
    nets.add(std::vector<std::int64_t>(chosen.begin(), chosen.end()));
  }
  return nets;
}

// Each net has neighbouring objects on a ring.
inline NetsOnHost windows(std::int64_t objects, std::int64_t pins, std::int64_t step) {
  NetsOnHost nets;
  nets.objects = objects;
  for (std::int64_t first = 0; first < objects; first += step) {
    std::vector<std::int64_t> window;
    for (std::int64_t k = 0; k < pins; ++k) window.push_back((first + k) % objects);
    nets.add(window);
  }
  return nets;
}

// The share of a rank. Objects are in their order. Ranks get nets in turn, so that most nets are
// given by a rank that owns no pin of them.
struct NetShare {
  std::int64_t first = 0, objects = 0;
  std::vector<std::int64_t> offsets = {0}, pins;
  std::vector<double> net_weights, weights;
  std::vector<int> fixed;
};

inline NetShare share_of(const NetsOnHost& nets, int rank, int ranks) {
  const auto [begin, end] = exec::share_of(nets.objects, ranks, rank);
  NetShare share;
  share.first = begin;
  share.objects = end - begin;
  for (std::int64_t e = (rank + 1) % ranks; e < nets.size(); e += ranks) {
    const auto net = nets.net(e);
    share.pins.insert(share.pins.end(), net.begin(), net.end());
    share.offsets.push_back(std::ssize(share.pins));
    if (!nets.net_weights.empty()) share.net_weights.push_back(nets.net_weight(e));
  }
  for (std::int64_t v = begin; v < end; ++v) {
    for (int c = 0; c < nets.constraints && !nets.weights.empty(); ++c)
      share.weights.push_back(nets.weight(v, c));
    if (!nets.fixed.empty()) share.fixed.push_back(nets.fixed[static_cast<std::size_t>(v)]);
  }
  return share;
}

}  // namespace evenkeel::test
