#pragma once

// Never compiled: include_direction.cmake must catch it.
#include "graph/cut/right.hpp"
