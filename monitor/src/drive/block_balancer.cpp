#include <evenkeel/monitor/block_balancer.hpp>

#include "blocks/block_survey.hpp"
#include "drive/facade.hpp"
#include "options/place_options.hpp"
#include "survey/shared_error.hpp"

#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/text.hpp>

#include <mutex>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* block_stage = "monitor/block_balancer";

MapOptions map_options(const BlockBalancerOptions& options, const Options& agreed) {
  return {options.most_blocks,  agreed.memory,           relative_speeds(agreed),
          options.node_of_rank, options.price_of_moving, agreed.target_lambda,
          options.consecutive};
}

// The first problem with the cost of a block. Any thread may note one.
class CostProblem {
 public:
  void note(const char* function, std::int64_t id, const std::string& what,
            const char* remedy) noexcept {
    const std::lock_guard lock(mutex_);
    if (!first_.ok()) return;
    first_ = attempt(block_stage, [&] {
      throw Error(ErrorKind::bad_input, Where{block_stage},
                  std::string(function) + " got " + what + " block " + std::to_string(id) + '.',
                  remedy);
    });
  }
  Status take() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(first_, Status());
  }

 private:
  std::mutex mutex_;
  Status first_;
};

}  // namespace

struct BlockBalancer::Impl : BalancerMembers {
  Impl(BalancerTerms terms, const BlockBalancerOptions& options)
      : BalancerMembers(std::move(terms), block_stage),
        map_options_(map_options(options, engine_.options())) {
    check(map_options_, ranks_.size());
    own_.emplace(engine_.clock(), engine_.kernel("blocks", {}), ranks_.rank(), engine_.speed());
    untimed_ = engine_.options().warmup_steps;
    engine_.know_costs();
  }
  void open() {
    BalancerMembers::open();
    const std::span<const double> limits = memory_.limits();
    vote(ranks_,
         attempt(block_stage, [&] { map_options_.memory.assign(limits.begin(), limits.end()); }));
  }

  void describe(std::span<const BlockInfo> blocks);
  const OwnBlock* block_of(const char* function, std::int64_t id) noexcept;
  void add_cost(std::int64_t id, double seconds);
  std::optional<BlockProposal> step(const StepOptions& how);
  std::optional<BlockProposal> propose(bool frees_memory);
  FreshMap map_with_room(const RankShares& shares, double most_share) const;
  void accept();
  void accept(std::span<const std::int64_t> ids);
  void drop();

  void end_epoch_of_blocks();
  void end_step(bool ends_epoch);
  void gather(const Status& ready);
  std::int64_t forecast();
  Survey survey(std::int64_t load);
  Survey find_out(std::int64_t load);
  OwnBlocks::List after(const BlockProposal& proposal);

  struct Proposed {
    BlockProposal blocks;
    OwnBlocks::List after;  // the blocks of this rank if it is accepted
    Outcome outcome;
    std::int64_t asked_at = 0, made_at = 0;  // readings of now_()
  };

  MapOptions map_options_;
  std::optional<OwnBlocks> own_;
  BlockSurveys surveys_;
  CostProblem problem_;
  BlockTable table_;
  std::int64_t table_step_ = -1;  // the table is that of this step, and of the present blocks
  std::int64_t ended_step_ = -1;  // the last step whose times of blocks were taken
  int untimed_ = 0;               // the next steps whose times of blocks are not typical
  std::optional<Proposed> proposal_;
  std::int64_t generation_ = 0;
};

// --- Blocks and their costs ----------------------------------------------------------------------

void BlockBalancer::Impl::describe(std::span<const BlockInfo> blocks) {
  engine_.meet_for_rebalance("describe");
  Status ready = problem_.take();
  if (ready.ok() && proposal_)
    ready = attempt(block_stage, [] {
      throw Error(ErrorKind::bad_input, Where{block_stage},
                  "describe was called while a proposal is open.",
                  "Call accept() or drop() first.");
    });
  const std::int64_t step = engine_.steps();
  if (!engine_.options().deterministic) own_->measure_all(step);
  OwnBlocks::List list = described(ranks_, ready, *own_, blocks, step);
  own_->set(std::move(list), step);
  table_step_ = -1;
}

