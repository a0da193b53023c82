#pragma once

// A program under one configuration: calls, and the actions of the application between them.

#include "monitor/drive/balancer/configurations/oracle.hpp"
#include "monitor/drive/virtual_clock.hpp"

#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/halo.hpp>

namespace evenkeel::test {

class DrawnProgram : private Oracle {
 public:
  DrawnProgram(const Communicator& communicator, const Configuration& all)
      : Oracle(communicator, all) {
    for (std::size_t s = 0; s < all_.sets.size(); ++s) {
      sets_.push_back(std::make_unique<FuzzSet>(all_, s, rank_));
      alive_.emplace_back();
      Ids mine;
      for (std::int64_t i = 0; i < all_.sets[s].objects; ++i) {
        const std::int64_t id = static_cast<std::int64_t>(s) * ids_of_a_set + i;
        alive_.back().push_back(id);
        if (all_.sets[s].spread.rank_of(i, all_.ranks) == rank_) mine.push_back(id);
      }
      next_.push_back(all_.sets[s].objects);
      sets_.back()->write(mine, now_, alive_.back());
    }
  }

  // Collective. Returns the violation, which is the same on all ranks, or an empty text.
  std::string run() {
    try {
      run_all();
    } catch (const std::exception& thrown) {  // a fault of the test; other ranks may wait
      ADD_FAILURE() << story_ << ": " << thrown.what();
      throw;
    }
    return wrong_;
  }
  void run_all() {
    virtual_time = 1;
    make_balancer({});
    if (balancer_ && !dice_.once_in(4)) act([this] { rebalance(); });
    for (int action = 0; balancer_ && action < all_.actions && wrong_.empty(); ++action)
      act([this] { some_action(); });
    if (balancer_ && all_.finishes && wrong_.empty()) act([this] { finish(); });
  }
  int calls() const { return calls_; }
  int errors() const { return errors_; }
  int moves() const { return moves_; }

 private:
  // --- The Balancer ------------------------------------------------------------------------------

  void make_balancer(const std::optional<std::string>& saved) {
    Options options = all_.options;
    options.own_clock = &virtual_now;
    balancer_.reset();
    const std::string text = error_of([&] { balancer_.emplace(ranks_, options); });
    if (!balancer_) {
      act([&] { expect_refused(text, {"a new Balancer"}); });
      return;
    }
    if (saved) balancer_->restore(*saved);
    kernel_.reset();
    typed_.reset();
    if (all_.has_kernel) kernel_ = balancer_->kernel("work");
    if (all_.has_kernel && all_.number % 2 == 0)
      typed_ = balancer_->kernel("typed", {.phase = 1, .types = {1, 5}});
    add_hooks();
  }

  void add_hooks() {
    if (!all_.hooks) return;
    balancer_->before_move([this] {
      ++before_;
      throw_if(Trick::before_throws, "not before");
    });
    balancer_->on_new_domains([this](const Domains& last, const Domains& now) {
      ++domains_seen_;
      require(generation_of(last) < generation_of(now), "domains grow older");
      throw_if(Trick::domains_throw, "not these domains");
    });
    if (rank_ % 2 == 0)
      balancer_->after_move([this](const MoveReport& report) {
        ++after_;
        require(report.moved, "a hook after a move without one");
        throw_if(Trick::after_throws, "not after");
      });
  }
  void throw_if(Trick trick, const char* words) {
    const int culprit = trick == Trick::after_throws ? 0 : all_.ranks - 1;
    if (trick_ == trick && rank_ == culprit) throw std::runtime_error(words);
  }

  // --- The application's actions -----------------------------------------------------------------

  void some_action() {
    const int chance = dice_.below(100);
    if (chance < 25) return steps(1 + dice_.below(8), true);
    if (chance < 32) return steps(1 + dice_.below(8), false);
    if (chance < 44) return rebalance();
    if (chance < 58) return migrate();
    if (chance < 68) return drift();
    if (chance < 71) return jump();
    if (chance < 76) return births();
    if (chance < 81) return deaths();
    if (chance < 84) return sort_anew();
    if (chance < 87) return scatter();
    if (chance < 92) return trick();
    if (chance < 94) return start_again();
    look_around();
  }

