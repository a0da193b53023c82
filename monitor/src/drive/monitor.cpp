#include <evenkeel/monitor/monitor.hpp>

#include "agree/meeting.hpp"
#include "agree/protocol.hpp"
#include "decide/decision.hpp"
#include "decide/shadow.hpp"
#include "drive/named_errors.hpp"
#include "drive/options/first_state.hpp"
#include "observe/all_steps.hpp"
#include "observe/epoch_sums.hpp"
#include "observe/figures.hpp"
#include "observe/kernel_names.hpp"
#include "observe/thread_track.hpp"
#include "tell/log.hpp"
#include "tell/recorder.hpp"
#include "tell/saved_state.hpp"
#include "tell/watcher.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/core_wait.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor";

// After a rebalance the first step works on cold caches, and rebuilds what the application derives.
constexpr std::int64_t settling_steps = 1;

// What a weight of 1 counts as in a deterministic run: a millisecond.
constexpr double nanoseconds_per_weight = 1e6;

// Returns `automatic` where wall time, less the wait for a core, will do.
ClockKind choose_clock(const Communicator& communicator, const Options& options) {
  ClockKind kind = options.clock;  // the same on all ranks, unlike own_clock
  if (kind == ClockKind::automatic && communicator.ranks_share_cores())
    kind = ClockKind::thread_cpu;
  return options.own_clock != nullptr ? ClockKind::wall : kind;  // nothing is known of own_clock
}

// Where nothing else is asked for, the clock that costs least.
std::shared_ptr<Clock> make_clock(ClockKind kind, const Options& options) {
  if (options.own_clock != nullptr) return Clock::make(options.own_clock);
  switch (kind) {
    case ClockKind::automatic: return Clock::by_cycles();
    case ClockKind::wall: return Clock::make(&wall_nanoseconds);
    case ClockKind::thread_cpu: return Clock::make(&thread_cpu_nanoseconds);
  }
  return Clock::by_cycles();
}

// The clock that times rebalances counts the same kind of time.
Clock::Now time_of(ClockKind kind, const Options& options) {
  if (options.own_clock != nullptr) return options.own_clock;
  return kind == ClockKind::thread_cpu ? &thread_cpu_nanoseconds : &wall_nanoseconds;
}

RecordOptions record_options(const Options& options) {
  return {options.log, options.journal, options.state, options.control, options.name};
}

// Each rank speaks for itself: others may not be able to.
Patience patience_of(const Options& options) {
  return Patience(options.patience, [level = options.log, name = options.name](
                                        const std::string& who, double seconds) {
    Log(level, name)
        .warn(who + " has waited for other ranks for " + text_of(seconds) +
              " s, and goes on waiting. Do all ranks call step, rebalance and finish equally "
              "often?");
  });
}

// The nearest integer, bounded so that sums do not overflow; 0 unless the argument is positive.
std::int64_t whole(double nanoseconds) {
  constexpr double most = 0x1p61;
  return nanoseconds > 0 ? std::llround(std::min(nanoseconds, most)) : 0;
}

}  // namespace

struct Monitor::Impl {
  Impl(Communicator communicator, const Options& code);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
  void leave() noexcept;

  Advice step(std::int64_t objects, const StepOptions& options, const Inspector& inspector);
  void rebalanced(const Outcome& outcome);
  void finish();

