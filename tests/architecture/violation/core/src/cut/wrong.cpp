// Never compiled: include_direction.cmake must catch it.
#include "wrong.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/evenkeel.hpp>
#include <evenkeel/extras/vtk.hpp>
#include <evenkeel/monitor/metrics.hpp>
