#pragma once

// The domains that an application has made itself, before the first step.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// Collective. Returns the domains with this generation. Throws the same Error on all ranks if
// `status` is an Error on a rank, if domains and options do not fit, or if ranks have different
// domains.
Domains adopted(const Communicator& ranks, const Status& status, const Domains& domains,
                const Options& options, std::int64_t generation);

// Collective. Returns domains that own the objects of the sets, on the ranks that have them now.
Domains owners_of_present(const Communicator& ranks, const Status& status,
                          std::span<const Set> sets, const Options& options,
                          std::int64_t generation);

}  // namespace evenkeel
