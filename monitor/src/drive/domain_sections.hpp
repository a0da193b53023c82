#pragma once

// Domains for the journal.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/monitor/domain_sections.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// Empty for domains that own no places. Local, on the host; asks for the owners of a few thousand
// points.
DomainSections sections_of(const Domains& domains);

// The same on the rank that keeps a journal; empty elsewhere, and where there is no memory for it.
DomainSections recorded_sections(const Communicator& ranks, const Options& options,
                                 const Domains& domains);

}  // namespace evenkeel
