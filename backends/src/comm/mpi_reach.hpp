#pragma once

// Lets MPI read and write device memory while a message is under way. Real devices need nothing for
// this. The memory of the test device is closed to the host, so it must be held open.

#include <evenkeel/backends/exec/space.hpp>

#ifdef EVENKEEL_TEST_DEVICE
#include <evenkeel/backends/exec/test_device.hpp>

#include <memory>
#endif

namespace evenkeel::detail {

#ifdef EVENKEEL_TEST_DEVICE

using MpiReach = std::unique_ptr<exec::test_device::Opened>;
inline MpiReach let_mpi_reach(MemoryKind kind) {
  return kind == MemoryKind::device ? std::make_unique<exec::test_device::Opened>() : nullptr;
}

#else

struct MpiReach {  // only movable, like the other MpiReach
  MpiReach() = default;
  MpiReach(MpiReach&&) = default;
  MpiReach& operator=(MpiReach&&) = default;
};
inline MpiReach let_mpi_reach(MemoryKind /*kind*/) { return {}; }

#endif

}  // namespace evenkeel::detail
