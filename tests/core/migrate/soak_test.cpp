// Rebalances at random, of clouds that live through many of them. By hand, before a release:
// EVENKEEL_TEST_SOAK_ROUNDS=10000.

#include "core/migrate/containers.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace evenkeel {
namespace {

using test::checksum;
using test::even_splitters;
using test::Ids;
using test::ids_in;
using test::keys_per_part;
using test::mix;
using test::most_objects;
using test::prepare_by_curve;
using test::prepare_shuffle;
using test::Prepared;
using test::same_everywhere;
using test::Scene;
using test::snapshot_of;
using test::Spread;

int rounds_wanted() {
  if (const char* wanted = std::getenv("EVENKEEL_TEST_SOAK_ROUNDS")) return std::atoi(wanted);
  return test::is_sanitized ? 60 : 500;
}

// The choices of one round, which all ranks make alike.
class Dice {
 public:
  explicit Dice(int round) : round_(round) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(mix(round_, ++throws_) % static_cast<std::uint64_t>(end));
  }
  int below(int end) { return static_cast<int>(below(std::int64_t{end})); }
  bool once_in(int rounds) { return below(rounds) == 0; }
  int salt() { return below(1'000'000); }
  template <class T, std::size_t n>
  const T& one_of(const T (&choices)[n]) {
    return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(n)))];
  }

 private:
  int round_, throws_ = 0;
};

// --- Clouds of any kind --------------------------------------------------------------------------

// Has ghosts again before each move.
struct Haunted {
  test::Vectors vectors;
  int owned;

  explicit Haunted(std::size_t n) : vectors(n), owned(static_cast<int>(n)) {}
  Set as_set() {
    const auto all = static_cast<std::size_t>(owned) + 3;
    vectors.x.resize(all);
    vectors.id.resize(all, -1);
    vectors.velocity.resize(all);
    vectors.kind.resize(all);
    vectors.flag.resize(all);
    vectors.cell.resize(all);
    return vectors.as_set({.count = &owned});
  }
};

// Held by somebody else too, who keeps the old values.
struct Aliased {
  test::LeftViews<Kokkos::HostSpace> views, others = views;

  explicit Aliased(std::size_t n) : views(n) {}
  Set as_set() {
    others = views;
    return views.as_set({.allow_aliases = true});
  }
};

// Memory that keeps its place, beside a field that grows.
struct Accompanied {
  test::Borrowed borrowed;
  std::vector<double> weights;

  explicit Accompanied(std::size_t n) : borrowed(n), weights(n) {}
  Set as_set() {
    Set set = borrowed.as_set();
    set.accompany(field_of(weights));
    return set;
  }
};

class Cloud {
 public:
  Cloud() = default;
  Cloud(const Cloud&) = delete;
  Cloud& operator=(const Cloud&) = delete;
  virtual ~Cloud() = default;
  virtual Set as_set() = 0;
};

template <class Container>
class CloudOf final : public Cloud {
 public:
  explicit CloudOf(std::size_t n) : container_(n) {}
  Set as_set() override { return container_.as_set(); }

 private:
  Container container_;
};

struct Kind {
  const char* name = "";
  std::int64_t most = 0;  // objects, all together
  int dimensions = 3;
  std::unique_ptr<Cloud> (*make)(std::size_t n) = nullptr;
};

template <class Container>
std::unique_ptr<Cloud> make(std::size_t n) {
  return std::make_unique<CloudOf<Container>>(n);
}

// So many that a field of theirs may travel apart from the others, whatever the budget.
constexpr std::int64_t very_many = 20000;

