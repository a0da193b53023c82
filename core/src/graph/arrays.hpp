#pragma once

// Arrays of an application, checked and in the memory of the space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/number_source.hpp>

#include <cstdint>
#include <string>

namespace evenkeel::graphs {

// Throws an Error for what the application has given.
[[noreturn]] void refuse(const std::string& problem, const std::string& remedy);

// Whether an array may be longer than what is read of it.
enum class Length { exact, at_least };

// Throws where there are not `count` numbers for `each`, such as "vertices". `what`: how messages
// name the numbers.
void require_numbers(const NumberSource& source, const char* what, std::int64_t count,
                     const char* each, Length length = Length::exact);

// The same, and where there are several for each.
void require_integers(const NumberSource& source, const char* what, std::int64_t count,
                      const char* each, Length length);

// The first `count` numbers. Throw where there are not as many, or several for each. Block.
exec::Array<std::int64_t> integers(const Space& space, const NumberSource& source, const char* what,
                                   std::int64_t count, const char* each,
                                   Length length = Length::exact);
exec::Array<std::uint64_t> ids(const Space& space, const NumberSource& source, const char* what,
                               std::int64_t count, const char* each, Length length);

// The first `count` numbers of the layout, of those of the source. Throws for numbers that are
// negative or no numbers, and for infinity unless it is allowed. Blocks.
exec::Array<double> reals(const Space& space, const NumberSource& source, const char* what,
                          const FieldLayout& at, std::int64_t count, bool may_be_infinite);

}  // namespace evenkeel::graphs
