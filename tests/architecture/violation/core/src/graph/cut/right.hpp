#pragma once

// Never compiled: a later room may include the earlier one.
#include "graph/levels/wrong.hpp"
