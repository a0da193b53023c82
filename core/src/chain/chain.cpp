// The optimal cut from options and weights: checks them, cuts, and reports the result.

#include "bisection.hpp"
#include "common.hpp"
#include "heavy_items.hpp"
#include "parts.hpp"
#include "problem.hpp"
#include "sources.hpp"
#include "sums.hpp"

#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

namespace evenkeel {

namespace chain_search {

namespace {

void check(const ChainOptions& options, std::int64_t items) {
  const std::string parts = std::to_string(options.parts);
  if (options.parts < 1)
    refuse("A cut into " + parts + " parts was asked for.", "Ask for 1 or more.");
  if (!options.speeds.empty() && std::ssize(options.speeds) != options.parts)
    refuse(std::to_string(options.speeds.size()) + " speeds came for " + parts + " parts.",
           "Give one speed per part, or none.");
  for (const double speed : options.speeds)
    if (!std::isfinite(speed) || !(speed > 0))
      refuse("A speed is zero, negative, NaN or infinite.", "Speeds are positive and finite.");
  const std::string least = std::to_string(options.min_items);
  if (options.min_items < 0)
    refuse("Parts of at least " + least + " items were asked for.", "Ask for 0 or more.");
  if (options.min_items > items / options.parts)
    refuse(parts + " parts of at least " + least + " items were asked for, of " +
               std::to_string(items) + " items in all.",
           "Ask for fewer parts, or for fewer items in each.");
}

template <class Number>
void check_range(const BySpeed<Number>& parts, Number total) {
  if (!std::isfinite(parts.speed()))
    refuse("The sum of the speeds overflows.", "Divide all speeds by a common factor.");
  if (!std::isfinite(static_cast<double>(total) / parts.slowest()))
    refuse("Weight over speed overflows.", "Divide all weights by a common factor.");
}

template <class Number>
void check_range(const Alike<Number>&, Number) {}

// Reports how good the cut is, and what limits any cut.
template <class Source, class Parts>
void report(Chain& chain, const Sums<Source>& sums, const Parts& parts) {
  const auto total = static_cast<double>(sums.total());
  if (chain.heaviest_item >= 0)
    chain.heaviest_weight = static_cast<double>(sums.weight(chain.heaviest_item));
  if (!(total > 0)) return;
  const auto lambda = [&](double load) {
    return std::max(1.0, lambda_of(load, total, parts.speed()));
  };
  chain.lambda = lambda(chain.bottleneck);
  chain.lambda_bound = std::min(lambda(chain.heaviest_weight / parts.fastest()), chain.lambda);
  constexpr double rounding = 1e-9;
  chain.items_above_average =
      items_above(sums, share_of(total, parts.fastest(), parts.speed()) * (1 + rounding));
}

template <class Source, class Parts>
Chain cut(const Sums<Source>& sums, const Parts& parts, std::int64_t min_items) {
  check_range(parts, sums.total());
  Chain chain;
  chain.heaviest_item = heaviest_item(sums);
  const std::int64_t item = chain.heaviest_item;
  // Within a sum an item weighs the difference of the sums, which rounding may make less.
  const auto in_sum = item < 0 ? 0 : sums.at(item + 1) - sums.at(item);
  const Problem<Source, Parts> problem(sums, parts, min_items);
  Bisection<Source, Parts> bisection(problem, in_sum);
  chain.offsets = bisection.run();
  chain.bottleneck = static_cast<double>(bisection.bottleneck());
  report(chain, sums, parts);
  return chain;
}

template <class Source>
Chain cut(std::span<const typename Source::Number> numbers, const ChainOptions& options) {
  check(options, Source::items_in(numbers));
  const Sums<Source> sums(numbers);
  using Number = typename Source::Number;
  if (options.speeds.empty()) return cut(sums, Alike<Number>(options), options.min_items);
  return cut(sums, BySpeed<Number>(options), options.min_items);
}

}  // namespace

}  // namespace chain_search

Chain cut_chain(std::span<const double> weights, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromWeights<double>>(weights, options);
}

Chain cut_chain(std::span<const std::int64_t> weights, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromWeights<std::int64_t>>(weights, options);
}

Chain cut_prefix(std::span<const double> prefix, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromPrefix<double>>(prefix, options);
}

Chain cut_prefix(std::span<const std::int64_t> prefix, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromPrefix<std::int64_t>>(prefix, options);
}

}  // namespace evenkeel
