#pragma once

// Sections of domains for the journal.

#include <evenkeel/core/domains.hpp>
#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// Local, on the host: finds the owners of a few thousand points. The result is empty for domains
// that own no places.
DomainSections sections_of(const Domains& domains);

// The sections on the rank that keeps a journal; empty on other ranks, and if memory runs out.
DomainSections recorded_sections(const Communicator& ranks, const Options& options,
                                 const Domains& domains);

}  // namespace evenkeel
