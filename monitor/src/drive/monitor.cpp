#include <evenkeel/monitor/monitor.hpp>

#include "drive/engine.hpp"

namespace evenkeel {

Monitor::Monitor(const Communicator& communicator, const Options& options) {
  Communicator for_looks = communicator.duplicate();
  EngineTerms terms = agree_on_engine(for_looks, options, false);
  vote(communicator, attempt("monitor", [&] {
         own_ = std::make_unique<Engine>(std::move(for_looks), std::move(terms));
       }));
  engine_ = own_.get();
  engine_->open();
}
#if EVENKEEL_HAS_MPI
Monitor::Monitor(MPI_Comm users, const Options& options) : Monitor(Communicator(users), options) {}
#endif
Monitor::Monitor(Monitor&&) noexcept = default;
Monitor& Monitor::operator=(Monitor&&) noexcept = default;
Monitor::~Monitor() = default;

Advice Monitor::step(std::int64_t objects, const StepOptions& options) {
  engine_->refuse_change(options,
                         "Leave out .changed: the next look measures the new load. Only facades "
                         "that know the objects predict it.");
  return engine_->step(objects, options);
}
void Monitor::rebalanced(const Outcome& outcome) { engine_->rebalanced(outcome); }
std::int64_t Monitor::generation() const noexcept { return engine_->generation(); }
bool Monitor::is_finished() const noexcept { return engine_->is_finished(); }
bool Monitor::next_step_looks() const noexcept { return engine_->next_step_looks(); }
std::int64_t Monitor::load_nanoseconds() const { return engine_->load_nanoseconds(); }
void Monitor::set_load(double weight) noexcept { engine_->set_load(weight); }

}  // namespace evenkeel
