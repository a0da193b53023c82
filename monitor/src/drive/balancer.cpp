#include <evenkeel/monitor/balancer.hpp>

#include "costs/load_forecast.hpp"
#include "drive/facade.hpp"
#include "rebalance/adoption.hpp"
#include "rebalance/inspection.hpp"
#include "rebalance/migrator.hpp"
#include "rebalance/stage.hpp"
#include "survey/surveyor.hpp"

namespace evenkeel {

struct Balancer::Impl : BalancerMembers {
  explicit Impl(BalancerTerms terms)
      : BalancerMembers(std::move(terms), stage_name),
        surveyor_(ranks_),
        costs_(engine_.options(), [this](CostTable costs) { engine_.set_costs(std::move(costs)); }),
        mover_(ranks_, engine_.options(), costs_),
        rebalancer_(parts(), now_, log_of(engine_)),
        migrator_(parts()) {}
  void open() {
    constexpr std::int64_t first = 1;  // generation 0 is the application's own distribution of
                                       // objects
    BalancerMembers::open();
    vote(ranks_, attempt(stage_name, [&] { engine_.keep_from(first); }));
  }

  MoveReport step(std::span<const Set> sets, const StepOptions& how);
  // `advice` comes from a look; empty advice asks for a new cut.
  MoveReport rebalance(std::span<const Set> sets, const Advice& advice = {});
  MoveReport migrate(std::span<const Set> sets);
  // `domains_from` gets the status of this rank and the generation of the new domains.
  template <class DomainsFrom>
  void adopt(const DomainsFrom& domains_from);

  BalancerParts parts() {
    return {ranks_, engine_.options(), costs_, surveyor_.records(), domains_, mover_, memory_};
  }
  Survey survey(std::span<const Set> sets, std::int64_t load);
  Surveyor::Question question(std::span<const Set> sets, std::int64_t load) const;

