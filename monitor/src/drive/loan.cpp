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
std::function<std::int64_t()> clock_of(Engine& engine, Communicator& ranks) {
  if (engine.options().deterministic) return [] { return std::int64_t{0}; };
  return engine.clock_for(ranks);
}

}  // namespace

struct Loan::Impl {
  Impl(Engine& of, Communicator all, std::string called, const Options& chosen)
      : engine(of),
        ranks(std::move(all)),
        name(std::move(called)),
        options(chosen),
        now(clock_of(engine, ranks)),
        timed(engine.kernel(name, options.kernel)),
        record(engine.add_loan(name)) {}

  // A call before ranks know of each other.
  struct Prepared {
    std::optional<LoanTrip> trip;
    exec::Array<double> units;              // the expected cost of each object
    exec::Array<std::int64_t> nanoseconds;  // the same; empty if it is not known
    Expectation expectation;                // of this rank
  };
  Report run(const Carried& fields, const Objects& objects, const Kernel& kernel);
  void check(const Carried& fields, const Objects& objects, const Kernel& kernel) const;
  Prepared prepared(const Carried& fields, const Objects& objects, const Kernel& timed_kernel);
  void learn(const LoanPolicy::Plan& planned, const LoanResult& result, bool lent);
  // The expected cost of each object, in units; empty if it is not known.
  exec::Array<double> expected(const Space& where, const Objects& objects, std::int64_t count);
  bool lends(const Expectation& all);
  // Collective. Makes the trip lend, if that pays.
  bool plan(LoanTrip& trip, const exec::Array<std::int64_t>& costs, std::int64_t mine,
            const Expectation& all, LoanPolicy::Plan& planned);
  // The nanoseconds for a unit of cost, after a call whose objects took `home` nanoseconds. Units
  // are expected costs in a call with weights, or else the costs that it has found.
  double rate_after(LoanTrip& trip, const Objects& objects, const exec::Array<double>& units,
                    std::int64_t home) const;

  Engine& engine;
  Communicator ranks;
  std::string name;
  Options options;
  std::function<std::int64_t()> now;
  evenkeel::Kernel timed;
  std::shared_ptr<LoanRecord> record;
  LoanPolicy policy;
  exec::Array<double> costs;  // of the objects of the last call, by place
  double rate = 0;            // nanoseconds for a unit of cost, by the last calls; 0 if unknown
  bool lent_before = false;
};

