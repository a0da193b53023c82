// The transaction: reserve, vote, exchange, vote, commit.

#include "migrate/freight.hpp"
#include "migrate/in_place.hpp"
#include "migrate/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

// The numbers that the first vote adds up over the ranks.
struct Shipment {
  std::int64_t bytes = 0, messages = 0;
  std::int64_t least_staging = 0, greatest_staging = 0;
  int least_in_flight = 0, greatest_in_flight = 0;
  int with_origins = 0, ranks = 1;
};
void add_up(Shipment& into, const Shipment& from) noexcept {
  into.bytes += from.bytes;
  into.messages += from.messages;
  into.least_staging = std::min(into.least_staging, from.least_staging);
  into.greatest_staging = std::max(into.greatest_staging, from.greatest_staging);
  into.least_in_flight = std::min(into.least_in_flight, from.least_in_flight);
  into.greatest_in_flight = std::max(into.greatest_in_flight, from.greatest_in_flight);
  into.with_origins += from.with_origins;
  into.ranks += from.ranks;
}

// Ranks with different options would cut messages differently.
void require_same_options(const Shipment& all) {
  if (all.least_staging != all.greatest_staging || all.least_in_flight != all.greatest_in_flight)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "The options of a move differ between ranks: " + std::to_string(all.least_staging) +
                    " to " + std::to_string(all.greatest_staging) + " bytes of staging and " +
                    std::to_string(all.least_in_flight) + " to " +
                    std::to_string(all.greatest_in_flight) + " messages in flight.",
                "Give the same on all ranks.");
  if (all.with_origins != 0 && all.with_origins != all.ranks)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                std::to_string(all.with_origins) + " of " + std::to_string(all.ranks) +
                    " ranks ask for origins.",
                "Give the same on all ranks.");
}

struct Slowest {
  static constexpr std::size_t stages = 16;
  std::array<double, stages> seconds{};
};
void keep_slowest(Slowest& into, const Slowest& from) noexcept {
  for (std::size_t i = 0; i < Slowest::stages; ++i)
    into.seconds[i] = std::max(into.seconds[i], from.seconds[i]);
}

Slowest slowest_of(const std::vector<std::pair<std::string, double>>& stages) {
  Slowest mine;
  for (std::size_t i = 0; i < std::min(stages.size(), Slowest::stages); ++i)
    mine.seconds[i] = stages[i].second;
  return mine;
}

void require_plan_of(std::span<const Set> sets, std::span<const SetShape> shapes,
                     const Plan& plan) {
  bool fits = sets.size() == plan.sets.size() && sets.size() == shapes.size();
  for (std::size_t s = 0; fits && s < sets.size(); ++s) {
    fits = sets[s].count() == plan.sets[s].count_before() + plan.sets[s].unlisted &&
           sets[s].fields().size() == shapes[s].components.size();
    if (sets[s].payloads().size() != plan.sets[s].payloads.size())
      refuse("The plan does not know the sizes of all payloads.",
             "Make the plan with PlanOptions::sets.");
  }
  if (!fits)
    refuse("The plan was made for other sets, or the sets have changed since.",
           "Make a new plan, and move the sets before they change again.");
  check_each(sets);
  for (const Set& set : sets)
    for (const auto& payload : set.payloads()) payload->check(set.count(), set.options());
}

MoveReport::Memory memory_of(const Freight& freight, std::span<const Set> sets,
                             std::span<const SetShape> shapes, const Plan& plan) {
  MoveReport::Memory memory;
  for (const SetPlan& set : plan.sets)
    for (const PayloadPlan& payload : set.payloads) {
      memory.before += payload.bytes_leaving;
      memory.after += payload.bytes_arriving;
    }
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t f = 0; f < sets[s].fields().size(); ++f) {
      const std::int64_t bytes =
          std::int64_t{shapes[s].components[f]} * sets[s].fields()[f].layout().element_bytes;
      memory.before += bytes * (plan.sets[s].count_before() + plan.sets[s].unlisted);
      memory.after += bytes * (plan.sets[s].count_after + plan.sets[s].unlisted);
    }
  memory.sent = freight.sent_bytes();
  memory.received = freight.received_bytes();
  memory.lists = freight.bytes_of_lists();
  memory.staging = freight.staging_bytes();
  return memory;
}

