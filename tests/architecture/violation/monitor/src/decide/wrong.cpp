// Never compiled: include_direction.cmake must catch it.
#include <evenkeel/monitor/balancer.hpp>