  Surveyor surveyor_;
  ObjectCosts costs_;
  LoadForecast forecast_;
  DomainHistory domains_;
  Inspection inspection_;
  Mover mover_;
  Rebalancer rebalancer_;
  Migrator migrator_;
};

MoveReport Balancer::Impl::step(std::span<const Set> sets, const StepOptions& how) {
  const Options& options = engine_.options();
  const bool predicts = engine_.predicts(how);
  const bool looks = engine_.next_step_looks() || predicts;
  if (looks) engine_.set_memory(memory_.at_look(ranks_.rank(), sets, engine_.steps() + 1));
  if (options.deterministic) engine_.set_load(weight_of(sets));  // at each step, for the account
  // These functions are passed by std::cref, so that a copy of a std::function allocates nothing.
  const auto survey = [&](std::int64_t load) { return this->survey(sets, load); };
  const auto inspect = [&] {
    return inspection_.inspect(sets, Inspection::demands_of(options), domains_.generation());
  };
  const auto forecast = [&] { return forecast_.of(ranks_, sets, engine_.measured().last); };
  forecast_.end_step(sets, how.changed);
  const bool inspects = looks && Inspection::is_needed(options);
  Advice advice;
  {
    const SurveyedBy surveyed(engine_, looks && ranks_.size() > 1
                                           ? Engine::Surveyor(std::cref(survey))
                                           : Engine::Surveyor());
    advice = engine_.step(looks ? objects_in(sets) : 0, how,
                          inspects ? Engine::Inspector(std::cref(inspect)) : Engine::Inspector(),
                          predicts ? Engine::Forecast(std::cref(forecast)) : Engine::Forecast());
  }
  if (looks) forecast_.end_epoch(engine_.measured().last);
  if (looks) costs_.observe(sets, engine_.measured(), now_);
  if (engine_.take_advised()) {
    engine_.meet_for_survey();
    surveyor_.advise(question(sets, 0));
  }
  return advice ? rebalance(sets, advice) : domains_.nothing_moved();
}

Survey Balancer::Impl::survey(std::span<const Set> sets, std::int64_t load) {
  const std::int64_t refreshed =
      costs_.refresh(ranks_, sets, engine_.measured(), surveyor_.records(), now_);
  Survey found = surveyor_.survey(question(sets, load));
  found.took += refreshed;
  return found;
}

Surveyor::Question Balancer::Impl::question(std::span<const Set> sets, std::int64_t load) const {
  const std::int64_t first = engine_.first_generation();
  return {.sets = sets,
          .costs = costs_.of_sets(),
          .options = engine_.options(),
          .domains = domains_.present(),
          .step = engine_.steps(),
          .load = load,
          .has_moved = first >= 0 && first != domains_.generation(),
          .now = now_,
          .best_lambda = domains_.best_lambda()};
}

MoveReport Balancer::Impl::rebalance(std::span<const Set> sets, const Advice& advice) {
  engine_.meet_for_rebalance("rebalance");
  Rebalanced done = rebalancer_.rebalance(sets, {.advice = advice,
                                                 .step = engine_.steps(),
                                                 .has_begun = engine_.has_begun(),
                                                 .best_generation = engine_.best_generation(),
                                                 .measured = engine_.measured(),
                                                 .earlier_costs = engine_.restored_costs()});
  if (!done.outcome) return std::move(done.report);
  engine_.rebalanced(*done.outcome, done.is_whole);
  forecast_.forget_amount();
  if (engine_.best_generation() < 0) domains_.forget_best();
  if (done.runs_hooks) mover_.run_after(done.report);
  return std::move(done.report);
}

template <class DomainsFrom>
void Balancer::Impl::adopt(const DomainsFrom& domains_from) {
  const Status may = attempt(stage_name, [&] { engine_.require_not_begun("adopt"); });
  const std::int64_t generation = domains_.generation() + 1;
  Domains found = domains_from(may, generation);
  std::shared_ptr<const Domains> kept;
  vote(ranks_, attempt(stage_name, [&] {
         kept = std::make_shared<const Domains>(std::move(found));
         engine_.begin_with(generation);
       }));
  domains_.adopt(std::move(kept), -1);
}

MoveReport Balancer::Impl::migrate(std::span<const Set> sets) {
  engine_.meet_for_migration();
  return migrator_.migrate(sets, engine_.steps());
}

Balancer::Balancer(const Communicator& communicator, const Options& options,
                   const std::optional<Space>& space)
    : impl_(opened<Impl>(require_kokkos(communicator, "monitor/balancer", "Balancer"), options,
                         space)) {
  engine_ = &impl_->engine_;
}
#if EVENKEEL_HAS_MPI
Balancer::Balancer(MPI_Comm users, const Options& options, const std::optional<Space>& space)
    : Balancer(Communicator(users), options, space) {}
#endif
Balancer::Balancer(Balancer&&) noexcept = default;
Balancer& Balancer::operator=(Balancer&&) noexcept = default;
Balancer::~Balancer() = default;

MoveReport Balancer::step(const SetList& sets, const StepOptions& how) {
  return engine_->run([&] { return impl_->step(sets, how); });
}
MoveReport Balancer::rebalance(const SetList& sets) {
  return engine_->run([&] { return impl_->rebalance(sets); });
}
MoveReport Balancer::migrate(const SetList& sets) {
  return engine_->run([&] { return impl_->migrate(sets); });
}
void Balancer::adopt(const Domains& domains) {
  engine_->run([&] {
    impl_->adopt([&](const Status& may, std::int64_t generation) {
      return adopted(impl_->ranks_, may, domains, options(), generation);
    });
  });
}
void Balancer::adopt(const SetList& sets) {
  engine_->run([&] {
    impl_->adopt([&](const Status& may, std::int64_t generation) {
      return owners_of_present(impl_->ranks_, may, sets, options(), generation);
    });
  });
}
void Balancer::before_move(std::function<void()> hook) {
  impl_->mover_.hooks().before.push_back(std::move(hook));
}
void Balancer::after_move(std::function<void(const MoveReport&)> hook) {
  impl_->mover_.hooks().after.push_back(std::move(hook));
}
void Balancer::on_new_domains(std::function<void(const Domains&, const Domains&)> hook) {
  impl_->mover_.hooks().on_new_domains.push_back(std::move(hook));
}
const CostTable& Balancer::costs() const noexcept { return impl_->engine_.costs(); }
const Domains& Balancer::domains() const noexcept { return impl_->domains_.present(); }

}  // namespace evenkeel
