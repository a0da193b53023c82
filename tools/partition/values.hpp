#pragma once

// Checks values of options that several methods of `evenkeel partition` have.

#include "partition/methods.hpp"

namespace evenkeel::tool {

inline constexpr int most_parts = 1 << 24;

int parts_from(const std::string& text);
double number_from(std::string_view option, const std::string& text);
double target_lambda_from(const std::string& text);
// The most bytes of a part; 0 if there is no limit.
double memory_of(const PartitionArguments& asked);

// Throws an Error if an output file is an input file or another output file.
void refuse_to_overwrite(const PartitionArguments& asked);

}  // namespace evenkeel::tool
