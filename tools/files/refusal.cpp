#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <system_error>
#include <utility>

namespace evenkeel::tool {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part);
  return text;
}

void give_up(std::string problem, std::string remedy) {
  throw Error(ErrorKind::application, Where{"tools/files"}, std::move(problem), std::move(remedy));
}

void CommandRefusal::value(std::string_view option, std::string_view value,
                           std::string remedy) const {
  (*this)(joined({option, " is ", in_quotes(value), "."}), std::move(remedy));
}

double CommandRefusal::bytes_in(std::string_view option, std::string_view text) const {
  const auto bytes = bytes_from_text(text);
  if (!bytes) value(option, text, "Give a positive number of bytes, such as 4e9 or 16GiB.");
  return *bytes;
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

}  // namespace evenkeel::tool