using Host = Kokkos::HostSpace;
constexpr Kind kinds[] = {
    {"Vectors", very_many, 3, &make<test::Vectors>},
    {"Haunted", very_many, 3, &make<Haunted>},
    {"Records", very_many, 3, &make<test::Records>},
    {"LeftViews", very_many, 3, &make<test::LeftViews<Host>>},
    {"RightViews", very_many, 2, &make<test::RightViews<Host>>},
    {"RecordViews", very_many, 3, &make<test::RecordViews<Host>>},
    {"LateViews", very_many, 3, &make<test::LateViews<Host>>},
    {"Aliased", very_many, 3, &make<Aliased>},
    {"MixedContainers", very_many, 3, &make<test::MixedContainers>},
    {"Borrowed", most_objects, 3, &make<test::Borrowed>},
    {"Accompanied", most_objects, 3, &make<Accompanied>},
    {"Raw", most_objects, 3, &make<test::Raw>},
    {"Subviews", most_objects, 3, &make<test::Subviews<Host>>},
    {"KeptViews", most_objects, 3, &make<test::KeptViews<Host>>},
};

// Nothing, a few, a few hundred; seldom thousands, which take their time.
std::int64_t objects_of(const Kind& kind, Dice& dice) {
  if (dice.once_in(50)) return kind.most;
  constexpr std::int64_t ends[] = {1, 6, 60, most_objects, most_objects, most_objects, 2000};
  return std::min(kind.most, dice.below(dice.one_of(ends)));
}

// Where objects are follows from their ids alone, for all clouds: some are alone, some are many at
// one place.
constexpr Scene here_and_there = {
    "here and there", [](std::int64_t id, int axis) {
      constexpr Scene scenes[] = {test::everywhere, test::everywhere, test::in_a_plane,
                                  test::on_corners, test::in_one_point};
      return scenes[mix(id, 77) % std::size(scenes)].coordinate(id, axis);
    }};

constexpr Spread spreads[] = {test::in_turn, test::at_random, test::on_the_last,
                              test::on_even_ranks};

struct Member {
  Kind kind = {};
  std::int64_t objects = 0;  // all together
  std::unique_ptr<Cloud> cloud = nullptr;

  // No two members have an id in common, those of the past neither: what is left of another cloud
  // is seen.
  void renew(const Communicator& communicator, Dice& dice, std::int64_t first_id) {
    kind = dice.one_of(kinds);
    objects = objects_of(kind, dice);
    Ids ids = ids_here(communicator, dice.one_of(spreads), objects);
    for (std::int64_t& id : ids) id += first_id;
    cloud = kind.make(ids.size());
    write_objects(cloud->as_set(), here_and_there, ids);
  }
};

// --- Ways to rebalance ---------------------------------------------------------------------------

// A number below `end` for each object. Half of the times neighbours by id have the same: they
// travel, and come to lie, in long ranges.
auto numbers_below(std::uint64_t end, Dice& dice) {
  const int salt = dice.salt();
  const std::int64_t alike = dice.once_in(2) ? 1 : 64;
  return [=](std::int64_t id) { return mix(id / alike, salt) % end; };
}

std::uint64_t first_key_of(int part) { return keys_per_part * static_cast<std::uint64_t>(part); }

// Without a plan.
template <class KeyOf>
Prepared ordered(const Communicator& communicator, std::span<const Set> sets, const KeyOf& key_of) {
  Prepared prepared;
  prepared.shapes = agree_on_sets(communicator, sets);
  prepared.splitters = even_splitters(communicator.size());
  for (const Set& set : sets) prepared.orders.push_back(test::order_by(ids_in(set), key_of));
  return prepared;
}

template <class KeyOf>
Prepared by_keys(const Communicator& communicator, std::span<const Set> sets, const KeyOf& key_of) {
  Prepared prepared = ordered(communicator, sets, key_of);
  prepared.plan = plan(communicator, Status(), prepared.splitters, test::made(prepared.orders));
  return prepared;
}

Prepared shuffled(const Communicator& communicator, std::span<const Set> sets, Dice& dice) {
  return prepare_shuffle(communicator, sets, dice.salt());
}

Prepared by_curve(const Communicator& communicator, std::span<const Set> sets, Dice&) {
  return prepare_by_curve(communicator, sets);
}

