#pragma once

// The demands of every fuzzer of a reader of arrays: an input is read, or refused by one line that
// blames the input. The number of pieces in which its rows are read does not matter.

#include "files/array.hpp"

#include <evenkeel/backends/error.hpp>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace evenkeel::test {

// Ends the process, which is how a fuzzer reports a finding.
inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "Not so: %s\n", what);
  std::abort();
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}

// Reads three pieces. All of them are refused if any number is invalid.
inline void read_in_pieces(const tool::ArrayFile& file) {
  const std::vector<double> whole = file.read(0, file.rows());
  demand(whole.size() == file.rows() * file.columns(), "a number for each row and column");
  std::vector<double> pieces;
  const std::uint64_t ends[] = {0, file.rows() / 3, file.rows() - file.rows() / 3, file.rows()};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> piece = file.read(ends[i], ends[i + 1]);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  demand(same_bits(whole, pieces), "the pieces are the whole");
}

template <class File>
void read_or_refuse(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const File file(std::make_unique<tool::MemorySource>("input", bytes));
    read_in_pieces(file);
  } catch (const Error& error) {
    const std::string text = error.what();
    demand(error.kind() == ErrorKind::bad_input, "the input is to blame");
    demand(text.find('\n') == std::string::npos, "one line");
    demand(text.find("'input'") != std::string::npos, "the file is named");
    demand(!error.remedy().empty(), "there is something to do");
  }
}

}  // namespace evenkeel::test

// libFuzzer calls this function by this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
