#include <evenkeel/assign.hpp>

#include <cstdio>

namespace ek = evenkeel;

int main() {
  const std::vector<double> costs = {4, 1, 1, 1, 1, 3, 1};
  const ek::BlockMap map = ek::assign(costs, {.ranks = 3});
  std::printf("lambda %.3f, bound %.3f\n", map.lambda, map.bound);
  try {
    ek::assign(costs, {.ranks = 3, .most_blocks = 2});
  } catch (const ek::Error& error) {
    std::printf("%s\n", error.what());
  }
}