// Parts of any size; half of the times the first is empty, or the last.
Prepared to_uneven_parts(const Communicator& communicator, std::span<const Set> sets, Dice& dice) {
  const std::uint64_t end = even_splitters(communicator.size()).back().value;
  Prepared prepared = ordered(communicator, sets, numbers_below(end, dice));
  Splitters& splitters = prepared.splitters;
  for (std::size_t part = 1; part + 1 < splitters.size(); ++part)
    splitters[part] = {static_cast<std::uint64_t>(dice.below(static_cast<std::int64_t>(end)))};
  if (dice.once_in(2)) splitters[splitters.size() / 2] = dice.one_of({CurveKey{0}, CurveKey{end}});
  splitters.back() = {end};
  std::ranges::sort(splitters, {}, &CurveKey::value);
  splitters.front() = {0};
  prepared.plan = plan(communicator, Status(), splitters, test::made(prepared.orders));
  return prepared;
}

// What the oracle knows as parts in the order of ranks.
Prepared to_parts_of_other_ranks(const Communicator& communicator, std::span<const Set> sets,
                                 Dice& dice) {
  const int size = communicator.size(), shift = dice.below(size);
  const auto key_of = numbers_below(first_key_of(size), dice);
  Prepared prepared = ordered(communicator, sets, key_of);
  const auto key_in_part = [&](std::int64_t id) {
    const std::uint64_t key = key_of(id);
    const int rank = static_cast<int>(key / keys_per_part);
    return first_key_of((rank + size - shift) % size) + key % keys_per_part;
  };
  std::vector<int> rank_of_part;
  for (int part = 0; part < size; ++part) rank_of_part.push_back((part + shift) % size);
  const Prepared in_parts = ordered(communicator, sets, key_in_part);
  prepared.plan = plan(communicator, Status(), prepared.splitters, test::made(in_parts.orders),
                       {.rank_of_part = rank_of_part});
  return prepared;
}

