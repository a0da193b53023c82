// Never compiled: what include_direction.cmake must catch.
#include <evenkeel/backends/error.hpp>
#include <evenkeel/monitor/metrics.hpp>
