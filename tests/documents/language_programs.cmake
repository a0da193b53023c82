# docs/languages.md must show the programs of examples/languages.
file(READ ${SOURCE}/docs/languages.md page)
foreach(program first.c first.f90 first.py)
  file(READ ${SOURCE}/examples/languages/${program} text)
  string(FIND "${page}" "\n${text}```" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "docs/languages.md does not show examples/languages/${program}.")
  endif()
endforeach()
