#include "graph/first/host_graph.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::gather";

template <class T>
std::vector<T> first_on_host(const exec::Array<T>& values, std::int64_t count) {
  std::vector<T> first(static_cast<std::size_t>(values.empty() ? 0 : count));
  values.fetch(0, first);
  return first;
}

// The vertices that a rank contributes to the graph, in the order of that rank.
struct GraphShare {
  std::vector<std::int64_t> degrees;
  std::vector<Address> columns;
  std::vector<EdgeUnits> edges;
  std::vector<std::int64_t> weights, stay;
  std::vector<std::uint64_t> names, keys;
  std::vector<int> homes, fixed;
};

GraphShare share_of(const Communicator& communicator, const Level& level) {
  GraphShare share;
  const std::vector<std::int64_t> offsets = level.rows.offsets.on_host();
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v)
    share.degrees.push_back(offsets[v + 1] - offsets[v]);
  const exec::Array<Address> columns(level.space, label, level.rows.columns.size());
  exec::for_each(level.space, label, columns.size(),
                 WriteAddresses{level.rows.columns.data(), level.ghosts.addresses().data(),
                                level.owned, communicator.rank(), columns.data()});
  share.columns = columns.on_host();
  share.edges = level.rows.weights.on_host();
  share.weights = first_on_host(level.weights, level.owned * level.constraints);
  share.names = first_on_host(level.names, level.owned);
  share.homes = first_on_host(level.wishes.homes, level.owned);
  share.fixed = first_on_host(level.wishes.fixed, level.owned);
  share.stay = first_on_host(level.wishes.stay, level.owned);
  share.keys = first_on_host(level.keys, level.owned);
  return share;
}

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::int64_t>& order,
                        int each = 1) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(values.size());
  for (const std::int64_t v : order)
    for (int c = 0; c < each; ++c) result.push_back(values[static_cast<std::size_t>(v * each + c)]);
  return result;
}

Vertex place_of(const HostGraph& graph, Address address) {
  return graph.places[static_cast<std::size_t>(
      graph.firsts[static_cast<std::size_t>(rank_of(address))] + index_of(address))];
}

HostGraph by_names(const GraphShare& all, std::vector<std::int64_t> firsts_of_ranks,
                   int constraints) {
  HostGraph graph;
  graph.constraints = constraints;
  graph.firsts = std::move(firsts_of_ranks);
  std::vector<std::int64_t> order(all.names.size());
  std::iota(order.begin(), order.end(), 0);
  const auto name_of = [&](std::int64_t v) { return all.names[static_cast<std::size_t>(v)]; };
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return name_of(a) < name_of(b); });
  graph.places.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    graph.places[static_cast<std::size_t>(order[i])] = static_cast<Vertex>(i);
  graph.names = permuted(all.names, order);
  graph.weights = permuted(all.weights, order, constraints);
  graph.homes = permuted(all.homes, order);
  graph.fixed = permuted(all.fixed, order);
  graph.stay = permuted(all.stay, order);
  graph.keys = permuted(all.keys, order);
  std::vector<std::int64_t> firsts(all.degrees.size() + 1, 0);
  std::partial_sum(all.degrees.begin(), all.degrees.end(), firsts.begin() + 1);
  graph.offsets.push_back(0);
  std::vector<std::pair<Vertex, EdgeUnits>> row;
  for (const std::int64_t v : order) {
    row.clear();
    for (std::int64_t e = firsts[static_cast<std::size_t>(v)];
         e < firsts[static_cast<std::size_t>(v) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      row.emplace_back(place_of(graph, all.columns[at]), all.edges[at]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, weight] : row) {
      graph.columns.push_back(column);
      graph.edges.push_back(weight);
    }
    graph.offsets.push_back(std::ssize(graph.columns));
  }
  return graph;
}

}  // namespace

HostGraph gathered(const Communicator& communicator, const Level& level) {
  GraphShare mine;
  const Status ready = attempt(stage_name, [&] { mine = share_of(communicator, level); });
  GraphShare all;
  const auto gather = [&](const auto& from, auto& to) {
    using T = typename std::remove_cvref_t<decltype(from)>::value_type;
    to = all_gather(communicator, {}, std::span<const T>(from)).values;
  };
  Gathered<std::int64_t> degrees =
      all_gather(communicator, ready, std::span<const std::int64_t>(mine.degrees));
  all.degrees = std::move(degrees.values);
  gather(mine.columns, all.columns);
  gather(mine.edges, all.edges);
  gather(mine.weights, all.weights);
  gather(mine.names, all.names);
  gather(mine.homes, all.homes);
  gather(mine.fixed, all.fixed);
  gather(mine.stay, all.stay);
  gather(mine.keys, all.keys);
  HostGraph graph;
  vote(communicator, attempt(stage_name, [&] {
         graph = by_names(all, std::move(degrees.offsets), level.constraints);
       }));
  return graph;
}

std::vector<int> gathered(const Communicator& communicator, const Level& level,
                          const HostGraph& graph, const exec::Array<int>& parts) {
  std::vector<int> mine, by_name;
  const Status ready = attempt(stage_name, [&] { mine = first_on_host(parts, level.owned); });
  const auto all = all_gather(communicator, ready, std::span<const int>(mine)).values;
  vote(communicator, attempt(stage_name, [&] {
         by_name.resize(all.size());
         for (std::size_t i = 0; i < all.size(); ++i)
           by_name[static_cast<std::size_t>(graph.places[i])] = all[i];
       }));
  return by_name;
}

exec::Array<int> scattered(const Communicator& communicator, const Level& level,
                           const HostGraph& graph, const std::vector<int>& parts) {
  std::vector<int> mine;
  mine.reserve(static_cast<std::size_t>(level.local()));
  const auto take = [&](Address address) {
    mine.push_back(parts[static_cast<std::size_t>(place_of(graph, address))]);
  };
  for (std::int64_t v = 0; v < level.owned; ++v)
    take(address_of(communicator.rank(), static_cast<Vertex>(v)));
  for (const Address ghost : level.ghosts.addresses().on_host()) take(ghost);
  return {level.space, label, std::span<const int>(mine)};
}

Level level_of(const HostGraph& graph) {
  const Space space = Space::where(MemoryKind::host);
  const auto there = [&]<class T>(const std::vector<T>& values) {
    return exec::Array<T>(space, label, std::span<const T>(values));
  };
  Level level;
  level.space = space;
  level.constraints = graph.constraints;
  level.owned = level.all_vertices = graph.size();
  level.rows = {there(graph.offsets), there(graph.columns), there(graph.edges)};
  level.wishes.has_homes = !graph.homes.empty();
  level.wishes.has_fixed = !graph.fixed.empty();
  level.wishes.has_stay = !graph.stay.empty();
  level.has_keys = !graph.keys.empty();
  level.names = there(graph.names);
  level.weights = there(graph.weights);
  level.wishes.homes = there(graph.homes);
  level.wishes.fixed = there(graph.fixed);
  level.wishes.stay = there(graph.stay);
  level.keys = there(graph.keys);
  return level;
}

}  // namespace evenkeel::graphs
