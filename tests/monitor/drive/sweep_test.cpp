// On one rank, every allocation of a GraphBalancer, a GridBalancer, a BlockBalancer, of restore()
// and of the constructors is refused in turn, and every MPI call fails once; see support/sweep.hpp.
// The test of Balancer is balancer/sweep_test.cpp.

#include "support/sweep.hpp"
#include "core/graph/graphs.hpp"
#include "monitor/drive/virtual_clock.hpp"

#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel::sweep_test {
namespace {

using namespace test;

// `memory` is the most bytes of a rank; 0 is no limit.
Options monitor_options(double memory = 0) {
  return {.trigger = Threshold{.lambda = 1.05},
          .memory = memory > 0 ? std::vector{memory} : std::vector<double>(),
          .epoch_steps = 6,
          .warmup_steps = 0,
          .own_clock = &virtual_now,
          .log = LogLevel::off};
}

// Makes steps until a look leads to a proposal. Returns false if no look did.
template <class Step>
bool steps(const Communicator& ranks, const Kernel& work, const Step& step) {
  constexpr int enough = 13;
  for (int i = 0; i < enough; ++i) {
    spend(work, 1000000 * (ranks.rank() + 1));
    virtual_time += 1000;
    if (step()) return true;
  }
  return false;
}

// --- GraphBalancer -------------------------------------------------------------------------------

// A grid of cells in rows. Those of the last rank weigh more, but have fewer bytes.
class Rows {
 public:
  explicit Rows(const Communicator& ranks) {
    const GraphOnHost whole = grid(9, 8);
    const std::int64_t begin = whole.size() * ranks.rank() / ranks.size(),
                       end = whole.size() * (ranks.rank() + 1) / ranks.size();
    for (std::int64_t cell = begin; cell < end; ++cell) {
      const auto row = whole.row(cell);
      columns_.insert(columns_.end(), row.begin(), row.end());
      offsets_.push_back(std::ssize(columns_));
      weights_.push_back(ranks.rank() == ranks.size() - 1 ? 3 : 1);
      bytes_.push_back(4 - weights_.back());
      centres_.push_back({static_cast<double>(cell % 9), static_cast<double>(cell / 9)});
    }
    const double here = std::accumulate(bytes_.begin(), bytes_.end(), 0.0);
    memory = 1.3 * ranks.all_reduce(here, Reduction::sum) / ranks.size();
  }
  Graph as_graph() const {
    return graph(offsets_, columns_, {.weight = weights_, .bytes = bytes_, .position = centres_});
  }

  double memory;  // of a rank; a cut by weights needs more

 private:
  std::vector<std::int64_t> offsets_ = {0}, columns_;
  std::vector<double> weights_, bytes_;
  std::vector<std::array<double, 2>> centres_;
};

enum class Deed : std::uint8_t { propose, accept, drop, steps };

// Calls of a balancer that proposes. The application does not follow the proposals. Those that are
// dropped keep a limit of memory.
template <class Balancer>
class Proposals : public Repeatable {
 public:
  explicit Proposals(const Communicator& ranks, Deed deed) : ranks_(ranks), deed_(deed) {}
  ~Proposals() override {
    if (balancer_) balancer_->finish();
  }
  void act() final {
    if (deed_ == Deed::steps) {
      has_stepped_ = steps(ranks_, *work_, [&] { return step(); });
    } else {
      propose();
      if (ranks_.size() == 1 && !balancer_->has_proposal()) return;  // a grid of one part stays
      if (deed_ == Deed::accept) balancer_->accept();
      if (deed_ == Deed::drop) balancer_->drop();
    }
  }
  // A look may lack memory. Then no rank gets a proposal.
  bool has_acted() final {
    if (deed_ != Deed::steps) return Repeatable::has_acted();
    return on_all_ranks(has_stepped_) || !on_any_rank(has_stepped_);
  }

 protected:
  virtual void make() = 0;
  virtual void propose() = 0;
  virtual bool step() = 0;
  virtual std::string proposed() = 0;
  virtual void forget() = 0;

  void load() final {
    if (!balancer_ || deed_ != Deed::propose) {
      if (balancer_) balancer_->finish();
      make();
      work_.emplace(balancer_->kernel("work"));
    }
    if (balancer_->has_proposal()) balancer_->drop();
    has_stepped_ = false;
    forget();
  }
  std::string state() final {
    return proposed() + ' ' + std::to_string(balancer_->generation()) +
           (balancer_->has_proposal() ? " open" : "");
  }