  void open_files();
  bool restore(std::string saved, const std::string& source, bool goes_on);
  void go_on_from(std::int64_t step);
  std::int64_t began_at() const noexcept { return protocol_.state().began_at; }
  void restore_before_start(const std::string& saved);
  void keep_from(std::int64_t generation);
  void require_running(const std::string& call) const;
  void measure();
  void close_settling();
  void tell_costs(Sample& sample);
  std::int64_t working_time() noexcept;
  void leave_out_waiting();
  // The length follows from the last look, whose result is known long before the epoch ends.
  bool ends_epoch(std::int64_t step) const noexcept {
    const std::int64_t length = epoch_length(protocol_.state());
    return step - epoch_began_after_ >= length || fills_slots(step, length);
  }
  // Where rebalances at fixed steps keep cutting epochs short, a look is needed for the account
  // alone: it is exact as long as each slot holds one step.
  bool fills_slots(std::int64_t step, std::int64_t length) const noexcept {
    constexpr auto slots = static_cast<std::int64_t>(step_slots);
    return acts_by_steps(options_.trigger) && length <= slots && step - told_until_ >= slots &&
           protocol_.state().rebalanced_at > began_at();
  }
  Sample sample_of_epoch();
  void end_epoch(std::int64_t objects, const Inspector& inspector);
  void meet(Meeting meeting);
  void warn(const std::string& text);
  void tell_all_steps(Sample& sample) const;
  void survey(Sample& sample);
  void spread_otherwise(double per_step, Sample& sample) const;
  void close_books();
  Account account() const;
  Summary summary() const;
  std::shared_ptr<const Look> settled_look();
  Advice settle(const Look& look);
  Advice advise(Reason cause, const std::string& reason);
  [[noreturn]] void refuse(const Look& look, Advice advice);
  Advice advise_by_step();
  void keep_names();
  // For what is only told: it is lost if there is no memory for it.
  template <class Function>
  static void tell(const Function& function) {
    static_cast<void>(attempt("monitor", function));
  }
  Advice released(Advice advice, bool may_move);
  void keep_line(const Look& look);
  void begin_record();
  void record_line();
  void listen();

  Options options_;
  ClockKind clock_kind_;
  Clock::Now now_;
  std::shared_ptr<Clock> clock_;
  CoreWait core_wait_;
  // Nanoseconds of waiting for a core when the epoch began, and when all steps were told last.
  std::int64_t waited_before_ = 0, waited_until_told_ = 0;
  KernelNames names_;
  EpochSums sums_;
  Protocol protocol_;

  std::int64_t step_ = 0;
  std::int64_t measured_from_ = 0;      // the first step that counts
  std::int64_t epoch_began_after_ = 0;  // a step
  std::int64_t told_until_ = 0;         // the last step that a look covers
  // Of the rebalances since the last look: nanoseconds; bytes; and the application's nanoseconds
  // outside kernels and in them.
  std::int64_t cost_ = 0, bytes_ = 0, rebuild_ = 0, extra_ = 0;
  // The step after a rebalance, in which the application rebuilds what it has derived: nanoseconds
  // in kernels and outside them. What it takes longer than later steps belongs to the cost.
  struct Settling {
    std::optional<std::int64_t> rebalanced_at;  // set until that step ends
    bool is_over = false;
    std::int64_t in_kernels = 0, beside = 0;
    std::int64_t ended_at = 0, step = 0, kernels_since = 0;
    std::int64_t last_ended_at = 0;  // of the steps since
  };
  Settling settling_;
  AllSteps all_steps_;
  std::int64_t counted_ = 0;               // steps of the epoch, the same on all ranks
  std::vector<std::int64_t> moved_after_;  // for each rebalance since the look, the steps before it
  Surveyor surveyor_;
  // In a run that moves nothing: what balancing would bring.
  std::optional<Shadow> shadow_;
  bool is_advised_ = false;     // since the last take_advised()
  double weight_ = 0;           // in a deterministic run
  bool by_rule_ = false;        // a look has asked for the rebalance that comes now
  Advice held_;                 // waits for a step that may move
  Reason cause_ = Reason::due;  // of the last advice
  bool was_paused_ = false;     // in the step before
  std::int64_t first_load_ = 0, last_load_ = 0;  // of epochs since the last rebalance
  std::vector<double> last_kernels_;  // of the last epoch: nanoseconds per step, in clock's order
  CostTable costs_;                   // of types and features, where they are learned
  CostTable restored_costs_;          // of an earlier run
  bool off_ = false;                  // the ranks have not agreed: nobody looks any more
  bool finished_ = false;
  int uncaught_before_ = std::uncaught_exceptions();

  std::shared_ptr<const Look> last_look_;  // that all ranks have agreed on
  KernelNames last_names_;                 // as they were then
  std::unique_ptr<Recorder> recorder_;     // on rank 0
  std::optional<JournalLine> line_;        // waits for its outcome
  bool record_began_ = false;
  Watcher watcher_;  // last: its thread ends before anything that it uses
};

