#pragma once

// Estimates the load that ranks would have now under other domains: the first domains, those before
// the last rebalance, cuts made at earlier looks, and a cut made now. It uses a sample of the
// objects and the cost of each; the costs on a rank add up to its measured load.
//
// If the run changed to other domains now, an object would be on the rank that owns its place. If
// the run had stayed under earlier domains, the object would be on the rank in its record
// (rank_records.hpp). But if objects migrate between rebalances, there are no records. Then the
// survey assumes that the object would be on the rank that owns its place under the earlier
// domains.
//
// A new cut of a graph would take too long for a look. It is assumed to be as even as the last cut,
// and the ageing of cuts is learned only from the cuts in use.

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
    std::span<const exec::Array<double>> costs;  // learned costs by set; see ObjectCosts::of_sets
    const Options& options;
    const Domains& domains;
    std::int64_t step;
    std::int64_t load;  // nanoseconds, of this rank
    bool has_moved;     // the present domains differ from the first ones
    std::function<std::int64_t()> now;
    // The lambda of the best cut. It is above 1 if a step has several phases, since a cut along a
    // curve may not be even in all phases at once, and the sample knows only the sum over phases.
    // It may also be above 1 for cuts of a graph, and if memory is limited.
    double best_lambda = 1;
  };

  // Collective; blocks. Loads that cannot be estimated, for example because a position is not
  // finite, are reported as unknown, the same on all ranks.
  Survey survey(const Question& question);

  // Collective; blocks. Call this if advice would have led to a fresh cut. Makes this cut from a
  // sample, and notes which rank would have got each object. Uses the load of the last survey, and
  // not the load in the question.
  void advise(Question question);

  RankRecords& records() noexcept { return records_; }

 private:
  ObjectSample sample_of(const Question& question) const;
  const Box& box_for(const Question& question, std::span<const Set> sample, const Bounds& found);
  Domains cut_anew(const Question& question, ObjectSample& sample, const SampleStatement& all);
  Survey find_out(const Question& question);
  void add_up(const Question& question, ObjectSample& sample, const SampleStatement& all,
              const Domains* fresh, LoadTally& into) const;
  Survey survey_from(const Question& question, const LoadTally& tally,
                     const SampleStatement& all) const;

  const Communicator& communicator_;
  RankRecords records_;
  std::shared_ptr<const Domains> latest_, advised_;
  std::int64_t load_ = 0;  // nanoseconds of this rank at the last survey
  EarlierCuts<std::shared_ptr<const Domains>> earlier_;
  std::optional<Box> box_;  // measured; in use as long as there are no domains
};

}  // namespace evenkeel
