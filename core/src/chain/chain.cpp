// The optimal cut for options and weights: checks both, cuts, and reports the result.

#include "chain/bisection.hpp"
#include "chain/sources.hpp"

#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/speeds.hpp>

namespace evenkeel {

namespace chain_search {

namespace {

// --- Heavy items: only chunks are read whose greatest weight is large enough ---------------------

// Returns the first of the heaviest items, or -1 if there are no items.
template <class Source>
std::int64_t heaviest_item(const Sums<Source>& sums) noexcept {
  if (sums.items() == 0) return -1;
  const auto maxima = sums.maxima();
  const auto most = std::max_element(maxima.begin(), maxima.end());
  std::int64_t item = (most - maxima.begin()) * chunk;
  while (sums.weight(item) < *most) ++item;
  return item;
}

// Returns the number of items that weigh more than `weight`.
template <class Source>
std::int64_t items_above(const Sums<Source>& sums, double weight) noexcept {
  const auto above = [&](auto number) { return static_cast<double>(number) > weight; };
  const auto maxima = sums.maxima();
  std::int64_t count = 0;
  for_each_chunk(sums.items(), [&](std::int64_t begin, std::int64_t end) {
    if (!above(maxima[index_of(begin / chunk)])) return;
    for (std::int64_t i = begin; i < end; ++i) count += above(sums.weight(i)) ? 1 : 0;
  });
  return count;
}

// --- The cut -------------------------------------------------------------------------------------

void check(const ChainOptions& options, std::int64_t items) {
  const std::string parts = std::to_string(options.parts);
  if (options.parts < 1)
    refuse("A cut into " + parts + " parts was asked for.", "Ask for 1 or more.");
  check_speeds(refuse, options.speeds, options.parts);
  const std::string least = std::to_string(options.min_items);
  if (options.min_items < 0)
    refuse("Parts of at least " + least + " items were asked for.", "Ask for 0 or more.");
  if (options.min_items > items / options.parts)
    refuse(parts + " parts of at least " + least + " items were asked for, but there are " +
               std::to_string(items) + " items in all.",
           "Ask for fewer parts, or for fewer items in each.");
}

template <class Number>
void check_range(const BySpeed<Number>& parts, Number total) {
  if (!std::isfinite(static_cast<double>(total) / parts.slowest()))
    refuse("A sum of weights, divided by a speed, overflows.",
           "Divide all weights by a common factor.");
}

template <class Number>
void check_range(const Alike<Number>&, Number) {}

// Reports how good the cut is, and how good any cut can be.
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
  // The weight of the item as a difference of two sums. By rounding, it may be less than the given
  // weight.
  const auto in_sum = item < 0 ? 0 : sums.at(item + 1) - sums.at(item);
  const Problem<Source, Parts> problem(sums, parts, min_items);
  BottleneckBisection<Source, Parts> bisection(problem, in_sum);
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

Chain stages::cut_chain(std::span<const double> weights, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromWeights<double>>(weights, options);
}

Chain stages::cut_chain(std::span<const std::int64_t> weights, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromWeights<std::int64_t>>(weights, options);
}

Chain stages::cut_prefix(std::span<const double> prefix, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromPrefix<double>>(prefix, options);
}

Chain stages::cut_prefix(std::span<const std::int64_t> prefix, const ChainOptions& options) {
  return chain_search::cut<chain_search::FromPrefix<std::int64_t>>(prefix, options);
}

}  // namespace evenkeel