Monitor::Impl::Impl(Communicator communicator, const Options& code)
    : options_(agree(communicator, code)),
      clock_kind_(choose_clock(communicator, options_)),
      now_(time_of(clock_kind_, options_)),
      clock_(make_clock(clock_kind_, options_)),
      protocol_(std::move(communicator), first_state(options_), hash_of(to_text(options_)),
                record_options(options_).wants_pictures(), patience_of(options_)),
      measured_from_(std::int64_t{options_.warmup_steps} + 1),
      epoch_began_after_(options_.warmup_steps),
      watcher_(options_.watcher) {
  constexpr std::size_t many = 64;  // of rebalances in one epoch, the first ones count
  moved_after_.reserve(many);
  waited_before_ = waited_until_told_ = core_wait_.nanoseconds();
  with_name(options_.name, [&] { open_files(); });
}

void Monitor::Impl::open_files() {
  const Communicator& ranks = protocol_.communicator();
  ranks.set_on_mpi_error(options_.on_mpi_error);
  std::string saved;
  vote(ranks, attempt(stage_name, [&] {
         if (ranks.rank() == 0 && !options_.state.empty()) saved = read_saved(options_.state);
       }));
  const bool is_restored = restore(saved, options_.state, false);
  shadow_.emplace(protocol_.state());
  vote(ranks, attempt(stage_name, [&] {
         if (ranks.rank() == 0)
           recorder_ =
               std::make_unique<Recorder>(record_options(options_), JournalHeader{to_text(options_),
                                                                                  ranks.size(),
                                                                                  {},
                                                                                  protocol_.state(),
                                                                                  is_restored,
                                                                                  options_.name});
       }));
  detail::at_finalize(ranks, [this] { leave(); });
}

// An unfinished run ends: ranks that wait for this one are told. An exception that is under way
// says more than that finish() is missing.
Monitor::Impl::~Impl() {
  detail::at_finalize(protocol_.communicator(), {});
  leave();
  if (finished_ || recorder_ == nullptr || step_ == began_at()) return;
  try {
    record_line();
    watcher_.finish();
    if (std::uncaught_exceptions() == uncaught_before_) recorder_->give_up(step_);
  } catch (...) {  // without memory, nothing is told
  }
}

void Monitor::Impl::leave() noexcept {
  if (!finished_) protocol_.leave(step_);
}

// Collective. Rank 0's text counts.
bool Monitor::Impl::restore(std::string saved, const std::string& source, bool goes_on) {
  const Communicator& ranks = protocol_.communicator();
  saved.resize(static_cast<std::size_t>(ranks.broadcast(std::ssize(saved), 0)));
  ranks.broadcast(std::span<char>(saved), 0);
  if (saved.empty()) return false;
  State state = protocol_.state();
  std::int64_t steps = 0;
  vote(ranks, attempt(stage_name, [&] {
         state = restored(state, saved, ranks.size(), in_quotes(source));
         restored_costs_ = costs_in(saved, in_quotes(source));
         if (goes_on) steps = steps_in(saved, in_quotes(source));
       }));
  protocol_.set_state(state);
  if (goes_on) go_on_from(steps);
  return true;
}

// Before the first step of this part of the run, but perhaps after its first distribution.
void Monitor::Impl::go_on_from(std::int64_t step) {
  State state = protocol_.state();
  const std::int64_t later = step - state.began_at;
  if (state.rebalanced_at >= 0) state.rebalanced_at += later;
  state.began_at = state.step = step_ = step;
  protocol_.set_state(state);
  measured_from_ += later;
  epoch_began_after_ += later;
  told_until_ += later;
}

void Monitor::Impl::restore_before_start(const std::string& saved) {
  const Communicator& ranks = protocol_.communicator();
  vote(ranks, attempt(stage_name, [&] {
         require_running("restore");
         if (step_ > began_at())
           throw Error(ErrorKind::bad_input, Where{stage_name}, "restore was called after a step.",
                       "Call it before the first one.");
       }));
  const bool is_restored = restore(ranks.rank() == 0 ? saved : "", "the saved state", true);
  if (shadow_) shadow_.emplace(protocol_.state());
  if (recorder_ == nullptr || !is_restored) return;
  // After a first distribution the watcher may be writing already.
  watcher_.offer([recorder = recorder_.get(), state = protocol_.state()] {
    recorder->start_from(state, true);
  });
}

void Monitor::Impl::keep_from(std::int64_t generation) {
  State state = protocol_.state();
  state.kept_from = generation;
  protocol_.set_state(state);
  // A trigger that acts by itself needs no advice.
  if (judges_the_load(state.trigger) || acts_by_steps(state.trigger)) shadow_.reset();
  if (recorder_ != nullptr) recorder_->start_from(state, false);
}

