#pragma once

// Estimates the load that ranks would carry now under the first domains, those before the last
// rebalance, cuts made at earlier looks, and a cut made now. It uses a sample of the objects and
// the cost of each; the costs on a rank add up to its measured load.
//
// Under domains that could be taken now, an object counts for the rank that owns its place. Under
// domains that would have stayed all the time, it counts likewise, unless ranks keep their objects
// until a rebalance: then the rank in its record counts (rank_records.hpp).
//
// A new cut of a graph would take too long for a look. It is assumed to be as even as the last one;
// the ageing of cuts is then learned only from the cuts in use.

#include "survey/rank_records.hpp"
#include "survey/sample.hpp"
#include "survey/tally.hpp"

#include <evenkeel/monitor/options.hpp>

#include <functional>

namespace evenkeel {

class Surveyor {
 public:
  explicit Surveyor(const Communicator& communicator)
      : communicator_(communicator), records_(communicator.rank()) {}

  struct Question {
    std::span<const Set> sets;
    std::span<const exec::Array<double>> costs;  // of each set, as learned; may have other lengths
    const Options& options;
    const Domains& domains;
    std::int64_t step;
    std::int64_t load;  // nanoseconds, of this rank
    bool has_moved;     // the present domains differ from the first ones
    std::function<std::int64_t()> now;
    // The lambda of the best cut. It is above 1 if a step has several phases, since no cut along a
    // curve may be even in all of them, and if a graph is cut. Costs are known only as sums over
    // phases.
    double best_lambda = 1;
  };

  // Collective; blocks. Loads that cannot be estimated, for example because a position is not
  // finite, are reported as unknown, the same on all ranks.
  Survey survey(const Question& question);

  // Collective; blocks. To be called if advice would have led to a fresh cut: makes this cut from a
  // sample, and notes which rank would have got each object. Ignores the load in the question, and
  // uses that of the last survey.
  void advise(Question question);

  RankRecords& records() noexcept { return records_; }

 private:
  ObjectSample sample_of(const Question& question) const;
  const Box& box_for(const Question& question, std::span<const Set> sample, const Bounds& found);
  Domains cut_anew(const Question& question, ObjectSample& sample, const SampleStatement& all);
  Survey find_out(const Question& question);
  void add_up(const Question& question, ObjectSample& sample, const SampleStatement& all,
              const Domains* fresh, LoadTally& into) const;
  Survey survey_from(const Question& question, const LoadTally& tally, bool is_on_record) const;

  const Communicator& communicator_;
  RankRecords records_;
  std::shared_ptr<const Domains> latest_, advised_;
  std::int64_t load_ = 0;  // of the last survey
  EarlierCuts<std::shared_ptr<const Domains>> earlier_;
  std::optional<Box> box_;  // measured, while there are no domains
};

}  // namespace evenkeel
