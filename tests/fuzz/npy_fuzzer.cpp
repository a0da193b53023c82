#include "fuzzer.hpp"

#include "files/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenkeel::test::read_or_refuse<evenkeel::tool::NpyFile>(data, size);
  return 0;
}