void Monitor::Impl::require_running(const std::string& call) const {
  if (finished_)
    throw Error(ErrorKind::bad_input, Where{stage_name}, call + " was called after finish.",
                "Call finish once, after the last step.");
}

void Monitor::Impl::measure() {
  const Clock::Step step = clock_->end_step();
  const bool counts = step_ >= measured_from_;
  if (counts) ++counted_;
  const Status added = attempt(stage_name, [&] {
    if (counts)
      sums_.add(step, clock_->of_step(), clock_->options());
    else
      sums_.hint(clock_->of_step(), clock_->options());
  });
  if (!added.ok()) sums_.forget();
  all_steps_.add(options_.deterministic ? whole(weight_ * nanoseconds_per_weight) : step.load,
                 step.duration);
  if (step_ + 1 == measured_from_) waited_before_ = core_wait_.nanoseconds();
  settling_.kernels_since += step.load;
  if (settling_.rebalanced_at) {
    const std::int64_t now = now_(), took = passed(*settling_.rebalanced_at, now);
    settling_ = {std::nullopt, true, step.load, took - step.load, now, step_, 0, now};
  } else if (settling_.is_over) {
    settling_.last_ended_at = now_();
  }
}

// Adds to the costs the time that the step after a rebalance took longer than the mean of later
// steps, in kernels and outside them.
void Monitor::Impl::close_settling() {
  const std::int64_t steps = step_ - settling_.step;  // to compare with
  if (settling_.rebalanced_at || !settling_.is_over || steps <= 0) return;
  const Settling settling = std::exchange(settling_, {});
  const std::int64_t beside =
      passed(settling.ended_at, settling.last_ended_at) - settling.kernels_since;
  rebuild_ += std::max<std::int64_t>(0, settling.beside - beside / steps);
  extra_ += std::max<std::int64_t>(0, settling.in_kernels - settling.kernels_since / steps);
}

// Of all rebalances since the last look.
void Monitor::Impl::tell_costs(Sample& sample) {
  close_settling();
  sample.cost = std::exchange(cost_, 0);
  sample.bytes = std::exchange(bytes_, 0);
  sample.rebuild = std::exchange(rebuild_, 0);
  sample.extra = std::exchange(extra_, 0);
  if (options_.deterministic) sample.cost = sample.bytes = sample.rebuild = sample.extra = 0;
}

void Monitor::Impl::tell_all_steps(Sample& sample) const {
  sample.all_steps = all_steps_.steps();
  sample.all_load = all_steps_.sum();
  sample.slots = all_steps_.sums();
}

void Monitor::Impl::survey(Sample& sample) {
  if (!surveyor_ || counted_ <= 0 || !wants_survey(protocol_.state())) return;
  meet(Meeting::survey);
  const Survey found = surveyor_(sample.load);
  sample.would_be = found.would_be;
  sample.survey = options_.deterministic ? 0 : found.took;
  if (found.mine_otherwise >= 0 && sample.steps > 0)
    spread_otherwise(static_cast<double>(found.mine_otherwise) / static_cast<double>(sample.steps),
                     sample);
}

// Under other domains this rank's load is assumed to vary from step to step as the measured one
// does. Steps before and after a rebalance are each compared with their own mean: that a rank had
// more work before it is not noise.
void Monitor::Impl::spread_otherwise(double per_step, Sample& sample) const {
  const std::int64_t per_slot = all_steps_.steps_per_slot();
  const auto steps_in = [&](std::size_t slot) {
    const std::int64_t begin = static_cast<std::int64_t>(slot) * per_slot;
    return static_cast<double>(std::clamp<std::int64_t>(sample.all_steps - begin, 0, per_slot));
  };
  const auto stretch_of = [&](std::size_t slot) {
    const std::int64_t begin = static_cast<std::int64_t>(slot) * per_slot;
    return std::upper_bound(moved_after_.begin(), moved_after_.end(), begin) - moved_after_.begin();
  };
  for (std::size_t first = 0, end = 0; first < step_slots; first = end) {
    double load = 0, steps = 0;
    for (; end < step_slots && stretch_of(end) == stretch_of(first); ++end) {
      load += static_cast<double>(sample.slots[end]);
      steps += steps_in(end);
    }
    for (std::size_t slot = first; slot < end; ++slot) {
      const double usual = steps_in(slot);
      const double share =
          load > 0 ? static_cast<double>(sample.slots[slot]) * steps / load : usual;
      sample.other_slots[slot] = whole(per_step * share);
    }
  }
}