const OwnBlock* BlockBalancer::Impl::block_of(const char* function, std::int64_t id) noexcept {
  const OwnBlock* const block = own_->find(id);
  if (block == nullptr)
    problem_.note(function, id, "the unknown",
                  "Describe all blocks that this rank has, and accept a proposal after they have "
                  "moved.");
  return block;
}

void BlockBalancer::Impl::add_cost(std::int64_t id, double seconds) {
  if (!(seconds >= 0 && std::isfinite(seconds))) {
    problem_.note("add_cost", id, text_of(seconds) + " seconds for",
                  "Give a finite number of at least 0.");
    return;
  }
  if (const OwnBlock* const block = block_of("add_cost", id)) own_->add_cost(*block, seconds);
}

void BlockBalancer::Impl::end_epoch_of_blocks() {
  const std::span<const double> kernels = engine_.measured().kernels;
  if (kernels.empty()) return;
  const double all = std::accumulate(kernels.begin(), kernels.end(), 0.0);
  own_->end_epoch(engine_.steps(), kernels.front(), all - kernels.front());
}

// --- A step --------------------------------------------------------------------------------------

std::optional<BlockProposal> BlockBalancer::Impl::step(const StepOptions& how) {
  if (proposal_) drop();
  if (engine_.options().deterministic) {
    own_->measure_by_weights();
    engine_.set_load(own_->work() / OwnBlocks::nanoseconds_per_weight);
  }
  const bool ends_epoch = engine_.next_step_looks(), predicts = engine_.predicts(how);
  const auto at_look = [&](std::int64_t load) {
    end_step(ends_epoch);
    return survey(load);
  };
  const SurveyedBy surveyed(engine_, std::cref(at_look));
  const auto inspect = [&] { return problem_.take(); };
  if (ends_epoch || predicts)
    engine_.set_memory(memory_.at_look(ranks_.rank(), own_->bytes(), engine_.steps() + 1));
  const auto predict = [&] {
    end_step(ends_epoch);
    return forecast();
  };
  const Advice advice = engine_.step(
      std::ssize(own_->all()), how,
      ends_epoch || predicts ? Engine::Inspector(std::cref(inspect)) : Engine::Inspector(),
      predicts ? Engine::Forecast(std::cref(predict)) : Engine::Forecast());
  end_step(ends_epoch);
  if (engine_.take_advised()) {
    surveys_.advise(*own_);
    table_step_ = -1;
  }
  if (!advice) return std::nullopt;
  return propose(advice.frees_memory);
}

// Surveys and forecasts need the times of a step before the step has ended.
void BlockBalancer::Impl::end_step(bool ends_epoch) {
  if (std::exchange(ended_step_, engine_.steps()) == engine_.steps()) return;
  own_->set_speed(engine_.speed());
  own_->end_step();
  if (engine_.options().deterministic) return;
  if (untimed_ > 0) {
    --untimed_;
    own_->forget_times(engine_.steps());
  } else if (ends_epoch) {
    end_epoch_of_blocks();
  }
}

// Collective.
void BlockBalancer::Impl::gather(const Status& ready) {
  if (engine_.options().deterministic)
    own_->measure_by_weights();
  else
    own_->measure_new(engine_.steps());
  const Status known = attempt(block_stage, [&] {
    if (!ready.ok()) throw Error(*ready.error());
    map_options_.speeds = relative_speeds(engine_.options());
  });
  table_ = gather_blocks(ranks_, known, *own_, map_options_.speeds);
  table_step_ = engine_.steps();
}

// Collective. The load per step of this rank with its present blocks.
std::int64_t BlockBalancer::Impl::forecast() {
  gather(Status());
  if (!table_.is_measured) return -1;
  constexpr double most = 0x1p61;
  return std::llround(std::min(own_->load_of_blocks() + own_->load_of_others(), most));
}

Survey BlockBalancer::Impl::survey(std::int64_t load) try {
  const exec::Region shown("evenkeel::survey");
  return find_out(load);
} catch (const Error& error) {
  require_shared(error);
  return {};
}

