#include "place/samples.hpp"

#include <evenkeel/core/field/standard.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace evenkeel {

namespace {

constexpr std::size_t usual_samples = 2048;  // in a domain of average work
constexpr double most_shares = 32;           // a domain of more work has no more samples
constexpr std::size_t few_samples = 32;      // fewer are replaced by new ones
constexpr double least_effective = 48;       // with fewer after a tilt, samples are replaced
constexpr double enough_effective = 0.4;     // of all samples: with fewer, they are resampled

// The sum, the mean place, and the deviation along each axis.
struct Spread {
  double sum = 0;
  SamplePlace mean = {}, deviation = {};
};

Spread spread_of(const Samples& samples) {
  Spread spread;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    spread.sum += samples.weights[i];
    for (std::size_t d = 0; d < 3; ++d) spread.mean[d] += samples.weights[i] * samples.places[i][d];
  }
  if (!(spread.sum > 0)) return spread;
  for (double& along : spread.mean) along /= spread.sum;
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      const double offset = samples.places[i][d] - spread.mean[d];
      spread.deviation[d] += samples.weights[i] * offset * offset;
    }
  for (double& along : spread.deviation) along = std::sqrt(along / spread.sum);
  return spread;
}

double dot(const SamplePlace& a, const SamplePlace& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// --- Tilts ---------------------------------------------------------------------------------------

// A symmetric matrix, and the solution of a system with it by Cholesky's method. The matrix is
// positive.
using SampleMatrix = std::array<SamplePlace, 3>;

SamplePlace solution_of(SampleMatrix a, SamplePlace b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = a[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(rest) : rest / a[j][j];
    }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = 3; i-- > 0;) {
    for (std::size_t k = i + 1; k < 3; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// Samples in the unit of their deviations, from the centre that is wanted on.
class Tilt {
 public:
  Tilt(const Samples& samples, const SamplePlace& centre, int dimensions)
      : weights_(samples.weights), offsets_(samples.size()) {
    const Spread spread = spread_of(samples);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      if (!(spread.deviation[d] > 0)) continue;
      for (std::size_t i = 0; i < offsets_.size(); ++i)
        offsets_[i][d] = (samples.places[i][d] - centre[d]) / spread.deviation[d];
    }
  }

  // The weights for theta, up to a factor, and the moments of the offsets under them.
  struct Moments {
    std::vector<double> weights;
    double log_sum = 0;  // of all weights; least for the theta that is wanted
    SamplePlace mean = {};
    SampleMatrix spread = {};
  };
  Moments with(const SamplePlace& theta) const {
    Moments now;
    now.weights.resize(weights_.size());
    double most = 0, sum = 0;
    for (const SamplePlace& offset : offsets_) most = std::max(most, dot(theta, offset));
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      now.weights[i] = weights_[i] * std::exp(dot(theta, offsets_[i]) - most);
      sum += now.weights[i];
    }
    now.log_sum = most + std::log(sum);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        now.mean[d] += now.weights[i] / sum * offsets_[i][d];
        for (std::size_t e = 0; e <= d; ++e)
          now.spread[d][e] += now.weights[i] / sum * offsets_[i][d] * offsets_[i][e];
      }
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t e = 0; e <= d; ++e) now.spread[d][e] -= now.mean[d] * now.mean[e];
    return now;
  }

 private:
  std::vector<double> weights_;
  std::vector<SamplePlace> offsets_;
};

// --- Places --------------------------------------------------------------------------------------

// The rate of an exponential density on [0, 1] whose mean is `mean`, which is at most 1/2.
double rate_with(double mean) {
  if (mean > 0.499) return 0;
  double lower = 0, upper = 1 / mean;
  for (int halvings = 0; halvings < 50; ++halvings) {
    const double rate = (lower + upper) / 2;
    const double its = 1 / rate - 1 / std::expm1(rate);
    (its > mean ? lower : upper) = rate;
  }
  return lower;
}