struct WriteOrigin {
  int rank;
  MoveReport::Origin* origins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    MoveReport::Origin origin{};  // also initialises padding
    origin.rank = rank;
    origin.index = i;
    origins[i] = origin;
  }
};

// Adds a field to each set: the present rank and index of each object. It moves like any other
// field. The sets refer to the arrays in the result, and stay valid if the result is moved.
std::vector<exec::Array<MoveReport::Origin>> accompany_by_origins(std::vector<Set>& sets,
                                                                  std::vector<SetShape>& shapes,
                                                                  int rank) {
  constexpr const char* label = "evenkeel::migrate::origins";
  std::vector<exec::Array<MoveReport::Origin>> origins(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Space space = Space::where(sets[s].position().memory);
    origins[s] = {space, label, sets[s].count()};
    exec::for_each(space, label, origins[s].size(), WriteOrigin{rank, origins[s].data()});
    space.fence(label);
    sets[s].accompany(field_of(origins[s]));
    shapes[s].components.push_back(1);
  }
  return origins;
}

class MoveTransaction {
 public:
  MoveTransaction(const Communicator& communicator, std::span<const Set> sets,
                  std::span<const SetShape> shapes, const Plan& plan, const MoveOptions& options)
      : communicator_(communicator),
        sets_(sets.begin(), sets.end()),
        shapes_(shapes.begin(), shapes.end()),
        plan_(plan),
        options_(options) {}

  // Allocates all memory that the move needs. It may throw, so it comes before the first vote.
  void reserve() {
    begin(MoveStage::reserve);  // the application may do anything here
    require_plan_of(sets_, shapes_, plan_);
    if (options_.origins) origins_ = accompany_by_origins(sets_, shapes_, communicator_.rank());
    freight_.emplace(communicator_, sets_, shapes_, plan_, options_);
    freight_->load(plan_.keeps_places ? reserve_in_place() : reserve_anew());
    memory_ = memory_of(*freight_, sets_, shapes_, plan_);
  }

  // From here to commit(), all ranks must continue together. If something fails on this rank, it
  // still sends its messages, with arbitrary content, and the second vote reports the failure.
  Status exchange(FreightTimes& times) {
    const Status ready = attempt(stage_name, [&] {
      begin(MoveStage::pack);
      begin(MoveStage::unpack);
    });
    const Status sent = attempt(stage_name, [&] { freight_->exchange(ready.ok(), times); });
    return ready.ok() ? sent : ready;
  }

  void commit() noexcept {
    for (StagedSet& set : staged_) set.commit();
    for (SetInPlace& set : in_place_) set.commit();
    freight_->commit();
  }

  Shipment shipment() const {
    Shipment mine;
    mine.least_staging = mine.greatest_staging = options_.staging_bytes;
    mine.least_in_flight = mine.greatest_in_flight = options_.messages_in_flight;
    mine.with_origins = options_.origins ? 1 : 0;
    if (!freight_) return mine;
    mine.bytes = bytes_moved();
    mine.messages = freight_->messages();
    return mine;
  }
  int partners() const noexcept { return freight_->partners(); }
  const MoveReport::Memory& memory() const noexcept { return memory_; }
  std::vector<exec::Array<MoveReport::Origin>> take_origins() { return std::move(origins_); }

