// The transaction: reserve, vote, exchange, vote, commit.

#include "migrate/parcels.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/migrate.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/migrate";

// What the two votes add up over the ranks.
struct Load {
  std::int64_t bytes = 0;
};
void add_up(Load& into, const Load& from) noexcept { into.bytes += from.bytes; }

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

// Seconds.
struct Exchange {
  double pack = 0, transfer = 0, unpack = 0;
};

class Move {
 public:
  Move(const Communicator& communicator, std::span<const Set> sets,
       std::span<const SetShape> shapes, std::span<const Order> orders, const Plan& plan,
       const MoveOptions& options)
      : communicator_(communicator),
        sets_(sets),
        shapes_(shapes),
        orders_(orders),
        plan_(plan),
        options_(options) {}

  // All memory that the move will need. May throw: before the first vote.
  void reserve() {
    begin(MoveStage::reserve);
    for (std::size_t s = 0; s < sets_.size(); ++s)
      staged_.push_back(stage(Space::where(sets_[s].position().memory), sets_[s],
                              plan_.sets[s].count_after, shapes_[s].components));
    parcels_.emplace(communicator_, sets_, orders_, plan_, staged_);
  }

  // From here to commit() no rank leaves the others waiting: what fails is told at the second vote,
  // and messages go out with whatever content there is.
  Status exchange(Exchange& exchange) {
    Stopwatch stopwatch;
    Status status = attempt(stage_name, [&] {
      begin(MoveStage::pack);
      parcels_->pack();
    });
    exchange.pack = stopwatch.lap();
    const Status sent = attempt(stage_name, [&] { parcels_->run(); });
    exchange.transfer = stopwatch.lap();
    if (status.ok()) status = sent;
    if (status.ok())
      status = attempt(stage_name, [&] {
        begin(MoveStage::unpack);
        parcels_->unpack();
      });
    exchange.unpack = stopwatch.lap();
    return status;
  }

  void commit() noexcept {
    for (StagedSet& set : staged_) set.commit();
  }

  std::int64_t bytes() const noexcept { return parcels_ ? parcels_->sent_bytes() : 0; }
  int partners() const noexcept { return parcels_->partners(); }

 private:
  // What the application's call-back throws is the application's.
  void begin(MoveStage now) const {
    if (!options_.on_stage) return;
    const Status status = attempt(
        stage_name, [&] { options_.on_stage(now); }, ErrorKind::application);
    if (!status.ok()) throw Error(*status.error());
  }

  const Communicator& communicator_;
  std::span<const Set> sets_;
  std::span<const SetShape> shapes_;
  std::span<const Order> orders_;
  const Plan& plan_;
  const MoveOptions& options_;
  std::vector<StagedSet> staged_;
  std::optional<Parcels> parcels_;
};

}  // namespace

const char* name_of(MoveStage stage) noexcept {
  switch (stage) {
    case MoveStage::reserve: return "reserve";
    case MoveStage::pack: return "pack";
    case MoveStage::unpack: return "unpack";
  }
  return "?";
}

MoveReport move(const Communicator& communicator, std::span<const Set> sets,
                std::span<const SetShape> shapes, std::span<const Order> orders, const Plan& plan,
                const MoveOptions& options) {
  MoveReport report;
  Move move(communicator, sets, shapes, orders, plan, options);
  Stopwatch stopwatch;
  const Status reserved = attempt(stage_name, [&] {
    report.seconds = options.seconds_before;
    for (const char* stage : {"reserve", "pack", "transfer", "unpack"})
      report.seconds.emplace_back(stage, 0.0);
    move.reserve();
  });
  const double reserve_seconds = stopwatch.lap();
  report.bytes = vote<&add_up>(communicator, reserved, Load{move.bytes()}).bytes;

  Exchange exchange;
  const Status exchanged = move.exchange(exchange);
  const auto mine = report.seconds.end() - 4;
  mine[0].second = reserve_seconds;
  mine[1].second = exchange.pack;
  mine[2].second = exchange.transfer;
  mine[3].second = exchange.unpack;
  const Slowest slowest = vote<&keep_slowest>(communicator, exchanged, slowest_of(report.seconds));

  move.commit();
  for (std::size_t i = 0; i < std::min(report.seconds.size(), Slowest::stages); ++i)
    report.seconds[i].second = slowest.seconds[i];
  report.moved = true;
  report.objects = plan.objects_moved;
  report.partners = move.partners();
  for (const SetPlan& set : plan.sets) {
    for (const Parcel& parcel : set.exports) report.sent += parcel.objects;
    for (const Parcel& parcel : set.imports) report.received += parcel.objects;
  }
  return report;
}

}  // namespace evenkeel