// Times rebalances and surveys. It stands still while this rank waits for a core.
std::int64_t Monitor::Impl::working_time() noexcept {
  return clock_kind_ == ClockKind::automatic ? now_() - core_wait_.nanoseconds() : now_();
}

// Leaves out the time that this rank waited for a core that somebody else had. The system says how
// long that was, but not when: all kernels and steps since the last look lose the same share.
void Monitor::Impl::leave_out_waiting() {
  if (clock_kind_ != ClockKind::automatic || options_.deterministic) return;
  const std::int64_t now = core_wait_.nanoseconds();
  sums_.leave_out(now - std::exchange(waited_before_, now));
  all_steps_.leave_out(now - std::exchange(waited_until_told_, now));
}

Advice Monitor::Impl::step(std::int64_t objects, const StepOptions& options,
                           const Inspector& inspector) {
  require_running("step");
  ++step_;
  measure();
  if (off_) {
    sums_.restart();  // this epoch never ends
    counted_ = 0;
    return {};
  }
  if (!held_) record_line();  // of an advice that was not taken
  Advice advice;
  if (const auto look = settled_look()) {
    record_line();
    advice = settle(*look);
    last_look_ = look;
    if (look->refusal) {
      if (!advice && protocol_.state().paused == 0 && is_due(options_.trigger, step_))
        advice = advise_by_step();
      refuse(*look, std::move(advice));
    }
  }
  if (ends_epoch(step_)) end_epoch(objects, inspector);
  if (!advice && protocol_.state().paused == 0 && is_due(options_.trigger, step_))
    advice = advise_by_step();
  return released(std::move(advice), options.may_move);
}

// All ranks throw what one of them has found in its sets. An advice waits for the next step.
void Monitor::Impl::refuse(const Look& look, Advice advice) {
  if (advice) held_ = std::move(advice);
  const Error told = *look.refusal;
  look.refusal.reset();
  throw Error(told);
}

// What is advised now, or was before and could not be done.
Advice Monitor::Impl::released(Advice advice, bool may_move) {
  const bool is_paused = protocol_.state().paused != 0;
  if (is_paused && !was_paused_) held_ = {};  // but what is asked for in a pause is done
  was_paused_ = is_paused;
  if (!advice) advice = std::move(held_);
  held_ = {};
  if (!advice) return {};
  if (!may_move) {
    held_ = std::move(advice);
    return {};
  }
  if (!line_) tell([&] { static_cast<void>(advise(cause_, advice.reason)); });
  return advice;
}

// Without memory for the reason it is still advice.
Advice Monitor::Impl::advise_by_step() {
  Advice advice;
  advice.rebalance = true;
  cause_ = Reason::due;
  tell([&] { advice = advise(Reason::due, to_text(options_.trigger)); });
  return advice;
}

// Once ranks have diverged, one may wait for a reduction that another never posts.
std::shared_ptr<const Look> Monitor::Impl::settled_look() {
  try {
    return protocol_.advance(step_, watcher_);
  } catch (...) {
    off_ = true;
    throw;
  }
}

// Ranks that have run apart wait for each other no longer.
void Monitor::Impl::meet(Meeting meeting) {
  try {
    protocol_.meet(meeting, step_);
  } catch (...) {
    off_ = true;
    throw;
  }
}

void Monitor::Impl::warn(const std::string& text) {
  if (recorder_ == nullptr) return;
  tell([&] { watcher_.offer([recorder = recorder_.get(), text] { recorder->warn(text); }); });
}

// What a rank cannot measure for want of memory makes the look unfit, on all ranks.
Sample Monitor::Impl::sample_of_epoch() {
  names_.learn(clock_->names());
  Sample sample = sums_.sample(totals_of({}, protocol_.state().mean_load).unit);
  last_kernels_.assign(sample.kernels.begin(), sample.kernels.end());
  for (double& kernel : last_kernels_) kernel /= std::max(1.0, static_cast<double>(sample.steps));
  sample.kernels = names_.in_order(sample.kernels);
  if (!options_.deterministic) return sample;
  const double load = weight_ * nanoseconds_per_weight * static_cast<double>(sample.steps);
  sample.load = sample.duration = whole(load);
  sample.variance = 0;
  sample.fit = sample.steps > 0 && weight_ >= 0;
  std::fill(sample.kernels.begin(), sample.kernels.end(), 0);
  sample.phases.clear();
  return sample;
}

