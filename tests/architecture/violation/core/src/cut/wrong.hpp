#pragma once

// Never compiled: include_direction.cmake must catch it.
#include <evenkeel/core/place.hpp>
