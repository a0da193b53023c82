#pragma once

// Functions that the facades share.

#include "drive/engine.hpp"
#include "rebalance/memory_watch.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>

namespace evenkeel {

// Collective. Makes the members of a facade, which has two communicators of its own: for looks, and
// for what it does between looks. Each rank makes them locally, and no rank continues unless all
// have the memory. Then open() of the members may communicate.
template <class Impl, class... Others>
std::unique_ptr<Impl> opened(const Communicator& users, const Options& options,
                             const Others&... others) {
  Communicator for_looks = users.duplicate(), for_others = users.duplicate();
  EngineTerms terms = agree_on_engine(for_looks, options, true);
  std::unique_ptr<Impl> impl;
  vote(users, attempt("monitor", [&] {
         impl = std::make_unique<Impl>(std::move(for_looks), std::move(for_others),
                                       std::move(terms), others...);
       }));
  impl->open();
  return impl;
}

// Collective. Returns the communicator if Kokkos runs on all ranks, and throws an Error otherwise.
// `stage` and `facade` are the names in that Error.
inline const Communicator& require_kokkos(const Communicator& communicator, const char* stage,
                                          const char* facade) {
  vote(communicator, attempt(stage, [&] {
         if (!exec::kokkos_is_running())
           throw Error(ErrorKind::bad_input, Where{stage}, "Kokkos is not running.",
                       std::string("Make a ") + facade + " after Kokkos::initialize.");
       }));
  return communicator;
}

// The log of an engine, which must outlive it.
inline RebalanceLog log_of(Engine& engine) {
  return {[&engine](const std::string& text) { engine.warn(text); },
          [&engine](const std::string& text) { engine.note(text); }};
}

// --- Proposals -----------------------------------------------------------------------------------

struct ProposalStatement {
  std::int64_t least = 0, greatest = 0;  // generations
  std::int64_t load = 0;                 // sum over ranks
  static void add(ProposalStatement& into, const ProposalStatement& from) noexcept {
    into.least = std::min(into.least, from.least);
    into.greatest = std::max(into.greatest, from.greatest);
    into.load += from.load;
  }
};

// Collective. Throws an Error if ranks have different generations, or if the status of a rank is an
// Error. Returns the sum of `load` over all ranks.
inline std::int64_t require_same_generation(const Communicator& ranks, const Status& status,
                                            const char* stage, std::int64_t generation,
                                            std::int64_t load = 0) {
  const ProposalStatement all =
      vote<&ProposalStatement::add>(ranks, status, ProposalStatement{generation, generation, load});
  if (all.least != all.greatest)
    throw Error(ErrorKind::disagreement, Where{stage},
                "Some ranks have accepted a proposal and others have not: generations are " +
                    std::to_string(all.least) + " to " + std::to_string(all.greatest) + '.',
                "Call accept() on all ranks or on no rank.");
  return all.load;
}

}  // namespace evenkeel
