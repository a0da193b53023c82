#include "boxes/from_work/next_grids.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <utility>

namespace evenkeel {

namespace {

constexpr std::size_t most_rounds = 8;  // the model is fitted to at most this many rounds
// greatest weight of earlier rounds in the average work of a grid
constexpr double most_repeats = 16;
constexpr int patience = 16;  // rounds without a better grid until the search ends
// if lambda of one grid rises by more, the work has changed
constexpr double another_lambda = 0.05;
constexpr double even_enough = 1.05;  // at this lambda or below, no other grid is tried
// a new grid must have less than this share of the present lambda
constexpr double worth_a_move = 0.995;

const GridDomains& checked(const GridDomains& start, const GridRoundsOptions& options) {
  if (start.parts() < 1)
    refuse_grid("Rounds were begun with a grid that has no domains.",
                "Begin with a grid that has domains, such as GridDomains::uniform().");
  check(GridRules{start.box(), options.least_width, options.cell_size}, start.shape());
  check_speeds(Refusal{grid_stage}, options.speeds, start.parts());
  if (!(options.noise >= 0) || !std::isfinite(options.noise))
    refuse_grid("noise must be finite and not negative.",
                "Give a standard deviation, or 0 if it is unknown.");
  if (!(options.gamma >= 0) || !std::isfinite(options.gamma))
    refuse_grid("gamma must be finite and not negative.",
                "Give 4.1 or more, which is stable, or 0 to have it chosen.");
  return start;
}

void check_work(double work, const std::string& whose) {
  if (!(work >= 0) || !std::isfinite(work))
    refuse_grid("The work of " + whose + " is negative, NaN or infinite.",
                "Measure again, or give 0 where nothing was computed.");
}

// Scales numbers so that their sum is 1. Returns the sum before that; it may be infinite. If all
// numbers are 0, returns 0 and changes nothing.
double make_shares(std::vector<double>& numbers) {
  const double most = *std::max_element(numbers.begin(), numbers.end());
  if (!(most > 0)) return 0;
  double sum = 0;
  for (double& number : numbers) sum += number /= most;  // the scaled sum stays finite
  for (double& number : numbers) number /= sum;
  return sum * most;
}

double square(double x) { return x * x; }

// Estimates how much the work of a domain differs between two measurements.
class Noise {
 public:
  explicit Noise(double given) : given_(given) {}

  // Two measurements bound the noise from above: changes of the sum of all work, which does not
  // depend on borders, and the errors of the model.
  void see(double sum, std::span<const double> work, std::span<const double> model) {
    double concentration = 0;
    for (const double w : work) concentration += square(w);
    if (!std::isfinite(sum)) return;
    if (last_sum_ > 0) {
      changes_ += square(sum / last_sum_ - 1);
      expected_ += concentration + last_concentration_;
      deviation_ = std::min(residual(work, model), 3 * std::sqrt(changes_ / expected_));
    }
    last_sum_ = sum;
    last_concentration_ = concentration;
  }

  double deviation() const noexcept { return given_ > 0 ? given_ : deviation_; }

 private:
  static double residual(std::span<const double> work, std::span<const double> model) {
    const double mean = 1 / static_cast<double>(work.size());
    double squares = 0, count = 0;
    for (std::size_t d = 0; d < work.size(); ++d)
      if (work[d] > 0.2 * mean && model[d] > 0) {
        squares += square(std::min(std::abs(work[d] / model[d] - 1), 0.5));
        ++count;
      }
    return count > 0 ? std::sqrt(squares / count) : 0;
  }

  double given_, deviation_ = 0;
  double last_sum_ = 0, last_concentration_ = 0, changes_ = 0, expected_ = 0;
};

}  // namespace

class GridRounds::Impl {
 public:
  Impl(const GridDomains& start, GridRoundsOptions options);

  const GridDomains& current() const noexcept { return current_; }
  const GridDomains& best() const noexcept { return best_; }
  double best_lambda() const noexcept { return best_lambda_; }

  void next(std::span<const double> work_of_parts);

