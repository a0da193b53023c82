#include <evenkeel/monitor/grid_balancer.hpp>

#include "costs/load_forecast.hpp"
#include "drive/facade.hpp"
#include "options/place_options.hpp"
#include "rebalance/domain_sections.hpp"
#include "rebalance/inspection.hpp"
#include "survey/surveyor.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/speeds.hpp>

namespace evenkeel {

namespace {

constexpr const char* grid_stage = "monitor/grid_balancer";

// Only positions of cells need to be in their set, so the bytes of cells do not follow from it.
void require_bytes(const Set& cells) {
  if (cells.count() > 0 && !cells.options().bytes.given() && cells.options().bytes_per_object == 0)
    throw Error(ErrorKind::bad_input, Where{grid_stage},
                "monitor.memory was given, but cells have no bytes.",
                "Give .bytes or .bytes_per_object with the cells, or no limit of memory.");
}

// Rounds of a grid; or of a power diagram or a mesh.
using Rounds = std::variant<GridRounds, WorkRounds>;

Domains current_of(const Rounds& rounds) {
  return std::visit([](const auto& any) -> Domains { return any.current(); }, rounds);
}

}  // namespace

struct GridBalancer::Impl : BalancerMembers {
  Impl(BalancerTerms terms, const GridBalancerOptions& options)
      : BalancerMembers(std::move(terms), grid_stage) {
    if (!options.bisection && !engine_.options().memory.empty())
      throw Error(ErrorKind::bad_input, Where{grid_stage},
                  "monitor.memory was given, but borders of a grid come from the work of domains.",
                  "Set .bisection, which knows the bytes of cells, or give no limit of memory.");
    rounds_options_ = options.rounds;
    take_over_speeds(options.grid.rank_of_part);
    placing_ = engine_.options();
    if (options.bisection.has_value() + options.voronoi.has_value() + options.mesh.has_value() > 1)
      throw Error(ErrorKind::bad_input, Where{grid_stage},
                  "Several of .bisection, .voronoi and .mesh were set.", "Set at most one.");
    if (options.bisection)
      begin_bisection(options);
    else if (options.voronoi || options.mesh)
      begin_cells(options);
    else
      begin_grid(options);
    part_ = decomposition_of(domains_).part_of(ranks_.rank());
    if (!rounds_options_.speeds.empty())
      speed_ = rounds_options_.speeds[static_cast<std::size_t>(part_)];
    placing_.cell_size = rounds_options_.cell_size;
    placing_.least_width = rounds_options_.least_width;
    placing_.periodic = options.periodic;
    placing_.box = options.box;
    if (!engine_.learns_speeds()) placing_.speeds = rounds_options_.speeds;
    for (std::size_t p = 0; p < rounds_options_.speeds.size() && !options.grid.rank_of_part.empty();
         ++p)
      placing_.speeds[static_cast<std::size_t>(options.grid.rank_of_part[p])] =
          rounds_options_.speeds[p];
  }

  void begin_grid(const GridBalancerOptions& options) {
    const GridDomains uniform =
        GridDomains::uniform(options.grid.shape, options.box, options.scheme, options.periodic,
                             options.grid.rank_of_part);
    if (uniform.parts() != ranks_.size())
      throw Error(ErrorKind::bad_input, Where{grid_stage},
                  "A grid of " + std::to_string(uniform.parts()) + " domains was given for " +
                      std::to_string(ranks_.size()) + " ranks.",
                  "Make as many domains as ranks, for example with factored().");
    rounds_.emplace(GridRounds(uniform, rounds_options_));
    domains_ = current_of(*rounds_);
    if (options.scheme == GridScheme::tensor)
      placing_.method = Tensor{options.grid.shape.extents};
    else
      placing_.method = Staggered{options.grid.shape.extents};
  }

  static void require_kokkos() {
    if (!exec::kokkos_is_running())
      throw Error(ErrorKind::bad_input, Where{grid_stage}, "Kokkos is not running.",
                  "Only a GridBalancer of a grid can be made before Kokkos::initialize.");
  }

