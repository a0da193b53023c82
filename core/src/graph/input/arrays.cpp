#include "graph/input/arrays.hpp"
#include "graph/stage.hpp"

#include "directory/ids.hpp"
#include "field/numbers.hpp"

#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>

namespace evenkeel::graphs {

namespace {

struct IsBad {
  const double* values;
  bool may_be_infinite;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const bool is_infinite =
        may_be_infinite && values[i] > 0 && !exec::is_finite(values[i]) && values[i] == values[i];
    return !((exec::is_finite(values[i]) && values[i] >= 0) || is_infinite);
  }
};

void require_single(const NumberSource& source, const char* what, std::int64_t count) {
  if (source.layout().components != 1 && count > 0)
    refuse(std::string("There are several ") + what + " per object.", "Give each object one.");
}

}  // namespace

void require_numbers(const NumberSource& source, const char* what, std::int64_t count,
                     const char* each, Length length) {
  const FieldLayout at = source.layout();
  if (length == Length::exact ? at.count != count : at.count < count)
    refuse("There are " + std::to_string(at.count) + ' ' + what + " in '" + source.label() +
               "' for " + std::to_string(count) + ' ' + each + '.',
           "Give one for each.");
  if (at.scalar == ScalarType::none)
    refuse(std::string("The ") + what + " in '" + source.label() + "' are not numbers.",
           "Give integers, float or double.");
}

void require_integers(const NumberSource& source, const char* what, std::int64_t count,
                      const char* each, Length length) {
  require_numbers(source, what, count, each, length);
  require_single(source, what, count);
}

exec::Array<std::int64_t> integers(const Space& space, const NumberSource& source, const char* what,
                                   std::int64_t count, const char* each, Length length) {
  require_integers(source, what, count, each, length);
  return read_integers(space, source.layout(), count);
}

exec::Array<std::uint64_t> ids(const Space& space, const NumberSource& source, const char* what,
                               std::int64_t count, const char* each, Length length) {
  require_numbers(source, what, count, each, length);
  require_single(source, what, count);
  check_ids(source.layout(), source.label(), count);
  return read_ids(space, source, count);
}

exec::Array<double> reals(const Space& space, const NumberSource& source, const char* what,
                          const FieldLayout& at, std::int64_t count, bool may_be_infinite) {
  exec::Array<double> values = read_reals(space, at, count);
  const std::int64_t bad = exec::first_that(space, count, IsBad{values.data(), may_be_infinite});
  if (bad < count) {
    double value = 0;
    values.fetch(bad, {&value, 1});
    refuse(std::string("Number ") + std::to_string(bad) + " of the " + what + " in '" +
               source.label() + "' is " + text_of(value) + '.',
           may_be_infinite ? "Give numbers that are not negative."
                           : "Give numbers that are finite and not negative.");
  }
  return values;
}

}  // namespace evenkeel::graphs
