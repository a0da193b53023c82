#include <evenkeel/monitor/loan.hpp>

#include "decide/loan_policy.hpp"
#include "drive/engine.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/core/lend.hpp>
#include <evenkeel/core/weights.hpp>

namespace evenkeel {

namespace {

constexpr const char* loan_stage = "monitor/loan";
constexpr Refusal refuse_loan{loan_stage};
constexpr double deterministic_rate = 1000;  // nanoseconds for a unit of weight

// The expected work of a call, in nanoseconds.
struct Expectation {
  std::int64_t sum = 0, greatest = 0;
  std::int64_t unknown = 0;  // ranks that do not know it
  std::uint64_t least_signature = 0, greatest_signature = 0;
  static void add(Expectation& into, const Expectation& from) noexcept {
    into.sum += from.sum;
    into.greatest = std::max(into.greatest, from.greatest);
    into.unknown += from.unknown;
    into.least_signature = std::min(into.least_signature, from.least_signature);
    into.greatest_signature = std::max(into.greatest_signature, from.greatest_signature);
  }
};

// The figures of a call if objects were lent.
struct LoanPlanTally {
  std::int64_t greatest = 0, bytes = 0;
  std::int64_t refused = 0;  // ranks without memory
  static void add(LoanPlanTally& into, const LoanPlanTally& from) noexcept {
    into.greatest = std::max(into.greatest, from.greatest);
    into.bytes = std::max(into.bytes, from.bytes);
    into.refused += from.refused;
  }
};

// The figures of a call.
struct LoanResult {
  std::int64_t span = 0, work = 0, home = 0;  // greatest, nanoseconds
  std::int64_t sum = 0;                       // of all work
  double rate = 0;                            // greatest, nanoseconds for a unit of cost
  static void add(LoanResult& into, const LoanResult& from) noexcept {
    into.span = std::max(into.span, from.span);
    into.work = std::max(into.work, from.work);
    into.home = std::max(into.home, from.home);
    into.sum += from.sum;
    into.rate = std::max(into.rate, from.rate);
  }
};

double seconds_of(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

const Field* first_field(const Carried& kept, const Loan::Objects& objects) {
  for (const Carried* group : {&kept, &objects.inputs, &objects.results})
    if (!group->fields.empty()) return &group->fields.front();
  return nullptr;
}

// In a deterministic run all work takes no time.
std::function<std::int64_t()> clock_of(Engine& engine, TradingRanks& ranks) {
  if (engine.options().deterministic) return [] { return std::int64_t{0}; };
  return engine.clock_for(ranks.all, ranks.node);
}

}  // namespace

struct Loan::Impl {
  Impl(Engine& of, TradingRanks all, std::string called, const Options& chosen)
      : engine(of),
        trading(std::move(all)),
        name(std::move(called)),
        options(chosen),
        now(clock_of(engine, trading)),
        timed(engine.kernel(name, options.kernel)),
        record(engine.add_loan(name)) {}

  // A call between its two halves. Its trip refers to it.
  struct Call {
    Carried fields;
    Objects objects;
    Kernel kernel;
    std::optional<LoanTrip> trip = {};
    exec::Array<double> units = {};              // the expected cost of each object
    exec::Array<std::int64_t> nanoseconds = {};  // the same; empty if it is not known
    Expectation expectation = {};                // of this rank
    std::int64_t mine = 0;                       // of its expected work, that of the kernel
    LoanPolicy::Plan planned = {};
    bool lends = false;
    std::int64_t begun = 0, left = 0;  // when ranks had met, and when begin() returned
  };
  void begin(const Carried& fields, const Objects& objects, Kernel&& kernel);
  Report end();
  void check(const Call& made) const;
  void prepare(Call& made) const;
  void learn(const LoanPolicy::Plan& planned, const LoanResult& result, bool lent);
  // The expected cost of each object, in units; empty if it is not known.
  exec::Array<double> expected(const Space& where, const Objects& objects,
                               std::int64_t count) const;
  bool lends(const Expectation& all);
  // Collective. Makes the trip lend, if that pays.
  bool plan(Call& made, const Expectation& all);
  // The nanoseconds for a unit of cost, after a call whose objects took `home` nanoseconds. Units
  // are expected costs in a call with weights, or else the costs that it has found.
  double rate_after(Call& made, std::int64_t home) const;

