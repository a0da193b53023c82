// Never compiled: this room may.
#include <evenkeel/core/box.hpp>