  const Communicator& ranks_;
  Deed deed_;
  std::optional<Balancer> balancer_;
  std::optional<Kernel> work_;
  bool has_stepped_ = false;
};

class GraphProposals final : public Proposals<GraphBalancer> {
 public:
  GraphProposals(const Communicator& ranks, Deed deed) : Proposals(ranks, deed), rows_(ranks) {}

 private:
  void make() override {
    const double memory = deed_ == Deed::drop ? rows_.memory : 0;
    const Effort effort = deed_ == Deed::propose ? Effort::good : Effort::fast;
    balancer_.emplace(ranks_, GraphBalancerOptions{.method = {.effort = effort},
                                                   .costs = VertexCosts::as_given,
                                                   .monitor = monitor_options(memory)});
  }
  void propose() override { cut_ = balancer_->propose(graph_); }
  bool step() override {
    cut_ = balancer_->step(graph_);
    return cut_.has_value();
  }
  std::string proposed() override { return cut_ ? bytes_in(cut_->parts.on_host()) : "none"; }
  void forget() override { cut_.reset(); }

  Rows rows_;
  Graph graph_ = rows_.as_graph();
  std::optional<GraphCut> cut_;
};

// --- GridBalancer --------------------------------------------------------------------------------

class GridProposals : public Proposals<GridBalancer> {
 public:
  GridProposals(const Communicator& ranks, Deed deed) : Proposals(ranks, deed) {
    options_.grid.shape = factored(ranks.size(), 2);
    options_.box = {{0, 0, 0}, {1, 1, 0}};
    options_.monitor = monitor_options();
    for (int i = 0; i < 20; ++i)
      centres_.push_back({(i + 0.5) / 20, (ranks.rank() + 0.5) / ranks.size()});
    for (int i = 0; i < 20; ++i) weights_.push_back(i < 5 ? 4 : 1);
    for (int i = 0; i < 20; ++i) bytes_.push_back(i < 5 ? 1 : 4);
  }

 private:
  void make() override { balancer_.emplace(ranks_, options_); }
  void propose() override { next_ = balancer_->propose(1 + ranks_.rank()); }
  bool step() override {
    next_ = balancer_->step(*cells_);
    return next_.has_value();
  }
  std::string proposed() override {
    std::string text = next_ ? "domains" : "none";
    if (next_ && options_.bisection)
      for (const Bisection& node : std::get<TreeDomains>(*next_).nodes())
        text += bytes_in(std::vector{node.border});
    else if (next_)
      for (const auto& level : std::get<GridDomains>(*next_).borders().levels)
        text += bytes_in(level);
    return text;
  }
  void forget() override {
    next_.reset();
    cells_.emplace(set(centres_, {}, {.weight = weights_, .bytes = bytes_}));
  }

  std::vector<std::array<double, 2>> centres_;
  std::vector<double> weights_, bytes_;

 protected:
  GridBalancerOptions options_;
  std::optional<Set> cells_;
  std::optional<Domains> next_;
};

class BisectionProposals final : public GridProposals {
 public:
  BisectionProposals(const Communicator& ranks, Deed deed) : GridProposals(ranks, deed) {
    options_.bisection.emplace();
    options_.rounds.cell_size = {0.05, 0, 0};
    if (deed != Deed::drop) return;
    options_.bisection->axes = {true, false, false};  // a cut by weights alone does not fit
    options_.monitor = monitor_options(1.6 * 65);
  }

 private:
  void propose() override { next_ = balancer_->propose(*cells_); }
};

class CellProposals final : public GridProposals {
 public:
  CellProposals(const Communicator& ranks, Deed deed) : GridProposals(ranks, deed) {
    options_.voronoi.emplace();
  }

 private:
  void propose() override { next_ = balancer_->propose(1 + ranks_.rank(), middle_); }
  std::string proposed() override {
    std::string text = next_ ? "domains" : "none";
    if (next_)
      for (const stages::PowerSite& site : std::get<VoronoiDomains>(*next_).sites())
        text += bytes_in(std::vector{site.weight});
    return text;
  }
  void forget() override {
    next_.reset();
    const Box around = balancer_->domain();
    for (std::size_t d = 0; d < 2; ++d) middle_[d] = 0.5 * (around.lower[d] + around.upper[d]);
  }

