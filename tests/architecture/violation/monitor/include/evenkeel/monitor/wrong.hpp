#pragma once

// Never compiled: what include_direction.cmake must catch.
#include <evenkeel/core/box.hpp>
