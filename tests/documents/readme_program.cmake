# Compares the first block of C++ in README.md with examples/01_minimal.cpp, from its first #include
# on.
file(READ ${SOURCE}/README.md readme)
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "README.md has no block of C++")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${readme}" ${begin} -1 readme)
string(FIND "${readme}" "```" end)
string(SUBSTRING "${readme}" 0 ${end} program)

file(READ ${SOURCE}/examples/01_minimal.cpp example)
string(FIND "${example}" "#include" begin)
string(SUBSTRING "${example}" ${begin} -1 example)

if(NOT program STREQUAL example)
  message(FATAL_ERROR "The program in README.md is not examples/01_minimal.cpp any more.")
endif()
