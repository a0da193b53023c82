#pragma once

// Functions that the facades share.

#include "drive/engine.hpp"
#include "rebalance/memory_watch.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>

namespace evenkeel {

// The log of an engine, which must outlive it.
inline RebalanceLog log_of(Engine& engine) {
  return {[&engine](const std::string& text) { engine.warn(text); },
          [&engine](const std::string& text) { engine.note(text); }};
}

// Two communicators of a balancer, for looks and for what it does between looks.
struct BalancerTerms {
  Communicator for_looks, for_others;
  EngineTerms engine;
};

// The members that all balancers have.
struct BalancerMembers {
  // Local. `stage` is the name of the balancer in messages.
  BalancerMembers(BalancerTerms terms, const char* stage)
      : engine_(std::move(terms.for_looks), std::move(terms.engine)),
        ranks_(std::move(terms.for_others)),
        memory_(stage, log_of(engine_)) {
    ranks_.set_on_mpi_error(engine_.options().on_mpi_error);
  }
  // Collective.
  void open() {
    engine_.open();
    memory_.open(ranks_, engine_.options());
  }

  Engine engine_;
  Communicator ranks_;
  std::function<std::int64_t()> now_ = engine_.clock_for(ranks_);
  MemoryWatch memory_;
};

// Collective. Makes the members of a balancer. Each rank makes them locally, and no rank continues
// unless all have the memory. Then open() of the members may communicate.
template <class Impl, class... Others>
std::unique_ptr<Impl> opened(const Communicator& users, const Options& options,
                             const std::optional<Space>& space, const Others&... others) {
  Communicator for_looks = users.duplicate(), for_others = users.duplicate();
  EngineTerms engine = agree_on_engine(for_looks, options, true);
  engine.space = space;
  std::unique_ptr<Impl> impl;
  vote(users, attempt("monitor", [&] {
         impl = std::make_unique<Impl>(
             BalancerTerms{std::move(for_looks), std::move(for_others), std::move(engine)},
             others...);
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

// --- Proposals -----------------------------------------------------------------------------------

// Throws an Error if no proposal is open. `call` is accept or drop.
inline void require_proposal(bool is_open, const char* stage, const std::string& call) {
  if (!is_open)
    throw Error(ErrorKind::bad_input, Where{stage}, "There is no proposal to " + call + '.',
                "Call " + call + "() once after step() or propose() returned one.");
}

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