  void rewrite(const char* name, const std::function<Ids(std::size_t, Ids)>& change) {
    tell(name);
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const Ids ids = change(s, sets_[s]->ids());
      sets_[s]->write(ids, now_, alive_[s]);
    }
  }
  void drift() {
    ++now_.time;
    rewrite("drift", [](std::size_t, Ids ids) { return ids; });
  }
  void jump() {
    ++now_.jumps;
    now_.time = 0;
    rewrite("jump", [](std::size_t, Ids ids) { return ids; });
  }
  void births() {
    const int salt = dice_.below(1000);
    rewrite("births", [&](std::size_t s, Ids ids) {
      const std::int64_t most = most_alive - std::ssize(alive_[s]);
      for (std::int64_t born = std::min<std::int64_t>(most, salt % 50); born > 0; --born) {
        const std::int64_t id = static_cast<std::int64_t>(s) * ids_of_a_set + next_[s]++;
        alive_[s].push_back(id);
        if (static_cast<int>(mix(id, salt) % static_cast<unsigned>(all_.ranks)) == rank_)
          ids.push_back(id);
      }
      return ids;
    });
  }
  void deaths() {
    const int salt = dice_.below(1000), one_in = dice_.once_in(5) ? 1 : 2 + dice_.below(10);
    rewrite("deaths", [&](std::size_t s, Ids ids) {
      const auto dies = [&](std::int64_t id) {
        return mix(id, salt) % static_cast<unsigned>(one_in) == 0;
      };
      std::erase_if(alive_[s], dies);
      std::erase_if(ids, dies);
      return ids;
    });
  }
  void sort_anew() {
    const auto seed = static_cast<unsigned>(dice_.below(1000));
    rewrite("sort", [&](std::size_t, Ids ids) {
      std::shuffle(ids.begin(), ids.end(), std::mt19937(seed));
      return ids;
    });
  }
  // The application moves objects to other ranks by itself.
  void scatter() {
    const int salt = dice_.below(1000);
    const bool to_one = dice_.once_in(2);
    rewrite("scatter", [&](std::size_t s, const Ids&) {
      Ids mine;
      for (const std::int64_t id : alive_[s])
        if (static_cast<int>(mix(to_one ? 0 : id, salt) % static_cast<unsigned>(all_.ranks)) ==
            rank_)
          mine.push_back(id);
      return mine;
    });
  }

  // --- Calls -------------------------------------------------------------------------------------

