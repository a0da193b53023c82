// Makes a plan: finds the copies that leave each rank, announces how many there are, and sends
// their origins.

#include "halo/impl.hpp"
#include "halo/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/domains.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* halo_label = "evenkeel::halo::plan";

// The least and the greatest value of each term.
struct RangeOfTerms {
  HaloTerms least, greatest;
};

void combine_terms(RangeOfTerms& into, const RangeOfTerms& from) noexcept {
  into.least.width = std::min(into.least.width, from.least.width);
  into.greatest.width = std::max(into.greatest.width, from.greatest.width);
  into.least.generation = std::min(into.least.generation, from.least.generation);
  into.greatest.generation = std::max(into.greatest.generation, from.greatest.generation);
  into.least.is_straight = into.least.is_straight && from.least.is_straight;
  into.greatest.is_straight = into.greatest.is_straight || from.greatest.is_straight;
}

void require_same(const RangeOfTerms& all) {
  if (all.least.width != all.greatest.width)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks ask for halos of widths " + text_of(all.least.width) + " to " +
                    text_of(all.greatest.width) + '.',
                "Give the same width on all ranks.");
  if (all.least.is_straight != all.greatest.is_straight)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks ask for a halo by straight distances, others along the axes.",
                "Give the same Halo::Distance on all ranks.");
  if (all.least.generation != all.greatest.generation)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks have domains of generations " + std::to_string(all.least.generation) +
                    " to " + std::to_string(all.greatest.generation) + '.',
                "Make a halo on all ranks after the same rebalance.");
}

struct WriteOrigins {
  const std::int64_t* objects;
  const Image* images;
  int rank;
  Halo::Origin* origins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int* const periods = images[i].periods;
    origins[i] = {objects[i], rank, {periods[0], periods[1], periods[2]}};
  }
};

struct IsShifted {
  const Image* images;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const int* const periods = images[i].periods;
    return periods[0] != 0 || periods[1] != 0 || periods[2] != 0 ? 1 : 0;
  }
};

exec::Array<Halo::Origin> origins_of(const Space& space, const Leavers& leavers, int rank) {
  exec::Array<Halo::Origin> origins(space, halo_label, leavers.objects.size());
  exec::for_each(space, halo_label, origins.size(),
                 WriteOrigins{leavers.objects.data(), leavers.images.data(), rank, origins.data()});
  space.fence(halo_label);
  return origins;
}

bool has_images(const Space& space, const exec::Array<Image>& images) {
  return exec::sum<std::int64_t>(space, images.size(), IsShifted{images.data()}) > 0;
}

std::array<double, 3> quarters_of(const Domains& domains) {
  std::array<double, 3> quarters = {};
  const Box& box = box_of(domains);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
    quarters[d] = box.upper[d] * 0.25 - box.lower[d] * 0.25;
  return quarters;
}

}  // namespace

std::vector<Parcel> parcels_of(const std::vector<std::int64_t>& offsets) {
  std::vector<Parcel> parcels;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    if (offsets[r] < offsets[r + 1])
      parcels.push_back({static_cast<int>(r), offsets[r], offsets[r + 1] - offsets[r]});
  return parcels;
}

void agree_on_plan(const Communicator& communicator, const Status& status, const HaloTerms& terms) {
  require_same(vote<&combine_terms>(communicator, status, RangeOfTerms{terms, terms}));
}

Halo::Halo() noexcept = default;
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&&) noexcept = default;
Halo::~Halo() = default;

Halo::Halo(const Communicator& communicator, const Domains& domains, const Set& set, double width,
           Distance distance) {
  const exec::Region shown("evenkeel::halo");
  exec::Array<Halo::Origin> leaving;
  std::vector<Note<std::int64_t>> notes, arrived;
  const bool is_straight = distance == Distance::straight;
  Status status = attempt(stage_name, [&] {
    impl_ = std::make_unique<Impl>(Impl{&communicator, generation_of(domains), width});
    Impl& plan = *impl_;
    const Space space = Space::where(set.position().memory);
    plan.memory = exec::memory_of(space);
    plan.quarters = quarters_of(domains);
    Leavers leavers = find_leavers(
        space, {domains, width, is_straight, communicator.rank(), communicator.size()}, set);
    plan.counts.owned = set.count();
    plan.counts.copies = leavers.objects.size();
    plan.copies.parcels = parcels_of(leavers.offsets);
    leaving = origins_of(space, leavers, communicator.rank());
    plan.copies.objects = std::move(leavers.objects);
    if (has_images(space, leavers.images)) plan.copies.images = std::move(leavers.images);
    notes = counts_to_ranks(leavers.offsets);
  });
  arrived = announce(communicator, stage_name, status, notes);
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      Impl& plan = *impl_;
      for (const Note<std::int64_t>& note : arrived) {
        plan.ghosts.parcels.push_back({note.rank, plan.counts.ghosts, note.content});
        plan.counts.ghosts += note.content;
      }
      plan.ghosts.origins = {plan.space(), halo_label, plan.counts.ghosts};
      transfer.emplace(transfer_between(communicator, plan.space(), plan.copies.parcels, leaving,
                                        plan.ghosts.parcels, plan.ghosts.origins));
    });
  // If the width is not finite, `status` is a failure already.
  agree_on_plan(communicator, status,
                {status.ok() ? width : 0, generation_of(domains), is_straight});
  vote(communicator, attempt(stage_name, [&] { transfer->run(); }));
}

Halo::Impl& Halo::impl() const {
  if (impl_ == nullptr)
    refuse("This Halo is empty.",
           "Make one from domains and a set, or use the object to which this one was moved.");
  return *impl_;
}

std::int64_t Halo::owned() const noexcept { return impl_ ? impl_->counts.owned : 0; }
std::int64_t Halo::ghosts() const noexcept { return impl_ ? impl_->counts.ghosts : 0; }
double Halo::width() const noexcept { return impl_ ? impl_->width : 0; }

bool Halo::is_of(const Domains& domains) const noexcept {
  return impl_ && impl_->generation == generation_of(domains);
}
Halo& Halo::of(const Domains& domains) {
  EVENKEEL_ASSERT(is_of(domains),
                  "The halo was made for these domains (make a new one after a rebalance)");
  return *this;
}
const Halo& Halo::of(const Domains& domains) const {
  EVENKEEL_ASSERT(is_of(domains),
                  "The halo was made for these domains (make a new one after a rebalance)");
  return *this;
}

const std::vector<Parcel>& Halo::exports() const noexcept {
  static const std::vector<Parcel> none;
  return impl_ ? impl_->copies.parcels : none;
}
const std::vector<Parcel>& Halo::imports() const noexcept {
  static const std::vector<Parcel> none;
  return impl_ ? impl_->ghosts.parcels : none;
}
const exec::Array<std::int64_t>& Halo::objects() const noexcept {
  static const exec::Array<std::int64_t> none;
  return impl_ ? impl_->copies.objects : none;
}
const exec::Array<Halo::Origin>& Halo::origins() const noexcept {
  static const exec::Array<Halo::Origin> none;
  return impl_ ? impl_->ghosts.origins : none;
}

}  // namespace evenkeel
