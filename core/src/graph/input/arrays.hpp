#pragma once

// Arrays of an application, checked and in the memory of the space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/field/number_source.hpp>

#include <cstdint>

namespace evenkeel::graphs {

// The functions here throw an Error for wrong input of the application.

// Says if an array may be longer than the part that is read.
enum class Length { exact, at_least };

// Throws if there are not `count` numbers, one for each of `each`, such as "vertices". Messages
// call the numbers `what`.
void require_numbers(const NumberSource& source, const char* what, std::int64_t count,
                     const char* each, Length length = Length::exact);

// The same, and throws if there are several numbers for each.
void require_integers(const NumberSource& source, const char* what, std::int64_t count,
                      const char* each, Length length);

// The first `count` numbers. Both throw if there are too few, or several for each. Both block.
exec::Array<std::int64_t> integers(const Space& space, const NumberSource& source, const char* what,
                                   std::int64_t count, const char* each,
                                   Length length = Length::exact);
exec::Array<std::uint64_t> ids(const Space& space, const NumberSource& source, const char* what,
                               std::int64_t count, const char* each, Length length);

// The first `count` numbers of the layout, which is one of the source. Throws for numbers that are
// negative or NaN, and for infinity unless it is allowed. Blocks.
exec::Array<double> reals(const Space& space, const NumberSource& source, const char* what,
                          const FieldLayout& at, std::int64_t count, bool may_be_infinite);

}  // namespace evenkeel::graphs