void Monitor::Impl::end_epoch(std::int64_t objects, const Inspector& inspector) {
  const Status movable = inspector ? inspector() : Status();
  const State& state = protocol_.state();
  leave_out_waiting();
  Sample sample;
  const Status taken = attempt(stage_name, [&] { sample = sample_of_epoch(); });
  if (!taken.ok()) sample = {.steps = sums_.steps(), .fit = false};
  sample.step = step_;
  sample.generation = state.generation;
  sample.objects = objects;
  sample.names = names_.hash();
  tell_costs(sample);
  if (recorder_ != nullptr) {
    sample.command = static_cast<std::int64_t>(recorder_->take_command());
    listen();
  }
  tell_all_steps(sample);
  survey(sample);
  all_steps_.restart();
  moved_after_.clear();
  last_load_ = sums_.epoch_load();
  if (first_load_ == 0) first_load_ = last_load_;
  protocol_.post(sample, movable);
  sums_.restart();
  counted_ = 0;
  told_until_ = step_;
  epoch_began_after_ = std::max(step_, measured_from_ - 1);
}

// Acts on a look that all ranks have agreed on.
Advice Monitor::Impl::settle(const Look& look) {
  if (shadow_ && shadow_->look(look.totals)) is_advised_ = true;
  tell([&] { keep_line(look); });
  tell([&] { keep_names(); });
  if (!look.totals.names_agree()) {
    meet(Meeting::kernels);
    names_.unite(protocol_.communicator(), options_.strict_kernels);
  }
  const Decision decision = look.verdict.decision;
  const bool act = decision.action == Action::rebalance &&
                   look.totals.generation_least == protocol_.state().generation;
  by_rule_ = act || (held_ && by_rule_);
  if (act) {
    cause_ = decision.reason;
    const State& state = look.verdict.state;
    Advice advice{true, {}, state.outlook.wanted_generation};
    if (state.refinement.wanted != 0) advice.shift_penalty = state.refinement.penalty;
    advice.shifts_by_last_epoch = state.refinement.wanted == ShiftCourse::of_last;
    tell([&] { advice.reason = explain(look.before, look.totals, decision); });
    return advice;
  }
  record_line();
  return {};
}

void Monitor::Impl::keep_names() {
  if (last_names_.hash() == names_.hash()) return;
  KernelNames names = names_;
  last_names_ = std::move(names);
}

Advice Monitor::Impl::advise(Reason cause, const std::string& reason) {
  if (recorder_ != nullptr) {
    line_.emplace();
    line_->step = step_;
    line_->before = protocol_.state();
    line_->decision = {Action::rebalance, cause};
    line_->reason = reason;
  }
  return {true, reason};
}

void Monitor::Impl::keep_line(const Look& look) {
  if (recorder_ == nullptr) return;
  line_.emplace();
  line_->step = look.totals.step_greatest;
  line_->before = look.before;
  line_->totals = look.totals;
  line_->decision = look.verdict.decision;
  if (record_options(options_).wants_pictures() && look.totals.names_agree())
    line_->kernels = names_.sorted();
  line_->picture = look.picture;
}

// The header names the kernels that are known when the first line is complete.
void Monitor::Impl::begin_record() {
  if (record_began_) return;
  watcher_.offer(
      [recorder = recorder_.get(), kernels = clock_->names()] { recorder->begin(kernels); });
  record_began_ = true;
}

// A line is lost if there is no memory to hand it over.
void Monitor::Impl::record_line() {
  if (!line_) return;
  tell([&] {
    begin_record();
    watcher_.offer([recorder = recorder_.get(), line = std::move(*line_)]() mutable {
      recorder->add(std::move(line));
    });
  });
  line_.reset();
}

// The watcher reads the control file; the next look passes its command to all ranks.
void Monitor::Impl::listen() {
  if (options_.control.empty()) return;
  tell([&] { watcher_.offer([recorder = recorder_.get()] { recorder->listen(); }); });
}

