#pragma once

// Includes the headers of backends/exec, by which this machine computes.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/gather.hpp>
#include <evenkeel/backends/exec/histogram.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/scan.hpp>
#include <evenkeel/backends/exec/scratch.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/backends/exec/with_space.hpp>
