// On one rank, every allocation of a Halo and of an IdDirectory is refused in turn, and every MPI
// call fails once; see support/sweep.hpp.

#include "support/sweep.hpp"
#include "core/migrate/cloud.hpp"

#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/halo.hpp>

namespace evenkeel::sweep_test {
namespace {

using namespace test;

using Point = std::array<double, 3>;

// Objects in the unit cube, which is periodic along x. Each rank holds those of its domain. The
// next object along a line of ids is a neighbour.
struct Objects {
  static constexpr std::int64_t count = 120;

  explicit Objects(const Communicator& ranks)
      : domains(GridDomains::uniform(factored(ranks.size(), 3), {{0, 0, 0}, {1, 1, 1}},
                                     GridScheme::staggered, {true, false, false})) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto along = [&](int axis) { return static_cast<double>(mix(i, axis) % 997) / 997; };
      const Point place = {along(0), along(1), along(2)};
      if (owner_of(domains, place) != ranks.rank()) continue;
      x.push_back(place);
      id.push_back(7 * i);
    }
    owned = std::ssize(x);
  }
  Set as_set() { return set(x, carry(id, heat), {.count = &owned}); }
  std::string bytes() const { return bytes_in(x) + bytes_in(id) + bytes_in(heat); }

  Domains domains;
  std::vector<Point> x;
  Ids id;
  std::vector<double> heat = std::vector<double>(x.size());
  long owned = 0;
};

class HaloSubject : public Repeatable {
 public:
  explicit HaloSubject(const Communicator& ranks) : ranks_(ranks), all_(ranks) {}

 protected:
  static constexpr double width = 0.2;

  void load() override {
    all_ = Objects(ranks_);
    all_.heat.resize(all_.x.size());
    for (std::size_t i = 0; i < all_.heat.size(); ++i) all_.heat[i] = 0.5 * double(all_.id[i]);
  }
  std::string state() override {
    return all_.bytes() + bytes_in(halo_.objects().on_host()) + bytes_in(halo_.origins().on_host());
  }

  const Communicator& ranks_;
  Objects all_;
  Halo halo_;
};

class MadeHalo final : public HaloSubject {
 public:
  using HaloSubject::HaloSubject;
  void act() override { halo_ = Halo(ranks_, all_.domains, *set_, width); }

 private:
  void load() override {
    HaloSubject::load();
    halo_ = Halo();
    set_.emplace(all_.as_set());
  }
  std::optional<Set> set_;
};

class HaloAroundIds final : public HaloSubject {
 public:
  using HaloSubject::HaloSubject;
  void act() override {
    halo_ = Halo::around_ids(ranks_, all_.domains, directory_, *source_, all_.owned);
  }

 private:
  void load() override {
    HaloSubject::load();
    halo_ = Halo();
    wanted_.clear();
    for (const std::int64_t id : all_.id) wanted_.push_back(id + 7);
    directory_ = IdDirectory(ranks_, all_.id);
    source_.emplace(wanted_);
  }
  IdDirectory directory_;
  Ids wanted_;
  std::optional<NumberSource> source_;
};

enum class Use : std::uint8_t { make_room, exchange, sum_back };

template <Use use>
class UsedHalo final : public HaloSubject {
 public:
  using HaloSubject::HaloSubject;
  void act() override {
    if (use == Use::make_room) halo_.make_room(*set_);
    if (use == Use::exchange) halo_.exchange(*set_);
    if (use == Use::sum_back) halo_.sum_back(*carried_);
  }

 private:
  void load() override {
    HaloSubject::load();
    halo_ = Halo(ranks_, all_.domains, all_.as_set(), width);  // its buffers are new, too
    if (use != Use::make_room) halo_.make_room(all_.as_set());
    if (use == Use::sum_back) std::fill(all_.heat.begin() + all_.owned, all_.heat.end(), 3.0);
    set_.emplace(all_.as_set());
    carried_.emplace(carry(all_.heat));
  }
  std::optional<Set> set_;
  std::optional<Carried> carried_;
};

class DirectorySubject : public Repeatable {
 public:
  explicit DirectorySubject(const Communicator& ranks) : ranks_(ranks), all_(ranks) {
    for (std::int64_t i = 0; i < 2 * Objects::count; i += 5) wanted_.push_back(7 * i + i % 2);
    ids_.emplace(all_.id);
    source_.emplace(wanted_);
  }

 protected:
  using Locations = exec::Array<IdDirectory::Location>;
  static std::string bytes_of(const Locations& locations) {
    std::string bytes;
    for (const IdDirectory::Location& at : locations.on_host())
      bytes += std::to_string(at.rank) + ' ' + std::to_string(at.slot) + '\n';
    return bytes;
  }

  const Communicator& ranks_;
  Objects all_;
  Ids wanted_;
  std::optional<NumberSource> ids_, source_;
  std::optional<IdDirectory> directory_;
};

class MadeDirectory final : public DirectorySubject {
 public:
  using DirectorySubject::DirectorySubject;
  void act() override { directory_.emplace(ranks_, *ids_); }

 private:
  void load() override { directory_.reset(); }
  std::string state() override {
    return directory_ ? bytes_of(directory_->look_up(*source_)) : "none";
  }
};

class AskedDirectory final : public DirectorySubject {
 public:
  using DirectorySubject::DirectorySubject;
  void act() override { found_ = directory_->look_up(*source_); }

 private:
  void load() override {
    directory_.emplace(ranks_, *ids_);
    found_ = {};
  }
  std::string state() override { return "found " + bytes_of(found_); }
  Locations found_;
};

class UpdatedDirectory final : public DirectorySubject {
 public:
  using DirectorySubject::DirectorySubject;
  void act() override { directory_->update(*ids_); }

 private:
  void load() override {
    std::reverse(all_.id.begin(), all_.id.end());
    directory_.emplace(ranks_, *ids_);
    std::reverse(all_.id.begin(), all_.id.end());
  }
  std::string state() override { return bytes_of(directory_->look_up(*source_)); }
};

template <class Tried>
Trial trial(const char* name, int stride, bool votes_on_messages = true) {
  return {name, [](const Communicator& ranks) { return std::make_unique<Tried>(ranks); }, stride,
          false, votes_on_messages};
}

std::vector<Trial> trials() {
  return {trial<MadeHalo>("a halo", 7),
          trial<HaloAroundIds>("a halo around ids", 11),
          trial<UsedHalo<Use::make_room>>("room for ghosts", 3),
          trial<UsedHalo<Use::exchange>>("an exchange of ghosts", 3, false),
          trial<UsedHalo<Use::sum_back>>("sums of ghosts", 3, false),
          trial<MadeDirectory>("a directory", 5),
          trial<AskedDirectory>("looking up", 5),
          trial<UpdatedDirectory>("an update", 5)};
}

}  // namespace
}  // namespace evenkeel::sweep_test

std::vector<evenkeel::test::Trial> evenkeel::test::all_trials() { return sweep_test::trials(); }
