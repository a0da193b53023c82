#include "fuzzer.hpp"

#include "files/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenkeel::test::read_or_refuse<evenkeel::tool::CsvFile>(data, size);
  return 0;
}
