#include "drive/engine.hpp"

namespace evenkeel {

Kernel Facade::kernel(const std::string& name, const KernelOptions& options) {
  return engine_->kernel(name, options);
}
Loan Facade::loan(const std::string& name, const Loan::Options& options) {
  return Loan::make(*engine_, name, options);
}
void Facade::note_cost(double seconds) { engine_->note_cost(seconds); }
void Facade::restore(const std::string& saved) { engine_->restore(saved); }
std::string Facade::saved_state() const { return engine_->saved_state(); }
void Facade::finish() { engine_->finish(); }

const Options& Facade::options() const noexcept { return engine_->options(); }
std::int64_t Facade::steps() const noexcept { return engine_->steps(); }
Metrics Facade::metrics() const { return engine_->metrics(); }
Account Facade::account() const { return engine_->account(); }

}  // namespace evenkeel