  Engine& engine;
  TradingRanks trading;
  const Communicator& ranks = trading.all;
  std::string name;
  Options options;
  std::function<std::int64_t()> now;
  evenkeel::Kernel timed;
  std::shared_ptr<LoanRecord> record;
  LoanPolicy policy;
  exec::Array<double> costs;  // of the objects of the last call, by place
  double rate = 0;            // nanoseconds for a unit of cost, by the last calls; 0 if unknown
  std::int64_t between = 0;   // nanoseconds between the halves of the last call
  bool lent_before = false;
  std::unique_ptr<Call> call;  // if begin() has been called, and end() has not
};

exec::Array<double> Loan::Impl::expected(const Space& where, const Objects& objects,
                                         std::int64_t count) const {
  if (objects.weight.given())
    return read_amounts(where, objects.weight.layout(), objects.weight.label(), count);
  if (!objects.cost.fields.empty()) {
    const Field& cost = objects.cost.fields.front();
    return read_amounts(where, cost.layout(), cost.label(), count);
  }
  return costs.size() == count ? costs : exec::Array<double>();
}

bool Loan::Impl::lends(const Expectation& all) {
  if (ranks.size() == 1 || options.lend == Lend::never || all.unknown > 0) return false;
  const LoanPolicy::Expected expected = {all.sum / ranks.size(), all.greatest};
  if (options.lend == Lend::always || engine.options().deterministic)
    return expected.greatest > expected.mean;
  return policy.plans(expected);
}

bool Loan::Impl::plan(Call& made, const Expectation& all) {
  LoanTrip& trip = *made.trip;
  const std::int64_t mean = all.sum / ranks.size(), load = made.expectation.sum;
  Status ready;
  const std::vector<Trade> trades =
      trades_of(trading, ready, std::clamp<std::int64_t>(load - mean, 0, made.mine),
                std::max<std::int64_t>(mean - load, 0));
  LentObjects lent;
  const bool must = options.lend == Lend::always || engine.options().deterministic;
  const auto least = must ? 0.0 : 2 * (policy.price(trip.bytes_of_object()) - policy.price(0));
  const Status chosen = attempt(loan_stage, [&] {
    if (ready.ok() && !trades.empty())
      lent = choose(made.nanoseconds.space(), made.nanoseconds, trades,
                    static_cast<std::int64_t>(least));
  });
  if (ready.ok()) ready = chosen;
  LoanPlanTally tally;
  tally.greatest = std::max(load - lent.nanoseconds, mean);
  trip.make(ready, std::move(lent));
  tally.bytes = trip.totals().bytes_sent;
  // Without memory, each rank works on its own objects.
  if (!ready.ok() && ready.error()->kind() == ErrorKind::out_of_memory) {
    tally.refused = 1;
    ready = {};
  }
  tally = vote<&LoanPlanTally::add>(ranks, ready, tally);
  made.planned = {tally.greatest, tally.bytes};
  const bool pays = tally.refused == 0 && (must || policy.pays({mean, all.greatest}, made.planned));
  if (!pays) trip.discard();
  return pays;
}

void Loan::Impl::check(const Call& made) const {
  const Objects& objects = made.objects;
  if (engine.is_finished())
    refuse_loan("A loan runs after finish().", "Call run() or begin() before finish().");
  if (call)
    refuse_loan("A loan begins a call before the last one has ended.",
                "Call end() after each begin().");
  if (first_field(made.fields, objects) == nullptr)
    refuse_loan("A loan has no fields.", "Give the fields that the kernel reads and writes.");
  if (objects.count.given() && objects.count.value() < 0)
    refuse_loan("The .count of a loan is negative.", "Give the number of objects, 0 or more.");
  if (!made.kernel) refuse_loan("A loan has no kernel.", "Give a function that works on a batch.");
  if (!made.fields.payloads.empty() || !objects.inputs.payloads.empty() ||
      !objects.results.payloads.empty())
    refuse_loan("Payloads cannot be lent.", "Lend fields; keep payloads out of the kernel.");
  if (objects.cost.fields.size() > 1)
    refuse_loan("A loan has several fields of costs.", "Give .cost one field.");
}

void Loan::Impl::prepare(Call& made) const {
  const Objects& objects = made.objects;
  const FieldLayout first = first_field(made.fields, objects)->layout();
  const std::int64_t count = objects.count.given() ? objects.count.value() : first.count;
  const Space where = Space::where(first.memory);
  const int batches = options.batches > 0 ? options.batches : where.is_device() ? 4 : 32;
  made.units = expected(where, objects, count);
  const LoanFields all = {made.fields.fields, objects.inputs.fields, objects.results.fields,
                          objects.cost.fields};
  made.trip.emplace(
      where, LoanTrip::Terms{ranks, all, count, batches, made.units.span(), made.kernel, now});
  const double each = engine.options().deterministic ? deterministic_rate : rate;
  const bool is_known = count == 0 || (!made.units.empty() && each > 0);
  if (is_known && count > 0) made.nanoseconds = in_nanoseconds(made.units, each);
  made.mine = made.nanoseconds.empty() ? 0 : sum_of(made.nanoseconds);
  const std::int64_t load = made.mine + between;
  const std::uint64_t signature = made.trip->signature();
  made.expectation = {load, load, is_known ? 0 : 1, signature, signature};
}

void Loan::Impl::begin(const Carried& fields, const Objects& objects, Kernel&& kernel) {
  std::unique_ptr<Call> made;
  Expectation mine;
  const Status ready = attempt(loan_stage, [&] {
    made = std::make_unique<Call>(Call{fields, objects, std::move(kernel)});
    check(*made);
    made->kernel = [this, untimed = std::move(made->kernel)](const Batch& batch) {
      const Timer timing = timed.time();
      untimed(batch);
      if (batch.memory() == MemoryKind::device) Space::where(MemoryKind::device).fence(loan_stage);
    };
    prepare(*made);
    mine = made->expectation;
  });
  const Expectation all = vote<&Expectation::add>(ranks, ready, mine);
  if (all.least_signature != all.greatest_signature)
    throw Error(ErrorKind::disagreement, Where{loan_stage},
                "Ranks give different fields to the loan '" + name + "'.",
                "Give fields of the same types in the same order on all ranks.");
  made->begun = now();
  made->lends = lends(all) && plan(*made, all);
  made->trip->start();
  made->left = now();
  call = std::move(made);
}

Loan::Report Loan::Impl::end() {
  if (!call)
    refuse_loan("A loan ends a call that has not begun.", "Call end() once after each begin().");
  const std::unique_ptr<Call> ending = std::move(call);
  between = now() - ending->left;
  LoanTrip& trip = *ending->trip;
  Status done = trip.run();
  const LoanTrip::Totals& took = trip.totals();
  const std::int64_t mine = took.own + took.away;
  const std::int64_t work = between + took.own + took.others, home = between + mine;
  double own_rate = rate;
  if (done.ok()) done = attempt(loan_stage, [&] { own_rate = rate_after(*ending, mine); });
  const LoanResult result = vote<&LoanResult::add>(
      ranks, done, LoanResult{now() - ending->begun, work, home, work, own_rate});
  trip.deliver();
  rate = own_rate > 0 ? own_rate : result.rate;
  const Objects& objects = ending->objects;
  if (!objects.weight.given() && objects.cost.fields.empty()) costs = std::move(trip.costs());
  learn(ending->planned, result, ending->lends);

  Report report;
  report.lent = ending->lends;
  report.objects_lent = took.objects_lent;
  report.objects_borrowed = took.objects_borrowed;
  report.bytes_sent = took.bytes_sent;
  report.partners = took.partners;
  report.seconds = seconds_of(work);
  report.seconds_home = seconds_of(home);
  report.most_seconds = seconds_of(result.work);
  report.most_seconds_home = seconds_of(result.home);
  return report;
}

void Loan::Impl::learn(const LoanPolicy::Plan& planned, const LoanResult& result, bool lent) {
  ++record->calls;
  record->possible += seconds_of(result.home - result.sum / ranks.size());
  if (lent) {
    policy.learn(planned, {result.span, result.work, result.home});
    ++record->lent;
    record->saved += seconds_of(result.home - result.span);
  }
  if (lent != lent_before)
    static_cast<void>(attempt(loan_stage, [&] {
      engine.note("loan '" + name + "': " + (lent ? "lends" : "does not lend") + " from call " +
                  std::to_string(record->calls) + " on");
    }));
  lent_before = lent;
}

double Loan::Impl::rate_after(Call& made, std::int64_t home) const {
  constexpr double weight = 0.5;
  const double sum =
      evenkeel::sum_of(made.objects.weight.given() ? made.units : made.trip->costs());
  if (!(sum > 0) || home <= 0) return rate;
  const double latest = static_cast<double>(home) / sum;
  return rate > 0 ? rate + weight * (latest - rate) : latest;
}

Loan::Loan(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Loan::Loan(Loan&&) noexcept = default;
Loan& Loan::operator=(Loan&&) noexcept = default;
Loan::~Loan() = default;

Loan Loan::make(Engine& engine, const std::string& name, const Options& options) {
  TradingRanks own = TradingRanks::of(engine.communicator().duplicate());
  for (Communicator* ranks : {&own.all, &own.node})
    ranks->set_on_mpi_error(engine.options().on_mpi_error);
  std::unique_ptr<Impl> impl;
  vote(engine.communicator(), attempt(loan_stage, [&] {
         if (options.batches < 0)
           refuse_loan("Loan::Options::batches is " + std::to_string(options.batches) + '.',
                       "Give 1 or more batches, or 0 for a number that evenkeel chooses.");
         impl = std::make_unique<Impl>(engine, std::move(own), name, options);
       }));
  return Loan(std::move(impl));
}

Loan::Report Loan::run(const Carried& fields, const Objects& objects, const Kernel& kernel) {
  begin(fields, objects, kernel ? Kernel(std::cref(kernel)) : Kernel());
  return end();
}
void Loan::begin(const Carried& fields, const Objects& objects, Kernel kernel) {
  impl_->engine.run([&] { impl_->begin(fields, objects, std::move(kernel)); });
}
Loan::Report Loan::end() {
  return impl_->engine.run([&] { return impl_->end(); });
}
Loan::Totals Loan::totals() const noexcept {
  const LoanRecord& all = *impl_->record;
  return {all.calls, all.lent, all.saved, all.possible};
}
const std::string& Loan::name() const noexcept { return impl_->name; }

}  // namespace evenkeel
