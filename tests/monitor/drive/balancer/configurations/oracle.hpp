#pragma once

// The requirements after each call of a program of the fuzzer. Ranks agree on violations.

#include "monitor/drive/balancer/configurations/fleet.hpp"
#include "monitor/drive/balancer/configurations/refusals.hpp"
#include "monitor/drive/balancer/crew.hpp"

namespace evenkeel::test {

class Oracle {
 protected:
  Oracle(const Communicator& communicator, const Configuration& all)
      : ranks_(communicator), rank_(communicator.rank()), all_(all), dice_(~all.number) {}
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  ~Oracle() = default;

  // --- Agreement on violations -------------------------------------------------------------------

  void require(bool holds, const std::string& otherwise) {
    if (!holds && mine_.empty()) mine_ = otherwise;
  }

  // Collective. The lowest rank that found a violation reports it to all.
  void act(const std::function<void()>& action) {
    action();
    const int worst = ranks_.all_reduce(mine_.empty() ? all_.ranks : rank_, Reduction::least);
    if (worst == all_.ranks || !wrong_.empty()) return;
    const auto said = ranks_.all_gather(std::span<const char>(mine_));
    const std::span<const char> words = said.of_rank(worst);
    wrong_ = "rank " + std::to_string(worst) + ", " + story_ + ": " +
             std::string(words.begin(), words.end());
  }

  void tell(const std::string& what) {
    constexpr std::size_t longest = 300;
    story_ += ' ' + what;
    if (story_.size() > longest) story_.erase(0, story_.size() - longest);
  }

  std::vector<Set> as_sets() {
    std::vector<Set> sets;
    for (const auto& set : sets_) sets.push_back(set->as_set());
    return sets;
  }

  // --- Requirements ------------------------------------------------------------------------------

  struct Before {
    Snapshot snapshot;
    std::string domains;
    std::int64_t generation;
    std::vector<Gathered<std::int64_t>> ids;
  };

  Gathered<std::int64_t> all_ids(std::size_t s) {
    const Ids ids = sets_[s]->ids();
    return ranks_.all_gather(std::span<const std::int64_t>(ids));
  }
  std::string text_of_domains() const {
    return text_of(balancer_->domains()) +
           bytes_as_text(std::span(rank_of_part(balancer_->domains())));
  }

  // Compares with the state before the call, except for positions that the call may have wrapped.
  bool is_as(const Before& before) {
    Snapshot now = snapshot_of(as_sets());
    if (all_.options.wrap)
      for (std::size_t f = 0, s = 0; s < sets_.size(); f += sets_[s]->as_set().fields().size(), ++s)
        now.contents[f] = before.snapshot.contents[f];
    return now == before.snapshot;
  }

  void expect_refused(const std::string& text, const Call& how) {
    ++errors_;
    require(refusal_of(text, all_, how) != nullptr, "unexpected: " + text);
  }

  void expect_failure(const Call& how, const std::string& text, const Before& before) {
    expect_refused(text, how);
    if (is_after_the_commit(text)) {
      expect_objects_of_all();
      expect_at_home(how);
      require(same_everywhere(ranks_, text_of_domains()), "domains differ");
      return;
    }
    if (trick_ != Trick::nan) look_at_contents();
    require(is_as(before), "an Error has changed fields: " + text);
    require(text_of_domains() == before.domains, "an Error has changed domains");
  }

  void expect_success(const Call& how, const MoveReport& report, const Before& before) {
    require(trick_ != Trick::wrong_length, "a wrong length was not noticed");
    expect_report(report, before);
    const std::string agreed =
        text_of_domains() + bytes_of_all(report.messages, report.refused) + text_of(report);
    require(same_everywhere(ranks_, agreed), "ranks differ in domains or report");
    const bool is_still = std::string(how.name) == "still step";
    require(!is_still || (!report.moved && !report.has_new_domains()), "a still step moved");
    require(!is_migration(how) || !report.has_new_domains(), "migrate has made domains");
    require(report.moved || is_as(before), "nothing has moved, and fields have changed");
    expect_objects_of_all();
    if (trick_ != Trick::nan) look_at_contents();
    const bool is_step = std::string(how.name) == "step" || is_still;
    if (!is_step || report.moved) expect_at_home(how);
    if (all_.hooks) {
      require(before_ == (report.moved ? 1 : 0), "hooks before");
      require(domains_seen_ == (report.has_new_domains() ? 1 : 0), "hooks for domains");
      require(rank_ % 2 != 0 || after_ == (report.moved ? 1 : 0), "hooks after");
    }
    moves_ += report.moved ? 1 : 0;
  }

