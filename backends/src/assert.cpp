#include <evenkeel/backends/error.hpp>

#include <string>
#include <string_view>

namespace evenkeel::detail {

void assertion_failed(const char* condition, const char* meaning, const char* file, int line) {
  std::string_view path(file);  // only the file name: the same text for every build folder
  if (const auto cut = path.find_last_of('/'); cut != std::string_view::npos)
    path.remove_prefix(cut + 1);
  throw Error(ErrorKind::internal, Where{std::string(path) + ':' + std::to_string(line)},
              std::string("'") + meaning + "' does not hold (" + condition + ").",
              "Correct the call if the statement is about its arguments; otherwise please report "
              "this as a fault of evenkeel.");
}

}  // namespace evenkeel::detail
