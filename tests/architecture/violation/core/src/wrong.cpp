// Never compiled: include_direction.cmake must catch it.
