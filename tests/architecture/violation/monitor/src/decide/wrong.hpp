#pragma once

// Never compiled: what lets a room see core.
#include <evenkeel/monitor/wrong.hpp>
