// Never compiled: include_direction.cmake must catch it.
#include <evenkeel/core/box.hpp>
