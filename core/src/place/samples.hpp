#pragma once

// Samples of the density of work in one domain: places with weights, which are known to one rank. A
// measurement of the domain's work, and of its centre of work, refines them.

#include <evenkeel/core/domains.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

// A place, or an offset. Coordinates beyond the dimensions are 0.
using SamplePlace = std::array<double, 3>;

struct Samples {
  std::vector<SamplePlace> places;
  std::vector<double> weights;

  std::size_t size() const noexcept { return places.size(); }
  void add(const SamplePlace& place, double weight) {
    places.push_back(place);
    weights.push_back(weight);
  }
  void add(const Samples& others) {
    places.insert(places.end(), others.places.begin(), others.places.end());
    weights.insert(weights.end(), others.weights.begin(), others.weights.end());
  }
};

// A stream of random numbers that depends only on an owner and a round.
class SampleRandom {
 public:
  SampleRandom(int owner, int round);
  double uniform() noexcept;  // at least 0, below 1
  double gaussian() noexcept;

 private:
  std::uint64_t state_;
};

// Writes the owner of each place. Local.
void write_owners_of_places(const Domains& domains, std::span<SamplePlace> places, int* owners);

// The domain whose work is sampled.
struct SampledDomain {
  const Domains& domains;
  int owner;
  Box box;  // around the domain

  int dimensions() const noexcept { return dimensions_of(domains); }
  // Removes those places that are not in the domain.
  void keep_inside(std::vector<SamplePlace>& places) const;
};

// The number of samples of equal weight that would be as informative.
double effective_number(std::span<const double> weights) noexcept;

// Multiplies each weight by exp(theta . place), with theta such that the centre of all weight comes
// to the given place, or as near as a few steps of Newton's method bring it.
void tilt(Samples& samples, const SamplePlace& centre, int dimensions);

// Draws about `count` samples of equal weight. With a centre, the density falls exponentially along
// each axis, from that side of the box which is nearer to the centre. Without a centre, it is even.
// If the domain fills hardly anything of its box, there may be fewer samples, or no samples.
Samples drawn(const SampledDomain& domain, std::size_t count,
              const std::optional<SamplePlace>& centre, SampleRandom& random);

// Draws `count` samples of equal weight from samples that are in the order of a curve. Copies of a
// sample are moved apart, within the domain.
Samples resampled(const Samples& samples, const SampledDomain& domain, std::size_t count,
                  SampleRandom& random);

// The measured work of a domain.
struct SampledWork {
  double share = 1;  // work / the mean work of all domains; afterwards it is the samples' weight
  std::optional<SamplePlace> centre = std::nullopt;  // in the box around the domain
  bool are_even = false;  // the domains are so even that good samples only change
                          // their weights
};

// Makes samples agree with a measurement. `samples` are in the domain, in the order of a curve.
Samples refined(Samples samples, const SampledDomain& domain, const SampledWork& known,
                SampleRandom random);

}  // namespace evenkeel
