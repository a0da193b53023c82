#pragma once

// The exchange of notes by MPI: non-blocking consensus.

#include "comm/messenger.hpp"
#include "comm/mpi_handle.hpp"

namespace evenkeel::detail {

// See Messenger::announce.
Status exchange_notes(const MpiHandle& handle, int tag, std::span<const RawNote> notes,
                      std::int64_t bytes, std::vector<RawNote>& arrived);

}  // namespace evenkeel::detail