  void begin_bisection(const GridBalancerOptions& options) {
    require_kokkos();
    cutting_.emplace();
    cutting_->box = options.box;
    cutting_->periodic = options.periodic;
    cutting_->target_lambda = engine_.options().target_lambda;
    cutting_->speeds = rounds_options_.speeds;
    cutting_->least_width = rounds_options_.least_width;
    cutting_->cell_size = rounds_options_.cell_size;
    cutting_->parts = ranks_.size();
    cutting_->dimensions = options.grid.shape.dimensions;
    cutting_->divided_axes = options.bisection->axes;
    placing_.method = *options.bisection;
    BisectionCut cut = bisect(Communicator::self(), {}, *cutting_);
    domains_ = TreeDomains(1, cutting_->dimensions, options.box, options.periodic,
                           std::move(cut.nodes), options.grid.rank_of_part);
  }

  void begin_cells(const GridBalancerOptions& options) {
    require_kokkos();
    WorkRounds::Start start = {.dimensions = options.grid.shape.dimensions,
                               .box = options.box,
                               .periodic = options.periodic,
                               .parts = ranks_.size(),
                               .rank_of_part = options.grid.rank_of_part};
    if (options.mesh) start.mesh = options.mesh->grid;
    domains_ = WorkRounds::even(Communicator::self(), start, rounds_options_);
    rounds_.emplace(WorkRounds(domains_, rounds_options_));
    placing_.method = options.mesh ? Method(*options.mesh) : Method(*options.voronoi);
  }

  // The speeds of ranks, in the options of the monitor, are those of their parts.
  void take_over_speeds(const std::vector<int>& rank_of_part) {
    const std::span<const double> speeds = engine_.options().speeds;
    if (speeds.empty()) return;
    if (!rounds_options_.speeds.empty())
      throw Error(ErrorKind::bad_input, Where{grid_stage},
                  "Speeds were given for parts and for ranks.",
                  "Leave out rounds.speeds, or monitor.speeds.");
    rounds_options_.speeds = speeds_of_parts(unless_equal(speeds), rank_of_part);
  }

  // Learned speeds, which a step may have changed: of ranks for surveys, and of parts for cuts.
  // With new speeds of parts, rounds begin again.
  void follow_speeds() noexcept {
    if (!engine_.learns_speeds()) return;
    std::ranges::copy(engine_.options().speeds, placing_.speeds.begin());
    speed_ = engine_.speed();
  }
  void follow_speeds_of_parts() {
    if (!engine_.learns_speeds()) return;
    follow_speeds();
    std::vector<double> speeds =
        speeds_of_parts(unless_equal(engine_.options().speeds), rank_of_part(domains_));
    if (speeds == rounds_options_.speeds) return;
    GridRoundsOptions next = rounds_options_;
    next.speeds = std::move(speeds);
    if (cutting_)
      cutting_->speeds = next.speeds;
    else if (has_cells())
      rounds_ = WorkRounds(domains_, next);
    else
      rounds_ = GridRounds(grid(), next);
    rounds_options_ = std::move(next);
  }

  // Calls propose(work, frees_memory) with this rank's measured work if a proposal is due.
  // Functions are template parameters, since a std::function may need memory.
  template <class Propose>
  std::optional<Domains> step(const StepOptions& how, const Propose& propose,
                              const std::function<Status()>& inspector = {},
                              const Engine::Forecast& forecast = {});
  std::optional<Domains> step(const Set& cells, const StepOptions& how);
  std::optional<Domains> step_without_cells(const std::optional<std::array<double, 3>>& centre,
                                            const StepOptions& how);
  // Collective. Asks the rounds for new domains. measure() returns the work of this rank, and may
  // throw.
  template <class Measure>
  std::optional<Domains> propose_by(const Measure& measure);
  std::optional<Domains> propose(const Set& cells, std::optional<double> work, bool frees_memory);
  std::optional<Domains> bisect_again(const Set& cells, std::optional<double> work,
                                      bool frees_memory);
  std::vector<Bisection> cut_cells(const Status& status, const WeightedPoints& points);
  std::vector<Bisection> cut_within_memory(const Status& status, const Set& cells,
                                           std::span<const double> weights, bool frees_memory);
  void offer(const Status& status, const std::optional<Domains>& next);
  void end_rebalance(const Outcome& outcome) {
    engine_.rebalanced(outcome);
    memory_.rebalanced(engine_.steps(), outcome.moved);
  }
  bool has_cells() const noexcept { return rounds_ && rounds_->index() == 1; }
  void require_rounds() const;
  void require_cells() const;
  void require_no_grid() const;
  void accept();
  void drop();
  std::int64_t generation() const noexcept { return generation_of(domains_); }
  const GridDomains& grid() const noexcept { return *std::get_if<GridDomains>(&domains_); }
  Box domain() const {
    if (const auto* const tree = std::get_if<TreeDomains>(&domains_)) return tree->box_of(part_);
    return has_cells() ? box_of_rank(domains_, ranks_.rank()) : grid().box_of(part_);
  }

