#pragma once

// A network of nodes with several ranks each, and the times of calls of MPI on it. The cost of a
// collective is computed round by round, as MPI libraries do it. A round has the bytes that each
// rank sends over a wire, and the number of ranks that share this wire. There is no noise, the
// wires of a node are the only congestion, and all ranks arrive at once.

#include "calls.hpp"

namespace evenkeel::scale {

// The cost of one message over a wire.
struct Wire {
  double latency;           // seconds
  double bytes_per_second;  // of one message alone
};

struct Network {
  int ranks_per_node = 64;
  Wire within = {0.5e-6, 8e9};             // two ranks of a node
  Wire across = {1.5e-6, 25e9};            // two nodes; all ranks of a node share it
  double node_bytes_per_second = 200e9;    // of all ranks of a node, which copy together
  double overhead = 0.3e-6;                // seconds of the processor, for each message
  double combined_bytes_per_second = 5e9;  // that a rank adds up
  int in_flight = 8;                       // messages of a rank, each way
};

struct Cost {
  std::int64_t rounds = 0;  // messages that wait for one another
  std::int64_t bytes = 0;   // that the busiest rank sends
  double seconds = 0;
  Cost& operator+=(const Cost& other) noexcept {
    rounds += other.rounds;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
};

// The cost of a collective, by the fastest known way.
Cost cost_of(const Network& network, std::int64_t ranks, const Call& call);
// The cost of all collectives, one after the other.
Cost cost_of(const Network& network, std::int64_t ranks, const Calls& calls);

// Every rank sends and receives this many messages. They have some bytes for other nodes, and the
// rest for the same node.
struct Mail {
  std::int64_t messages = 0;
  std::int64_t bytes_across = 0, bytes_within = 0;
};
Cost cost_of_mail(const Network& network, const Mail& mail);

}  // namespace evenkeel::scale
