#include "rebalance/adoption.hpp"
#include "rebalance/agreement.hpp"
#include "rebalance/stage.hpp"

#include "observe/hash.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/staging.hpp>

namespace evenkeel {

namespace {

// --- What ranks compare --------------------------------------------------------------------------

void add_each(detail::Hash& hash, const auto& numbers) {
  for (const double number : numbers) hash.add(number);
}

void add(detail::Hash& hash, const CurveDomains& domains) {
  hash.add(static_cast<std::int64_t>(domains.curve().kind))
      .add(static_cast<std::int64_t>(domains.curve().levels));
  for (const CurveKey key : domains.splitters()) hash.add(static_cast<std::int64_t>(key.value));
}
void add(detail::Hash& hash, const GridDomains& domains) {
  const GridBorders& borders = domains.borders();
  hash.add(static_cast<std::int64_t>(borders.scheme));
  add_each(hash, domains.shape().extents);
  add_each(hash, borders.axes);
  for (const std::vector<double>& level : borders.levels) add_each(hash, level);
}
void add(detail::Hash& hash, const TreeDomains& domains) {
  for (const Bisection& node : domains.nodes())
    hash.add(node.border).add(std::int64_t{node.axis}).add(std::int64_t{node.middle});
}
void add(detail::Hash&, const GraphDomains&) {}
void add(detail::Hash& hash, const VoronoiDomains& domains) {
  for (const PowerSite& site : domains.sites()) {
    for (const std::int32_t at : site.anchor) hash.add(std::int64_t{at});
    hash.add(site.weight);
  }
}
void add(detail::Hash& hash, const MeshDomains& domains) {
  for (const int extent : domains.shape().extents) hash.add(std::int64_t{extent});
  for (const MeshVertex& vertex : domains.vertices())
    for (const std::int32_t at : vertex) hash.add(std::int64_t{at});
}

std::uint64_t hash_of(const Domains& domains) {
  detail::Hash hash;
  hash.add(static_cast<std::int64_t>(domains.index())).add(std::int64_t{dimensions_of(domains)});
  add_each(hash, box_of(domains).lower);
  add_each(hash, box_of(domains).upper);
  add_each(hash, decomposition_of(domains).periodic());
  add_each(hash, rank_of_part(domains));
  std::visit([&](const auto& all) { add(hash, all); }, domains);
  return hash.value();
}

struct DomainStatement {
  std::uint64_t least = 0, greatest = 0;  // hashes
  static void add(DomainStatement& into, const DomainStatement& from) noexcept {
    into.least = std::min(into.least, from.least);
    into.greatest = std::max(into.greatest, from.greatest);
  }
};

// --- What must fit -------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

void require_fit(const Domains& domains, int ranks, const Options& options) {
  if (parts_of(domains) != ranks)
    refuse("The domains to adopt have " + std::to_string(parts_of(domains)) +
               " parts, and there are " + std::to_string(ranks) + " ranks.",
           "Give domains with one part for each rank.");
  if (!own_places(domains))
    refuse("The domains to adopt are parts of a graph, which own no places.",
           "Call adopt with the sets; then each rank owns the objects that it has.");
  if (options.box && !(*options.box == box_of(domains)))
    refuse("The domains to adopt divide another box than that of the options.",
           "Leave out the option box, or make both equal.");
  if (options.periodic != decomposition_of(domains).periodic())
    refuse("The domains to adopt are periodic along other axes than the options say.",
           "Set the option periodic to that of the domains.");
}

}  // namespace

Domains adopted(const Communicator& ranks, const Status& status, const Domains& domains,
                const Options& options, std::int64_t generation) {
  Domains numbered;
  DomainStatement mine;
  const Status checked = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    require_fit(domains, ranks.size(), options);
    numbered = renumbered(domains, generation);
    mine.least = mine.greatest = hash_of(domains);
  });
  const DomainStatement all = vote<&DomainStatement::add>(ranks, checked, mine);
  if (all.least != all.greatest)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks have given different domains to adopt.",
                "Give all domains on every rank, not only those of the rank.");
  return numbered;
}

Domains owners_of_present(const Communicator& ranks, const Status& status,
                          std::span<const Set> sets, const Options& options,
                          std::int64_t generation) {
  Arrival here;
  const Status checked = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    require_use("adopt", sets);
    check_each(sets);
    here.sets.assign(sets.begin(), sets.end());
    state(here, 0, generation, false);
  });
  const AgreedSets agreed = agreed_by(ranks, checked, here);
  const int dimensions = dimensions_of(agreed.shapes, Domains());
  const Bounds found = bounds(ranks, sets);
  if (dimensions == 0 || found.empty())
    refuse("adopt was called without any object.",
           "Call adopt after objects have been made, or leave it out.");
  if (options.box) require_inside(*options.box, options.periodic, found);
  const Box box = options.box ? *options.box : measure_box(ranks, sets, std::nullopt, found).box;
  GraphReport report;
  report.parts = ranks.size();
  return GraphDomains(generation, generation, dimensions, box, options.periodic, std::move(report));
}

}  // namespace evenkeel
