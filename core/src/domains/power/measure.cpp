#include "domains/power/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

struct Crossing {
  std::int64_t pair;
  double flow;
};

// Sums the flows of each pair, in the order of the pairs.
std::vector<PowerFace> faces_of(std::vector<Crossing> crossings, std::int64_t parts) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.pair < b.pair; });
  std::vector<PowerFace> faces;
  std::int64_t last = -1;
  for (const Crossing& crossing : crossings) {
    if (crossing.pair != last)
      faces.push_back(
          {static_cast<int>(crossing.pair / parts), static_cast<int>(crossing.pair % parts), 0});
    last = crossing.pair;
    faces.back().flow += crossing.flow;
  }
  return faces;
}

// The owner of a place, and the second best rival.
struct BestTwo {
  int best = -1, second = -1;
  double least = 0, next = 0;

  BestTwo(std::span<const PowerRival> rivals, std::span<const int> near, const double* place) {
    for (const int rival : near) {
      const double cost = rivals[static_cast<std::size_t>(rival)].cost(place);
      if (best < 0 || cost < least) {
        second = best;
        next = least;
        best = rival;
        least = cost;
      } else if (second < 0 || cost < next) {
        second = rival;
        next = cost;
      }
    }
  }
};

// Measures block by block: a block has few rivals, and its points need only these.
class Measuring {
 public:
  Measuring(const PowerModel& model, std::span<const PowerSite> sites, double slab)
      : model_(model), rivals_(rivals_of(model.lattice(), sites)), slab_(slab) {
    parts_ = std::ssize(sites);
    now_.mass.resize(sites.size());
    for (auto& along : now_.centroid) along.resize(sites.size());
  }

  PowerMeasure run() {
    std::vector<int> all(rivals_.size());
    std::iota(all.begin(), all.end(), 0);
    kept_.resize(model_.boxes().size());
    visit(kept_.size() - 1, 0, all);
    for (auto& along : now_.centroid)
      for (std::size_t p = 0; p < along.size(); ++p)
        if (now_.mass[p] > 0) along[p] /= now_.mass[p];
    now_.faces = faces_of(std::move(crossings_), parts_);
    return std::move(now_);
  }

 private:
  void visit(std::size_t level, std::size_t block, const std::vector<int>& near) {
    std::vector<int>& kept = kept_[level];
    keep_nearest(model_.boxes()[level][block], rivals_, near, slab_, kept);
    const std::size_t below = level > 0 ? model_.boxes()[level - 1].size() : model_.size();
    const std::size_t end = std::min(below, (block + 1) * PowerModel::together);
    for (std::size_t i = block * PowerModel::together; i < end; ++i)
      if (level > 0)
        visit(level - 1, i, kept);
      else
        count(i, kept);
  }

  void count(std::size_t point, const std::vector<int>& near) {
    const std::array<double, 3> place = model_.place(point);
    const BestTwo two(rivals_, near, place.data());
    const PowerRival& best = rivals_[static_cast<std::size_t>(two.best)];
    const auto part = static_cast<std::size_t>(best.part);
    const double mass = model_.mass(point);
    now_.mass[part] += mass;
    now_.dual += mass * two.least;
    for (std::size_t d = 0; d < 3; ++d) {
      const double offset = place[d] - best.twice[d] / 2;
      now_.centroid[d][part] += mass * offset;
      now_.energy += mass * offset * offset;
    }
    if (two.second < 0 || !(slab_ > 0)) return;
    const PowerRival& second = rivals_[static_cast<std::size_t>(two.second)];
    const double reach = slab_ * square_between(best, second);
    if (second.part == best.part || two.next - two.least >= reach) return;
    const std::int64_t low = std::min(best.part, second.part);
    const std::int64_t high = std::max(best.part, second.part);
    crossings_.push_back({low * parts_ + high, mass / (2 * reach)});
  }

  const PowerModel& model_;
  std::vector<PowerRival> rivals_;
  double slab_;
  std::int64_t parts_;
  PowerMeasure now_;
  std::vector<Crossing> crossings_;
  std::vector<std::vector<int>> kept_;  // the rivals of the present block of each level
};

}  // namespace

double PowerMeasure::greatest(std::span<const double> shares) const noexcept {
  const double all = std::accumulate(mass.begin(), mass.end(), 0.0);
  double greatest = 0;
  for (std::size_t p = 0; p < mass.size(); ++p)
    greatest = std::max(greatest, mass[p] / (shares[p] * all));
  return greatest;
}

double PowerMeasure::least(std::span<const double> shares) const noexcept {
  const double all = std::accumulate(mass.begin(), mass.end(), 0.0);
  double least = mass.empty() ? 0 : mass[0] / (shares[0] * all);
  for (std::size_t p = 0; p < mass.size(); ++p)
    least = std::min(least, mass[p] / (shares[p] * all));
  return least;
}

PowerMeasure measure(const PowerModel& model, std::span<const PowerSite> sites, double slab) {
  return Measuring(model, sites, slab).run();
}

std::vector<double> weights_to_gain(const PowerMeasure& now, std::vector<double> gains) {
  const std::size_t parts = now.mass.size();
  std::vector<double> diagonal(parts), known;
  for (const PowerFace& face : now.faces) {
    diagonal[static_cast<std::size_t>(face.low)] += face.flow;
    diagonal[static_cast<std::size_t>(face.high)] += face.flow;
  }
  for (const double each : diagonal)
    if (each > 0) known.push_back(each);
  if (known.empty()) return std::vector<double>(parts);
  std::nth_element(known.begin(), known.begin() + std::ssize(known) / 2, known.end());
  const double usual = known[known.size() / 2];
  for (double& each : diagonal) each = each > 0 ? each * 1.001 : usual;
  // conjugate gradients, with the diagonal as preconditioner
  const auto times = [&](const std::vector<double>& x) {
    std::vector<double> product(parts);
    for (std::size_t p = 0; p < parts; ++p) product[p] = diagonal[p] * x[p];
    for (const PowerFace& face : now.faces) {
      const auto low = static_cast<std::size_t>(face.low),
                 high = static_cast<std::size_t>(face.high);
      product[low] -= face.flow * x[high];
      product[high] -= face.flow * x[low];
    }
    return product;
  };
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  std::vector<double> x(parts), rest = std::move(gains), scaled(parts), direction;
  const auto scale = [&] {
    for (std::size_t p = 0; p < parts; ++p) scaled[p] = rest[p] / diagonal[p];
    return dot(rest, scaled);
  };
  double square = scale();
  const double enough = square * 1e-12;
  direction = scaled;
  for (std::size_t round = 0; round < 4 * parts + 50 && square > enough; ++round) {
    const std::vector<double> product = times(direction);
    const double step = square / dot(direction, product);
    for (std::size_t p = 0; p < parts; ++p) {
      x[p] += step * direction[p];
      rest[p] -= step * product[p];
    }
    const double next = scale();
    for (std::size_t p = 0; p < parts; ++p) direction[p] = scaled[p] + next / square * direction[p];
    square = next;
  }
  return x;
}

}  // namespace evenkeel
