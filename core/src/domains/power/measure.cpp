#include "domains/power/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

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

// Points near a face are counted by scales of their distance from it: where points are extremely
// dense in places, only those right at the face say what crosses it.
constexpr std::size_t scales = 4;
constexpr double part_of_scale(std::size_t scale) {
  constexpr double parts[scales] = {1, 0x1p-4, 0x1p-8, 0x1p-12};
  return parts[scale];
}

// The masses between pairs of rivals, by scale. A rival has few others around it.
class MassesBetween {
 public:
  explicit MassesBetween(std::size_t rivals) : of_(rivals) {}
  void add(std::int32_t one, std::int32_t other, std::size_t scale, double mass) {
    auto& others = of_[static_cast<std::size_t>(std::min(one, other))];
    const std::int32_t last = std::max(one, other);
    for (auto& known : others)
      if (known.other == last) {
        known.values[scale] += mass;
        return;
      }
    others.push_back({std::min(one, other), last, {}});
    others.back().values[scale] = mass;
  }
  // Appends the sums, in the order of rivals.
  void write(std::vector<PowerSum>& sums) {
    for (auto& others : of_) {
      std::sort(others.begin(), others.end(),
                [](const PowerSum& a, const PowerSum& b) { return a.other < b.other; });
      sums.insert(sums.end(), others.begin(), others.end());
    }
  }

 private:
  std::vector<std::vector<PowerSum>> of_;
};

// Sums up block by block.
class Summing {
 public:
  Summing(const PowerModel& model, std::span<const PowerSite> sites, double slab)
      : model_(model),
        rivals_(rivals_of(model.lattice(), sites)),
        slab_(slab),
        cells_(sites.size()),
        between_(rivals_.size()) {
    for (std::size_t p = 0; p < cells_.size(); ++p)
      cells_[p] = {static_cast<std::int32_t>(p), -1, {}};
  }

  std::vector<PowerSum> run(std::size_t share, std::size_t shares) {
    model_.blocks().visit(rivals_, slab_, share, shares,
                          [this](std::size_t begin, std::size_t end, const std::vector<int>& near) {
                            for (std::size_t point = begin; point < end; ++point)
                              count(point, near);
                          });
    std::erase_if(cells_, [](const PowerSum& sum) { return sum.values[0] == 0; });
    cells_.push_back(energy_);
    between_.write(cells_);
    return std::move(cells_);
  }

 private:
  void count(std::size_t point, const std::vector<int>& near) {
    const std::array<double, 3> place = model_.place(point);
    const BestTwo two(rivals_, near, place.data());
    const PowerRival& best = rivals_[static_cast<std::size_t>(two.best)];
    const double mass = model_.mass(point);
    PowerSum& cell = cells_[static_cast<std::size_t>(best.part)];
    cell.values[0] += mass;
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double offset = place[d] - best.twice[d] / 2;
      cell.values[d + 1] += mass * offset;
      square += offset * offset;
    }
    constexpr double rounds = 1.5 * 0x1p78;  // adding and subtracting it leaves multiples of 2^26
    const double many = (mass * square + rounds) - rounds;
    energy_.values[0] += many;
    energy_.values[1] += mass * square - many;
    if (two.second < 0 || !(slab_ > 0)) return;
    const PowerRival& second = rivals_[static_cast<std::size_t>(two.second)];
    const double reach = slab_ * square_between(best, second), gap = two.next - two.least;
    if (second.part == best.part || gap >= reach) return;
    std::size_t scale = 0;
    while (scale + 1 < scales && gap < reach * part_of_scale(scale + 1)) ++scale;
    between_.add(two.best, two.second, scale, mass);
  }

  const PowerModel& model_;
  std::vector<PowerRival> rivals_;
  double slab_;
  std::vector<PowerSum> cells_;
  MassesBetween between_;
  PowerSum energy_ = {-1, -1, {}};
};

