#include "network.hpp"

#include <algorithm>
#include <bit>

namespace evenkeel::scale {

namespace {

// Adds up the cost of a collective, round by round.
class Play {
 public:
  explicit Play(const Network& network) : network_(network) {}

  // One round. Each of `senders` ranks of a node sends `bytes` to its own node or to other nodes,
  // and adds up `combined` bytes of the data that it receives.
  void round(bool is_across, std::int64_t senders, std::int64_t bytes, std::int64_t combined) {
    const Wire& wire = is_across ? network_.across : network_.within;
    const double shared = is_across ? wire.bytes_per_second : network_.node_bytes_per_second;
    const double rate = std::min(wire.bytes_per_second, shared / static_cast<double>(senders));
    cost_.rounds += 1;
    cost_.bytes += bytes;
    cost_.seconds += wire.latency + 2 * network_.overhead + static_cast<double>(bytes) / rate +
                     static_cast<double>(combined) / network_.combined_bytes_per_second;
  }
  const Cost& cost() const noexcept { return cost_; }

 private:
  const Network& network_;
  Cost cost_;
};

struct Group {
  std::int64_t ranks;
  std::int64_t distance;  // between neighbours of the group, in ranks
  std::int64_t senders;   // ranks of a node that do the same at the same time
};

bool is_across(const Network& network, const Group& group, std::int64_t step) {
  return group.distance * step >= network.ranks_per_node;
}

// Partners at distances 1, 2, 4, ... exchange all their values.
void reduce_by_doubling(const Network& network, Play& play, const Group& group,
                        std::int64_t bytes) {
  for (std::int64_t step = 1; step < group.ranks; step *= 2)
    play.round(is_across(network, group, step), group.senders, bytes, bytes);
}

// Each rank adds up its share of the values. In each step, partners exchange halves of what they
// still have. Far partners come first, and send the most.
void scatter_sums(const Network& network, Play& play, const Group& group, std::int64_t bytes) {
  const auto steps = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(group.ranks) - 1));
  for (int step = 0; step < steps; ++step) {
    const std::int64_t half = std::max<std::int64_t>(1, bytes >> (step + 1));
    play.round(is_across(network, group, std::int64_t{1} << (steps - 1 - step)), group.senders,
               half, half);
  }
}

// The reverse: all ranks get the shares of all ranks, which have `bytes` in total.
void gather_shares(const Network& network, Play& play, const Group& group, std::int64_t bytes) {
  const auto steps = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(group.ranks) - 1));
  for (int step = 0; step < steps; ++step)
    play.round(is_across(network, group, std::int64_t{1} << step), group.senders,
               std::max<std::int64_t>(1, bytes >> (steps - step)), 0);
}

Cost cheapest(std::initializer_list<Cost> ways) {
  return *std::min_element(ways.begin(), ways.end(),
                           [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; });
}

struct Shape {
  std::int64_t ranks, per_node, nodes;
};
Shape shape_of(const Network& network, std::int64_t ranks) {
  const std::int64_t per_node = std::min<std::int64_t>(network.ranks_per_node, ranks);
  return {ranks, per_node, (ranks + per_node - 1) / per_node};
}

Cost reduction(const Network& network, std::int64_t ranks, std::int64_t bytes) {
  const Shape shape = shape_of(network, ranks);
  const Group all = {shape.ranks, 1, shape.per_node};
  Play doubling(network), halving(network), by_node(network);
  reduce_by_doubling(network, doubling, all, bytes);
  scatter_sums(network, halving, all, bytes);
  gather_shares(network, halving, all, bytes);
  // Each node first reduces on its own, so that each of its ranks has the sums of one share. Then
  // each rank reduces its share with the ranks that have the same share on other nodes.
  const Group node = {shape.per_node, 1, shape.per_node};
  const Group like = {shape.nodes, shape.per_node, shape.per_node};
  const std::int64_t share = std::max<std::int64_t>(1, bytes / shape.per_node);
  scatter_sums(network, by_node, node, bytes);
  scatter_sums(network, by_node, like, share);
  gather_shares(network, by_node, like, share);
  gather_shares(network, by_node, node, bytes);
  return cheapest({doubling.cost(), halving.cost(), by_node.cost()});
}

