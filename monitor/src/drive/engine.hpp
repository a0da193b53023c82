#pragma once

// The engine of all facades: at each step, it calls all parts of the monitor. Its first functions
// are those of Monitor; see there for comments. Only the balancers need the others.

#include "agree/epochs.hpp"
#include "costs/object_costs.hpp"
#include "decide/advisor.hpp"
#include "decide/slow_ranks.hpp"
#include "observe/observer.hpp"
#include "tell/recording.hpp"

#include <evenkeel/monitor/monitor.hpp>

namespace evenkeel {

// Returns the result of function(). An Error of function() gets the name of the Balancer, unless
// that name is empty.
template <class Function>
decltype(auto) with_name(const std::string& name, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const Error& error) {
    if (name.empty() || error.name() == name) throw;
    throw error.of(name);
  }
}

// The options on which all ranks have agreed.
struct EngineTerms {
  Options options;
  bool shares_cores;  // a node has more ranks than cores, and the clock depends on that
  std::optional<Space> space = {};  // the instance that the application has chosen
};
// Collective. If the engine does not place objects, options of domains and moves in the code are an
// Error.
EngineTerms agree_on_engine(const Communicator& communicator, const Options& code,
                            bool places_objects);

class Engine {
 public:
  // Local, so that ranks can vote on whether all have the memory. Then call open() on all ranks.
  Engine(Communicator communicator, EngineTerms terms);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();
  // Collective. Takes over a saved state, and opens the files.
  void open();

  Kernel kernel(const std::string& name, const KernelOptions& options) {
    return observer_.kernels().kernel(name, options);
  }
  // At looks, step() asks the inspector whether the sets of this rank can be moved.
  using Inspector = std::function<Status()>;
  // If predicts() is true, step() asks for a forecast: this rank's load per step with the present
  // objects, in nanoseconds. It is collective. If nothing is known on any rank, it is negative on
  // all ranks.
  using Forecast = std::function<std::int64_t()>;
  Advice step(std::int64_t objects, const StepOptions& options, const Inspector& inspector = {},
              const Forecast& forecast = {});
  // Throws an Error if the application says that objects have changed. For facades that do not know
  // the objects.
  void refuse_change(const StepOptions& options, const char* remedy) const;
  // `is_whole` is false if the application itself moves further data, in a time that the outcome
  // does not contain.
  void rebalanced(const Outcome& outcome, bool is_whole = true);
  void note_cost(double seconds);
  void restore(const std::string& saved);
  // Estimates the load under other domains. A surveyor must be given on all ranks or on no rank. A
  // look that needs a survey calls it on all ranks at the end of the same step, so it may
  // communicate. `load` is this rank's load in the epoch, in nanoseconds.
  using Surveyor = std::function<Survey(std::int64_t load)>;
  void set_surveyor(Surveyor surveyor) { surveyor_ = std::move(surveyor); }
  void finish();

  // Runs the function on the instance that the application has chosen, if it has chosen one. An
  // Error gets the name of the Balancer.
  template <class Function>
  decltype(auto) run(Function&& function) const {
    const InUse in_use(space_);
    return with_name(options_.name, std::forward<Function>(function));
  }

  const Options& options() const noexcept { return options_; }
  std::int64_t steps() const noexcept { return epochs_.step(); }
  std::int64_t generation() const noexcept { return state().generation; }
  Metrics metrics() const;
  Account account() const { return advisor_.account(); }
  std::string saved_state() const;
  bool is_finished() const noexcept { return phase_ == Phase::finished; }
  bool next_step_looks() const noexcept { return ends_epoch(steps() + 1); }
  // True if the next step, with these options, decides at once by a forecast.
  bool predicts(const StepOptions& options) const noexcept;
  std::int64_t load_nanoseconds() const { return observer_.mean_load(); }
  // In a deterministic run: the weight of this rank's objects, from which its load follows.
  void set_load(double weight) noexcept { observer_.set_weight(weight / speed_); }
  // The memory of this rank, for the next look.
  void set_memory(const MemoryTotals& mine) noexcept { memory_ = mine; }
  // The speed of this rank / the mean speed. A step may change it, and options().speeds, if speeds
  // are learned.
  double speed() const noexcept { return speed_; }
  bool learns_speeds() const noexcept { return slow_ranks_.learns(); }
  const std::optional<Space>& space() const noexcept { return space_; }  // see EngineTerms

  // --- For balancers -----------------------------------------------------------------------------

  // Call these before the first step, on all ranks. keep_from() declares that the run can return to
  // domains from this generation on. begin_with() says that the run begins with domains of this
  // generation.
  void keep_from(std::int64_t generation);
  void begin_with(std::int64_t generation);
  // True if advice would have led to a fresh cut since the last call; the same on all ranks.
  bool take_advised() noexcept { return advisor_.take_advised(); }
  // True if a step has been made since construction.
  bool has_begun() const noexcept { return steps() > state().began_at; }
  // The generation of the domains at the start of the run.
  std::int64_t first_generation() const noexcept { return state().outlook.first.generation; }
  // The generation with the lowest level since the last new cut, or -1.
  std::int64_t best_generation() const noexcept { return state().refinement.best_generation; }

  // The measurements of this rank since the last rebalance or, after a forecast for this step, the
  // predicted load. Until an epoch has ended, the first and the last load are those of the running
  // epoch.
  RankMeasurements measured() const;

