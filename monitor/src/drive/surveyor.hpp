#pragma once

// Finds out the load that ranks would carry now under the first domains, those before the last
// rebalance, cuts made at earlier looks, and a cut made now. It works from a sample of the objects
// and the cost of each; the costs on a rank add up to its measured load.
//
// Under domains that could be taken now, an object counts for the rank that owns its place. Under
// domains that would have stayed all the time it counts likewise, unless ranks keep their objects
// until a rebalance: then its record counts. Each object carries the rank that it was on at first,
// the rank before the last rebalance, and a note of the rank that advice would have given it to.
// Records and notes are valid while the application does not make, remove or move objects itself.
//
// A new cut of a graph would take too long for a look. It is taken to be as even as the last one;
// how long cuts last then shows on those that were taken.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/monitor/counterfactual.hpp>
#include <evenkeel/monitor/monitor.hpp>
#include <evenkeel/monitor/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

// Gives a monitor a surveyor until the end of the scope, also when a step throws.
class SurveyedBy {
 public:
  SurveyedBy(Monitor& monitor, Monitor::Surveyor surveyor) : monitor_(monitor) {
    monitor_.set_surveyor(std::move(surveyor));
  }
  SurveyedBy(const SurveyedBy&) = delete;
  SurveyedBy& operator=(const SurveyedBy&) = delete;
  ~SurveyedBy() { monitor_.set_surveyor({}); }

 private:
  Monitor& monitor_;
};

class Surveyor {
 public:
  explicit Surveyor(const Communicator& communicator) : communicator_(communicator) {}

  struct Question {
    std::span<const Set> sets;
    std::span<const exec::Array<double>> costs;  // of each set, as learned; may have other lengths
    const Options& options;
    const Domains& domains;
    std::int64_t step;
    std::int64_t load;  // nanoseconds, of this rank
    bool has_moved;     // the domains are not those that the run began with
    std::function<std::int64_t()> now;
    // The lambda of the best cut: above 1 where a step has several phases, which no cut along a
    // curve may make even in all of them, and where a graph is cut. Costs are known by their sum
    // over phases alone.
    double best_lambda = 1;
  };

  // Collective; blocks. What cannot be found out, say because a position is not finite, is reported
  // as not known, on all ranks alike.
  Survey survey(const Question& question);

  // Collective; blocks. To be called when advice would have made a fresh cut: makes this cut from
  // the sample, and notes which rank would have got each object. Ignores the load in the question,
  // and takes that of the last survey.
  void advise(Question question);

  // --- Around a rebalance, on all ranks ----------------------------------------------------------

  // Before objects move: notes these domains, and makes room for new records of the sets. Until the
  // end the old ones count.
  void begin_rebalance(std::shared_ptr<const Domains> domains, std::size_t sets, bool is_start);
  // The new records of a set, which travel with its objects.
  exec::Array<std::int64_t>& record_of(const Space& space, std::size_t set, std::int64_t objects);
  // The records of all objects of a set as they stand, where they are known; null where not. The
  // rank before the last rebalance is in 32 bits from bit 32 on.
  const exec::Array<std::int64_t>* known_records(std::size_t set,
                                                 std::int64_t objects) const noexcept;
  // The domains of this generation, if they can be taken again; null if not.
  const Domains* find(std::int64_t generation) const noexcept;
  // After objects have moved. `back_to`: the generation that was taken again, now as `generation`;
  // -1: none.
  void end_rebalance(std::int64_t back_to, std::int64_t generation) noexcept;
  // The memory of new records, when they are not needed.
  void give_back() noexcept { travelling_.clear(); }

  // The application has made, removed or sorted objects of a set: `places` tells where each was
  // among those `before`; -1: it is new, and was here before the last rebalance.
  void follow(std::size_t set, std::int64_t before, const exec::Array<std::int64_t>& places);

  // Objects go to their owners without a rebalance: from now on, an object counts for the owner of
  // its place under all domains.
  void note_migration() noexcept;

 private:
  struct Kept {
    std::int64_t generation = -1;
    std::shared_ptr<const Domains> domains;  // null: none yet
  };
  struct Pool;  // a sample of the objects of this rank
  class Sums;
  struct Statement;  // of a rank about its objects

  Pool pool_of(const Question& question) const;
  void add_records(std::size_t set, std::int64_t objects, std::span<const std::int64_t> chosen,
                   Pool& pool) const;
  std::vector<exec::Array<int>> ranks_under(const Domains& domains, const Question& question) const;
  Domains cut_anew(const Question& question, Pool& pool, const Statement& all);
  struct OnRecord {
    bool ranks = false, advice = false;  // whether they are known for all objects of all ranks
  };
  void evaluate(const Question& question, Pool& pool, OnRecord known, const Domains* fresh,
                Sums& sums) const;
  void tell(const Question& question, const Sums& sums, bool is_on_record, Survey& into) const;
  const Box& box_for(const Question& question, std::span<const Set> sample, const Bounds& found);

  const Communicator& communicator_;
  // For each object of a set: the rank that it was on at first (below 0: not known), plus 2^32
  // times the rank before the last rebalance.
  std::vector<exec::Array<std::int64_t>> records_;
  std::vector<exec::Array<std::int64_t>> travelling_;  // of a rebalance under way
  bool is_start_ = true;
  bool migrates_ = false;  // objects do not wait for a rebalance
  Kept first_, previous_, now_;
  std::shared_ptr<const Domains> latest_, advised_;
  std::int64_t load_ = 0;                        // of the last survey
  std::vector<exec::Array<int>> advised_ranks_;  // for each object of a set
  EarlierCuts<std::shared_ptr<const Domains>> earlier_;
  std::optional<Box> box_;  // measured, while there are no domains
};

}  // namespace evenkeel