// Those that go to one rank have one key: they stand as they come, in the order of ranks.
Prepared to_destinations(const Communicator& communicator, std::span<const Set> sets, Dice& dice) {
  const auto number = numbers_below(static_cast<std::uint64_t>(communicator.size()), dice);
  const auto rank_of = [&](std::int64_t id) { return static_cast<int>(number(id)); };
  Prepared prepared =
      ordered(communicator, sets, [&](std::int64_t id) { return first_key_of(rank_of(id)); });
  std::vector<std::vector<int>> ranks(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (const std::int64_t id : ids_in(sets[s])) ranks[s].push_back(rank_of(id));
  const std::vector<std::span<const int>> destinations(ranks.begin(), ranks.end());
  prepared.plan = plan_to(communicator, Status(), destinations);
  return prepared;
}

Prepared all_to_one(const Communicator& communicator, std::span<const Set> sets, Dice& dice) {
  const std::uint64_t key = first_key_of(dice.below(communicator.size()));
  return by_keys(communicator, sets, [=](std::int64_t) { return key; });
}

Prepared to_the_next_rank(const Communicator& communicator, std::span<const Set> sets, Dice&) {
  const std::uint64_t key = first_key_of((communicator.rank() + 1) % communicator.size());
  return by_keys(communicator, sets, [=](std::int64_t) { return key; });
}

// No object changes its rank; half of the times none its place.
Prepared staying(const Communicator& communicator, std::span<const Set> sets, Dice& dice) {
  const std::uint64_t first = first_key_of(communicator.rank());
  const auto number = numbers_below(dice.once_in(2) ? 1 : keys_per_part, dice);
  return by_keys(communicator, sets, [=](std::int64_t id) { return first + number(id); });
}

struct Way {
  const char* name;
  Prepared (*prepare)(const Communicator& communicator, std::span<const Set> sets, Dice& dice);
};

constexpr Way ways[] = {
    {"shuffled", &shuffled},
    {"by the curve", &by_curve},
    {"to uneven parts", &to_uneven_parts},
    {"to parts of other ranks", &to_parts_of_other_ranks},
    {"to destinations", &to_destinations},
    {"all to one", &all_to_one},
    {"to the next rank", &to_the_next_rank},
    {"staying", &staying},
};

// A curve goes through sets of the same dimensions alone.
Way way_for(const std::vector<Member*>& members, Dice& dice) {
  const Way way = dice.one_of(ways);
  const bool alike = std::ranges::all_of(members, [&](const Member* member) {
    return member->kind.dimensions == members.front()->kind.dimensions;
  });
  return way.prepare == &by_curve && !alike ? ways[0] : way;
}

// From one message for each object of a field to one for all; but MPI never gives back what it took
// for a flood of messages, hence thousands of objects share theirs.
MoveOptions some_options(const std::vector<Member*>& members, Dice& dice) {
  std::int64_t least = 200;
  for (const Member* member : members) least = std::max(least, member->objects);
  constexpr std::int64_t most = std::int64_t{256} << 20;
  MoveOptions options;
  options.staging_bytes = dice.once_in(5) ? 0 : std::min(most, least << dice.below(22));
  options.messages_in_flight = 1 + dice.below(8);
  options.origins = dice.once_in(2);
  return options;
}

// --- What must not change ------------------------------------------------------------------------

// One set on all ranks.
struct Inventory {
  std::uint64_t sum;
  Gathered<std::int64_t> ids;
};

// Collective.
Inventory inventory_of(const Communicator& communicator, const Set& set) {
  const Ids ids = ids_in(set);
  return {checksum(communicator, set), communicator.all_gather(std::span<const std::int64_t>(ids))};
}

void expect_same_objects(const Inventory& now, const Inventory& before) {
  EXPECT_EQ(now.sum, before.sum);
  EXPECT_EQ(now.ids.values.size(), before.ids.values.size());
}

// Each object is at the place that is told, in the world before the move.
void expect_origins(const std::vector<Origin>& origins, const Ids& ids,
                    const Gathered<std::int64_t>& before) {
  ASSERT_EQ(origins.size(), ids.size());
  const int size = static_cast<int>(std::ssize(before.offsets)) - 1;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const auto [rank, index] = origins[i];
    ASSERT_TRUE(rank >= 0 && rank < size) << rank;
    const std::span<const std::int64_t> there = before.of_rank(rank);
    ASSERT_TRUE(index >= 0 && index < std::ssize(there)) << index;
    ASSERT_EQ(there[static_cast<std::size_t>(index)], ids[i]) << "object " << i;
  }
}

// Resident memory of this process, where the system tells. What is free in the heap stays resident
// for a while, and is no growth.
std::optional<std::int64_t> resident_bytes() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kibibytes = 0; word == "VmRSS:" && status >> kibibytes)
      return kibibytes * 1024;
  return {};
}

// --- Rounds --------------------------------------------------------------------------------------

class Soak : public testing::Test {
 protected:
  Communicator communicator = test::world();
  int rank = communicator.rank(), size = communicator.size();
  static constexpr int most_members = 3;
  std::array<Member, most_members> fleet;
  std::int64_t first_id = 0;  // of the next new cloud

  void renew_some(Dice& dice) {
    for (Member& member : fleet) {
      const bool is_due = dice.once_in(15);
      if (member.cloud != nullptr && !is_due) continue;
      member.renew(communicator, dice, first_id);
      first_id += very_many;
    }
  }

  // One, two or all, in some order.
  std::vector<Member*> some_members(Dice& dice) {
    std::vector<Member*> members;
    const int first = dice.below(most_members), count = 1 + dice.below(most_members);
    for (int i = first; i < first + count; ++i)
      members.push_back(&fleet[static_cast<std::size_t>(i % most_members)]);
    return members;
  }

