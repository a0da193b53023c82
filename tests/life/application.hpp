#pragma once

// Programs about Balancers share this: an application whose work is almost all on rank 0, and a
// Balancer that looks at step 6, settles the look at step 11, and depends on no clock.

#include <evenkeel/evenkeel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace life {

namespace ek = evenkeel;

inline void start_mpi([[maybe_unused]] int& argc, [[maybe_unused]] char**& argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
}

inline void end_mpi() {
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
}

inline constexpr int looking_step = 6, settling_step = 11;

inline ek::Options options() {
  ek::Options options;
  options.trigger = ek::Threshold{.lambda = 1.1};
  options.epoch_steps = 6;
  options.warmup_steps = 0;
  options.cooldown_steps = 0;
  options.deterministic = true;
  return options;
}

class Application {
 public:
  explicit Application(const ek::Communicator& ranks) {
    const std::size_t objects = ranks.rank() == 0 ? 1000 : 10;
    for (std::size_t i = 0; i < objects; ++i) {
      const auto x = static_cast<double>(i) + 0.1 * ranks.rank();
      position_.push_back({x, static_cast<double>(i * i % 97), 0});
      mass_.push_back(1);
    }
  }

  // Runs up to step `last`. Returns the number of times that objects were moved.
  int run(ek::Balancer& balancer, std::int64_t last) {
    int moves = 0;
    while (balancer.steps() < last) moves += step(balancer) ? 1 : 0;
    return moves;
  }
  bool step(ek::Balancer& balancer) {
    return static_cast<bool>(balancer.step(position_, ek::carry(mass_)));
  }
  bool step_with_weights(ek::Balancer& balancer) {
    return static_cast<bool>(balancer.step(position_, ek::carry(mass_), {.weight = mass_}));
  }
  void rebalance(ek::Balancer& balancer) {
    static_cast<void>(balancer.rebalance(position_, ek::carry(mass_)));
  }
  std::size_t objects() const { return position_.size(); }

 private:
  std::vector<std::array<double, 3>> position_;
  std::vector<double> mass_;
};

// Returns the text of an evenkeel::Error that the function throws, or an empty text.
template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const ek::Error& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Prints each broken promise, and returns the exit status.
class Promises {
 public:
  void expect(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "not as promised: %s\n", what);
    status_ = 1;
  }
  int status() const { return status_; }

 private:
  int status_ = 0;
};

}  // namespace life
