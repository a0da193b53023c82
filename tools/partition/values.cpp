#include "partition/values.hpp"

#include "files/refusal.hpp"
#include "partition/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <filesystem>
#include <system_error>

namespace evenkeel::tool {

namespace {

std::filesystem::path place_of(const std::string& path) {
  std::error_code unknown;
  const auto whole = std::filesystem::absolute(path, unknown);
  if (unknown) return {path};
  const auto place = std::filesystem::weakly_canonical(whole, unknown);
  return unknown ? std::filesystem::path(path) : place;
}

}  // namespace

void refuse_value(std::string_view option, std::string_view value, std::string remedy) {
  refuse_partition(joined({option, " is ", in_quotes(value), "."}), std::move(remedy));
}

int parts_from(const std::string& text) {
  const auto parts = integer_from_text(text);
  if (!parts || *parts < 1 || *parts > most_parts)
    refuse_value("--parts", text,
                 joined({"Give a whole number from 1 to ", std::to_string(most_parts), "."}));
  return static_cast<int>(*parts);
}

void refuse_to_overwrite(const std::vector<NamedFile>& outputs,
                         const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> files = outputs;
  files.insert(files.end(), inputs.begin(), inputs.end());
  for (std::size_t written = 0; written < outputs.size(); ++written)
    for (std::size_t other = written + 1; other < files.size(); ++other)
      if (place_of(files[written].second) == place_of(files[other].second))
        refuse_partition(joined({files[written].first, " and ", files[other].first,
                                 " name the same file, ", in_quotes(files[written].second), "."}),
                         "Give each a file of its own.");
}

}  // namespace evenkeel::tool
