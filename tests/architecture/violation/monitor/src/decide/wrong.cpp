#include "decide/wrong.hpp"

// Never compiled: what include_direction.cmake must catch, behind two headers.