 private:
  // The two functions below allocate the memory into which fields will be received, and return its
  // layouts by set and field.
  std::vector<std::vector<FieldLayout>> reserve_anew() {
    std::vector<std::vector<FieldLayout>> targets(sets_.size());
    staged_.reserve(sets_.size());
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const StagedSet& staged =
          staged_.emplace_back(stage(Space::where(sets_[s].position().memory), sets_[s],
                                     plan_.sets[s].count_after, shapes_[s].components));
      for (const StagedField& field : staged.fields()) targets[s].push_back(field.layout());
    }
    return targets;
  }
  std::vector<std::vector<FieldLayout>> reserve_in_place() {
    std::vector<std::vector<FieldLayout>> targets(sets_.size());
    in_place_.reserve(sets_.size());
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      in_place_.emplace_back(sets_[s], plan_.sets[s], shapes_[s].components);
      targets[s] = in_place_[s].arrivals();
    }
    return targets;
  }

  // If the application's call-back throws, reports that as a failure of the application.
  void begin(MoveStage now) const {
    if (!options_.on_stage) return;
    const Status status = attempt(
        stage_name, [&] { options_.on_stage(now); }, ErrorKind::application);
    if (!status.ok()) throw Error(*status.error());
  }

  // This rank's part of MoveReport::bytes.
  std::int64_t bytes_moved() const {
    constexpr auto of_origin = static_cast<std::int64_t>(sizeof(MoveReport::Origin));
    std::int64_t bytes = 0;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      std::int64_t objects = 0;
      for (const Parcel& parcel : plan_.sets[s].exports) objects += parcel.objects;
      const std::int64_t stated = sets_[s].options().bytes_per_object;
      const std::int64_t origins = options_.origins ? objects * of_origin : 0;
      bytes += stated > 0 ? objects * stated : freight_->sent_bytes(s) - origins;
    }
    return bytes;
  }

  const Communicator& communicator_;
  std::vector<Set> sets_;
  std::vector<SetShape> shapes_;
  const Plan& plan_;
  const MoveOptions& options_;
  std::vector<exec::Array<MoveReport::Origin>> origins_;
  std::vector<StagedSet> staged_;
  std::vector<SetInPlace> in_place_;
  std::optional<Freight> freight_;
  MoveReport::Memory memory_;
};

}  // namespace

const char* stages::name_of(MoveStage stage) noexcept {
  switch (stage) {
    case MoveStage::reserve: return "reserve";
    case MoveStage::pack: return "pack";
    case MoveStage::unpack: return "unpack";
  }
  return "?";
}

MoveReport::Memory stages::memory_of(const Communicator& communicator, std::span<const Set> sets,
                                     std::span<const SetShape> shapes, const Plan& plan,
                                     const MoveOptions& options) {
  require_plan_of(sets, shapes, plan);
  std::vector<Set> all(sets.begin(), sets.end());
  std::vector<SetShape> all_shapes(shapes.begin(), shapes.end());
  std::vector<exec::Array<MoveReport::Origin>> origins;
  if (options.origins) origins = accompany_by_origins(all, all_shapes, communicator.rank());
  return evenkeel::memory_of(Freight(communicator, all, all_shapes, plan, options), all, all_shapes,
                             plan);
}

MoveReport stages::move(const Communicator& communicator, std::span<const Set> sets,
                        std::span<const SetShape> shapes, const Plan& plan,
                        const MoveOptions& options) {
  const exec::Region shown("evenkeel::move");
  MoveReport report;
  std::optional<MoveTransaction> move;
  Stopwatch stopwatch;
  const Status reserved = attempt(stage_name, [&] {
    report.seconds = options.seconds_before;
    for (const char* stage : {"reserve", "pack", "transfer", "unpack"})
      report.seconds.emplace_back(stage, 0.0);
    move.emplace(communicator, sets, shapes, plan, options);
    move->reserve();
  });
  const double reserve_seconds = stopwatch.restart();
  const Shipment all = vote<&add_up>(communicator, reserved, move ? move->shipment() : Shipment());
  require_same_options(all);

  FreightTimes times;
  stopwatch.restart();
  const Status exchanged = move->exchange(times);
  const auto mine = report.seconds.end() - 4;
  mine[0].second = reserve_seconds;
  mine[1].second = times.pack;
  mine[2].second = stopwatch.seconds() - times.pack - times.unpack;
  mine[3].second = times.unpack;
  report.memory = move->memory();
  const Slowest slowest = vote<&keep_slowest>(communicator, exchanged, slowest_of(report.seconds));

  move->commit();
  for (std::size_t i = 0; i < std::min(report.seconds.size(), Slowest::stages); ++i)
    report.seconds[i].second = slowest.seconds[i];
  report.moved = true;
  report.objects = plan.objects_moved;
  report.bytes = all.bytes;
  report.messages = all.messages;
  report.partners = move->partners();
  report.origins = move->take_origins();
  for (const SetPlan& set : plan.sets) {
    for (const Parcel& parcel : set.exports) report.sent += parcel.objects;
    for (const Parcel& parcel : set.imports) report.received += parcel.objects;
  }
  return report;
}

}  // namespace evenkeel
