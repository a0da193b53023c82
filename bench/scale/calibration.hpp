#pragma once

// Measures this machine as a part of a network: two ranks that share memory, and one core.

#include <evenkeel/backends/comm/communicator.hpp>

namespace evenkeel::scale {

struct Calibration {
  double latency = 0;           // seconds of a message of 8 bytes between the first two ranks
  double overhead = 0;          // seconds of the processor, for each of many small messages
  double bytes_per_second = 0;  // of a message of 4 MiB between them
  double combined_bytes_per_second = 0;  // bytes of int64 that one core adds up
  double sorted_per_second = 0;          // claims of 16 bytes that one core sorts, for a million
};

// Collective. Without a second rank the network is not measured.
Calibration calibrate(const Communicator& world);

}  // namespace evenkeel::scale
