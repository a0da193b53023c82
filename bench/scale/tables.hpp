#pragma once

// The costs of protocols on many ranks. Stages of the library really run; the network is a model.

#include "graph_calls.hpp"
#include "network.hpp"

namespace evenkeel::scale {

struct Setting {
  Network network;
  std::int64_t objects_of_rank = 1'000'000;
  std::int64_t bytes_of_object = 64;
  double crowding = 0.15;              // of the cloud
  double drift = 0.002;                // of the cloud's phase, between two rebalances
  double sorted_per_second = 1.3e7;    // claims, on one core
  std::vector<GraphCount> graph = {};  // if it is empty, graphs are left out
};

// One protocol on one number of ranks.
struct Row {
  std::string protocol;
  std::int64_t ranks = 0;
  Cost network;
  double processor = 0;     // seconds of the busiest rank for work that grows with ranks or counts
  std::int64_t memory = 0;  // bytes of each rank for lists that grow with ranks
  double seconds() const noexcept { return network.seconds + processor; }
};

// The rows of all protocols. This takes minutes for a million ranks.
std::vector<Row> rows_for(const Setting& setting, std::int64_t ranks);

// A table of one quantity for each protocol, by ranks.
void print_tables(const std::vector<std::vector<Row>>& by_ranks);

}  // namespace evenkeel::scale
