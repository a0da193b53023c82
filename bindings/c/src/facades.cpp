#include "support.hpp"

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of C

// The timers that are open in this thread, the innermost last.
struct OpenTimer {
  const ek_kernel* kernel;
  Timer timer;
};
thread_local std::vector<OpenTimer> open_timers;  // NOLINT

template <class Made>
int create(int communicator, const char* options, Made** made) {
  return c::guarded([&] {
    c::required(made, "address for the handle");
    *made = nullptr;
    c::start_kokkos();
    const Communicator ranks = c::communicator_of(communicator);
    Options chosen;
    stages::vote(ranks, stages::attempt(c::stage_name, [&] { chosen = c::options_of(options); }));
    *made = std::make_unique<Made>(ranks, chosen).release();
  });
}

template <class Owner, class Facade>
int add_kernel(Owner* owner, const char* type, Facade Owner::*facade, const char* name, int phase,
               ek_kernel** kernel) {
  return c::guarded([&] {
    c::required(kernel, "address for the kernel");
    Owner& given = c::live(owner, type);
    *kernel = given.kernels.add(given.*facade, name, phase);
  });
}

Balancer& balancer_of(ek_balancer* handle) { return c::live(handle, "ek_balancer").balancer; }
Monitor& monitor_of(ek_monitor* handle) { return c::live(handle, "ek_monitor").monitor; }

template <class Call>
int move(ek_balancer* handle, const ek_set* sets, int count, ek_move* move, const Call& call) {
  return c::guarded([&] {
    Balancer& balancer = balancer_of(handle);
    // An Error of one rank must come from within the call, so that all ranks get it.
    const bool is_fit = move == nullptr || c::is_known(move);
    const std::vector<Set> all = c::sets_of(is_fit ? sets : nullptr, count);
    const MoveReport report = call(balancer, SetList(all));
    if (move == nullptr) return;
    move->moved = report.moved ? 1 : 0;
    move->objects = report.objects;
    move->bytes = report.bytes;
    move->lambda = report.lambda;
  });
}

int make_loan(ek_loan** loan, const char* name, const auto& facade_of) {
  return c::guarded([&] {
    c::required(loan, "address for the loan");
    *loan = nullptr;
    auto& facade = facade_of();
    *loan = std::make_unique<ek_loan>(facade.loan(&c::required(name, "name of a loan"))).release();
  });
}

Loan::Kernel kernel_for(ek_batch_kernel kernel, void* user) {
  if (kernel == nullptr) return {};
  return [kernel, user](const Batch& batch) {
    std::vector<ek_field> fields;
    for (const FieldLayout& at : batch.fields()) fields.push_back(c::as_field(at));
    ek_batch given = {};
    given.count = batch.count();
    given.objects = batch.objects();
    given.fields = fields.data();
    given.field_count = static_cast<int>(fields.size());
    given.cost = reinterpret_cast<double*>(batch.cost().data);
    given.owner = batch.owner();
    given.is_borrowed = batch.is_borrowed() ? 1 : 0;
    c::require_success(kernel(&given, user), "kernel of a loan");
  };
}

}  // namespace