  GridRoundsOptions rounds_options_;
  std::optional<Rounds> rounds_;             // empty for a bisection
  std::optional<Rounds> rounds_after_drop_;  // of the open proposal
  std::optional<BisectionOptions> cutting_;  // only for a bisection
  double lambda_ = 0;                        // of the latest bisection
  double best_lambda_ = 1;                   // see Surveyor::Question
  Domains domains_ = GridDomains();
  int part_ = 0;      // of this rank, at first; rounds of cells may change it
  double speed_ = 1;  // of this rank
  std::optional<Domains> proposal_;
  std::int64_t proposed_at_ = 0;  // reading of now_(): a rebalance begins here
  Options placing_;               // the options of a fresh cut of cells
  Surveyor surveyor_{ranks_};
  LoadForecast forecast_;
  Inspection inspection_;
};

template <class Propose>
std::optional<Domains> GridBalancer::Impl::step(const StepOptions& how, const Propose& propose,
                                                const std::function<Status()>& inspector,
                                                const Engine::Forecast& forecast) {
  const Advice advice = engine_.step(0, how, inspector, forecast);
  follow_speeds();
  if (!advice) return std::nullopt;
  return propose(static_cast<double>(engine_.measured().load) * speed_, advice.frees_memory);
}

std::optional<Domains> GridBalancer::Impl::step_without_cells(
    const std::optional<std::array<double, 3>>& centre, const StepOptions& how) {
  engine_.refuse_change(how,
                        "Give step the cells, too, or leave out .changed: the next look measures "
                        "the new load.");
  return with_name(engine_.options().name, [&] {
    return step(how, [&](double work, bool) {
      return propose_by([&] { return WorkRounds::Measured{work, centre}; });
    });
  });
}

std::optional<Domains> GridBalancer::Impl::step(const Set& cells, const StepOptions& how) {
  const auto question = [&](std::int64_t load) {
    const std::int64_t first = engine_.first_generation();
    const bool has_moved = first >= 0 && first != engine_.generation();
    return Surveyor::Question{std::span(&cells, 1), {},   placing_,  domains_,
                              engine_.steps(),      load, has_moved, now_,
                              best_lambda_};
  };
  const auto find_out = [&](std::int64_t load) {
    follow_speeds();
    return surveyor_.survey(question(load));
  };
  const SurveyedBy surveyed(engine_, std::cref(find_out));
  Inspection::Demands demands;
  demands.movable = false;
  demands.deterministic = engine_.options().deterministic;
  const auto inspect = [&] {
    const Status known = attempt(grid_stage, [&] {
      if (memory_.is_limited()) require_bytes(cells);
    });
    return known.ok() ? inspection_.inspect({&cells, 1}, demands, generation()) : known;
  };
  const std::span<const Set> sets(&cells, 1);
  const bool predicts = engine_.predicts(how), looks = engine_.next_step_looks() || predicts;
  const auto forecast = [&] { return forecast_.of(ranks_, sets, engine_.measured().last); };
  forecast_.end_step(sets, how.changed);
  if (looks) engine_.set_memory(memory_.at_look(ranks_.rank(), sets, engine_.steps() + 1));
  const bool inspects = looks && Inspection::is_needed(engine_.options());
  std::optional<Domains> proposal = step(
      how, [&](double work, bool frees_memory) { return propose(cells, work, frees_memory); },
      inspects ? Engine::Inspector(std::cref(inspect)) : Engine::Inspector(),
      predicts ? Engine::Forecast(std::cref(forecast)) : Engine::Forecast());
  if (looks) forecast_.end_epoch(engine_.measured().last);
  if (engine_.take_advised()) {
    engine_.meet_for_survey();
    surveyor_.advise(question(0));
  }
  return proposal;
}

template <class Measure>
std::optional<Domains> GridBalancer::Impl::propose_by(const Measure& measure) {
  engine_.meet_for_rebalance("propose");
  std::optional<Domains> answer;
  std::optional<Rounds> again;  // if this proposal fails or is dropped
  WorkRounds::Measured mine;
  const Status copied = attempt(grid_stage, [&] {
    answer = proposal_;
    if (proposal_) return;
    follow_speeds_of_parts();
    mine = measure();
    if (has_cells())
      again.emplace(std::get<WorkRounds>(*rounds_));
    else
      again.emplace(GridRounds(grid(), rounds_options_));
  });
  require_same_generation(ranks_, copied, grid_stage, generation());
  if (proposal_) return answer;
  proposed_at_ = now_();
  std::vector<double> works;  // of all parts of a grid
  if (!has_cells()) works = gather_work(ranks_, grid(), mine.work);
  try {
    if (has_cells()) std::get<WorkRounds>(*rounds_).next(ranks_, {&mine, 1});
    const Status made = attempt(grid_stage, [&] {
      if (!has_cells()) std::get<GridRounds>(*rounds_).next(works);
      const Domains next = current_of(*rounds_);
      if (!is_same_division(next, domains_)) answer = renumbered(next, generation() + 1);
    });
    offer(made, answer);
  } catch (...) {
    rounds_ = std::move(again);  // some ranks may have made the next round
    throw;
  }
  if (proposal_) rounds_after_drop_ = std::move(again);
  return answer;
}

// Collective. Proposes by the work of cells or, if this rank's work is given, by this work.
std::optional<Domains> GridBalancer::Impl::propose(const Set& cells, std::optional<double> work,
                                                   bool frees_memory) {
  if (cutting_) return bisect_again(cells, work, frees_memory);
  return propose_by([&]() -> WorkRounds::Measured {
    if (!has_cells()) return {work.value(), std::nullopt};
    const CentreOfWeight its = centre_of_weight(Space::where(cells.position().memory), cells);
    return {work.value_or(its.weight), its.centre};
  });
}

// Collective. Cuts by the weights of cells or, if this rank's work is given, by this work,
// distributed over its cells by their weights.
std::optional<Domains> GridBalancer::Impl::bisect_again(const Set& cells,
                                                        std::optional<double> work,
                                                        bool frees_memory) {
  engine_.meet_for_rebalance("propose");
  std::optional<Domains> answer;
  const Status copied = attempt(grid_stage, [&] {
    answer = proposal_;
    if (!proposal_) follow_speeds_of_parts();
  });
  require_same_generation(ranks_, copied, grid_stage, generation());
  if (proposal_) return answer;
  proposed_at_ = now_();
  bounds(ranks_, std::span(&cells, 1));  // all places must be finite
  std::array<double, 2> sums = {work.value_or(0), static_cast<double>(cells.count())};
  ranks_.all_reduce(std::span<double>(sums), Reduction::sum);
  exec::Array<double> weights;
  WeightedPoints points;
  const Status weighed = attempt(grid_stage, [&] {
    const Space space = Space::where(cells.position().memory);
    if (cells.options().weight.given()) weights = given_weights(space, cells);
    if (work)
      weights = measured_weights(
          space, cells.count(),
          {.cost = *work, .mean_cost = sums[0] / std::max(1.0, sums[1]), .followed = 1}, weights);
    points = {cells.position(), weights.span()};
  });
  std::vector<Bisection> nodes =
      memory_.is_limited() ? cut_within_memory(weighed, cells, points.weights, frees_memory)
                           : cut_cells(weighed, points);
  const auto& present = std::get<TreeDomains>(domains_);
  offer(attempt(grid_stage,
                [&] {
                  if (nodes != present.nodes())
                    answer =
                        TreeDomains(generation() + 1, present.dimensions(), present.box(),
                                    present.periodic(), std::move(nodes), present.rank_of_part());
                }),
        answer);
  return answer;
}

// Collective.
std::vector<Bisection> GridBalancer::Impl::cut_cells(const Status& status,
                                                     const WeightedPoints& points) {
  cutting_->earlier = std::get_if<TreeDomains>(&domains_);
  BisectionCut found = bisect({ranks_, status}, std::span(&points, 1), *cutting_);
  lambda_ = lambda_of(found.weights, cutting_->speeds);
  return std::move(found.nodes);
}

// Collective.
std::vector<Bisection> GridBalancer::Impl::cut_within_memory(const Status& status, const Set& cells,
                                                             std::span<const double> weights,
                                                             bool frees_memory) {
  const std::span<const Set> sets(&cells, 1);
  const Region region = {cutting_->dimensions, cutting_->box, false};
  exec::Array<double> bytes;
  double here = 0;
  PlaceOptions how;
  vote(ranks_, attempt(grid_stage, [&] {
         if (!status.ok()) throw Error(*status.error());
         require_bytes(cells);
         bytes = bytes_of_objects(space_for(sets), cells);
         here = sum_of(bytes);
         how = place_options_of(placing_, domains_);
         how.rank_of_part = rank_of_part(domains_);
       }));
  const std::span<const double> of_cells = bytes.span();
  const PlaceLimits limits = {.memory = memory_.limits(),
                              .most_share = memory_.most_share(ranks_, here, frees_memory),
                              .bytes = Weights(&of_cells, 1)};
  const Prepared prepared = prepare(ranks_, Status(), sets, region, how);
  const Allowed found = place_allowed(ranks_, Status(), prepared, Weights(&weights, 1),
                                      EvenGoal{cutting_->target_lambda}, limits, domains_);
  memory_.judge(ranks_.rank(), found.bytes, !engine_.has_begun());
  lambda_ = found.assignment.lambda;
  best_lambda_ = found.is_held_back ? std::max(1.0, lambda_) : 1;
  std::vector<Bisection> nodes;
  vote(ranks_, attempt(grid_stage,
                       [&] { nodes = std::get<TreeDomains>(found.assignment.domains).nodes(); }));
  return nodes;
}

// Collective. Makes domains the open proposal; without domains, the rebalance ends. `status` is
// that of making them on this rank.
void GridBalancer::Impl::offer(const Status& status, const std::optional<Domains>& next) {
  std::optional<Domains> proposed;  // made now, so that accept() and drop() need not allocate
  const Status made = attempt(grid_stage, [&] {
    if (!status.ok()) throw Error(*status.error());
    if (!next) return;
    proposed = next;
    surveyor_.records().begin_rebalance(std::make_shared<const Domains>(domains_), 0,
                                        !engine_.has_begun());
  });
  try {
    vote(ranks_, made);
  } catch (...) {
    surveyor_.records().give_back();
    throw;
  }
  if (!next) return end_rebalance({.moved = false});
  proposal_ = std::move(proposed);
}

void GridBalancer::Impl::require_rounds() const {
  if (!rounds_)
    throw Error(ErrorKind::bad_input, Where{grid_stage},
                "A bisection is cut from the work of cells, but there are no cells.",
                "Give the cells of this rank to step and propose.");
}
void GridBalancer::Impl::require_cells() const {
  if (!has_cells())
    throw Error(ErrorKind::bad_input, Where{grid_stage},
                "A centre of work was given for domains that are boxes.",
                "Leave out the centre, or set .voronoi or .mesh.");
}
void GridBalancer::Impl::require_no_grid() const {
  if (!cutting_ && !has_cells())
    throw Error(ErrorKind::bad_input, Where{grid_stage}, "Cells were given to propose for a grid.",
                "Give the work of this rank's domain, or set .bisection.");
}

void GridBalancer::Impl::accept() {
  require_proposal(proposal_.has_value(), grid_stage, "accept");
  domains_ = std::move(*proposal_);
  proposal_.reset();
  surveyor_.records().end_rebalance(-1, generation());
  Outcome outcome;
  outcome.seconds = static_cast<double>(now_() - proposed_at_) * 1e-9;
  outcome.domains = recorded_sections(ranks_, engine_.options(), domains_);
  end_rebalance(outcome);
  forecast_.forget_amount();
}

// The rounds expect the work of the proposed domains next. So those of a grid begin again, and the
// others go back.
void GridBalancer::Impl::drop() {
  require_proposal(proposal_.has_value(), grid_stage, "drop");
  rounds_ = std::move(rounds_after_drop_);
  proposal_.reset();
  surveyor_.records().give_back();
  end_rebalance({.moved = false, .seconds = static_cast<double>(now_() - proposed_at_) * 1e-9});
}

GridBalancer::GridBalancer(const Communicator& communicator, const GridBalancerOptions& options,
                           const std::optional<Space>& space)
    : impl_(opened<Impl>(communicator, options.monitor, space, options)) {
  engine_ = &impl_->engine_;
}
#if EVENKEEL_HAS_MPI
GridBalancer::GridBalancer(MPI_Comm users, const GridBalancerOptions& options,
                           const std::optional<Space>& space)
    : GridBalancer(Communicator(users), options, space) {}
#endif
GridBalancer::GridBalancer(GridBalancer&&) noexcept = default;
GridBalancer& GridBalancer::operator=(GridBalancer&&) noexcept = default;
GridBalancer::~GridBalancer() = default;

std::optional<Domains> GridBalancer::step(const StepOptions& how) {
  engine_->run([&] { impl_->require_rounds(); });
  return impl_->step_without_cells(std::nullopt, how);
}
std::optional<Domains> GridBalancer::step(const std::array<double, 3>& centre,
                                          const StepOptions& how) {
  engine_->run([&] { impl_->require_cells(); });
  return impl_->step_without_cells(centre, how);
}
std::optional<Domains> GridBalancer::step(const Set& cells, const StepOptions& how) {
  return engine_->run([&] { return impl_->step(cells, how); });
}

std::optional<Domains> GridBalancer::propose(double work) {
  return engine_->run([&] {
    impl_->require_rounds();
    return impl_->propose_by([&] { return WorkRounds::Measured{work, std::nullopt}; });
  });
}
std::optional<Domains> GridBalancer::propose(double work, const std::array<double, 3>& centre) {
  return engine_->run([&] {
    impl_->require_cells();
    return impl_->propose_by([&] { return WorkRounds::Measured{work, centre}; });
  });
}
std::optional<Domains> GridBalancer::propose(const Set& cells) {
  return engine_->run([&] {
    impl_->require_no_grid();
    return impl_->propose(cells, std::nullopt, false);
  });
}

void GridBalancer::accept() {
  engine_->run([&] { impl_->accept(); });
}
void GridBalancer::drop() {
  engine_->run([&] { impl_->drop(); });
}
bool GridBalancer::has_proposal() const noexcept { return impl_->proposal_.has_value(); }

const Domains& GridBalancer::domains() const noexcept { return impl_->domains_; }
std::int64_t GridBalancer::generation() const noexcept { return impl_->generation(); }
Box GridBalancer::domain() const { return impl_->domain(); }
std::vector<int> GridBalancer::neighbours() const {
  std::vector<int> ranks;
  for (const Neighbour& neighbour : neighbours_of(impl_->domains_, impl_->ranks_.rank()))
    ranks.push_back(neighbour.rank);
  return ranks;
}
double GridBalancer::best_lambda() const noexcept {
  if (!impl_->rounds_) return impl_->lambda_;
  return std::visit([](const auto& any) { return any.best_lambda(); }, *impl_->rounds_);
}

}  // namespace evenkeel