Survey BlockBalancer::Impl::find_out(std::int64_t load) {
  vote(ranks_, Status());
  const std::int64_t began = now_();  // waiting for the slowest rank does not count
  if (table_step_ != engine_.steps()) gather(Status());
  const RankShares shares =
      gather_shares(ranks_, table_, *own_, static_cast<double>(std::max<std::int64_t>(0, load)));
  const std::int64_t first = engine_.first_generation();
  FreshMap fresh;
  Survey found;
  const Status made = attempt(block_stage, [&] {
    fresh = make_map(table_, shares, map_options_);
    found = surveys_.survey(table_, shares, fresh, engine_.steps(),
                            first >= 0 && first != engine_.generation(), ranks_.rank());
  });
  vote(ranks_, made);
  surveys_.keep(table_, fresh, engine_.steps(), *own_);
  found.took = now_() - began;
  return found;
}

// --- Proposals -----------------------------------------------------------------------------------

// The blocks of this rank if the proposal is accepted. The history of a block knows the ranks
// before the proposal, except before the first step: then the proposal is the first map.
OwnBlocks::List BlockBalancer::Impl::after(const BlockProposal& proposal) {
  OwnBlocks::List list;
  for (std::size_t i = 0; i < proposal.map.size(); ++i) {
    const BlockMove& move = proposal.map[i];
    if (move.to != ranks_.rank()) continue;
    OwnBlock& block = list.emplace_back();
    block.record = table_.blocks[i];
    if (!table_.is_measured) block.record.work = -1;
    block.record.ranks.previous = move.from;
    if (!engine_.has_begun()) block.record.ranks.first = block.record.ranks.previous = move.to;
    if (!table_.neighbours.empty()) block.neighbours = table_.neighbours[i];
  }
  return own_->with_parts(std::move(list), engine_.steps());
}

// If no map leaves as much room as wanted, makes one that keeps the caps.
FreshMap BlockBalancer::Impl::map_with_room(const RankShares& shares, double most_share) const {
  if (!(most_share < 1)) return make_map(table_, shares, map_options_);
  MapOptions with_room = map_options_;
  for (double& limit : with_room.memory) limit *= most_share;
  try {
    return make_map(table_, shares, with_room);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    return make_map(table_, shares, map_options_);
  }
}

// Collective.
std::optional<BlockProposal> BlockBalancer::Impl::propose(bool frees_memory) {
  engine_.meet_for_rebalance("propose");
  const exec::Region shown("evenkeel::propose");
  const std::int64_t asked_at = proposal_ ? proposal_->asked_at : now_();
  require_same_generation(ranks_, problem_.take(), block_stage, generation_);
  if (table_step_ != engine_.steps()) gather(Status());
  const double load = table_.is_measured ? -1 : engine_.measured().last;
  const RankShares shares = gather_shares(ranks_, table_, *own_, load);
  const double most_share =
      memory_.is_limited() ? memory_.most_share(ranks_, own_->bytes(), frees_memory) : 1;
  const std::int64_t gathered_at = now_();
  std::optional<BlockProposal> answer;
  Proposed next;
  std::vector<double> bytes;
  vote(ranks_, attempt(block_stage, [&] {
         const FreshMap map = map_with_room(shares, most_share);
         bytes = bytes_by_rank(table_, map);
         answer = proposal_of(table_, shares, map, ranks_.rank());
         next.blocks = *answer;
         next.after = after(next.blocks);
         next.outcome.stages = {{"gather", 0.0}, {"assign", 0.0}, {"move", 0.0}};
       }));
  if (memory_.is_limited()) memory_.judge(ranks_.rank(), bytes, false);  // it fits
  next.asked_at = asked_at;
  next.made_at = now_();
  Outcome& outcome = next.outcome;
  outcome.objects_moved = answer->blocks_moved;
  outcome.bytes_moved = std::llround(answer->bytes_moved);
  outcome.lambda = answer->lambda;
  outcome.stages[0].second = static_cast<double>(gathered_at - asked_at) * 1e-9;
  outcome.stages[1].second = static_cast<double>(next.made_at - gathered_at) * 1e-9;
  proposal_ = std::move(next);
  if (answer->blocks_moved > 0) return answer;
  drop();
  return std::nullopt;
}