 private:
  double lambda_of(std::span<const double> work) const;
  double lambda_on_model(const UnitGrid& grid) const { return lambda_of(density_.work_in(grid)); }
  void remember(std::vector<double> work);
  void judge();
  bool has_given_up() const noexcept { return rounds_since_best_ > patience; }
  double by_noise() const;
  GridBorders proposal();
  GridBorders even_on_model() const;
  void propose(GridBorders borders);

  GridRoundsOptions options_;
  GridFrame frame_;
  std::vector<double> speeds_;  // by domain; their sum is 1
  Density density_;
  Noise noise_;
  std::deque<MeasuredGrid> rounds_;
  GridDomains current_, best_;
  UnitGrid grid_;  // current_, in the unit cube
  double best_lambda_ = 0;
  int rounds_since_best_ = 0;
};

GridRounds::Impl::Impl(const GridDomains& start, GridRoundsOptions options)
    : options_(std::move(options)),
      frame_(checked(start, options_), {start.box(), options_.least_width, options_.cell_size}),
      speeds_(options_.speeds.empty()
                  ? std::vector<double>(static_cast<std::size_t>(start.parts()), 1.0)
                  : frame_.by_domain(options_.speeds)),
      density_(frame_.domains()),
      noise_(options_.noise),
      current_(start),
      grid_(frame_.to_unit(start.borders())) {
  make_shares(speeds_);
  propose(frame_.allowed(start.borders()));
  best_ = current_;
}

void GridRounds::Impl::next(std::span<const double> work_of_parts) {
  if (std::ssize(work_of_parts) != current_.parts())
    refuse_grid("Work came for " + std::to_string(work_of_parts.size()) + " parts, but there are " +
                    std::to_string(current_.parts()) + '.',
                "Give the work of each part, in order.");
  for (std::size_t part = 0; part < work_of_parts.size(); ++part)
    check_work(work_of_parts[part], "part " + std::to_string(part));
  std::vector<double> work = frame_.by_domain(work_of_parts);
  const double sum = make_shares(work);
  if (!(sum > 0)) return;
  noise_.see(sum, work, density_.work_in(grid_));
  remember(std::move(work));
  judge();
  propose(proposal());
}

// Decides if the newest round is the best. If the newest round repeats the best grid, and that grid
// is now clearly less even, the work has changed, and the best lambda is dropped.
void GridRounds::Impl::judge() {
  const double lambda = lambda_of(rounds_.back().work);
  ++rounds_since_best_;
  if (current_.borders() == best_.borders() && lambda - best_lambda_ > another_lambda + by_noise())
    best_lambda_ = 0;
  if (best_lambda_ > 0 && !(lambda < best_lambda_)) return;
  if (best_lambda_ == 0 || lambda < worth_a_move * best_lambda_) rounds_since_best_ = 0;
  best_lambda_ = lambda;
  best_ = current_;
}

double GridRounds::Impl::lambda_of(std::span<const double> work) const {
  double most = 0;
  for (std::size_t d = 0; d < work.size(); ++d) most = std::max(most, work[d] / speeds_[d]);
  return most;
}

void GridRounds::Impl::remember(std::vector<double> work) {
  const double noise = noise_.deviation();
  const bool is_again = !rounds_.empty() && rounds_.back().grid == grid_;
  const bool has_changed = is_again && is_other_work(rounds_.back().work, work, noise);
  if (has_changed) best_lambda_ = 0;
  // rounds before and after a change of the work must not be averaged
  if (!is_again || has_changed) {
    rounds_.push_back({grid_, std::move(work)});
    if (rounds_.size() > most_rounds) rounds_.pop_front();
    return;
  }
  MeasuredGrid& last = rounds_.back();
  if (!(noise > worth_averaging)) last.repeats = 0;
  for (std::size_t d = 0; d < work.size(); ++d)
    last.work[d] = (last.work[d] * last.repeats + work[d]) / (last.repeats + 1);
  last.repeats = std::min(last.repeats + 1, most_repeats);
}

// Returns the excess of the greatest work over the average that noise alone causes, as a share of
// the average.
double GridRounds::Impl::by_noise() const {
  if (!(noise_.deviation() > worth_averaging)) return 0;
  const auto parts = static_cast<double>(speeds_.size());
  return noise_.deviation() * std::sqrt(2 * std::log(parts) / rounds_.back().repeats);
}

GridBorders GridRounds::Impl::proposal() {
  if (options_.rule == GridRule::relaxation) {
    std::vector<double> loads = rounds_.back().work;
    for (std::size_t d = 0; d < loads.size(); ++d) loads[d] /= speeds_[d];
    return frame_.to_borders(relaxed(grid_, frame_.scheme(), loads, options_.gamma, frame_));
  }
  const bool was_other_work = density_.learn(rounds_, noise_.deviation());
  if (was_other_work && !has_given_up()) rounds_since_best_ = 0;
  if (has_given_up()) return best_.borders();
  if (by_noise() > 0 && lambda_on_model(grid_) - 1 <= by_noise()) return current_.borders();
  const GridBorders borders = even_on_model();
  const bool is_better =
      lambda_on_model(frame_.to_unit(borders)) < worth_a_move * lambda_of(rounds_.back().work);
  return is_better ? borders : current_.borders();
}

GridBorders GridRounds::Impl::even_on_model() const {
  const auto tensor = [this] {
    return frame_.to_borders(
        tensor_cut(density_, speeds_, frame_, grid_,
                   rounds_.size() > 1 ? TensorSearch::elsewhere : TensorSearch::none));
  };
  if (frame_.scheme() == GridScheme::tensor) return tensor();
  GridBorders staggered = frame_.to_borders(staggered_cut(density_, speeds_, frame_));
  if (!frame_.is_restricted()) return staggered;
  // A cut level by level may place outer borders so that the inner rows cannot be even, because of
  // the least widths and the cells that GridRules demand.
  const double lambda = lambda_on_model(frame_.to_unit(staggered));
  if (lambda <= even_enough) return staggered;
  GridBorders rows = tensor();
  return lambda_on_model(frame_.to_unit(rows)) < lambda ? rows : staggered;
}

void GridRounds::Impl::propose(GridBorders borders) {
  if (borders == current_.borders()) return;
  current_ = GridDomains(current_.generation() + 1, current_.shape(), current_.box(),
                         current_.periodic(), std::move(borders), current_.rank_of_part());
  grid_ = frame_.to_unit(current_.borders());
}

// --- GridRounds ----------------------------------------------------------------------------------

GridRounds::GridRounds(const GridDomains& start, const GridRoundsOptions& options)
    : impl_(std::make_unique<Impl>(start, options)) {}
GridRounds::GridRounds(GridRounds&&) noexcept = default;
GridRounds& GridRounds::operator=(GridRounds&&) noexcept = default;
GridRounds::~GridRounds() = default;

const GridDomains& GridRounds::current() const noexcept { return impl_->current(); }
const GridDomains& GridRounds::best() const noexcept { return impl_->best(); }
double GridRounds::best_lambda() const noexcept { return impl_->best_lambda(); }

const GridDomains& GridRounds::next(std::span<const double> work) {
  impl_->next(work);
  return current();
}

std::vector<double> stages::gather_work(const Communicator& communicator,
                                        const GridDomains& decomposition, double mine) {
  std::vector<double> by_rank, work;
  vote(communicator, attempt(grid_stage, [&] {
         by_rank.resize(static_cast<std::size_t>(communicator.size()));
         work.reserve(by_rank.size());
         if (decomposition.parts() != communicator.size())
           refuse_grid(std::to_string(communicator.size()) + " ranks share " +
                           std::to_string(decomposition.parts()) + " parts.",
                       "Give each rank one part.");
         check_work(mine, "rank " + std::to_string(communicator.rank()));
       }));
  communicator.all_gather(mine, std::span(by_rank));
  for (int part = 0; part < decomposition.parts(); ++part)
    work.push_back(by_rank[static_cast<std::size_t>(decomposition.rank_of(part))]);
  return work;
}

}  // namespace evenkeel