  std::array<double, 3> middle_ = {};
};

// --- BlockBalancer -------------------------------------------------------------------------------

// Blocks in a row, all on the last rank.
std::vector<BlockInfo> blocks_in_a_row(const Communicator& ranks) {
  std::vector<BlockInfo> blocks;
  if (ranks.rank() != ranks.size() - 1) return blocks;
  for (std::int64_t id = 0; id < 12; ++id)
    blocks.push_back({.id = id,
                      .bytes = 10,
                      .cells = {8, 8, 8 + id % 2},
                      .centre = {{static_cast<double>(id) + 0.5, 0.5, 0.5}},
                      .neighbours = {id + 1}});
  return blocks;
}

class BlockProposals final : public Proposals<BlockBalancer> {
 public:
  BlockProposals(const Communicator& ranks, Deed deed)
      : Proposals(ranks, deed), blocks_(blocks_in_a_row(ranks)) {}

 private:
  void make() override {
    const double memory = deed_ == Deed::drop ? 120.0 / ranks_.size() + 20 : 0;
    balancer_.emplace(ranks_, BlockBalancerOptions{.monitor = monitor_options(memory)});
    balancer_->describe(blocks_);
  }
  void propose() override { wanted_ = balancer_->propose(); }
  bool step() override {
    for (const BlockInfo& block : blocks_) {
      if (block.id == 0) continue;  // its cost is expected from those of the others
      const auto timing = balancer_->time_block(block.id);
      virtual_time += 1000;
    }
    wanted_ = balancer_->step();
    return wanted_.has_value();
  }
  std::string proposed() override {
    std::string text = wanted_ ? "map" : "none";
    if (wanted_)
      for (const BlockMove& move : wanted_->map) text += ' ' + std::to_string(move.to);
    return text;
  }
  void forget() override { wanted_.reset(); }

  std::vector<BlockInfo> blocks_;
  std::optional<BlockProposal> wanted_;
};

// Some blocks are split, and one is new.
class Describing final : public Repeatable {
 public:
  explicit Describing(const Communicator& ranks)
      : ranks_(ranks), before_(blocks_in_a_row(ranks)), after_(before_) {
    if (after_.empty()) return;
    after_.front() = {.id = 100, .made_from = {0}};
    after_.push_back({.id = 101, .made_from = {0}});
    after_.push_back({.id = 102});
  }
  ~Describing() override {
    if (balancer_) balancer_->finish();
  }
  void act() override { balancer_->describe(after_); }

 private:
  void load() override {
    if (balancer_) balancer_->finish();
    balancer_.emplace(ranks_, BlockBalancerOptions{.monitor = monitor_options()});
    balancer_->describe(before_);
  }
  std::string state() override { return "ids " + bytes_in(balancer_->ids()); }

  const Communicator& ranks_;
  std::vector<BlockInfo> before_, after_;
  std::optional<BlockBalancer> balancer_;
};

// --- Restoring -----------------------------------------------------------------------------------

// A run continues from the saved state of another.
class Restoring final : public Repeatable {
 public:
  explicit Restoring(const Communicator& ranks) : ranks_(ranks) {
    Monitor earlier(ranks, monitor_options());
    for (int i = 0; i < 13; ++i) earlier.step();
    saved_ = earlier.saved_state();
    earlier.finish();
  }
  void act() override { monitor_->restore(saved_); }

 private:
  void load() override { monitor_.emplace(ranks_, monitor_options()); }
  std::string state() override { return std::to_string(monitor_->steps()); }

  const Communicator& ranks_;
  std::string saved_;
  std::optional<Monitor> monitor_;
};

// --- Constructors --------------------------------------------------------------------------------

// Makes an object of evenkeel from a communicator, and drops it again.
template <class Made>
class Making final : public Repeatable {
 public:
  explicit Making(const Communicator& ranks) : ranks_(ranks) {}
  ~Making() override {
    if (made_) finish();
  }
  void act() override {
    if constexpr (std::is_same_v<Made, Communicator>)
      made_.emplace(ranks_.duplicate());
    else
      made_.emplace(ranks_, options_);
  }

 private:
  static auto options_for([[maybe_unused]] const Communicator& ranks) {
    if constexpr (std::is_same_v<Made, GridBalancer>)
      return GridBalancerOptions{.grid = {factored(ranks.size(), 2), {}},
                                 .box = {{0, 0, 0}, {1, 1, 0}},
                                 .monitor = monitor_options()};
    else if constexpr (std::is_same_v<Made, GraphBalancer>)
      return GraphBalancerOptions{.monitor = monitor_options()};
    else if constexpr (std::is_same_v<Made, BlockBalancer>)
      return BlockBalancerOptions{.monitor = monitor_options()};
    else
      return monitor_options();
  }
  void finish() {
    if constexpr (!std::is_same_v<Made, Communicator>) made_->finish();
  }
  void load() override {
    if (made_) finish();
    made_.reset();
  }
  std::string state() override { return made_ ? "made" : "none"; }

