#pragma once

// A file that appears whole or not at all. It is written beside its target under another name.
// commit() renames it to the target; without a commit it is removed. Until then an existing target
// keeps its content. The new file gets the permissions of the old one.

#include "files/refusal.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::tool {

class OutputFile {
 public:
  // Throws an Error of bad input unless the target is a regular file that may be replaced, or does
  // not exist yet. If the path is a symbolic link, the link stays and its target is replaced.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Each call is a system call, so pass large pieces. A full disk ends the program with status 1.
  void write(std::string_view bytes);

  // Ensures that the content is on the disk; do not write afterwards. commit() then only has to
  // rename the file. With several files, finish all before you commit any.
  void finish();

  // Calls finish() unless the caller has done so, and renames the file to the target.
  void commit();

 private:
  [[noreturn]] void give_up_writing(int error_number) const;
  void discard() noexcept;

  std::string path_;       // as the user named it
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty if there is no temporary file
  int descriptor_ = -1;
};

// A file and the option that names it.
struct NamedFile {
  std::string_view option;
  std::string path;
};

// Throws an Error if one of the first `outputs` files is also another of the files.
void refuse_same_files(const CommandRefusal& refusal, const std::vector<NamedFile>& files,
                       std::size_t outputs);

}  // namespace evenkeel::tool
