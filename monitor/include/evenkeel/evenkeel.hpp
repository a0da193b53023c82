#pragma once

// All that an application needs. Parts can be included one by one.

#include <evenkeel/backends/build.hpp>
#include <evenkeel/backends/comm.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/kokkos_dual_view.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/grid/box_tree.hpp>
#include <evenkeel/core/grid/cells.hpp>
#include <evenkeel/core/grid/cut.hpp>
#include <evenkeel/core/grid/grid_decomposition.hpp>
#include <evenkeel/core/grid/part_of_point.hpp>
#include <evenkeel/core/grid/rounds.hpp>
#include <evenkeel/core/grid/shape.hpp>
#include <evenkeel/core/migrate.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/owner.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/core/vtk.hpp>
#include <evenkeel/monitor/balancer.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/grid_balancer.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/monitor.hpp>
#include <evenkeel/monitor/options.hpp>
