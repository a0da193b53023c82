#pragma once

// A file that appears whole or not at all. It is written beside its target under another name, and
// takes the target's place when it is committed; without that nothing of it stays. A file that the
// target was before keeps its content until then, and its permissions for good.

#include <string>
#include <string_view>

namespace evenkeel::tool {

class OutputFile {
 public:
  // An Error (bad input) when the target is anything but a regular file that may be replaced or is
  // not there yet. A symbolic link stays; the file that it leads to is written.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Each call is a call of the system: give large pieces. Status 1 when the disk is full.
  void write(std::string_view bytes);

  // The content is on the disk when this returns. Write no more. What is left to commit() then is
  // to give the file its name: of several files, finish all before committing any.
  void finish();

  // Finishes, unless that is done, and gives the content the name of the target.
  void commit();

 private:
  [[noreturn]] void give_up_writing(int error_number) const;
  void discard() noexcept;

  std::string path_;       // as the user named it
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty when there is none
  int descriptor_ = -1;
};

}  // namespace evenkeel::tool
