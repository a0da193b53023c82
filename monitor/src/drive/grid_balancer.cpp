#include <evenkeel/monitor/grid_balancer.hpp>

#include "drive/domain_sections.hpp"
#include "drive/inspection.hpp"
#include "drive/named_errors.hpp"
#include "drive/proposals.hpp"
#include "drive/surveyor.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/monitor/monitor.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/grid_balancer";

}  // namespace

struct GridBalancer::Impl {
  Impl(Communicator for_epochs, Communicator for_proposals, const GridBalancerOptions& options,
       std::optional<Space> space)
      : monitor_(std::move(for_epochs), options.monitor),
        ranks_(std::move(for_proposals)),
        space_(std::move(space)) {
    ranks_.set_on_mpi_error(monitor_.options().on_mpi_error);
    vote(ranks_, attempt(stage_name, [&] {
           decomposition_ = GridDomains::uniform(options.grid.shape, options.box, options.scheme,
                                                 options.periodic, options.grid.rank_of_part);
           if (decomposition_.parts() != ranks_.size())
             throw Error(ErrorKind::bad_input, Where{stage_name},
                         "A grid of " + std::to_string(decomposition_.parts()) +
                             " domains was given for " + std::to_string(ranks_.size()) + " ranks.",
                         "Make as many domains as ranks; factored() does.");
           rounds_.emplace(decomposition_, options.rounds);
           decomposition_ = rounds_->current();
           domains_ = decomposition_;
           part_ = decomposition_.part_of(ranks_.rank());
           placing_ = monitor_.options();
           placing_.periodic = options.periodic;
           placing_.box = options.box;
           if (options.scheme == GridScheme::tensor)
             placing_.method = Tensor{options.grid.shape.extents};
           else
             placing_.method = Staggered{options.grid.shape.extents};
         }));
  }

  std::optional<GridDomains> step(const StepOptions& how,
                                  const std::function<Status()>& inspector = {});
  std::optional<GridDomains> step(const Set& cells, const StepOptions& how);
  std::optional<GridDomains> propose(double work);
  void accept();

  Monitor monitor_;
  Communicator ranks_;
  std::optional<Space> space_;  // on which the application wants the work
  std::optional<GridRounds> rounds_;
  GridDomains decomposition_;
  Domains domains_;  // the same
  int part_ = 0;     // of this rank
  std::optional<GridDomains> proposal_;
  Domains proposed_;              // the same
  std::int64_t proposed_at_ = 0;  // a rebalance takes from then until accept()
  Options placing_;               // options of a fresh cut of cells
  Surveyor surveyor_{ranks_};
  Inspection inspection_;
};

std::optional<GridDomains> GridBalancer::Impl::step(const StepOptions& how,
                                                    const std::function<Status()>& inspector) {
  const Advice advice = monitor_.step(0, how, inspector);
  if (!advice) return std::nullopt;
  return propose(static_cast<double>(monitor_.load_nanoseconds()));
}

std::optional<GridDomains> GridBalancer::Impl::step(const Set& cells, const StepOptions& how) {
  const auto question = [&](std::int64_t load) {
    const std::int64_t first = monitor_.first_generation();
    const bool has_moved = first >= 0 && first != monitor_.generation();
    return Surveyor::Question{
        std::span(&cells, 1), {},   placing_,  domains_,
        monitor_.steps(),     load, has_moved, [this] { return monitor_.now(); }};
  };
  const auto find_out = [&](std::int64_t load) { return surveyor_.survey(question(load)); };
  const SurveyedBy surveyed(monitor_, std::cref(find_out));
  Inspection::Demands demands;
  demands.movable = false;
  demands.deterministic = monitor_.options().deterministic;
  const auto inspect = [&] {
    return inspection_.inspect({&cells, 1}, demands, decomposition_.generation());
  };
  const bool inspects = monitor_.next_step_looks() && Inspection::is_needed(monitor_.options());
  std::optional<GridDomains> proposal =
      step(how, inspects ? Monitor::Inspector(std::cref(inspect)) : Monitor::Inspector());
  if (monitor_.take_advised()) {
    monitor_.meet_for_survey();
    surveyor_.advise(question(0));
  }
  return proposal;
}

