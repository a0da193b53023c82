#pragma once

// Finds out what would have been: the load that ranks would carry now under the first domains, the
// last ones, cuts that were made at earlier looks, and a cut made now. From a sample of the objects
// and from what each costs; a rank's objects together cost what it has measured.
//
// Domains that could be taken now count objects where their places belong. Those that would have
// been there all the time count them likewise, unless ranks keep their objects until a rebalance:
// then by what is on record, since each object carries the rank that it was on at first, and before
// the last rebalance; and a note of who would have got it by advice. Both are good while the
// application makes, removes and moves no objects.

#include "placement.hpp"

#include <evenkeel/monitor/counterfactual.hpp>
#include <evenkeel/monitor/monitor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

// Somebody finds out for a monitor as long as this lives, also when a step throws.
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
    std::span<const std::vector<double>> costs;  // of each set, as they were learned; may not fit
    const Options& options;
    const Domains& domains;
    std::int64_t step;
    std::int64_t load;  // nanoseconds, of this rank
    bool has_moved;     // the domains are not those that the run began with
    std::function<std::int64_t()> now;
  };

  // Collective; blocks. What cannot be found out, since a position is no number, say, is not known,
  // on all ranks alike.
  Survey survey(const Question& question);

  // Advice would have taken the cut that the last survey has made: the next one notes who would
  // have got what.
  void advise() noexcept {
    advised_ = latest_;
    is_advice_new_ = true;
  }

  // --- Around a rebalance, on all ranks ----------------------------------------------------------

  // Before objects move: keeps these domains, and has objects carry where they are.
  void begin_rebalance(const Domains& domains, std::size_t sets, bool is_start);
  std::vector<std::int64_t>& record_of(std::size_t set, std::int64_t objects);
  // The domains of this generation, if they can be taken again; null if not.
  const Domains* find(std::int64_t generation) const noexcept;
  // After it. `back_to`: the generation that was taken again as `generation`; -1: none was.
  void end_rebalance(std::int64_t back_to, std::int64_t generation) noexcept;

 private:
  struct Kept {
    std::int64_t generation = -1;
    std::shared_ptr<const Domains> domains;  // null: none yet
  };
  struct Pool;  // of objects that stand for all of this rank
  class Sums;

  Pool pool_of(const Question& question) const;
  void add_records(std::size_t set, std::int64_t objects, std::span<const std::int64_t> chosen,
                   Pool& pool) const;
  void note_advice(const Question& question);
  Domains cut_anew(const Question& question, Pool& pool, const Box& box, std::int64_t objects);
  struct OnRecord {
    bool ranks = false, advice = false;  // whether it is known of all objects of all ranks
  };
  void evaluate(const Question& question, Pool& pool, OnRecord known, Sums& sums) const;
  void tell(const Question& question, const Sums& sums, bool is_on_record, Survey& into) const;
  const Box& box_for(const Question& question, const Bounds& found);

  const Communicator& communicator_;
  // Of each object of a set: the rank that it was on at first, below 0 when that is not known, and
  // 2^32 times the rank before the last rebalance.
  std::vector<std::vector<std::int64_t>> records_;
  bool is_start_ = true;
  Kept first_, previous_, now_;
  std::shared_ptr<const Domains> latest_, advised_;
  bool is_advice_new_ = false;
  std::vector<std::vector<int>> advised_ranks_;  // of each object of a set, as noted
  EarlierCuts<std::shared_ptr<const Domains>> earlier_;
  std::optional<Box> box_;  // measured, while there are no domains
};

}  // namespace evenkeel