void Monitor::Impl::rebalanced(const Outcome& outcome) {
  const State& state = protocol_.state();
  const RebalanceKind kind = !std::exchange(by_rule_, false) ? RebalanceKind::application
                             : outcome.earlier               ? RebalanceKind::earlier
                             : outcome.shifted               ? RebalanceKind::shift
                                                             : RebalanceKind::fresh;
  if (step_ > began_at()) {
    shadow_.reset();  // from here on this run is balanced
    // Drops the cost of the first distribution, which has to be made in any case.
    if (state.rebalanced_at == began_at()) cost_ = bytes_ = 0;
    close_settling();
  }
  if (!line_)
    tell([&] { static_cast<void>(advise(Reason::requested, "asked for by the application")); });
  held_ = {};
  protocol_.set_state(
      evenkeel::rebalanced(state, step_, state.generation + (outcome.moved ? 1 : 0), kind));
  cost_ = whole(static_cast<double>(cost_) + std::max(0.0, outcome.seconds) * 1e9);
  bytes_ =
      whole(static_cast<double>(bytes_) + std::max(0.0, static_cast<double>(outcome.bytes_moved)));
  if (line_) {
    line_->taken_at = step_;
    line_->kind = kind;
    tell([&] { line_->outcome = outcome; });
    tell([&] { line_->costs = costs_; });
  }
  record_line();
  if (!outcome.moved) return;
  if (moved_after_.size() == moved_after_.capacity()) moved_after_.pop_back();
  moved_after_.push_back(all_steps_.steps());
  sums_.restart_all();
  clock_->forget_stretches();
  first_load_ = last_load_ = 0;
  counted_ = 0;
  measured_from_ = std::max(measured_from_, step_ + settling_steps + 1);
  epoch_began_after_ = measured_from_ - 1;
  if (step_ > began_at()) settling_ = {now_()};
}

// Collective. Enters the steps that no look has covered yet, and compares the numbers of steps.
void Monitor::Impl::close_books() {
  if (protocol_.is_over()) return;
  const auto unseen = protocol_.finish();
  State state = protocol_.state();
  Sample sample;
  sample.step = step_;
  sample.generation = state.generation;
  tell_costs(sample);
  sample.fit = true;
  leave_out_waiting();
  tell_all_steps(sample);
  const Totals last = protocol_.reduce_now(sample);
  if (unseen) state = accounted(state, *unseen);
  if (shadow_ && unseen) shadow_->close(*unseen);
  if (shadow_) shadow_->close(last);
  protocol_.set_state(accounted(state, last));
  // Ranks that have run apart were told so, and may have stopped at different steps for that.
  if (off_ || last.step_least == last.step_greatest) return;
  throw Error(ErrorKind::disagreement, Where{stage_name},
              "Ranks came to finish after " + std::to_string(last.step_least) + " to " +
                  std::to_string(last.step_greatest) + " steps.",
              "Call step equally often on all ranks: looks have compared different steps.");
}

Account Monitor::Impl::account() const {
  Account account = account_of(protocol_.state().ledger);
  if (shadow_) account.advised = std::max(0.0, shadow_->gain()) * 1e-9;
  return account;
}

Summary Monitor::Impl::summary() const {
  Summary run;
  run.state = protocol_.state();
  run.account = account();
  run.steps = step_ - began_at();
  run.ranks = protocol_.communicator().size();
  run.is_deterministic = options_.deterministic;
  run.costs = costs_;
  if (shadow_) run.advices = shadow_->rebalances();
  run.moves = !shadow_;
  return run;
}

void Monitor::Impl::finish() {
  require_running("finish");
  finished_ = true;
  const Status closed = attempt(stage_name, [&] { close_books(); });
  record_line();
  if (recorder_ != nullptr) {
    begin_record();
    watcher_.offer([recorder = recorder_.get(), run = summary()] { recorder->finish(run); });
  }
  watcher_.finish();
  recorder_.reset();
  if (!closed.ok()) throw Error(*closed.error());
}

Monitor::Monitor(const Communicator& communicator, const Options& options)
    : Monitor(communicator.duplicate(), options) {}
Monitor::Monitor(Communicator&& communicator, const Options& options)
    : impl_(std::make_unique<Impl>(std::move(communicator), options)) {}