extern "C" {

int ek_kernel_begin(ek_kernel* kernel) {
  return c::guarded([&] {
    const ek_kernel& given = c::live(kernel, "ek_kernel");
    open_timers.push_back({&given, given.kernel.time()});
  });
}
int ek_kernel_end(ek_kernel* kernel) {
  return c::guarded([&] {
    if (open_timers.empty() || open_timers.back().kernel != kernel)
      c::refuse("ek_kernel_end has no ek_kernel_begin of the same kernel before it.",
                "End kernels in the thread in which they began, the inner one first.");
    open_timers.pop_back();
  });
}

// --- Monitor -------------------------------------------------------------------------------------

int ek_monitor_create(int communicator, const char* options, ek_monitor** monitor) {
  return create(communicator, options, monitor);
}
void ek_monitor_free(ek_monitor* monitor) { delete monitor; }
int ek_monitor_kernel(ek_monitor* monitor, const char* name, int phase, ek_kernel** kernel) {
  return add_kernel(monitor, "ek_monitor", &ek_monitor::monitor, name, phase, kernel);
}
int ek_monitor_step(ek_monitor* monitor, int64_t objects, int may_move, int* advice) {
  return c::guarded([&] {
    const Advice given = monitor_of(monitor).step(objects, {.may_move = may_move != 0});
    if (advice != nullptr) *advice = given ? 1 : 0;
  });
}
int ek_monitor_rebalanced(ek_monitor* monitor) {
  return c::guarded([&] { monitor_of(monitor).rebalanced(); });
}
int ek_monitor_note_cost(ek_monitor* monitor, double seconds) {
  return c::guarded([&] { monitor_of(monitor).note_cost(seconds); });
}
int ek_monitor_finish(ek_monitor* monitor) {
  return c::guarded([&] { monitor_of(monitor).finish(); });
}
double ek_monitor_lambda(const ek_monitor* monitor) {
  double found = 0;
  c::guarded([&] { found = c::live(monitor, "ek_monitor").monitor.metrics().total.lambda; });
  return found;
}

// --- Balancer ------------------------------------------------------------------------------------

int ek_balancer_create(int communicator, const char* options, ek_balancer** balancer) {
  return create(communicator, options, balancer);
}
void ek_balancer_free(ek_balancer* balancer) { delete balancer; }
int ek_balancer_kernel(ek_balancer* balancer, const char* name, int phase, ek_kernel** kernel) {
  return add_kernel(balancer, "ek_balancer", &ek_balancer::balancer, name, phase, kernel);
}
int ek_balancer_before_move(ek_balancer* balancer, ek_hook hook, void* user) {
  return c::guarded([&] {
    if (hook == nullptr) c::refuse("A hook is a null pointer.", "Give a function.");
    balancer_of(balancer).before_move(
        [hook, user] { c::require_success(hook(user), "hook before a move"); });
  });
}
int ek_balancer_after_move(ek_balancer* balancer, ek_hook hook, void* user) {
  return c::guarded([&] {
    if (hook == nullptr) c::refuse("A hook is a null pointer.", "Give a function.");
    balancer_of(balancer).after_move(
        [hook, user](const MoveReport&) { c::require_success(hook(user), "hook after a move"); });
  });
}
int ek_balancer_step(ek_balancer* balancer, const ek_set* sets, int set_count, int may_move,
                     int changed, ek_move* report) {
  return move(balancer, sets, set_count, report, [&](Balancer& of, const SetList& all) {
    return of.step(all, {.may_move = may_move != 0, .changed = changed != 0});
  });
}
int ek_balancer_rebalance(ek_balancer* balancer, const ek_set* sets, int set_count,
                          ek_move* report) {
  return move(balancer, sets, set_count, report,
              [](Balancer& of, const SetList& all) { return of.rebalance(all); });
}
int ek_balancer_migrate(ek_balancer* balancer, const ek_set* sets, int set_count, ek_move* report) {
  return move(balancer, sets, set_count, report,
              [](Balancer& of, const SetList& all) { return of.migrate(all); });
}
int ek_balancer_adopt(ek_balancer* balancer, const ek_set* sets, int set_count) {
  return c::guarded([&] {
    const std::vector<Set> all = c::sets_of(sets, set_count);
    balancer_of(balancer).adopt(SetList(all));
  });
}
int ek_balancer_note_cost(ek_balancer* balancer, double seconds) {
  return c::guarded([&] { balancer_of(balancer).note_cost(seconds); });
}
int ek_balancer_owner(const ek_balancer* balancer, const double* point, int dimensions, int* rank) {
  return c::guarded([&] {
    c::required(rank, "address for the rank");
    c::required(point, "point");
    if (dimensions < 1 || dimensions > 3)
      c::refuse("A point has " + std::to_string(dimensions) + " coordinates.", "Give 2 or 3.");
    *rank = owner_of(c::live(balancer, "ek_balancer").balancer.domains(),
                     {point, static_cast<std::size_t>(dimensions)});
  });
}
double ek_balancer_lambda(const ek_balancer* balancer) {
  double found = 0;
  c::guarded([&] { found = c::live(balancer, "ek_balancer").balancer.metrics().total.lambda; });
  return found;
}
int ek_balancer_restore(ek_balancer* balancer, const char* state) {
  return c::guarded([&] { balancer_of(balancer).restore(&c::required(state, "state")); });
}
int ek_balancer_state(ek_balancer* balancer, const char** state) {
  return c::guarded([&] {
    c::required(state, "address for the state");
    ek_balancer& given = c::live(balancer, "ek_balancer");
    given.state = given.balancer.saved_state();
    *state = given.state.c_str();
  });
}
int ek_balancer_finish(ek_balancer* balancer) {
  return c::guarded([&] { balancer_of(balancer).finish(); });
}

// --- Loans ---------------------------------------------------------------------------------------

int ek_monitor_loan(ek_monitor* monitor, const char* name, ek_loan** loan) {
  return make_loan(loan, name, [&]() -> Monitor& { return monitor_of(monitor); });
}
int ek_balancer_loan(ek_balancer* balancer, const char* name, ek_loan** loan) {
  return make_loan(loan, name, [&]() -> Balancer& { return balancer_of(balancer); });
}
void ek_loan_free(ek_loan* loan) { delete loan; }
int ek_loan_run(ek_loan* loan, const ek_loan_call* call, ek_batch_kernel kernel, void* user,
                int* lent) {
  return c::guarded([&] {
    Loan& of = c::live(loan, "ek_loan").loan;
    // A call that is not valid has no kept fields, but counts one: an Error on all ranks.
    ek_loan_call given = {};
    given.kept_count = 1;
    if (c::is_known(call)) given = *call;
    Loan::Objects objects;
    objects.count = given.count;
    objects.inputs = c::carried_of(given.inputs, given.input_count);
    objects.results = c::carried_of(given.results, given.result_count);
    if (given.weight != nullptr) objects.weight = *given.weight;
    if (given.cost != nullptr) objects.cost.fields = {c::field_of(given.cost)};
    const Loan::Report report =
        of.run(c::carried_of(given.kept, given.kept_count), objects, kernel_for(kernel, user));
    if (lent != nullptr) *lent = report.lent ? 1 : 0;
  });
}

}  // extern "C"