// The flow through each face, by the smallest scale with `enough` mass. Rivals may be images of the
// same two sites.
std::vector<PowerFace> faces_of(std::span<const PowerSum> all, std::span<const PowerRival> rivals,
                                double slab, double enough) {
  MassesBetween between(rivals.size());
  for (const PowerSum& sum : all)
    for (std::size_t scale = 0; scale < scales && sum.other >= 0; ++scale)
      between.add(sum.one, sum.other, scale, sum.values[scale]);
  std::vector<PowerSum> joined;
  between.write(joined);
  std::vector<PowerFace> faces;
  for (const PowerSum& sum : joined) {
    const PowerRival& one = rivals[static_cast<std::size_t>(sum.one)];
    const PowerRival& other = rivals[static_cast<std::size_t>(sum.other)];
    double mass = 0, reach = slab * square_between(one, other);
    for (std::size_t scale = scales; scale-- > 0 && mass < enough;) {
      mass += sum.values[scale];
      if (mass >= enough) reach *= part_of_scale(scale);
    }
    faces.push_back(
        {std::min(one.part, other.part), std::max(one.part, other.part), mass / (2 * reach)});
  }
  std::stable_sort(faces.begin(), faces.end(), [](const PowerFace& a, const PowerFace& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < faces.size(); ++i)
    if (faces[i].low == faces[last].low && faces[i].high == faces[last].high)
      faces[last].flow += faces[i].flow;
    else
      faces[++last] = faces[i];
  if (!faces.empty()) faces.resize(last + 1);
  return faces;
}

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

std::vector<PowerSum> sums_of(const PowerModel& model, std::span<const PowerSite> sites,
                              double slab, std::size_t share, std::size_t shares) {
  return Summing(model, sites, slab).run(share, shares);
}

PowerMeasure measure(const PowerModel& model, std::span<const PowerSite> sites, double slab) {
  const std::vector<PowerSum> sums =
      model.shared_sums() ? model.shared_sums()(sites, slab) : sums_of(model, sites, slab, 0, 1);
  PowerMeasure now;
  now.mass.resize(sites.size());
  for (auto& along : now.centroid) along.resize(sites.size());
  double energy[2] = {};
  for (const PowerSum& sum : sums) {
    if (sum.other >= 0) continue;
    for (int i = 0; i < 2 && sum.one < 0; ++i) energy[i] += sum.values[i];
    if (sum.one < 0) continue;
    const auto part = static_cast<std::size_t>(sum.one);
    now.mass[part] += sum.values[0];
    for (std::size_t d = 0; d < 3; ++d) now.centroid[d][part] += sum.values[d + 1];
  }
  now.energy = energy[0] + energy[1];
  for (auto& along : now.centroid)
    for (std::size_t p = 0; p < along.size(); ++p)
      if (now.mass[p] > 0) along[p] /= now.mass[p];
  if (!(slab > 0)) return now;
  const auto points = static_cast<double>(model.size()), parts = static_cast<double>(sites.size());
  const double enough = std::max(8.0, 0.03 * points / parts) * model.whole() / points;
  now.faces = faces_of(sums, rivals_of(model.lattice(), sites), slab, enough);
  return now;
}

namespace {

// The first cell of the group of each cell: of those that faces connect.
std::vector<std::size_t> groups_of(std::span<const PowerFace> faces, std::size_t cells) {
  std::vector<std::size_t> up(cells);
  std::iota(up.begin(), up.end(), 0);
  const auto group_of = [&](std::size_t cell) {
    while (up[cell] != cell) cell = up[cell] = up[up[cell]];
    return cell;
  };
  for (const PowerFace& face : faces)
    up[group_of(static_cast<std::size_t>(face.low))] =
        group_of(static_cast<std::size_t>(face.high));
  for (std::size_t cell = 0; cell < cells; ++cell) up[cell] = group_of(cell);
  return up;
}

// Spreads the sum of the gains of each group over its cells, so that a change of weights can give
// each cell its gain.
void spread_sums(std::span<const std::size_t> groups, std::vector<double>& gains) {
  std::vector<double> sums(gains.size()), cells(gains.size());
  for (std::size_t cell = 0; cell < gains.size(); ++cell) {
    sums[groups[cell]] += gains[cell];
    cells[groups[cell]] += 1;
  }
  for (std::size_t cell = 0; cell < gains.size(); ++cell)
    gains[cell] -= sums[groups[cell]] / cells[groups[cell]];
}

}  // namespace

std::vector<double> weights_to_gain(const PowerMeasure& now, std::vector<double> gains,
                                    bool holds_back) {
  const double held_back = holds_back ? 1e-3 : 1e-9;
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
  for (double& each : diagonal) each = each > 0 ? each * (1 + held_back) : usual;
  const bool is_one_group = holds_back;
  spread_sums(is_one_group ? std::vector<std::size_t>(parts) : groups_of(now.faces, parts), gains);
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