Cost gather(const Network& network, std::int64_t ranks, std::int64_t bytes) {
  const Shape shape = shape_of(network, ranks);
  Play flat(network), by_node(network);
  gather_shares(network, flat, {shape.ranks, 1, shape.per_node}, bytes);
  // Each rank of a node gathers a share from one rank of each other node; then the ranks of a node
  // exchange their shares.
  const std::int64_t share = std::max<std::int64_t>(1, bytes / shape.per_node);
  gather_shares(network, by_node, {shape.nodes, shape.per_node, shape.per_node}, share);
  gather_shares(network, by_node, {shape.per_node, 1, shape.per_node}, bytes);
  return cheapest({flat.cost(), by_node.cost()});
}

// Gathers by a tree. The wire of the root carries nearly all data.
Cost gather_to_root(const Network& network, std::int64_t ranks, std::int64_t bytes) {
  const Shape shape = shape_of(network, ranks);
  Play play(network);
  gather_shares(network, play, {shape.nodes, shape.per_node, 1}, bytes);
  gather_shares(network, play, {shape.per_node, 1, 1}, bytes / shape.nodes);
  return play.cost();
}

Cost broadcast(const Network& network, std::int64_t ranks, std::int64_t bytes) {
  const Shape shape = shape_of(network, ranks);
  Play tree(network), scattered(network);
  for (std::int64_t step = 1; step < shape.nodes; step *= 2) tree.round(true, 1, bytes, 0);
  for (std::int64_t step = 1; step < shape.per_node; step *= 2) tree.round(false, step, bytes, 0);
  scatter_sums(network, scattered, {shape.nodes, shape.per_node, 1}, bytes);
  gather_shares(network, scattered, {shape.nodes, shape.per_node, 1}, bytes);
  for (std::int64_t step = 1; step < shape.per_node; step *= 2)
    scattered.round(false, step, bytes, 0);
  return cheapest({tree.cost(), scattered.cost()});
}

Cost in_doubling_steps(const Network& network, std::int64_t ranks, std::int64_t bytes) {
  const Shape shape = shape_of(network, ranks);
  Play play(network);
  reduce_by_doubling(network, play, {shape.ranks, 1, shape.per_node}, bytes);
  return play.cost();
}

}  // namespace

Cost cost_of(const Network& network, std::int64_t ranks, const Call& call) {
  if (ranks < 2) return {};
  switch (call.kind) {
    case CallKind::reduction:
    case CallKind::pending_reduction: return reduction(network, ranks, call.bytes);
    case CallKind::scan: return in_doubling_steps(network, ranks, call.bytes);
    case CallKind::barrier: return in_doubling_steps(network, ranks, 0);
    case CallKind::broadcast: return broadcast(network, ranks, call.bytes);
    case CallKind::gather:
    case CallKind::gather_several: return gather(network, ranks, call.bytes);
    case CallKind::gather_to_root: return gather_to_root(network, ranks, call.bytes);
    case CallKind::note:
    case CallKind::message: return cost_of_mail(network, {1, call.bytes, 0});
  }
  return {};
}

Cost cost_of(const Network& network, std::int64_t ranks, const Calls& calls) {
  Cost all;
  for (const Call& call : calls) all += cost_of(network, ranks, call);
  return all;
}

Cost cost_of_mail(const Network& network, const Mail& mail) {
  Cost cost;
  if (mail.messages == 0) return cost;
  const double across = network.across.bytes_per_second / network.ranks_per_node;
  const double within = std::min(network.within.bytes_per_second,
                                 network.node_bytes_per_second / network.ranks_per_node);
  cost.rounds = (mail.messages + network.in_flight - 1) / network.in_flight;
  cost.bytes = mail.bytes_across + mail.bytes_within;
  cost.seconds = static_cast<double>(cost.rounds) * network.across.latency +
                 2 * static_cast<double>(mail.messages) * network.overhead +
                 static_cast<double>(mail.bytes_across) / across +
                 static_cast<double>(mail.bytes_within) / within;
  return cost;
}

}  // namespace evenkeel::scale
