#include "files/byte_source.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <sys/stat.h>

namespace evenkeel::tool::byte_source_test {
namespace {

using test::error_of;

std::string read(const ByteSource& source, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '?');
  source.read(offset, bytes);
  return bytes;
}

// The text of the Error that refuses to open the file.
std::string refusal(const std::string& path, const std::string& reason) {
  return "evenkeel: tools/files: The file '" + path + "' cannot be read: " + reason +
         ". Name a regular file that exists and that you may read.";
}

TEST(ByteSource, ReadsAtAnyOffset) {
  const test::ScratchDirectory directory;
  const FileSource file(directory.with_file("bytes", "0123456789"));
  const MemorySource memory("memory", "0123456789");
  for (const ByteSource* source :
       {static_cast<const ByteSource*>(&file), static_cast<const ByteSource*>(&memory)}) {
    EXPECT_EQ(source->size(), 10U);
    EXPECT_EQ(read(*source, 0, 10), "0123456789");
    EXPECT_EQ(read(*source, 7, 3), "789");
    EXPECT_EQ(read(*source, 3, 2), "34");
    EXPECT_EQ(read(*source, 10, 0), "");
  }
  EXPECT_EQ(file.name(), directory.path_of("bytes"));
}

TEST(ByteSource, HasNothingBehindItsEnd) {
  const MemorySource source("memory", "0123");
  const std::string text =
      "evenkeel: tools/files: Bytes beyond the end of 'memory' were asked for."
      " Ask for bytes that it has.";
  EXPECT_EQ(error_of([&] { read(source, 0, 5); }), text);
  EXPECT_EQ(error_of([&] { read(source, 4, 1); }), text);
  EXPECT_EQ(error_of([&] { read(source, ~std::uint64_t{0}, 1); }), text);
}

TEST(ByteSource, OnlyRegularFilesAreOpened) {
  const test::ScratchDirectory directory;
  const auto opening = [](const std::string& path) {
    return error_of([&] { const FileSource source(path); });
  };
  const std::string here = directory.path_of("");
  EXPECT_EQ(opening(here), refusal(here, "it is a directory"));
  EXPECT_EQ(opening("/dev/null"), refusal("/dev/null", "it is not a regular file"));
  const std::string pipe = directory.path_of("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(opening(pipe), refusal(pipe, "it is not a regular file"))
      << "and the call does not wait for it";
  const std::string missing = directory.path_of("missing");
  EXPECT_EQ(opening(missing), refusal(missing, "No such file or directory"));
  EXPECT_EQ(opening(""), refusal("", "No such file or directory"));
}

TEST(ByteSource, AFileThatMayNotBeReadIsRefused) {
  const test::ScratchDirectory directory;
  const std::string path = directory.with_file("secret", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const test::Unprivileged unprivileged;
  EXPECT_EQ(error_of([&] { const FileSource source(path); }), refusal(path, "Permission denied"));
}

TEST(ByteSource, AFileThatShrinksIsRefused) {
  const test::ScratchDirectory directory;
  const std::string path = directory.with_file("bytes", "0123456789");
  const FileSource source(path);
  std::filesystem::resize_file(path, 4);
  EXPECT_EQ(read(source, 0, 4), "0123");
  EXPECT_EQ(error_of([&] { read(source, 0, 10); }),
            "evenkeel: tools/files: The file '" + path +
                "' now ends at byte 4; it had 10 bytes when it was opened."
                " Run again when no program writes to it.");
}

}  // namespace
}  // namespace evenkeel::tool::byte_source_test
