#pragma once

// The questions that each type of domains must answer. A concept checks this when evenkeel is
// compiled. ask_places() asks domains of any type.

#include "domains/checks.hpp"
#include "domains/frame.hpp"
#include "domains/home/home_test.hpp"
#include "domains/owner_tree.hpp"

#include <evenkeel/core/domains.hpp>

#include <type_traits>

namespace evenkeel {

// The questions to domains that own places, in the order in which docs/howto/add_a_domain_type.md
// explains them.
template <class D>
concept AnswersAboutPlaces = requires(const D& domains, std::span<const double> point,
                                      const Box& box, double width, const Space& space,
                                      const Set& set, const Reaches& reaches, int part, int* parts,
                                      std::int64_t objects) {
  { domains.owner_of(point) } -> std::same_as<int>;
  { domains.write_parts(space, set, parts) } -> std::same_as<void>;
  { domains.boxes_of(part) } -> std::same_as<std::vector<Box>>;
  { domains.ranks_within(box, width) } -> std::same_as<std::vector<int>>;
  { domains.frame().image(part, width) } -> std::same_as<ImageInside>;
  { domains.owner_tree(reaches) } -> std::same_as<OwnerTree>;
  { domains.home_test(space, part, objects) } -> std::same_as<std::unique_ptr<HomeTest>>;
};

template <class D>
concept IsDomain = std::derived_from<D, Decomposition> && std::copyable<D> &&
    std::default_initializable<D> && requires(const D& domains) {
  { domains.divides_as(domains) } -> std::same_as<bool>;
  { D::owns_places } -> std::convertible_to<bool>;
} &&(!D::owns_places || AnswersAboutPlaces<D>);

// Calls question(domains) with the actual type of the domains. Throws an Error for domains that own
// no places.
template <class Question>
auto ask_places(const char* stage, const Domains& domains, const Question& question) {
  using Answer = std::invoke_result_t<const Question&, const CurveDomains&>;
  return std::visit(
      [&]<class D>(const D& all) -> Answer {
        if constexpr (D::owns_places)
          return question(all);
        else
          refuse_places(stage);
      },
      domains);
}

}  // namespace evenkeel
