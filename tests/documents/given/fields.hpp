#pragma once

// Declares what the fragments of docs/fields.md use: a vector type and a container that evenkeel
// does not know.

#include "any_page.hpp"

#include <cstddef>
#include <string>
#include <utility>

extern std::vector<double> w, cost;

struct Vec3 {
  double x, y, z;
};

template <class T>
class MyArray {
 public:
  MyArray(std::string name, std::int64_t size);
  T* data();
  std::int64_t size() const;
  std::string name() const;
};
