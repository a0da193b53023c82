#pragma once

// The first tier: it has all that an application needs. <evenkeel/stages.hpp> is the second tier,
// for codes that call the stages of a rebalance themselves.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/field/blocks.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/halo.hpp>
#include <evenkeel/monitor/balancer.hpp>
#include <evenkeel/monitor/block_balancer.hpp>
#include <evenkeel/monitor/graph_balancer.hpp>
#include <evenkeel/monitor/grid_balancer.hpp>
#include <evenkeel/monitor/monitor.hpp>
