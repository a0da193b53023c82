#pragma once

// Values of options that several methods of `evenkeel partition` have.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::tool {

inline constexpr int most_parts = 1 << 24;

[[noreturn]] void refuse_value(std::string_view option, std::string_view value, std::string remedy);

int parts_from(const std::string& text);

// A file, and the option that names it.
using NamedFile = std::pair<std::string_view, std::string>;

// An Error if an output file is an input file or another output file.
void refuse_to_overwrite(const std::vector<NamedFile>& outputs,
                         const std::vector<NamedFile>& inputs);

}  // namespace evenkeel::tool