  void work() {
    if (!kernel_) return;
    const Timer timing = kernel_->time();
    std::int64_t took = 1000;
    for (const auto& set : sets_)
      for (const std::int64_t id : set->ids()) took += 10 + static_cast<std::int64_t>(id % 7);
    if (all_.time == Time::usual) virtual_time += took;
    if (all_.time == Time::leaps) virtual_time += took * (dice_.once_in(4) ? 1'000'000'000 : 1);
    if (all_.time == Time::goes_back) virtual_time += dice_.once_in(4) ? -took : took;
    if (!typed_) return;
    const Timer inner = typed_->time();
    virtual_time += took / 3;
  }

  void steps(int count, bool may_move) {
    for (int i = 0; i < count && mine_.empty(); ++i) {
      work();
      if (all_.time == Time::usual) virtual_time += 100;
      call({may_move ? "step" : "still step"}, [&](std::span<const Set> sets) {
        return balancer_->step(sets, {.may_move = may_move});
      });
    }
  }
  void rebalance() {
    call({"rebalance"}, [&](std::span<const Set> sets) { return balancer_->rebalance(sets); });
  }
  void migrate() {
    call({"migrate"}, [&](std::span<const Set> sets) { return balancer_->migrate(sets); });
  }

  void trick() {
    constexpr Trick tricks[] = {Trick::before_throws, Trick::domains_throw, Trick::after_throws,
                                Trick::nan, Trick::wrong_length};
    trick_ = dice_.one_of(tricks);
    tell("trick " + std::to_string(static_cast<int>(trick_)));
    const bool is_hook = trick_ != Trick::nan && trick_ != Trick::wrong_length;
    if (is_hook) {
      ++now_.jumps;  // so that something moves
      rewrite("jump", [](std::size_t, Ids ids) { return ids; });
    }
    const bool here = rank_ == all_.ranks - 1 && sets_.back()->as_set().count() > 0;
    if (trick_ == Trick::nan && here) put_nan();
    dice_.once_in(2) ? rebalance() : migrate();
    trick_ = Trick::none;
    if (!is_hook) rewrite("mend", [](std::size_t, Ids ids) { return ids; });
  }
  void put_nan() {
    const Set set = sets_.back()->as_set();
    const FieldLayout at = set.position();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto single = static_cast<float>(nan);
    if (at.scalar == ScalarType::float32)
      std::memcpy(at.data, &single, sizeof(single));
    else
      std::memcpy(at.data, &nan, sizeof(nan));
  }

  void start_again() {
    tell("restart");
    std::optional<std::string> saved;
    if (dice_.once_in(2)) {
      saved = balancer_->saved_state();
      require(same_everywhere(ranks_, *saved), "states differ");
    }
    if (dice_.once_in(2)) finish();
    make_balancer(saved);
    rebalance();
  }

  void finish() {
    tell("finish");
    balancer_->finish();
    const Account account = balancer_->account();
    for (const double seconds : {account.mean, account.actual, account.never, account.uncertainty,
                                 account.own_cost, account.rebuild_cost, account.advised})
      require(!std::isnan(seconds), "a NaN in the account");
  }

  // --- Queries and halos -------------------------------------------------------------------------

  // The application queries the domains, and makes a halo of each set.
  void look_around() {
    tell("look around");
    const Domains& domains = balancer_->domains();
    if (parts_of(domains) == 0 || !own_places(domains)) return;
    std::vector<int> near;
    for (const Neighbour& neighbour : neighbours_of(domains, rank_)) {
      require(!std::isnan(neighbour.shared_face), "a face is a NaN");
      near.push_back(neighbour.rank);
    }
    const auto all = ranks_.all_gather(std::span<const int>(near));
    for (const int other : near) {
      const std::span<const int> theirs = all.of_rank(other);
      require(std::ranges::find(theirs, rank_) != theirs.end(),
              "rank " + std::to_string(other) + " is no neighbour of its neighbour");
    }
    const auto n = static_cast<std::size_t>(dimensions_of(domains));
    for (const auto& set : sets_)
      for (const Point& point : points_of(set->as_set())) {
        const int owner = owner_of(domains, std::span(point).first(n));
        const std::vector<int> found = ranks_within(domains, Box{point, point}, 0);
        require(std::ranges::find(found, owner) != found.end(), "no rank is at a point");
      }
    for (const auto& set : sets_) exchange_halo(domains, set->as_set(), set->ids());
  }

  // Each ghost must be a copy of the object that its origin names.
  void exchange_halo(const Domains& domains, const Set& set, Ids owned) {
    constexpr double shares[] = {0, 0.01, 0.3, 1.2};
    const double share = shares[dice_.below(4)];
    double side = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
      side = std::max(side, box_of(domains).upper[d] / 2 - box_of(domains).lower[d] / 2);
    Halo halo;
    try {
      halo = Halo(ranks_, domains, set, std::min(share * side, 1e300));
    } catch (const Error& error) {  // shifts by many periods are inexact
      const std::string text = error.what();
      require(text.find("more than 2^30 periods away") != std::string::npos, text);
      return;
    }
    Ids ghosts(static_cast<std::size_t>(halo.ghosts()), -1);
    halo.exchange(carry(owned), carry(ghosts));
    const auto all = ranks_.all_gather(std::span<const std::int64_t>(owned));
    const std::vector<Halo::Origin> origins = halo.origins().on_host();
    require(origins.size() == ghosts.size(), "a ghost comes from nowhere");
    for (std::size_t g = 0; g < ghosts.size(); ++g)
      require(all.of_rank(origins[g].rank)[static_cast<std::size_t>(origins[g].index)] == ghosts[g],
              "a ghost is a copy of something else");
  }

  void call(Call how, const std::function<MoveReport(std::span<const Set>)>& function) {
    ++calls_;
    tell(how.name);
    how.has_domains = parts_of(balancer_->domains()) > 0;
    std::vector<Set> sets = as_sets();
    Before before = {snapshot_of(sets), text_of_domains(), generation_of(balancer_->domains()), {}};
    for (std::size_t s = 0; s < sets_.size(); ++s) before.ids.push_back(all_ids(s));
    before_ = after_ = domains_seen_ = 0;
    Ids field(static_cast<std::size_t>(sets.back().count()));
    field.reserve(fuzz_room);  // for sets that keep their memory
    if (trick_ == Trick::wrong_length) {
      const bool is_short = rank_ == all_.ranks - 1 && !field.empty();
      if (is_short) field.pop_back();
      sets.back() = with_another(sets.back(), field);
      if (ranks_.all_reduce(is_short ? 1 : 0, Reduction::greatest) == 0) trick_ = Trick::none;
    }
    how.trick = trick_;
    std::optional<MoveReport> report;
    const std::string text = error_of([&] { report = function(sets); });
    require(same_everywhere(ranks_, report ? "" : text), "not the same Error: " + text);
    if (!mine_.empty()) return;
    if (report)
      expect_success(how, *report, before);
    else
      expect_failure(how, text, before);
    for (const auto& set : sets_) set->refill();
    expect_sane_metrics();
  }

  static Set with_another(const Set& set, Ids& field) {
    Carried carried;
    carried.fields.assign(set.fields().begin() + 1, set.fields().end());
    carried.payloads = set.payloads();
    carried.fields.push_back(field_of(field));
    return Set(set.fields().front(), std::move(carried), set.options());
  }

  std::optional<Kernel> kernel_, typed_;
  Ids next_;
  int calls_ = 0;
};

}  // namespace evenkeel::test
