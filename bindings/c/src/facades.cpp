#include "support.hpp"

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of C

// The timers that are open in this thread, the innermost last.
struct OpenTimer {
  const void* of;  // a kernel, or a BlockBalancer
  std::int64_t block;
  Timer timer;
};
thread_local std::vector<OpenTimer> open_timers;  // NOLINT

void end_timer(const void* of, std::int64_t block) {
  if (open_timers.empty() || open_timers.back().of != of || open_timers.back().block != block)
    c::refuse("There was no begin before this end, of the same kernel or block.",
              "End kernels in the thread in which they began, the inner one first.");
  open_timers.pop_back();
}

template <class T>
T& as(const void* handle) {
  return *static_cast<T*>(const_cast<void*>(handle));
}
// Calls call(handle) with the type of a Monitor or balancer.
template <class Call>
void with_facade(const void* handle, const Call& call) {
  switch (c::required(static_cast<const c::AnyHandle*>(handle), "Monitor or balancer").type) {
    case ek_monitor::of_type: return call(as<ek_monitor>(handle));
    case ek_balancer::of_type: return call(as<ek_balancer>(handle));
    case ek_block_balancer::of_type: return call(as<ek_block_balancer>(handle));
    case ek_graph_balancer::of_type: return call(as<ek_graph_balancer>(handle));
    case ek_grid_balancer::of_type: return call(as<ek_grid_balancer>(handle));
    default: c::refuse_handle("Monitor or balancer");
  }
}
// The same for the facades that make proposals.
template <class Call>
int with_proposal(const void* handle, const Call& call) {
  return c::guarded([&] {
    with_facade(handle, [&](auto& given) {
      if constexpr (requires { given.facade.accept(); })
        call(given.facade);
      else
        c::refuse_handle("balancer that makes proposals");
    });
  });
}

Options plain_options(const Communicator&, const char* text) { return c::options_of(text); }

Balancer& balancer_of(ek_balancer* handle) { return c::live(handle, "ek_balancer").facade; }
Monitor& monitor_of(ek_monitor* handle) { return c::live(handle, "ek_monitor").facade; }

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
    open_timers.push_back({kernel, 0, c::live(kernel, "ek_kernel").kernel.time()});
  });
}
int ek_kernel_end(ek_kernel* kernel) {
  return c::guarded([&] { end_timer(kernel, 0); });
}
int ek_block_begin(ek_block_balancer* balancer, int64_t id) {
  return c::guarded([&] {
    open_timers.push_back(
        {balancer, id, c::live(balancer, "ek_block_balancer").facade.time_block(id)});
  });
}
int ek_block_end(ek_block_balancer* balancer, int64_t id) {
  return c::guarded([&] { end_timer(balancer, id); });
}

// --- Monitors and balancers ----------------------------------------------------------------------

int ek_kernel_of(void* balancer, const char* name, int phase, ek_kernel** kernel) {
  return c::guarded([&] {
    c::required(kernel, "address for the kernel");
    c::required(name, "name of a kernel");
    with_facade(balancer, [&](auto& given) {
      *kernel = &given.kernels.emplace_back(given.facade.kernel(name, {.phase = phase}));
    });
  });
}
int ek_loan_of(void* balancer, const char* name, ek_loan** loan) {
  return c::guarded([&] {
    c::required(loan, "address for the loan");
    *loan = nullptr;
    c::required(name, "name of a loan");
    with_facade(balancer, [&](auto& given) {
      *loan = std::make_unique<ek_loan>(given.facade.loan(name)).release();
    });
  });
}
int ek_note_cost(void* balancer, double seconds) {
  return c::guarded(
      [&] { with_facade(balancer, [&](auto& given) { given.facade.note_cost(seconds); }); });
}
double ek_lambda(const void* balancer) {
  double found = 0;
  c::guarded([&] {
    with_facade(balancer, [&](auto& given) { found = given.facade.metrics().total.lambda; });
  });
  return found;
}
int ek_restore(void* balancer, const char* state) {
  return c::guarded([&] {
    c::required(state, "state");
    with_facade(balancer, [&](auto& given) { given.facade.restore(state); });
  });
}
int ek_state(void* balancer, const char** state) {
  return c::guarded([&] {
    c::required(state, "address for the state");
    with_facade(balancer, [&](auto& given) {
      given.state = given.facade.saved_state();
      *state = given.state.c_str();
    });
  });
}
int ek_finish(void* balancer) {
  return c::guarded([&] { with_facade(balancer, [](auto& given) { given.facade.finish(); }); });
}
int ek_accept(void* balancer) {
  return with_proposal(balancer, [](auto& facade) { facade.accept(); });
}
int ek_drop(void* balancer) {
  return with_proposal(balancer, [](auto& facade) { facade.drop(); });
}

void ek_free(void* handle) {
  if (handle == nullptr) return;
  switch (static_cast<const c::AnyHandle*>(handle)->type) {
    case ek_loan::of_type: delete &as<ek_loan>(handle); break;
    case ek_directory::of_type: delete &as<ek_directory>(handle); break;
    case ek_halo::of_type: delete &as<ek_halo>(handle); break;
    default: c::guarded([&] { with_facade(handle, [](auto& given) { delete &given; }); });
  }
}

// --- Monitor -------------------------------------------------------------------------------------

int ek_monitor_create(int communicator, const char* options, ek_monitor** monitor) {
  return c::create(communicator, options, monitor, &plain_options);
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

// --- Balancer ------------------------------------------------------------------------------------

int ek_balancer_create(int communicator, const char* options, ek_balancer** balancer) {
  return c::create(communicator, options, balancer, &plain_options);
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
    return of.step(all, c::step_options(may_move, changed));
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
int ek_owner(const void* balancer, const double* point, int dimensions, int* rank) {
  return c::guarded([&] {
    c::required(rank, "address for the rank");
    c::required(point, "point");
    if (dimensions < 1 || dimensions > 3)
      c::refuse("A point has " + std::to_string(dimensions) + " coordinates.", "Give 2 or 3.");
    with_facade(balancer, [&](auto& given) {
      if constexpr (requires { given.facade.domains(); })
        *rank = owner_of(given.facade.domains(), {point, static_cast<std::size_t>(dimensions)});
      else
        c::refuse_handle("balancer with domains");
    });
  });
}

// --- Loans ---------------------------------------------------------------------------------------

int ek_loan_begin(ek_loan* loan, const ek_loan_call* call, ek_batch_kernel kernel, void* user) {
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
    objects.weight = c::numbers_of(given.weight);
    if (given.cost != nullptr) objects.cost.fields = {c::field_of(given.cost)};
    of.begin(c::carried_of(given.kept, given.kept_count), objects, kernel_for(kernel, user));
  });
}
int ek_loan_end(ek_loan* loan, int* lent) {
  return c::guarded([&] {
    const Loan::Report report = c::live(loan, "ek_loan").loan.end();
    if (lent != nullptr) *lent = report.lent ? 1 : 0;
  });
}
int ek_loan_run(ek_loan* loan, const ek_loan_call* call, ek_batch_kernel kernel, void* user,
                int* lent) {
  const int begun = ek_loan_begin(loan, call, kernel, user);
  return begun == EK_SUCCESS ? ek_loan_end(loan, lent) : begun;
}

}  // extern "C"
