#include "graph_fuzzer.hpp"

#include "files/metis.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenkeel::test::read_or_refuse(&evenkeel::tool::read_metis, data, size);
  return 0;
}
