// The last improvements of a small diagram. A cell that holds too much sheds the points that are
// nearest to other cells: its weight falls until just these points leave. Weights only fall, as
// prices in an auction only rise, so the points find cells that have room.

#include "domains/power/model.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

class Auction {
 public:
  Auction(const PowerModel& model, PowerDiagram& diagram)
      : model_(model), sites_(diagram.sites), shares_(diagram.shares), speeds_(diagram.speeds) {
    all_ = model.whole();
    speed_ = std::accumulate(speeds_.begin(), speeds_.end(), 0.0);
    rivals_ = rivals_of(model.lattice(), sites_);
    points_.resize(sites_.size());
    mass_.resize(sites_.size());
    for (std::size_t i = 0; i < model.size(); ++i) give(i, best_for(i).part);
    keep_best();
  }

  void run(double target) {
    constexpr std::size_t most_comparisons = 50'000'000;
    const std::size_t each = std::max<std::size_t>(1, model_.size() / sites_.size());
    const std::size_t most_rounds =
        std::min(400 * sites_.size() + 1000, most_comparisons / (each * rivals_.size()) + 1);
    const double fastest = *std::max_element(speeds_.begin(), speeds_.end());
    const double enough = std::max(target, heaviest() / fastest * speed_ / all_);
    for (std::size_t round = 0; round < most_rounds; ++round) {
      if (best_lambda_ <= enough && best_empty_ == 0) return;
      const int part = fullest();
      if (part < 0) return;
      shed(static_cast<std::size_t>(part));
      keep_best();
    }
  }

  std::vector<PowerSite> best() const { return best_sites_; }

 private:
  // The best part for a point, and how much worse the best other part is.
  struct Choice {
    int part;
    double gap;
  };
  Choice best_for(std::size_t point) const {
    const std::array<double, 3> place = model_.place(point);
    constexpr double far = std::numeric_limits<double>::infinity();
    int best = 0;
    double least = far, next = far;
    for (const PowerRival& rival : rivals_) {
      const double cost = rival.cost(place.data());
      if (cost < least) {
        if (rival.part != best) next = least;
        best = rival.part;
        least = cost;
      } else if (rival.part != best) {
        next = std::min(next, cost);
      }
    }
    return {best, next - least};
  }

  double ratio(std::size_t part) const { return mass_[part] / (shares_[part] * all_); }

  double heaviest() const {
    double heaviest = 0;
    for (std::size_t i = 0; i < model_.size(); ++i) heaviest = std::max(heaviest, model_.mass(i));
    return heaviest;
  }

  void give(std::size_t point, int part) {
    points_[static_cast<std::size_t>(part)].push_back(point);
    mass_[static_cast<std::size_t>(part)] += model_.mass(point);
  }

  // The fullest part with more than one point, or -1.
  int fullest() const {
    int fullest = -1;
    for (std::size_t p = 0; p < sites_.size(); ++p)
      if (points_[p].size() > 1 &&
          (fullest < 0 || ratio(p) > ratio(static_cast<std::size_t>(fullest))))
        fullest = static_cast<int>(p);
    return fullest;
  }

  void shed(std::size_t part) {
    std::vector<std::pair<double, std::size_t>> by_gap;
    for (const std::size_t point : points_[part]) by_gap.emplace_back(best_for(point).gap, point);
    std::sort(by_gap.begin(), by_gap.end());
    const double wanted = shares_[part] * all_;
    double mass = mass_[part];
    std::size_t count = 0;
    while (count + 1 < by_gap.size()) {
      const double one = model_.mass(by_gap[count].second);
      if (count > 0 && mass - one / 2 <= wanted) break;
      mass -= one;
      ++count;
    }
    const double leave = by_gap[count - 1].first, stay = by_gap[count].first;
    const double fall = leave + std::max(1.0, std::floor((stay - leave) / 2));
    const auto least = -static_cast<double>(most_power_weight) / 2;
    const double weight = static_cast<double>(sites_[part].weight) - fall;
    if (!(weight > least)) return;
    sites_[part].weight = static_cast<std::int64_t>(weight);
    for (PowerRival& rival : rivals_)
      if (rival.part == static_cast<int>(part)) rival.constant += fall;
    const std::vector<std::size_t> mine = std::move(points_[part]);
    points_[part].clear();
    mass_[part] = 0;
    for (const std::size_t point : mine) give(point, best_for(point).part);
  }

  void keep_best() {
    double greatest = 0;  // mass / speed
    for (std::size_t p = 0; p < mass_.size(); ++p)
      greatest = std::max(greatest, mass_[p] / speeds_[p]);
    const double lambda = greatest * speed_ / all_;
    const auto empty = static_cast<std::size_t>(
        std::count_if(points_.begin(), points_.end(), [](const auto& its) { return its.empty(); }));
    const bool is_better = lambda < best_lambda_ || (lambda == best_lambda_ && empty < best_empty_);
    if (!is_better && !best_sites_.empty()) return;
    best_lambda_ = lambda;
    best_empty_ = empty;
    best_sites_ = sites_;
  }

  const PowerModel& model_;
  std::vector<PowerSite> sites_, best_sites_;
  const std::vector<double>& shares_;
  const std::vector<double>& speeds_;
  double all_ = 0, speed_ = 0, best_lambda_ = 0;
  std::size_t best_empty_ = 0;
  std::vector<PowerRival> rivals_;
  std::vector<std::vector<std::size_t>> points_;
  std::vector<double> mass_;
};

}  // namespace

void settle(const PowerModel& model, PowerDiagram& diagram, double target) {
  if (model.size() <= diagram.sites.size()) return;
  Auction auction(model, diagram);
  auction.run(target);
  diagram.sites = auction.best();
}

}  // namespace evenkeel
