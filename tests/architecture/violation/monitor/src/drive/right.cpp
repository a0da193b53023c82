// Never compiled: include_direction.cmake must allow this.
#include <evenkeel/core/box.hpp>
