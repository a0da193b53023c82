#pragma once

// Checks arrays of an application, and copies them to memory of the space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/field/number_source.hpp>

#include <cstdint>

namespace evenkeel::graphs {

// If the application's input is wrong, the functions here throw an Error.

// Says whether an array of the application may have more entries than are read.
enum class Length { exact, at_least };

// Throws if `source` does not have `count` numbers. In messages, `what` names the numbers, and
// `each` names the items that have one number each, such as "vertices".
void require_numbers(const NumberSource& source, const char* what, std::int64_t count,
                     const char* each, Length length = Length::exact);

// Makes the checks of require_numbers(), and throws if an item has several numbers.
void require_integers(const NumberSource& source, const char* what, std::int64_t count,
                      const char* each, Length length);

// integers() and ids() return the first `count` numbers. They throw if there are too few numbers,
// or if an item has several. They block.
exec::Array<std::int64_t> integers(const Space& space, const NumberSource& source, const char* what,
                                   std::int64_t count, const char* each,
                                   Length length = Length::exact);
exec::Array<std::uint64_t> ids(const Space& space, const NumberSource& source, const char* what,
                               std::int64_t count, const char* each, Length length);

// Returns the first `count` numbers of the layout `at`, which belongs to `source`. Throws for
// numbers that are negative or NaN, and for infinity unless `may_be_infinite` is set. Blocks.
exec::Array<double> reals(const Space& space, const NumberSource& source, const char* what,
                          const FieldLayout& at, std::int64_t count, bool may_be_infinite);

}  // namespace evenkeel::graphs
