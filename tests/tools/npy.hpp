#pragma once

// The bytes of .npy files, in the format of NumPy.

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <type_traits>
#include <vector>

namespace evenkeel::test {

// The properties of an array that a reader needs.
struct NpyArray {
  std::string type;  // with its byte order
  std::string shape;
  bool fortran_order = false;
};

inline std::string header_of(const NpyArray& array) {
  const std::string text = "{'descr': '" + array.type +
                           "', 'fortran_order': " + (array.fortran_order ? "True" : "False") +
                           ", 'shape': " + array.shape + "}\n";
  std::string bytes = "\x93NUMPY";
  bytes.append({1, 0, static_cast<char>(text.size()), 0}).append(text);
  return bytes;
}

template <class Number>
std::string elements(const std::vector<Number>& numbers, std::endian order = std::endian::native) {
  std::string bytes;
  for (const Number number : numbers) {
    auto element = std::bit_cast<std::array<char, sizeof(Number)>>(number);
    if (order != std::endian::native) std::ranges::reverse(element);
    bytes.append(element.data(), element.size());
  }
  return bytes;
}

// The array has this machine's byte order.
template <class Number>
std::string npy_of(const std::string& shape, const std::vector<double>& numbers,
                   bool fortran_order = false) {
  const std::string type = (std::is_integral_v<Number> ? "=i" : "=f");
  std::vector<Number> stored(numbers.size());
  std::ranges::transform(numbers, stored.begin(),
                         [](double number) { return static_cast<Number>(number); });
  return header_of({type + std::to_string(sizeof(Number)), shape, fortran_order}) +
         elements(stored);
}

// An array of rows and columns, or of one dimension if `columns` is 0.
template <class Number>
std::string npy_of(std::size_t columns, const std::vector<double>& numbers) {
  const std::string rows = std::to_string(numbers.size() / std::max<std::size_t>(1, columns));
  return npy_of<Number>("(" + rows + "," + (columns > 0 ? std::to_string(columns) : "") + ")",
                        numbers);
}

}  // namespace evenkeel::test
