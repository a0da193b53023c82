#pragma once

// Declares what the fragments of docs/adaptive_mesh.md use: a mesh of columns, and a GraphBalancer.

#include <evenkeel/evenkeel.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ek = evenkeel;

extern const ek::Communicator ranks;
extern ek::GraphBalancer balancer;
extern const ek::Graph graph;

extern std::vector<std::array<double, 2>> x;
extern std::vector<std::int64_t> id, ring;
extern std::vector<int> first, first_layer, layers, uncuttable;
extern std::vector<double> tracer, edge_weight;
extern std::int64_t owned;
extern bool is_last;

extern int least_nodes;
int smallest_part(const ek::GraphCut& cut);
void migrate(const ek::exec::Array<int>& parts);