  // set_costs() and costs(): the learned costs of types and features, for the journal, the summary
  // and the saved state. The third function: the costs that an earlier run has learned.
  void set_costs(CostTable costs) noexcept { costs_.learned = std::move(costs); }
  const CostTable& costs() const noexcept { return costs_.learned; }
  const CostTable& restored_costs() const noexcept { return costs_.restored; }
  // The facade measures the cost of each object, so uneven loads after cuts have other causes.
  void know_costs() noexcept { costs_.are_known = true; }

  // Throws an Error if a step has been made, or after finish().
  void require_not_begun(const std::string& call) const;

  // Collective. Call one of these before a balancer's own collective calls. If some ranks have come
  // to another meeting, throws the same Error on all ranks.
  void meet_for_rebalance(const char* call);
  void meet_for_migration();
  void meet_for_survey() { meet(Meeting::survey); }

  // Write a warning, or a line about a decision, to the log of rank 0; do nothing on other ranks.
  void warn(const std::string& text) { recording_.warn(text); }
  void note(const std::string& text) { recording_.note(text); }
  // The clock behind the kernels.
  Clock& clock() noexcept { return observer_.kernels(); }
  // A reading of the clock that times rebalances and surveys, in nanoseconds. The clock stops while
  // the rank waits for a core.
  std::int64_t now() noexcept { return observer_.now(); }
  // The record of a new loan, which the summary shows. The engine keeps it.
  std::shared_ptr<LoanRecord> add_loan(const std::string& name) {
    return loans_.emplace_back(std::make_shared<LoanRecord>(LoanRecord{name}));
  }
  // For collective calls between steps.
  const Communicator& communicator() const noexcept { return protocol_.communicator(); }
  // A clock for rebalances whose messages use `ranks`, which must outlive it. If it reads CPU time,
  // it stops while the rank is in MPI, since the rank may be waiting there.
  template <class... Ranks>
  std::function<std::int64_t()> clock_for(Ranks&... ranks) {
    if (observer_.has_cpu_time()) (ranks.time_calls(), ...);
    return [this, &ranks...] { return observer_.now() - (ranks.cpu_in_calls() + ...); };
  }

 private:
  enum class Phase { running, apart, finished };  // `apart`: ranks have diverged, looks have ended

  void leave() noexcept;
  bool take_over(const std::string& saved, const std::string& source, bool goes_on);
  void require_running(const std::string& call) const;
  const DecisionState& state() const noexcept { return advisor_.state(); }
  const std::vector<std::string>& kernels() const noexcept { return observer_.kernels().names(); }
  // The last look determines the length of the epoch. It is settled long before the epoch ends.
  bool ends_epoch(std::int64_t step) const noexcept {
    return epochs_.end_with(step, advisor_.epoch_steps(), advisor_.cuts_epochs_short());
  }
  Advice advised(std::int64_t objects, const StepOptions& options, const Inspector& inspector);
  Advice settle(const Protocol::Settled& settled);
  Options as_given() const;
  void follow_slow_rank();
  void show(const Look& look);
  Advice or_due(Advice advice);
  void end_epoch(std::int64_t objects, const Inspector& inspector);
  Advice predict(std::int64_t objects, const StepOptions& options, const Inspector& inspector,
                 const Forecast& forecast, Advice advice);
  Advice hurry(Advice advice);
  // True if this rank has less than half of the mean load.
  bool mostly_waits(const Sample& sample) const noexcept;
  void survey(Sample& sample);
  void tell_prediction(Sample& sample);
  // Calls function(). If it throws, this rank makes no more looks: after ranks diverge, a peer may
  // never post the reduction that this rank would wait for.
  template <class Function>
  decltype(auto) together(const Function& function);
  void meet(Meeting meeting);
  void begin_line(Reason cause, const std::string& reason, std::int64_t decided_at);
  void close_books(bool were_apart);
  Summary summary() const;

  // The forecast for the steps after `step`, as long as no look has covered these steps. Loads are
  // over `steps` steps.
  struct Prediction {
    std::int64_t step = 0, steps = 0;
    std::int64_t mine = 0, mean = 0, greatest = 0;  // loads under the domains at that step
    Survey survey = {};

    // Call this if the domains are replaced in the same step.
    void replace_domains(bool were_first) noexcept;
  };

  detail::HomeProcess home_;
  Options options_;  // with the present speeds, if speeds are learned
  std::optional<Space> space_;
  double speed_;  // of this rank / the mean speed
  MemoryTotals memory_ = {};
  Observer observer_;
  Epochs epochs_;
  Protocol protocol_;
  Advisor advisor_;
  SlowRanks slow_ranks_;
  Surveyor surveyor_;
  struct {
    CostTable learned, restored;
    bool are_known = false;    // see know_costs()
    bool are_guessed = false;  // true if cuts do not help because the guessed costs of objects are
                               // wrong
  } costs_;
  std::vector<std::shared_ptr<LoanRecord>> loans_;
  Phase phase_ = Phase::finished;  // until open()
  std::optional<Prediction> prediction_;
  bool predicts_now_ = false;      // true in a step that decides by a forecast
  std::int64_t closed_steps_ = 0;  // steps in which nothing could move, since the last other step
  Recording recording_;  // the last member, so that its thread ends before the members that it uses
                         // are destroyed
};

// Gives an engine a surveyor until the end of the scope, even if a step throws.
class SurveyedBy {
 public:
  SurveyedBy(Engine& engine, Engine::Surveyor surveyor) : engine_(engine) {
    engine_.set_surveyor(std::move(surveyor));
  }
  SurveyedBy(const SurveyedBy&) = delete;
  SurveyedBy& operator=(const SurveyedBy&) = delete;
  ~SurveyedBy() { engine_.set_surveyor({}); }

 private:
  Engine& engine_;
};

}  // namespace evenkeel