  void expect_report(const MoveReport& report, const Before& before) {
    require(report.generation == generation_of(balancer_->domains()), "another generation");
    require(report.generation >= before.generation, "generations fall");
    require((report.generation != before.generation) == report.has_new_domains(),
            "has_new_domains is not what generations say");
    require(report.domains.get() == &balancer_->domains(), "other domains in the report");
    require(std::isfinite(report.lambda) && report.lambda >= 1 - 1e-9,
            "lambda is " + std::to_string(report.lambda));
    for (const auto& [stage, seconds] : report.seconds)
      require(std::isfinite(seconds), "seconds of " + stage);
    require(report.moved == (report.objects > 0), "moved, and objects");
    std::int64_t moved = 0, sent = 0, received = 0;
    require(report.origins.size() == (report.moved && all_.options.origins ? sets_.size() : 0),
            "the number of origins");
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      std::map<std::int64_t, int> rank_before;
      for (int r = 0; r < all_.ranks; ++r)
        for (const std::int64_t id : before.ids[s].of_rank(r)) rank_before[id] = r;
      const auto now = all_ids(s);
      for (int r = 0; r < all_.ranks; ++r)
        for (const std::int64_t id : now.of_rank(r)) {
          const int from = rank_before[id];
          if (from == r) continue;
          ++moved;
          sent += from == rank_ ? 1 : 0;
          received += r == rank_ ? 1 : 0;
          require(!sets_[s]->is_pinned(id), "a pinned object has moved");
        }
      if (s < report.origins.size()) expect_origins(report.origins[s].on_host(), s, before.ids[s]);
    }
    require(report.objects == moved && report.sent == sent && report.received == received,
            "the report counts " + std::to_string(report.objects) + " objects, and " +
                std::to_string(moved) + " have moved");
  }

  void expect_origins(const std::vector<MoveReport::Origin>& origins, std::size_t s,
                      const Gathered<std::int64_t>& before) {
    const Ids ids = sets_[s]->ids();
    require(origins.size() == ids.size(), "as many origins as objects");
    for (std::size_t i = 0; i < std::min(ids.size(), origins.size()); ++i) {
      const std::span<const std::int64_t> there = before.of_rank(origins[i].rank);
      require(there[static_cast<std::size_t>(origins[i].index)] == ids[i], "another origin");
    }
  }

  // Collective. Expects each object to exist once, and each group to be on one rank.
  void expect_objects_of_all() {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      Ids found = all_ids(s).values, expected = alive_[s];
      std::ranges::sort(found);
      std::ranges::sort(expected);
      require(found == expected, "set " + std::to_string(s) + " has " +
                                     std::to_string(found.size()) + " objects, not " +
                                     std::to_string(expected.size()) + ", or others");
    }
  }

  void look_at_contents() {
    for (const auto& set : sets_) {
      const std::string text = set->look(now_);
      require(text.empty(), text);
    }
  }

  void expect_at_home(const Call& how) {
    const Domains& domains = balancer_->domains();
    if (parts_of(domains) == 0 || !own_places(domains)) return;
    const auto n = static_cast<std::size_t>(dimensions_of(domains));
    std::map<std::int64_t, int> rank_of_group;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const std::vector<Point> points = points_of(sets_[s]->as_set());
      const Ids ids = sets_[s]->ids();
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (sets_[s]->is_pinned(ids[i]) || sets_[s]->group(ids[i]) >= 0) continue;
        require(owner_of(domains, std::span(points[i]).first(n)) == rank_,
                std::string("a stray after ") + how.name);
      }
      const auto all = all_ids(s);
      for (int r = 0; r < all_.ranks; ++r)
        for (const std::int64_t id : all.of_rank(r))
          if (const std::int64_t group = sets_[s]->group(id); group >= 0)
            require(rank_of_group.emplace(group, r).first->second == r, "a group is divided");
    }
  }

  void expect_sane_metrics() {
    const Metrics metrics = balancer_->metrics();
    const Figures& total = metrics.total;
    for (const double figure :
         {total.least, total.average, total.greatest, total.lambda, total.imbalance_percent,
          total.imbalance_seconds, total.allocation_seconds, total.efficiency, metrics.coverage,
          metrics.trend, metrics.scatter, metrics.jitter})
      require(std::isfinite(figure), "a NaN in the metrics");
  }

  const Communicator& ranks_;
  int rank_;
  Configuration all_;
  Dice dice_;
  Moment now_;
  std::vector<std::unique_ptr<FuzzSet>> sets_;
  std::vector<Ids> alive_;  // of each set, on all ranks
  std::optional<Balancer> balancer_;
  Trick trick_ = Trick::none;
  int before_ = 0, after_ = 0, domains_seen_ = 0;
  int errors_ = 0, moves_ = 0;
  std::string story_, mine_, wrong_;
};

}  // namespace evenkeel::test
