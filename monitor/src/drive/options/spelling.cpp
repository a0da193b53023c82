#include "drive/options/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace evenkeel::detail {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

template <char (*change)(char)>
std::string changed(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), change);
  return result;
}

// Levenshtein distance: the fewest insertions, deletions and replacements from one text to another.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string in_lower_case(std::string_view text) { return changed<&lower>(text); }

std::string variable_of(std::string_view key) {
  return std::string(variable_prefix) + changed<&upper>(key);
}

std::string_view nearest(std::string_view key, const std::vector<std::string_view>& keys) {
  const auto best = *std::ranges::min_element(
      keys, {}, [&](std::string_view known) { return distance(key, known); });
  return distance(key, best) <= best.size() / 3 ? best : std::string_view();
}

}  // namespace evenkeel::detail
