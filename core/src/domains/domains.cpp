#include "domains/answers.hpp"
#include "domains/stage.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/core/domains.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* domains_label = "evenkeel::domains::ranks";

template <IsDomain... D>
constexpr bool answer_everything(const std::variant<D...>*) {
  return true;
}
static_assert(answer_everything(static_cast<const Domains*>(nullptr)));

}  // namespace

// --- Members of all domains ----------------------------------------------------------------------

bool Decomposition::has_part(int rank) const noexcept {
  if (rank_of_part_.empty()) return rank >= 0 && rank < parts_;
  return std::find(rank_of_part_.begin(), rank_of_part_.end(), rank) != rank_of_part_.end();
}

int Decomposition::part_of(int rank) const {
  if (!has_part(rank))
    refuse("Rank " + std::to_string(rank) + " owns no domain.", "Give a rank that does.");
  if (rank_of_part_.empty()) return rank;
  return static_cast<int>(std::find(rank_of_part_.begin(), rank_of_part_.end(), rank) -
                          rank_of_part_.begin());
}

bool own_places(const Domains& domains) noexcept {
  return std::visit([]<class D>(const D&) { return D::owns_places; }, domains);
}

Domains renumbered(const Domains& domains, std::int64_t generation) {
  return std::visit([&](const auto& all) -> Domains { return renumbered(all, generation); },
                    domains);
}

bool is_same_division(const Domains& a, const Domains& b) {
  if (a.index() != b.index() || !(box_of(a) == box_of(b)) || rank_of_part(a) != rank_of_part(b))
    return false;
  return std::visit([&]<class D>(const D& all) { return all.divides_as(std::get<D>(b)); }, a);
}

// --- Questions to domains that own places --------------------------------------------------------

int owner_of(const Domains& domains, std::span<const double> point) {
  return ask_places(stage_name, domains, [&](const auto& all) { return all.owner_of(point); });
}

std::vector<int> ranks_within(const Domains& domains, const Box& box, double width) {
  return ask_places(stage_name, domains,
                    [&](const auto& all) { return all.ranks_within(box, width); });
}

void write_parts(const Space& space, const Domains& domains, const Set& set, int* parts) {
  ask_places(stage_name, domains, [&](const auto& all) { all.write_parts(space, set, parts); });
}

void write_ranks(const Space& space, const Domains& domains, const Set& set, int* ranks) {
  write_parts(space, domains, set, ranks);
  const std::vector<int>& rank_of = rank_of_part(domains);
  if (rank_of.empty() || set.count() == 0) return;
  const exec::Reached<int> reached(space, domains_label, rank_of);
  exec::for_each(space, domains_label, set.count(), exec::Pick{reached.data(), ranks, ranks});
  space.fence(domains_label);
}

exec::Array<int> owners_of(const Space& space, const Domains& domains, const Set& set) {
  check(set);
  exec::Array<int> owners(space, domains_label, set.count());
  write_ranks(space, domains, set, owners.data());
  return owners;
}

}  // namespace evenkeel
