#include "string/stage.hpp"

#include <evenkeel/extras/string.hpp>

#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <unistd.h>

namespace evenkeel {

namespace {

struct Turns {
  std::int64_t mine = 0;  // the number of ranks of this node that come before this rank
  std::int64_t all = 1;   // the number of ranks on the node with the most ranks
};

Turns turns_of(const Communicator& communicator, std::int64_t node) {
  std::vector<std::int64_t> nodes;
  const Status ready =
      attempt(stage_name, [&] { nodes.resize(static_cast<std::size_t>(communicator.size())); });
  vote(communicator, ready);
  communicator.all_gather(node, std::span(nodes));
  const auto here = nodes.begin() + communicator.rank();
  Turns turns;
  turns.mine = std::count(nodes.begin(), here, node);
  turns.all = communicator.all_reduce(turns.mine + 1, Reduction::greatest);
  return turns;
}

Status run(const std::function<void()>& step) {
  return attempt(
      stage_name,
      [&] {
        if (step) step();
      },
      ErrorKind::application);
}

// Collective. If `step` fails on a rank, the other ranks still get their turns.
void run_in_turns(const Communicator& communicator, const Turns& turns,
                  const std::function<void()>& step) {
  Status status;
  for (std::int64_t turn = 0; turn < turns.all; ++turn) {
    if (turn == turns.mine) status = run(step);
    if (turn + 1 < turns.all) communicator.barrier();
  }
  vote(communicator, status);
}

}  // namespace

void trade_in_turns(const Communicator& communicator, std::int64_t node, const TradeSteps& steps) {
  const Turns turns = turns_of(communicator, node);
  run_in_turns(communicator, turns, steps.remove);
  vote(communicator, run(steps.transfer));
  run_in_turns(communicator, turns, steps.add);
}

std::int64_t node_of(const Communicator& communicator) {
  struct Name {
    char text[256];
  };
  Name mine = {};
  std::vector<Name> names;
  const Status ready = attempt(stage_name, [&] {
    names.resize(static_cast<std::size_t>(communicator.size()));
    if (gethostname(mine.text, sizeof mine.text - 1) != 0)
      throw Error(ErrorKind::internal, Where{stage_name}, "This host does not report its name.",
                  "Find the number of the node without node_of().");
  });
  vote(communicator, ready);
  communicator.all_gather(mine, std::span<Name>(names));
  const auto first = std::find_if(names.begin(), names.end(), [&](const Name& name) {
    return std::string(name.text) == mine.text;
  });
  return first - names.begin();
}

std::int64_t memory_peak(std::span<const TradeMemory> ranks_of_node, bool in_turns) {
  std::int64_t before = 0, after = 0, coming = 0, most_before = 0, most_after = 0;
  for (const TradeMemory& rank : ranks_of_node) {
    const std::int64_t then = rank.before - rank.given + rank.received;
    before += rank.before;
    after += then;
    coming += rank.received;
    most_before = std::max(most_before, rank.before);
    most_after = std::max(most_after, then);
  }
  const std::int64_t removing = before + (in_turns ? most_before : before);
  const std::int64_t adding = after + (in_turns ? most_after : after);
  return std::max({removing, before + coming, adding});
}

}  // namespace evenkeel
