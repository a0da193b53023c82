// Runs every file of a directory through the fuzzer that is linked with this program, in any build
// and without libFuzzer.

#include "fuzzer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<std::uint8_t> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  evenkeel::test::demand(file.is_open(), "the corpus can be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " <directory>\n";
    return 2;
  }
  const auto files = files_of(argv[1]);
  for (const auto& path : files) {
    std::cout << path.filename().string() << std::endl;  // shown if the next line aborts
    const std::vector<std::uint8_t> bytes = content_of(path);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  return files.empty() ? 1 : 0;
}