// The density of places in a box.
class BoxDensity {
 public:
  BoxDensity(const Box& box, int dimensions, const std::optional<SamplePlace>& centre)
      : box_(box), dimensions_(static_cast<std::size_t>(dimensions)) {
    constexpr double nearest = 1e-6;
    for (std::size_t d = 0; centre && d < dimensions_; ++d) {
      const double length = box.upper[d] - box.lower[d];
      if (!(length > 0)) continue;
      const double from_lower = ((*centre)[d] - box.lower[d]) / length;
      is_from_upper_[d] = from_lower > 0.5;
      rates_[d] = rate_with(std::max(nearest, is_from_upper_[d] ? 1 - from_lower : from_lower));
    }
  }
  SamplePlace place(SampleRandom& random) const {
    SamplePlace at = {};
    for (std::size_t d = 0; d < dimensions_; ++d) {
      double along = random.uniform();
      if (rates_[d] > 0) along = -std::log1p(along * std::expm1(-rates_[d])) / rates_[d];
      if (is_from_upper_[d]) along = 1 - along;
      at[d] = std::min(box_.lower[d] + along * (box_.upper[d] - box_.lower[d]), box_.upper[d]);
    }
    return at;
  }

 private:
  Box box_;
  std::size_t dimensions_;
  std::array<bool, 3> is_from_upper_ = {};
  SamplePlace rates_ = {};  // the density is even along an axis with rate 0
};

// A place that is likely in the domain.
SamplePlace middle_of(const SampledDomain& domain) {
  const int part = decomposition_of(domain.domains).part_of(domain.owner);
  std::vector<DomainShape> shapes;
  if (const auto* const cells = std::get_if<VoronoiDomains>(&domain.domains))
    shapes = cells->shapes_of(part);
  else if (const auto* const mesh = std::get_if<MeshDomains>(&domain.domains))
    shapes = mesh->shapes_of(part);
  SamplePlace middle = {};
  if (shapes.empty()) return middle;
  const auto& corners = shapes.front().corners;
  for (const SamplePlace& corner : corners)
    for (std::size_t d = 0; d < 3; ++d)
      middle[d] += corner[d] / static_cast<double>(corners.size());
  return middle;
}

SamplePlace moved_within(const SampledDomain& domain, const SamplePlace& from,
                         const SamplePlace& deviation, SampleRandom& random) {
  SamplePlace to = from;
  for (std::size_t d = 0; d < static_cast<std::size_t>(domain.dimensions()); ++d)
    to[d] = std::clamp(from[d] + deviation[d] * random.gaussian(), domain.box.lower[d],
                       domain.box.upper[d]);
  return to;
}

}  // namespace

// --- Random numbers ------------------------------------------------------------------------------
// splitmix64 (Steele, Lea, Flood 2014)