// Collective.
std::optional<GridDomains> GridBalancer::Impl::propose(double work) {
  monitor_.meet_for_rebalance("propose");
  const std::int64_t generation = decomposition_.generation();
  std::optional<GridDomains> answer;
  const Status copied = attempt(stage_name, [&] { answer = proposal_; });
  require_same_generation(ranks_, copied, stage_name, generation);
  if (proposal_) return answer;
  proposed_at_ = monitor_.now();
  const std::vector<double> works = gather_work(ranks_, decomposition_, work);
  GridDomains next;
  bool is_new = false;
  vote(ranks_, attempt(stage_name, [&] {
         next = rounds_->next(works);
         is_new = next.borders() != decomposition_.borders();
         if (!is_new) return;
         // All that accept() needs.
         answer = GridDomains(generation + 1, next.shape(), next.box(), next.periodic(),
                              next.borders(), next.rank_of_part());
         proposed_ = *answer;
         next = *answer;
         surveyor_.begin_rebalance(std::make_shared<const Domains>(domains_), 0,
                                   !monitor_.has_begun());
       }));
  if (!is_new) {
    monitor_.rebalanced({.moved = false});
    return std::nullopt;
  }
  proposal_ = std::move(next);
  return answer;
}

void GridBalancer::Impl::accept() {
  if (!proposal_)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "There is no proposal to accept.",
                "Call accept() once after step() or propose() returned one.");
  decomposition_ = std::move(*proposal_);
  domains_ = std::move(proposed_);
  proposal_.reset();
  surveyor_.end_rebalance(-1, decomposition_.generation());
  Outcome outcome;
  outcome.seconds = static_cast<double>(monitor_.now() - proposed_at_) * 1e-9;
  outcome.domains = recorded_sections(ranks_, monitor_.options(), domains_);
  monitor_.rebalanced(outcome);
}

GridBalancer::GridBalancer(const Communicator& communicator, const GridBalancerOptions& options,
                           const std::optional<Space>& space)
    : impl_(std::make_unique<Impl>(communicator.duplicate(), communicator.duplicate(), options,
                                   space)) {}
#if EVENKEEL_HAS_MPI
GridBalancer::GridBalancer(MPI_Comm users, const GridBalancerOptions& options,
                           const std::optional<Space>& space)
    : impl_(std::make_unique<Impl>(Communicator(users), Communicator(users), options, space)) {}
#endif
GridBalancer::GridBalancer(GridBalancer&&) noexcept = default;
GridBalancer& GridBalancer::operator=(GridBalancer&&) noexcept = default;
GridBalancer::~GridBalancer() = default;

Kernel GridBalancer::kernel(const std::string& name, const KernelOptions& options) {
  return impl_->monitor_.kernel(name, options);
}

std::optional<GridDomains> GridBalancer::step(const StepOptions& how) {
  return with_name(options().name, [&] { return impl_->step(how); });
}
std::optional<GridDomains> GridBalancer::step(const Set& cells, const StepOptions& how) {
  const InUse in_use(impl_->space_);
  return with_name(options().name, [&] { return impl_->step(cells, how); });
}

std::optional<GridDomains> GridBalancer::propose(double work) {
  return with_name(options().name, [&] { return impl_->propose(work); });
}

void GridBalancer::accept() {
  with_name(options().name, [&] { impl_->accept(); });
}
void GridBalancer::restore(const std::string& saved) { impl_->monitor_.restore(saved); }
std::string GridBalancer::saved_state() const { return impl_->monitor_.saved_state(); }
Metrics GridBalancer::metrics() const { return impl_->monitor_.metrics(); }
Account GridBalancer::account() const { return impl_->monitor_.account(); }
void GridBalancer::finish() { impl_->monitor_.finish(); }

const GridDomains& GridBalancer::domains() const noexcept { return impl_->decomposition_; }
Box GridBalancer::domain() const { return impl_->decomposition_.box_of(impl_->part_); }
std::vector<int> GridBalancer::neighbours() const {
  return neighbours_of(impl_->decomposition_, impl_->part_);
}
double GridBalancer::best_lambda() const noexcept { return impl_->rounds_->best_lambda(); }
const Options& GridBalancer::options() const noexcept { return impl_->monitor_.options(); }

}  // namespace evenkeel