#if EVENKEEL_HAS_MPI
Monitor::Monitor(MPI_Comm users, const Options& options) : Monitor(Communicator(users), options) {}
#endif
Monitor::Monitor(Monitor&&) noexcept = default;
Monitor& Monitor::operator=(Monitor&&) noexcept = default;
Monitor::~Monitor() = default;

Kernel Monitor::kernel(const std::string& name, const KernelOptions& options) {
  return impl_->clock_->kernel(name, options);
}

void Monitor::set_surveyor(Surveyor surveyor) { impl_->surveyor_ = std::move(surveyor); }
std::int64_t Monitor::now() const noexcept { return impl_->working_time(); }
std::int64_t Monitor::first_generation() const noexcept {
  return impl_->protocol_.state().outlook.first_generation;
}
std::int64_t Monitor::best_generation() const noexcept {
  return impl_->protocol_.state().refinement.best_generation;
}
Account Monitor::account() const { return impl_->account(); }
bool Monitor::take_advised() noexcept { return std::exchange(impl_->is_advised_, false); }
void Monitor::keep_from(std::int64_t generation) { impl_->keep_from(generation); }
Advice Monitor::step(std::int64_t objects, const StepOptions& options) {
  return step(objects, options, {});
}
Advice Monitor::step(std::int64_t objects, const StepOptions& options, const Inspector& inspector) {
  return with_name(impl_->options_.name, [&] { return impl_->step(objects, options, inspector); });
}
// Others, who have finished, would not come.
void Monitor::meet_for_rebalance(const char* call) {
  impl_->require_running(call);
  impl_->meet(Meeting::rebalance);
}
void Monitor::meet_for_migration() {
  impl_->require_running("migrate");
  impl_->meet(Meeting::migration);
}
void Monitor::meet_for_survey() { impl_->meet(Meeting::survey); }
void Monitor::warn(const std::string& text) { impl_->warn(text); }
void Monitor::rebalanced(const Outcome& outcome) { impl_->rebalanced(outcome); }
void Monitor::finish() {
  with_name(impl_->options_.name, [&] { impl_->finish(); });
}

const Options& Monitor::options() const noexcept { return impl_->options_; }
std::int64_t Monitor::steps() const noexcept { return impl_->step_; }
std::int64_t Monitor::generation() const noexcept { return impl_->protocol_.state().generation; }
Metrics Monitor::metrics() const {
  const Look* const look = impl_->last_look_.get();
  if (look == nullptr) return {};
  return metrics_of(look->totals, look->verdict.state.interval, impl_->last_names_.sorted());
}
std::string Monitor::saved_state() const {
  const Impl& impl = *impl_;
  const CostTable& costs = impl.costs_.empty() ? impl.restored_costs_ : impl.costs_;
  return saved_text(impl.protocol_.state(), impl.protocol_.communicator().size(), impl.step_,
                    costs);
}
void Monitor::restore(const std::string& saved) {
  with_name(impl_->options_.name, [&] { impl_->restore_before_start(saved); });
}
bool Monitor::has_begun() const noexcept { return impl_->step_ > impl_->began_at(); }
bool Monitor::is_finished() const noexcept { return impl_->finished_; }
bool Monitor::next_step_looks() const noexcept { return impl_->ends_epoch(impl_->step_ + 1); }
std::int64_t Monitor::load_nanoseconds() const { return impl_->sums_.mean_load(); }
const std::vector<StretchTimes>& Monitor::of_stretches() const noexcept {
  return impl_->clock_->of_stretches();
}
std::span<const double> Monitor::epoch_kernels() const noexcept { return impl_->last_kernels_; }
std::span<const KernelOptions> Monitor::kernel_options() const noexcept {
  return impl_->clock_->options();
}
void Monitor::set_costs(CostTable costs) noexcept { impl_->costs_ = std::move(costs); }
const CostTable& Monitor::costs() const noexcept { return impl_->costs_; }
const CostTable& Monitor::restored_costs() const noexcept { return impl_->restored_costs_; }
Monitor::EpochLoads Monitor::epoch_loads() const {
  const std::int64_t running = impl_->sums_.mean_load();
  return {static_cast<double>(impl_->first_load_ > 0 ? impl_->first_load_ : running),
          static_cast<double>(impl_->last_load_ > 0 ? impl_->last_load_ : running)};
}
void Monitor::set_load(double weight) noexcept { impl_->weight_ = weight; }

}  // namespace evenkeel
