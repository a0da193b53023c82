#pragma once

#include <evenkeel/backends/error.hpp>

#include <string>
#include <utility>

namespace evenkeel {

// The result of function(); an Error that it throws is given the name of the Balancer, if it has
// one.
template <class Function>
decltype(auto) with_name(const std::string& name, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const Error& error) {
    if (name.empty() || error.name() == name) throw;
    throw error.of(name);
  }
}

}  // namespace evenkeel
