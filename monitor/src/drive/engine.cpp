#include "drive/engine.hpp"

#include "options/first_state.hpp"
#include "options/place_options.hpp"
#include "tell/saved_state.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/monitor/options_text.hpp>

namespace evenkeel {

namespace {

constexpr const char* engine_stage = "monitor";

RecordOptions record_options(const Options& options) {
  return {options.log, options.journal, options.state, options.control, options.name};
}

// Each rank logs its own warning, since the other ranks may hang.
MeetingPatience patience_of(const Options& options) {
  return MeetingPatience(options.patience, [level = options.log, name = options.name](
                                               const std::string& who, double seconds) {
    Log(level, name)
        .warn(who + " has waited for other ranks for " + text_of(seconds) +
              " s, and continues to wait. Do all ranks call step, rebalance and finish equally "
              "often?");
  });
}

OwnClock probe_of(const Options& options) {
  return options.own_probe || !may_use_built_in_probe(options) ? options.own_probe
                                                               : OwnClock(&built_in_probe);
}

}  // namespace

// The domains at the time of the forecast are now those before the last rebalance.
void Engine::Prediction::replace_domains(bool were_first) noexcept {
  Counterfactual& would_be = survey.would_be;
  would_be.previous = would_be.previous_again = greatest;
  would_be.as_weighed = would_be.moved = Counterfactual::unknown;
  if (!were_first) return;
  would_be.first = would_be.first_again = greatest;
  survey.mine_otherwise = mine;
}

// --- From the first step to finish() -------------------------------------------------------------

EngineTerms agree_on_engine(const Communicator& communicator, const Options& code,
                            bool places_objects) {
  EngineTerms terms = {agree(communicator, code, places_objects), false, {}};
  terms.shares_cores =
      terms.options.clock == ClockKind::automatic && communicator.ranks_share_cores();
  return terms;
}

Engine::Engine(Communicator communicator, EngineTerms terms)
    : options_(std::move(terms.options)),
      space_(terms.space),
      speed_(relative_speed(options_, communicator.rank())),
      observer_(options_.clock, options_.own_clock, terms.shares_cores, options_.deterministic,
                probe_of(options_)),
      epochs_(options_.warmup_steps),
      protocol_(std::move(communicator), hash_of(to_text(options_)),
                record_options(options_).wants_pictures(), patience_of(options_)),
      advisor_(first_state(options_),
               [this](Watcher::Task task) { recording_.perform_in_time(std::move(task)); }),
      slow_ranks_(protocol_.communicator().size(), options_.probe_share,
                  evenkeel::learns_speeds(options_)),
      recording_(record_options(options_), options_.watcher) {
  protocol_.communicator().set_on_mpi_error(options_.on_mpi_error);
  if (learns_speeds())
    options_.speeds.assign(static_cast<std::size_t>(protocol_.communicator().size()), 1.0);
}

void Engine::open() {
  with_name(options_.name, [&] {
    const Communicator& ranks = protocol_.communicator();
    std::string saved;
    vote(ranks, attempt(engine_stage, [&] {
           if (ranks.rank() == 0 && !options_.state.empty()) saved = read_saved(options_.state);
         }));
    const bool is_restored = take_over(saved, options_.state, false);
    vote(ranks, attempt(engine_stage, [&] {
           if (ranks.rank() == 0)
             recording_.open(
                 {to_text(as_given()), ranks.size(), {}, state(), is_restored, options_.name});
         }));
    phase_ = Phase::running;
    detail::at_finalize(ranks, [this] { leave(); });
  });
}

// The options without learned speeds.
Options Engine::as_given() const {
  Options options = options_;
  if (learns_speeds()) options.speeds = {learned_speeds};
  return options;
}

// Ends an unfinished run. Ranks that wait for this rank learn that it has left. A forked child
// has only a copy of its parent's run.
Engine::~Engine() {
  detail::at_finalize(protocol_.communicator(), {});
  if (!home_.is_here()) {
    recording_.abandon();
    return;
  }
  leave();
  if (!is_finished() && has_begun()) recording_.give_up(steps(), kernels());
}

void Engine::leave() noexcept {
  if (!is_finished()) protocol_.leave(steps());
}

// Collective. Takes over the state and the costs of an earlier run from the text of rank 0. Returns
// false if that text is empty. `goes_on` is true if this run continues the earlier run.
// Then the recording starts from that state, too.
bool Engine::take_over(const std::string& saved, const std::string& source, bool goes_on) {
  const Communicator& ranks = protocol_.communicator();
  std::string text, name;
  vote(ranks, attempt(engine_stage, [&] {
         if (ranks.rank() == 0) text = saved;
         name = in_quotes(source);
       }));
  std::optional<Restored> found = restored_on_all(ranks, std::move(text), state(), name);
  if (!found) return false;
  if (goes_on)
    vote(ranks, attempt(engine_stage, [&] {
           recording_.start_from(Advisor::continued(found->state, found->steps), true);
         }));
  advisor_.start_from(found->state);
  costs_.restored = std::move(found->costs);
  if (!goes_on) return true;
  epochs_.go_on_from(found->steps, state().began_at);
  advisor_.go_on_from(found->steps);
  return true;
}

void Engine::restore(const std::string& saved) {
  with_name(options_.name, [&] {
    const Communicator& ranks = protocol_.communicator();
    vote(ranks, attempt(engine_stage, [&] { require_not_begun("restore"); }));
    take_over(saved, "the saved state", true);
  });
}

void Engine::keep_from(std::int64_t generation) {
  advisor_.keep_from(generation);
  recording_.start_from(state(), false);
}

void Engine::begin_with(std::int64_t generation) {
  advisor_.begin_with(generation);
  recording_.start_from(state(), false);
}

void Engine::require_not_begun(const std::string& call) const {
  require_running(call);
  if (has_begun())
    throw Error(ErrorKind::bad_input, Where{engine_stage}, call + " was called after a step.",
                "Call " + call + " before the first step.");
}

void Engine::require_running(const std::string& call) const {
  if (is_finished())
    throw Error(ErrorKind::bad_input, Where{engine_stage}, call + " was called after finish.",
                "Call finish once, after the last step.");
}

void Engine::finish() {
  with_name(options_.name, [&] {
    require_running("finish");
    const bool were_apart = std::exchange(phase_, Phase::finished) == Phase::apart;
    const Status closed = attempt(engine_stage, [&] { close_books(were_apart); });
    recording_.end_line(kernels());
    recording_.finish(recording_.is_open() ? summary() : Summary{}, kernels());
    if (!closed.ok()) throw Error(*closed.error());
  });
}

// Collective. Adds the steps that no look has covered to the ledger. Throws an Error if ranks have
// made different numbers of steps.
void Engine::close_books(bool were_apart) {
  if (protocol_.is_over()) return;
  auto unseen = protocol_.finish();
  if (!unseen) unseen = advisor_.looks().take_undecided();
  Sample sample = observer_.rest();
  sample.step = steps();
  sample.generation = generation();
  const Totals last = protocol_.reduce_now(Meeting::finish, sample, state().mean_load);
  if (unseen) advisor_.close(*unseen);
  advisor_.close(last);
  // Ranks that had diverged have already thrown an Error, and may be at different steps.
  if (were_apart || last.step_least == last.step_greatest) return;
  throw Error(ErrorKind::disagreement, Where{engine_stage},
              "Ranks reached finish after " + std::to_string(last.step_least) + " to " +
                  std::to_string(last.step_greatest) + " steps.",
              "Call step equally often on all ranks: looks have compared different steps.");
}

// --- A step --------------------------------------------------------------------------------------

template <class Function>
decltype(auto) Engine::together(const Function& function) {
  try {
    return function();
  } catch (...) {
    if (!is_finished()) phase_ = Phase::apart;
    throw;
  }
}

// If an application lets objects move only now and then, it also does so in the step in which they
// have changed, for example because it makes new neighbour lists. So it need not say that.
bool Engine::predicts(const StepOptions& options) const noexcept {
  constexpr std::int64_t rare = 3;  // steps from one step that may move objects to the next
  const bool waits_for_gate =
      needs_surveys(options_.trigger) && options.may_move && closed_steps_ >= rare;
  return phase_ == Phase::running && protocol_.communicator().size() > 1 &&
         judges_the_load(options_.trigger) && (options.changed || waits_for_gate) &&
         (!needs_surveys(options_.trigger) || wants_survey(state()));
}

Advice Engine::step(std::int64_t objects, const StepOptions& options, const Inspector& inspector,
                    const Forecast& forecast) {
  return with_name(options_.name, [&] {
    require_running("step");
    predicts_now_ = static_cast<bool>(forecast);
    Advice advice = advised(objects, options, inspector);
    if (forecast && phase_ != Phase::apart)
      advice = predict(objects, options, inspector, forecast, std::move(advice));
    closed_steps_ = options.may_move ? 0 : closed_steps_ + 1;
    if (phase_ == Phase::apart) return Advice();  // held advice is no longer given
    advice = advisor_.released(std::move(advice), options.may_move);
    if (advice && !recording_.has_line())  // a later look has ended the line of the decision
      begin_line(advisor_.held().cause(), advice.reason, advisor_.held().decided_at());
    return advice;
  });
}

void Engine::refuse_change(const StepOptions& options, const char* remedy) const {
  if (!options.changed) return;
  with_name(options_.name, [&] {
    throw Error(ErrorKind::bad_input, Where{engine_stage},
                "step got .changed, but no objects whose load could be predicted.", remedy);
  });
}

// Ends a step. Returns its advice, even if nothing may move now.
Advice Engine::advised(std::int64_t objects, const StepOptions& options,
                       const Inspector& inspector) {
  epochs_.end_step();
  observer_.end_step(epochs_.counts(), epochs_.is_next_first(), options.may_move);
  if (phase_ == Phase::apart) {
    observer_.abandon();
    epochs_.abandon();
    return {};
  }
  if (!advisor_.held()) recording_.end_line(kernels());  // the last advice was not followed
  Advice advice;
  if (const auto settled = together([&] { return protocol_.advance(steps(), advisor_.looks()); }))
    advice = settle(*settled);
  if (ends_epoch(steps())) end_epoch(objects, inspector);
  return or_due(std::move(advice));
}

// Settles the looks that cover the steps so far, then decides on the predicted load of the steps
// from now on.
Advice Engine::predict(std::int64_t objects, const StepOptions& options, const Inspector& inspector,
                       const Forecast& forecast, Advice advice) {
  advice = hurry(std::move(advice));
  constexpr std::int64_t least = 2;  // steps of an epoch that shows noise
  if (epochs_.counted() >= least) {
    end_epoch(objects, inspector);
    advice = hurry(std::move(advice));
  }
  const Look* const last = advisor_.looks().last();
  if (last == nullptr) return advice;
  meet(Meeting::survey);
  const std::int64_t mine = forecast();
  if (mine < 0) return advice;
  Prediction next = {.step = steps(), .steps = std::max(least, last->totals.steps)};
  next.mine = whole(static_cast<double>(mine) * static_cast<double>(next.steps));
  if (surveyor_) next.survey = surveyor_(next.mine);
  Sample sample;
  sample.step = steps();
  sample.steps = next.steps;
  sample.generation = generation();
  sample.objects = objects;
  sample.load = sample.duration = next.mine;
  sample.would_be = next.survey.would_be;
  const Totals all =
      together([&] { return protocol_.reduce_now(Meeting::look, sample, state().mean_load); });
  if (all.load.sum <= 0) return advice;
  next.mean = all.load.sum / all.ranks;
  next.greatest = all.load.greatest;
  prediction_ = next;
  advice = advisor_.advise_by(all, options.changed, std::move(advice));
  // Then the last advice will not be followed.
  if (!advice || advisor_.held().cause() == Reason::predicted) recording_.end_line(kernels());
  return advice;
}

// Settles the look under way at once, if there is one, and returns its advice.
Advice Engine::hurry(Advice advice) {
  if (const auto settled = together([&] { return protocol_.hurry(advisor_.looks()); }))
    advice = settle(*settled);
  return advice;
}

// Takes in a look on which all ranks have agreed, and returns its advice. If the sets of a rank
// cannot be moved, all ranks throw that rank's Error, and the advice is kept for the next step.
Advice Engine::settle(const Protocol::Settled& settled) {
  recording_.end_line(kernels(), static_cast<bool>(advisor_.held()));
  const auto look = advisor_.looks().take();
  advisor_.note(*look);
  const bool has_news = slow_ranks_.take_in(look->totals);
  show(*look);
  if (has_news) follow_slow_rank();
  if (!look->totals.names_agree()) {
    meet(Meeting::kernels);
    observer_.names().unite(protocol_.communicator(), options_.strict_kernels);
  }
  Advice advice = advisor_.advise(*look);
  if (!advice) recording_.end_line(kernels());
  if (!settled.refusal) return advice;
  advice = or_due(std::move(advice));
  if (advice) advisor_.hold(std::move(advice));
  throw Error(*settled.refusal);
}

// Reports news of the slow rank. If speeds are learned, takes over its speed, the same on all
// ranks.
void Engine::follow_slow_rank() {
  static_cast<void>(attempt(engine_stage, [&] { note(slow_ranks_.news()); }));
  if (!learns_speeds()) return;
  std::ranges::fill(options_.speeds, 1.0);
  if (const Metrics::SlowRank& slow = slow_ranks_.found())
    options_.speeds[static_cast<std::size_t>(slow.rank)] = slow.speed;
  speed_ = relative_speed(options_, protocol_.communicator().rank());
  observer_.forget_earlier_epochs();
  advisor_.take_new_speeds(steps());
}

void Engine::show(const Look& look) {
  recording_.begin_line(look, observer_.names().sorted(), slow_ranks_.found());
  static_cast<void>(attempt(engine_stage, [&] { observer_.keep_names(); }));
  // Warns only once, since the condition may be true at each further look.
  if (cuts_fall_short(look.verdict.state) && costs_.learned.empty() && !costs_.are_known &&
      observer_.kernels().of_stretches().empty() && !std::exchange(costs_.are_guessed, true))
    static_cast<void>(attempt(engine_stage, [&] { recording_.warn(advice_on_costs); }));
}

// Returns the advice or, if it is empty, the advice of a trigger that acts at this step.
Advice Engine::or_due(Advice advice) {
  if (advice || !advisor_.is_due(steps())) return advice;
  advice = advisor_.advise_due(steps());
  begin_line(Reason::due, advice.reason, steps());
  return advice;
}

void Engine::begin_line(Reason cause, const std::string& reason, std::int64_t decided_at) {
  recording_.begin_line(steps(), decided_at, state(), cause, reason);
}

void Engine::end_epoch(std::int64_t objects, const Inspector& inspector) {
  const Status movable = inspector ? inspector() : Status();
  Sample sample = observer_.sample(state().mean_load);
  sample.step = steps();
  sample.generation = generation();
  sample.objects = objects;
  sample.command = static_cast<std::int64_t>(recording_.take_command());
  if (slow_ranks_.is_due())
    observer_.add_pace(sample, protocol_.communicator().rank(), slow_ranks_.found().rank,
                       mostly_waits(sample));
  sample.memory = std::exchange(memory_, {});
  survey(sample);
  protocol_.post(sample, state().mean_load, movable);
  observer_.restart();
  epochs_.restart();
}

bool Engine::mostly_waits(const Sample& sample) const noexcept {
  const Look* const last = advisor_.looks().last();
  if (last == nullptr || last->totals.steps <= 0 || sample.steps <= 0) return false;
  return static_cast<double>(sample.load) / static_cast<double>(sample.steps) <
         last->totals.mean_load() / static_cast<double>(last->totals.steps) / 2;
}

void Engine::survey(Sample& sample) {
  if (prediction_) return tell_prediction(sample);
  // Objects have changed since the epoch, so a survey would not be one of the epoch.
  if (predicts_now_) return;
  if (!surveyor_ || epochs_.counted() <= 0 || !wants_survey(state())) return;
  meet(Meeting::survey);
  const Survey found = surveyor_(sample.load);
  sample.would_be = found.would_be;
  sample.survey = options_.deterministic ? 0 : found.took;
  if (found.mine_otherwise >= 0 && sample.steps > 0)
    sample.other_slots = observer_.under_others(static_cast<double>(found.mine_otherwise) /
                                                static_cast<double>(sample.steps));
}

// A forecast holds for the steps after it, so the look at these steps needs no other survey.
void Engine::tell_prediction(Sample& sample) {
  const Prediction last = *std::exchange(prediction_, std::nullopt);
  if (sample.steps <= 0) return;
  sample.survey = options_.deterministic ? 0 : last.survey.took;
  sample.would_be = last.survey.would_be;
  sample.would_be.of_mean = last.mean;
  scale_loads(sample.would_be, static_cast<double>(sample.steps) / static_cast<double>(last.steps));
  if (last.survey.mine_otherwise >= 0)
    sample.other_slots = observer_.under_others(static_cast<double>(last.survey.mine_otherwise) /
                                                static_cast<double>(last.steps));
}

void Engine::meet(Meeting meeting) {
  together([&] { protocol_.meet(meeting, steps()); });
}

// Throws an Error after finish(), since other ranks that have finished would not take part.
void Engine::meet_for_rebalance(const char* call) {
  require_running(call);
  meet(Meeting::rebalance);
}

void Engine::meet_for_migration() {
  require_running("migrate");
  meet(Meeting::migration);
}

void Engine::rebalanced(const Outcome& outcome, bool is_whole) {
  const bool is_first = !has_begun();
  if (!is_first) observer_.end_settling();
  if (!recording_.has_line())
    static_cast<void>(attempt(engine_stage, [&] {
      begin_line(Reason::requested, "asked for by the application", steps());
    }));
  const bool was_first = first_generation() < 0 || first_generation() == generation();
  const RebalanceKind kind = advisor_.rebalanced(steps(), outcome);
  if (is_first)
    observer_.add_first_cost(outcome.seconds, outcome.bytes_moved, is_whole);
  else
    observer_.add_cost(outcome.seconds, outcome.bytes_moved);
  recording_.add_outcome(steps(), kind, outcome, costs_.learned);
  recording_.end_line(kernels());
  if (!outcome.moved) return;
  if (prediction_) prediction_->replace_domains(was_first);
  observer_.restart_after_move(!is_first);
  epochs_.restart_after_move();
}

// Local. Ranks take up these seconds at the next look, together with the cost of the rebalance.
void Engine::note_cost(double seconds) {
  with_name(options_.name, [&] {
    require_running("note_cost");
    if (!(seconds >= 0 && std::isfinite(seconds)))
      throw Error(ErrorKind::bad_input, Where{engine_stage},
                  "note_cost got " + std::to_string(seconds) + " seconds.",
                  "Give the seconds that this rank has spent: a finite number of at least 0.");
    if (!observer_.note_cost(seconds))
      throw Error(ErrorKind::bad_input, Where{engine_stage},
                  "note_cost was called without a rebalance since the last step.",
                  "Call it after a rebalance, or after accept(), and before the next step.");
  });
}

// --- Results -------------------------------------------------------------------------------------

Summary Engine::summary() const {
  const Shadow* const shadow = advisor_.shadow();
  std::vector<LoanRecord> loans;
  for (const auto& loan : loans_) loans.push_back(*loan);
  std::array<std::vector<std::string>, kernel_phases> kernels;
  const Clock& clock = observer_.kernels();
  for (std::size_t k = 0; k < clock.names().size(); ++k)
    kernels[static_cast<std::size_t>(clock.options()[k].phase)].push_back(clock.names()[k]);
  return {.state = state(),
          .account = account(),
          .steps = steps() - state().began_at,
          .ranks = protocol_.communicator().size(),
          .is_deterministic = options_.deterministic,
          .moves = shadow == nullptr,
          .advices = shadow != nullptr ? shadow->rebalances() : 0,
          .costs = costs_.learned,
          .guesses_costs = costs_.are_guessed,
          .loans = std::move(loans),
          .kernels = std::move(kernels)};
}

Metrics Engine::metrics() const {
  const Look* const look = advisor_.looks().last();
  if (look == nullptr) return {};
  const LookInterval& interval = look->verdict.state.interval;
  Metrics metrics =
      metrics_of(look->totals, interval.trend.line(interval.looks), observer_.kept_names());
  metrics.slow = slow_ranks_.found();
  return metrics;
}

std::string Engine::saved_state() const {
  return saved_text(state(), protocol_.communicator().size(), steps(),
                    costs_.learned.empty() ? costs_.restored : costs_.learned);
}

RankMeasurements Engine::measured() const {
  const auto or_running = [&](std::int64_t load) {
    return static_cast<double>(load > 0 ? load : observer_.mean_load());
  };
  const Clock& clock = observer_.kernels();
  const bool is_predicted = prediction_ && prediction_->step == steps();
  const std::int64_t mean =
      is_predicted ? prediction_->mine / prediction_->steps : observer_.mean_load();
  return {.load = mean,
          .first = or_running(is_predicted ? mean : observer_.first_load()),
          .last = or_running(is_predicted ? mean : observer_.last_load()),
          .kernels = observer_.last_kernels(),
          .kernel_options = clock.options(),
          .stretches = clock.of_stretches(),
          .speed = speed_};
}

}  // namespace evenkeel