exec::Array<double> Loan::Impl::expected(const Space& where, const Objects& objects,
                                         std::int64_t count) {
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

bool Loan::Impl::plan(LoanTrip& trip, const exec::Array<std::int64_t>& costs_now, std::int64_t mine,
                      const Expectation& all, LoanPolicy::Plan& planned) {
  const std::int64_t mean = all.sum / ranks.size();
  Status ready;
  const std::vector<Trade> trades = trades_of(ranks, ready, std::max<std::int64_t>(mine - mean, 0),
                                              std::max<std::int64_t>(mean - mine, 0));
  LentObjects lent;
  const bool must = options.lend == Lend::always || engine.options().deterministic;
  const auto least = must ? 0.0 : 2 * (policy.price(trip.bytes_of_object()) - policy.price(0));
  const Status chosen = attempt(loan_stage, [&] {
    if (ready.ok() && !trades.empty())
      lent = choose(costs_now.space(), costs_now, trades, static_cast<std::int64_t>(least));
  });
  if (ready.ok()) ready = chosen;
  LoanPlanTally tally;
  tally.greatest = std::max(mine - lent.nanoseconds, mean);
  trip.make(ready, std::move(lent));
  tally.bytes = trip.totals().bytes_sent;
  // Without memory, each rank works on its own objects.
  if (!ready.ok() && ready.error()->kind() == ErrorKind::out_of_memory) {
    tally.refused = 1;
    ready = {};
  }
  tally = vote<&LoanPlanTally::add>(ranks, ready, tally);
  planned = {tally.greatest, tally.bytes};
  const bool pays = tally.refused == 0 && (must || policy.pays({mean, all.greatest}, planned));
  if (!pays) trip.discard();
  return pays;
}

void Loan::Impl::check(const Carried& fields, const Objects& objects, const Kernel& kernel) const {
  if (engine.is_finished())
    refuse_loan("A loan runs after finish().", "Call run() before finish().");
  if (first_field(fields, objects) == nullptr)
    refuse_loan("A loan has no fields.", "Give the fields that the kernel reads and writes.");
  if (objects.count.given() && objects.count.value() < 0)
    refuse_loan("The .count of a loan is negative.", "Give the number of objects, 0 or more.");
  if (!kernel) refuse_loan("A loan has no kernel.", "Give a function that works on a batch.");
  if (!fields.payloads.empty() || !objects.inputs.payloads.empty() ||
      !objects.results.payloads.empty())
    refuse_loan("Payloads cannot be lent.", "Lend fields; keep payloads out of the kernel.");
  if (objects.cost.fields.size() > 1)
    refuse_loan("A loan has several fields of costs.", "Give .cost one field.");
}

Loan::Impl::Prepared Loan::Impl::prepared(const Carried& fields, const Objects& objects,
                                          const Kernel& timed_kernel) {
  Prepared made;
  const FieldLayout first = first_field(fields, objects)->layout();
  const std::int64_t count = objects.count.given() ? objects.count.value() : first.count;
  const Space where = Space::where(first.memory);
  const int batches = options.batches > 0 ? options.batches : where.is_device() ? 4 : 32;
  made.units = expected(where, objects, count);
  const LoanFields all = {fields.fields, objects.inputs.fields, objects.results.fields,
                          objects.cost.fields};
  made.trip.emplace(
      where, LoanTrip::Terms{ranks, all, count, batches, made.units.span(), timed_kernel, now});
  const double each = engine.options().deterministic ? deterministic_rate : rate;
  const bool is_known = count == 0 || (!made.units.empty() && each > 0);
  if (is_known && count > 0) made.nanoseconds = in_nanoseconds(made.units, each);
  const std::int64_t mine = made.nanoseconds.empty() ? 0 : sum_of(made.nanoseconds);
  const std::uint64_t signature = made.trip->signature();
  made.expectation = {mine, mine, is_known ? 0 : 1, signature, signature};
  return made;
}

Loan::Report Loan::Impl::run(const Carried& fields, const Objects& objects, const Kernel& kernel) {
  const std::int64_t begin = now();
  const Kernel timed_kernel = [&](const Batch& batch) {
    const Timer timing = timed.time();
    kernel(batch);
    if (batch.memory() == MemoryKind::device) Space::where(MemoryKind::device).fence(loan_stage);
  };
  Prepared call;
  const Status ready = attempt(loan_stage, [&] {
    check(fields, objects, kernel);
    call = prepared(fields, objects, timed_kernel);
  });
  const Expectation all = vote<&Expectation::add>(ranks, ready, call.expectation);
  if (all.least_signature != all.greatest_signature)
    throw Error(ErrorKind::disagreement, Where{loan_stage},
                "Ranks give different fields to the loan '" + name + "'.",
                "Give fields of the same types in the same order on all ranks.");
  LoanPolicy::Plan planned = {};
  Report report;
  report.lent =
      lends(all) && plan(*call.trip, call.nanoseconds, call.expectation.sum, all, planned);

  const Status done = call.trip->run();
  const LoanTrip::Totals& took = call.trip->totals();
  const std::int64_t work = took.own + took.others, home = took.own + took.away;
  const double own_rate = rate_after(*call.trip, objects, call.units, home);
  const LoanResult result =
      vote<&LoanResult::add>(ranks, done, LoanResult{now() - begin, work, home, work, own_rate});
  call.trip->deliver();
  rate = own_rate > 0 ? own_rate : result.rate;
  if (!objects.weight.given() && objects.cost.fields.empty()) costs = std::move(call.trip->costs());
  learn(planned, result, report.lent);

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

double Loan::Impl::rate_after(LoanTrip& trip, const Objects& objects,
                              const exec::Array<double>& units, std::int64_t home) const {
  constexpr double weight = 0.5;
  const double sum = evenkeel::sum_of(objects.weight.given() ? units : trip.costs());
  if (!(sum > 0) || home <= 0) return rate;
  const double latest = static_cast<double>(home) / sum;
  return rate > 0 ? rate + weight * (latest - rate) : latest;
}

Loan::Loan(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Loan::Loan(Loan&&) noexcept = default;
Loan& Loan::operator=(Loan&&) noexcept = default;
Loan::~Loan() = default;

Loan Loan::make(Engine& engine, const std::string& name, const Options& options) {
  Communicator own = engine.communicator().duplicate();
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
  return impl_->engine.run([&] { return impl_->run(fields, objects, kernel); });
}
Loan::Totals Loan::totals() const noexcept {
  const LoanRecord& all = *impl_->record;
  return {all.calls, all.lent, all.saved, all.possible};
}
const std::string& Loan::name() const noexcept { return impl_->name; }

}  // namespace evenkeel
