#pragma once

// The bytes for the readers come from a source: a file, or memory for tests and fuzzers. A source
// has a fixed size, can be read at any offset, and assumes nothing about the content.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace evenkeel::tool {

// Readers call this from time to time with the number of bytes that they have read. A Progress may
// be empty.
using Progress = std::function<void(std::uint64_t bytes, std::uint64_t of_bytes)>;

// Returns the Progress for reading the file of this name. A ProgressOf may be empty.
using ProgressOf = std::function<Progress(const std::string& name)>;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The name as the user wrote it, for messages.
  const std::string& name() const noexcept { return name_; }

  // The size in bytes when the source was opened.
  std::uint64_t size() const noexcept { return size_; }

  // Fills all of `bytes`, from `offset` on. Throws an Error if the source has become too short, or
  // if the caller reads beyond size().
  void read(std::uint64_t offset, std::span<char> bytes) const;

 protected:
  ByteSource(std::string name, std::uint64_t size);
  void set_size(std::uint64_t size) noexcept { size_ = size; }
  [[noreturn]] void refuse_shrunk(std::uint64_t end) const;

 private:
  virtual void read_within(std::uint64_t offset, std::span<char> bytes) const = 0;

  std::string name_;
  std::uint64_t size_;
};

// A regular file. The constructor throws an Error if the path is no regular file, or if the user
// may not read it.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  ~FileSource() override;

 private:
  void read_within(std::uint64_t offset, std::span<char> bytes) const override;

  int descriptor_;
};

// Borrows the bytes.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes);

 private:
  void read_within(std::uint64_t offset, std::span<char> bytes) const override;

  std::string_view bytes_;
};

}  // namespace evenkeel::tool