void BlockBalancer::Impl::accept() {
  require_proposal(proposal_.has_value(), block_stage, "accept");
  Proposed accepted = std::move(*proposal_);
  proposal_.reset();
  ++generation_;
  own_->set(std::move(accepted.after), engine_.steps());
  own_->forget_times(engine_.steps());
  untimed_ = std::max(untimed_, 1);
  table_step_ = -1;
  const std::int64_t now = now_();
  Outcome& outcome = accepted.outcome;
  outcome.seconds = static_cast<double>(now - accepted.asked_at) * 1e-9;
  outcome.stages[2].second = static_cast<double>(now - accepted.made_at) * 1e-9;
  engine_.rebalanced(outcome);
  memory_.rebalanced(engine_.steps(), true);
}

// Collective.
void BlockBalancer::Impl::accept(std::span<const std::int64_t> ids) {
  engine_.meet_for_rebalance("accept");
  vote(ranks_, attempt(block_stage, [&] {
         require_proposal(proposal_.has_value(), block_stage, "accept");
         require_moved(proposal_->blocks, ids, ranks_.rank());
       }));
  accept();
}

void BlockBalancer::Impl::drop() {
  require_proposal(proposal_.has_value(), block_stage, "drop");
  const std::int64_t asked_at = proposal_->asked_at;
  proposal_.reset();
  engine_.rebalanced({.moved = false, .seconds = static_cast<double>(now_() - asked_at) * 1e-9});
  memory_.rebalanced(engine_.steps(), false);
}

// --- The facade ----------------------------------------------------------------------------------

BlockBalancer::BlockBalancer(const Communicator& communicator, const BlockBalancerOptions& options)
    : impl_(opened<Impl>(communicator, options.monitor, std::nullopt, options)) {
  engine_ = &impl_->engine_;
}
#if EVENKEEL_HAS_MPI
BlockBalancer::BlockBalancer(MPI_Comm users, const BlockBalancerOptions& options)
    : BlockBalancer(Communicator(users), options) {}
#endif
BlockBalancer::BlockBalancer(BlockBalancer&&) noexcept = default;
BlockBalancer& BlockBalancer::operator=(BlockBalancer&&) noexcept = default;
BlockBalancer::~BlockBalancer() = default;

void BlockBalancer::describe(std::span<const BlockInfo> blocks) {
  engine_->run([&] { impl_->describe(blocks); });
}
const Kernel* BlockBalancer::block_kernel(std::int64_t id) {
  const OwnBlock* const block = impl_->block_of("time_block", id);
  return block != nullptr ? &impl_->own_->kernel_of(*block) : nullptr;
}
Timer BlockBalancer::time_block(std::int64_t id) {
  const Kernel* const block = block_kernel(id);
  return block != nullptr ? block->time() : Timer();
}
void BlockBalancer::add_cost(std::int64_t id, double seconds) { impl_->add_cost(id, seconds); }
std::optional<BlockProposal> BlockBalancer::step(const StepOptions& how) {
  return engine_->run([&] { return impl_->step(how); });
}
std::optional<BlockProposal> BlockBalancer::propose() {
  return engine_->run([&] { return impl_->propose(false); });
}
void BlockBalancer::accept() {
  engine_->run([&] { impl_->accept(); });
}
void BlockBalancer::accept(std::span<const std::int64_t> ids) {
  engine_->run([&] { impl_->accept(ids); });
}
void BlockBalancer::drop() {
  engine_->run([&] { impl_->drop(); });
}
bool BlockBalancer::has_proposal() const noexcept { return impl_->proposal_.has_value(); }

std::vector<std::int64_t> BlockBalancer::ids() const { return impl_->own_->ids(); }
double BlockBalancer::seconds_of(std::int64_t id) const {
  const OwnBlock* const block = impl_->own_->find(id);
  const double work = block != nullptr ? block->record.work : 0;
  return std::max(0.0, work) / impl_->own_->speed() * 1e-9;
}
std::int64_t BlockBalancer::generation() const noexcept { return impl_->generation_; }

}  // namespace evenkeel