namespace {

constexpr std::uint64_t step_of_state = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

SampleRandom::SampleRandom(int owner, int round)
    : state_(mixed(mixed(static_cast<std::uint64_t>(round) + step_of_state) +
                   static_cast<std::uint64_t>(owner))) {}

double SampleRandom::uniform() noexcept {
  return static_cast<double>(mixed(state_ += step_of_state) >> 11) * 0x1p-53;
}

double SampleRandom::gaussian() noexcept {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

// --- Samples -------------------------------------------------------------------------------------

void write_owners_of_places(const Domains& domains, std::span<SamplePlace> places, int* owners) {
  if (places.empty()) return;
  RawField<double> field = raw_field(places.front().data(), {.count = std::ssize(places),
                                                             .components = dimensions_of(domains),
                                                             .object_stride = 3,
                                                             .label = "samples"});
  write_ranks(Space::where(MemoryKind::host), domains, set(field), owners);
}

void SampledDomain::keep_inside(std::vector<SamplePlace>& places) const {
  std::vector<int> owners(places.size());
  write_owners_of_places(domains, places, owners.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (owners[i] == owner) places[kept++] = places[i];
  places.resize(kept);
}

double effective_number(std::span<const double> weights) noexcept {
  double sum = 0, squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

void tilt(Samples& samples, const SamplePlace& centre, int dimensions) {
  constexpr int most_steps = 15, most_halvings = 8;
  constexpr double near = 1e-4, longest = 3, least_spread = 1e-9;
  const Tilt tilt(samples, centre, dimensions);
  SamplePlace theta = {};
  Tilt::Moments now = tilt.with(theta);
  for (int step = 0; step < most_steps; ++step) {
    if (!(std::sqrt(dot(now.mean, now.mean)) > near)) break;
    SampleMatrix spread = now.spread;
    for (std::size_t d = 0; d < 3; ++d) spread[d][d] = std::max(spread[d][d], 0.0) + least_spread;
    const SamplePlace change = solution_of(spread, now.mean);
    const double size = std::sqrt(dot(change, change));
    if (!std::isfinite(size)) break;
    double length = std::min(1.0, longest / size);
    bool is_better = false;
    for (int halvings = 0; !is_better && halvings < most_halvings; ++halvings, length /= 2) {
      SamplePlace next = theta;
      for (std::size_t d = 0; d < 3; ++d) next[d] -= length * change[d];
      Tilt::Moments its = tilt.with(next);
      is_better = its.log_sum < now.log_sum;
      if (!is_better) continue;
      theta = next;
      now = std::move(its);
    }
    if (!is_better) break;
  }
  samples.weights = std::move(now.weights);
}

Samples drawn(const SampledDomain& domain, std::size_t count,
              const std::optional<SamplePlace>& centre, SampleRandom& random) {
  constexpr int most_batches = 32, most_halvings = 30;
  Samples samples;
  const auto take = [&](const auto& place) {
    std::vector<SamplePlace> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(place());
    domain.keep_inside(places);
    for (std::size_t i = 0; i < places.size() && samples.size() < count; ++i)
      samples.add(places[i], 1);
  };
  const BoxDensity density(domain.box, domain.dimensions(), centre);
  for (int batch = 0; batch < most_batches && samples.size() < count; ++batch)
    take([&] { return density.place(random); });
  if (samples.size() >= few_samples) return samples;
  const SamplePlace middle = centre ? *centre : middle_of(domain);
  SamplePlace deviation = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(domain.dimensions()); ++d)
    deviation[d] = domain.box.upper[d] - domain.box.lower[d];
  for (int halvings = 0; halvings < most_halvings && samples.size() < few_samples; ++halvings) {
    for (double& along : deviation) along /= 2;
    take([&] { return moved_within(domain, middle, deviation, random); });
  }
  return samples;
}

Samples resampled(const Samples& samples, const SampledDomain& domain, std::size_t count,
                  SampleRandom& random) {
  constexpr int most_tries = 8;
  constexpr double spacing = 0.7;  // of the distance of samples
  constexpr double least = 1e-6;   // of the box around the domain
  const Spread spread = spread_of(samples);
  Samples picked;
  std::vector<std::size_t> copies;  // those after the first of each sample
  const double each = spread.sum / static_cast<double>(count);
  double next = each * random.uniform(), before = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    before += samples.weights[i];
    for (bool is_copy = false; next < before && picked.size() < count; next += each) {
      if (is_copy) copies.push_back(picked.size());
      picked.add(samples.places[i], each);
      is_copy = true;
    }
  }
  const double distance = std::pow(effective_number(samples.weights), -1.0 / domain.dimensions());
  SamplePlace deviation = {};
  for (std::size_t d = 0; d < 3; ++d)
    deviation[d] = std::max(spacing * distance * spread.deviation[d],
                            least * (domain.box.upper[d] - domain.box.lower[d]));
  for (int tries = 0; tries < most_tries && !copies.empty(); ++tries) {
    std::vector<SamplePlace> places;
    places.reserve(copies.size());
    for (const std::size_t copy : copies)
      places.push_back(moved_within(domain, picked.places[copy], deviation, random));
    std::vector<int> owners(places.size());
    write_owners_of_places(domain.domains, places, owners.data());
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < copies.size(); ++i)
      if (owners[i] == domain.owner)
        picked.places[copies[i]] = places[i];
      else
        outside.push_back(copies[i]);
    copies = std::move(outside);
    for (double& along : deviation) along /= 2;
  }
  return picked;
}

Samples refined(Samples samples, const SampledDomain& domain, const SampledWork& known,
                SampleRandom random) {
  const double shares = 0.5 + 0.5 * std::min(known.share, 2 * most_shares);
  const auto wanted = static_cast<std::size_t>(shares * static_cast<double>(usual_samples));
  if (samples.size() < few_samples) samples = drawn(domain, wanted, known.centre, random);
  if (samples.size() == 0) return samples;
  if (known.centre) {
    tilt(samples, *known.centre, domain.dimensions());
    if (effective_number(samples.weights) < least_effective) {
      Samples others = drawn(domain, wanted, known.centre, random);
      if (others.size() > 0) {
        tilt(others, *known.centre, domain.dimensions());
        samples = std::move(others);
      }
    }
  }
  const bool are_good =
      effective_number(samples.weights) > enough_effective * static_cast<double>(samples.size());
  if (!known.are_even || !are_good) samples = resampled(samples, domain, wanted, random);
  const double sum = std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0);
  for (double& weight : samples.weights) weight *= known.share / sum;
  return samples;
}

}  // namespace evenkeel