  // The same Error on all ranks, and nothing has changed anywhere.
  void expect_failure(std::span<const Set> sets, const Prepared& prepared, MoveOptions options,
                      Dice& dice) const {
    const auto stage = dice.one_of({MoveStage::reserve, MoveStage::pack, MoveStage::unpack});
    const int culprit = dice.below(size);
    options.on_stage = [=, this](MoveStage now) {
      if (now == stage && rank == culprit) throw std::runtime_error("up the oars");
    };
    const test::Snapshot before = snapshot_of(sets);
    const std::string text =
        test::error_of([&] { move(communicator, sets, prepared.shapes, prepared.plan, options); });
    EXPECT_EQ(text, "evenkeel: rank " + std::to_string(culprit) +
                        ": core/migrate: The application threw up the oars. Nothing was changed; "
                        "mend the cause and try again.");
    EXPECT_TRUE(same_everywhere(communicator, text));
    EXPECT_TRUE(snapshot_of(sets) == before) << "a failure " << name_of(stage);
  }

  // In half of the rounds all is compared with the oracle, which takes time; in the others what has
  // to stay the same.
  void expect_move(std::span<const Set> sets, const Prepared& prepared, const MoveOptions& options,
                   Dice& dice) const {
    std::vector<Inventory> before;
    for (const Set& set : sets) before.push_back(inventory_of(communicator, set));
    const MoveReport report =
        dice.once_in(2) ? test::expect_move(communicator, sets, here_and_there, prepared, options)
                        : move(communicator, sets, prepared.shapes, prepared.plan, options);
    EXPECT_EQ(report.origins.size(), options.origins ? sets.size() : 0);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      expect_same_objects(inventory_of(communicator, sets[s]), before[s]);
      if (s < report.origins.size())
        expect_origins(report.origins[s].on_host(), ids_in(sets[s]), before[s].ids);
    }
  }

  static std::string describe(int round, const Way& way, const std::vector<Member*>& members,
                              const MoveOptions& options) {
    std::ostringstream text;
    text << "round " << round << ", " << way.name << ':';
    for (const Member* member : members)
      text << ' ' << member->objects << " in " << member->kind.name;
    text << ", " << options.staging_bytes << " bytes, " << options.messages_in_flight
         << " messages";
    return text.str();
  }

  void rebalance(int round) {
    Dice dice(round);
    renew_some(dice);
    const std::vector<Member*> members = some_members(dice);
    const Way way = way_for(members, dice);
    const MoveOptions options = some_options(members, dice);
    SCOPED_TRACE(describe(round, way, members, options));
    std::vector<Set> sets;
    for (Member* member : members) sets.push_back(member->cloud->as_set());
    const Prepared prepared = way.prepare(communicator, sets, dice);
    if (dice.once_in(8)) expect_failure(sets, prepared, options, dice);
    expect_move(sets, prepared, options, dice);
  }

  // Collective. Ranks end together, or those that go on would wait.
  bool has_failed_anywhere() const {
    return communicator.all_reduce(HasFailure() ? 1 : 0, Reduction::greatest) != 0;
  }

  // Without any cloud: how large those of the moment are does not matter.
  std::optional<std::int64_t> resident_bytes_when_empty() {
    fleet = {};
    return resident_bytes();
  }
};

TEST_F(Soak, RandomRebalances) {
  const int rounds = communicator.broadcast(rounds_wanted(), 0);
  ASSERT_GT(rounds, 0);
  std::optional<std::int64_t> warm;
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds / 4) warm = resident_bytes_when_empty();
    rebalance(round);
    if (has_failed_anywhere()) return;
  }
  const std::optional<std::int64_t> last = resident_bytes_when_empty();
  if (test::is_sanitized || !warm || !last) return;
  EXPECT_LE(*last, *warm + *warm / 20 + (8 << 20));
}

}  // namespace
}  // namespace evenkeel
