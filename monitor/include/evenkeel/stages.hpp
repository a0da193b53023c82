#pragma once

// The second tier, namespace evenkeel::stages: the stages of a rebalance, for codes that call the
// stages themselves. These interfaces may change between versions.

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/graph/nets.hpp>
#include <evenkeel/core/migrate/move.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/order.hpp>
