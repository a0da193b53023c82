#pragma once

// All ranks write one file, one after the other.

#include <evenkeel/evenkeel.hpp>

#include <cstdio>
#include <string>

// Collective. Calls write(file) on each rank, one after the other; rank 0 empties the file first.
// Throws the same Error on all ranks if the file cannot be written.
template <class Write>
void write_in_turn(const evenkeel::Communicator& ranks, const std::string& path,
                   const Write& write) {
  int failed = 0;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    ranks.barrier();
    if (rank != ranks.rank()) continue;
    std::FILE* const file = std::fopen(path.c_str(), rank == 0 ? "w" : "a");
    if (file != nullptr) write(file);
    const bool has_failed = file == nullptr || std::ferror(file) != 0;
    if (file == nullptr || std::fclose(file) != 0 || has_failed) failed = 1;
  }
  if (ranks.all_reduce(failed, evenkeel::Reduction::greatest) != 0)
    throw evenkeel::Error(evenkeel::ErrorKind::bad_input, evenkeel::Where{"example"},
                          "The picture '" + path + "' cannot be written.",
                          "Name a file in a directory that exists and has room.");
}