  const Communicator& ranks_;
  const decltype(options_for(std::declval<const Communicator&>())) options_ = options_for(ranks_);
  std::optional<Made> made_;
};

template <class Made>
Trial making(const char* name) {
  constexpr int stride = 7;
  return {name, [](const Communicator& ranks) { return std::make_unique<Making<Made>>(ranks); },
          stride};
}

// A call that lends, after one that measures. If it fails, an object has its old value or the new
// one.
class Lending final : public Subject {
 public:
  explicit Lending(const Communicator& ranks) : ranks_(ranks), monitor_(ranks, monitor_options()) {
    loan_.emplace(monitor_.loan("chemistry", {.batches = 3}));
    prepare();
    act();
  }
  ~Lending() override { monitor_.finish(); }
  void prepare() override {
    values_.assign(30, -1);
    weights_.assign(30, ranks_.rank() + 1);
    fields_ = carry(values_);
    objects_.weight = weights_;
  }
  void act() override { loan_->run(fields_, objects_, kernel_); }
  bool is_as_before() override { return on_all_ranks(new_values() >= 0); }
  bool has_acted() override { return on_all_ranks(new_values() == std::ssize(values_)); }
  void go_on() override {
    prepare();
    act();
    EXPECT_TRUE(has_acted());
  }

 private:
  // How many objects have the new value; -1 if one has a wrong value.
  std::int64_t new_values() const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == static_cast<double>(i))
        ++count;
      else if (values_[i] != -1)
        return -1;
    }
    return count;
  }

  const Communicator& ranks_;
  Monitor monitor_;
  std::optional<Loan> loan_;
  std::vector<double> values_, weights_;
  Carried fields_;
  Loan::Objects objects_;
  const Loan::Kernel kernel_ = [](const Batch& batch) {
    const auto value = batch.field<double>(0);
    for (std::int64_t i = 0; i < batch.count(); ++i) {
      value(i) = static_cast<double>(batch.index()(i));
      virtual_time += 1'000'000 * (batch.owner() + 1);
    }
  };
};

template <class Tried>
Trial trial(const char* name, int stride, Deed deed, bool votes_on_messages = true,
            bool fails_calls = true) {
  return {name,
          [deed](const Communicator& ranks) { return std::make_unique<Tried>(ranks, deed); },
          stride,
          deed == Deed::steps,
          votes_on_messages,
          fails_calls};
}

std::vector<Trial> trials() {
  return {
      trial<GraphProposals>("graph, propose", 97, Deed::propose, false),
      trial<GraphProposals>("graph, propose and accept", 97, Deed::accept, false),
      trial<GraphProposals>("graph, propose and drop", 1597, Deed::drop, false),
      trial<GraphProposals>("graph, steps", 97, Deed::steps, false),
      trial<GridProposals>("grid, propose", 5, Deed::propose),
      trial<GridProposals>("grid, propose and accept", 11, Deed::accept),
      trial<GridProposals>("grid, propose and drop", 11, Deed::drop),
      trial<GridProposals>("grid, steps", 23, Deed::steps),
      trial<BisectionProposals>("bisection, propose and accept", 11, Deed::accept),
      trial<BisectionProposals>("bisection, propose and drop", 97, Deed::drop),
      trial<BisectionProposals>("bisection, steps", 23, Deed::steps),
      trial<CellProposals>("cells, propose", 23, Deed::propose, false, false),
      trial<CellProposals>("cells, propose and accept", 47, Deed::accept, false, false),
      trial<CellProposals>("cells, propose and drop", 47, Deed::drop, false, false),
      trial<BlockProposals>("blocks, propose", 5, Deed::propose),
      trial<BlockProposals>("blocks, propose and accept", 11, Deed::accept),
      trial<BlockProposals>("blocks, propose and drop", 11, Deed::drop),
      trial<BlockProposals>("blocks, steps", 23, Deed::steps),
      {"blocks, describe",
       [](const Communicator& ranks) { return std::make_unique<Describing>(ranks); }, 5},
      {"lend", [](const Communicator& ranks) { return std::make_unique<Lending>(ranks); }, 5},
      making<Communicator>("make a communicator"),
      making<Monitor>("make a monitor"),
      making<Balancer>("make a balancer"),
      making<GridBalancer>("make a grid balancer"),
      making<GraphBalancer>("make a graph balancer"),
      making<BlockBalancer>("make a block balancer"),
      {"restore", [](const Communicator& ranks) { return std::make_unique<Restoring>(ranks); }, 11},
  };
}

}  // namespace
}  // namespace evenkeel::sweep_test

std::vector<evenkeel::test::Trial> evenkeel::test::all_trials() { return sweep_test::trials(); }
