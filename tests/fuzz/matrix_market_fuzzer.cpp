#include "graph_fuzzer.hpp"

#include "files/matrix_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool fine = evenkeel::test::read_or_refuse(&evenkeel::tool::read_matrix_market, data, size);
  evenkeel::test::demand(fine, "a matrix becomes a graph");
  return 0;
}
