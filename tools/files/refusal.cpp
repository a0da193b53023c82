#include "files/refusal.hpp"

#include <system_error>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr const char* stage_name = "tools/files";

}  // namespace

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part);
  return text;
}

void refuse(std::string problem, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, std::move(problem), std::move(remedy));
}

void give_up(std::string problem, std::string remedy) {
  throw Error(ErrorKind::application, Where{stage_name}, std::move(problem), std::move(remedy));
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

}  // namespace evenkeel::tool
