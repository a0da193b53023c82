#include "protocols.hpp"

#include "agree/meeting.hpp"
#include "cut/objects.hpp"
#include "migrate/messages.hpp"
#include "rebalance/agreement.hpp"
#include "survey/tally.hpp"

#include <evenkeel/core/box/bounds.hpp>

namespace evenkeel::scale {

namespace {

constexpr std::int64_t word = 8;  // bytes

// --- Contents of messages ------------------------------------------------------------------------

// These have the sizes of internal structures of the library.
struct BoundsTally {
  Bounds box;
  int dimensions[2];
};
struct SurveyStatement {
  Bounds bounds;
  int least_dimensions;
  std::int64_t counts[5];
  double greatest_weight;
};
struct PlanBalance {
  std::int64_t counts[5];
  int emptiest;
};
struct MoveShipment {
  std::int64_t counts[4];
  int settings[4];
};
struct StageSeconds {
  double seconds[16];
};
struct Announcement {
  std::int64_t set, objects;
};
struct Claims {
  struct {
    int rank, part;
    std::int64_t objects;
  } strongest[4];
};
constexpr auto survey_rows = static_cast<std::int64_t>(LoadTally::rows);

constexpr Call reduction(std::int64_t bytes) { return {CallKind::reduction, bytes}; }
constexpr Call scan(std::int64_t bytes) { return {CallKind::scan, bytes}; }
constexpr Call meeting() {
  return {CallKind::pending_reduction, static_cast<std::int64_t>(sizeof(MeetingMessage))};
}
constexpr Call vote() { return reduction(sizeof(detail::Ballot)); }
template <class Tally>
constexpr Call vote_with() {
  struct Both {
    detail::Ballot ballot;
    Tally tally;
  };
  return reduction(sizeof(Both));
}

// If objects are in order, one rank finds each splitter and the weight before it. A reduction adds
// them to the zeros of the other ranks.
Calls find_splitters(std::int64_t ranks, std::int64_t parts, Lie lie, const Calls& search) {
  Calls calls;
  if (lie != Lie::anyhow) append(calls, {scan(word), reduction(sizeof(std::int32_t))});
  if (lie == Lie::in_order)
    append(calls, {scan(word), reduction(word), reduction(2 * word * (parts - 1))});
  else
    append(calls, on_ranks(search, ranks));
  return calls;
}

void keep_in_place(Calls& calls, std::int64_t ranks) {
  calls.push_back(vote());
  calls.push_back({CallKind::gather, static_cast<std::int64_t>(sizeof(Claims)) * ranks});
  calls.push_back(vote());
  calls.push_back(reduction(2 * word));
}

// --- Moving --------------------------------------------------------------------------------------

void plan(Calls& calls, const Traffic& traffic) {
  for (std::size_t i = 0; i < traffic.objects.size(); ++i)
    calls.push_back({CallKind::note, static_cast<std::int64_t>(sizeof(Announcement))});
  calls.push_back({CallKind::barrier, 0});
  calls.push_back(vote_with<PlanBalance>());
  for (const std::int64_t objects : traffic.objects)
    calls.push_back({CallKind::message, objects * static_cast<std::int64_t>(sizeof(CurveKey))});
  calls.push_back(vote());
}

// The messages that carry the fields of objects to another rank, by the rule of the library.
std::vector<Message> messages_of(std::int64_t objects,
                                 std::span<const std::int64_t> bytes_of_fields) {
  std::vector<MessageColumn> columns;
  std::vector<ColumnShare> shares;
  for (std::size_t f = 0; f < bytes_of_fields.size(); ++f) {
    columns.push_back({0, f, MemoryKind::host, bytes_of_fields[f]});
    shares.push_back({objects, objects * bytes_of_fields[f]});
  }
  return cut_into_messages(columns, shares, {});
}

void transfer(Calls& calls, const Traffic& traffic) {
  calls.push_back(vote_with<MoveShipment>());
  for (const std::int64_t objects : traffic.objects)
    for (const Message& message : messages_of(objects, traffic.bytes_of_fields))
      calls.push_back({CallKind::message, message.bytes});
  calls.push_back(vote_with<StageSeconds>());
}

}  // namespace

Calls look() { return {meeting(), meeting()}; }

Calls survey(std::int64_t ranks, Lie lie, const Calls& search) {
  Calls calls = {meeting(), vote_with<SurveyStatement>(), vote_with<Census>()};
  append(calls, find_splitters(ranks, ranks, lie, search));
  calls.push_back(vote());
  calls.push_back(reduction((survey_rows * ranks + 3) * word));
  return calls;
}

Calls place_on_curve(std::int64_t ranks, const CurveCut& how) {
  Calls calls = {vote_with<Census>()};
  if (how.has_last) calls.push_back(reduction(word * ranks));
  if (how.is_kept) return calls;
  append(calls, find_splitters(ranks, ranks, how.lie, how.search));
  keep_in_place(calls, ranks);
  return calls;
}

Calls place_in_boxes(std::int64_t ranks, const BoxesPlaced& how) {
  Calls calls;
  if (how.has_last) append(calls, {vote_with<Census>(), vote(), reduction(2 * word * ranks)});
  if (!how.is_kept) append(calls, on_ranks(how.cut, ranks));
  return calls;
}

Calls NodeCutCalls::all() const {
  Calls calls = among;
  append(calls, within);
  append(calls, last);
  return calls;
}

NodeCutCalls cut_by_nodes(const NodeCut& how) {
  constexpr std::int64_t bytes_of_item = sizeof(CutObjects::Item);
  constexpr std::int64_t bytes_of_part = 2 * word;
  const std::int64_t nodes = (how.ranks + how.ranks_of_node - 1) / how.ranks_of_node;
  NodeCutCalls calls;
  calls.among = {vote_with<Census>()};
  append(calls.among, find_splitters(how.ranks, nodes, how.lie, how.among));
  calls.among.push_back(vote_with<Census>());
  for (std::size_t i = 0; i < how.items.size(); ++i) calls.among.push_back({CallKind::note, word});
  append(calls.among, {{CallKind::barrier, 0}, vote()});
  for (const std::int64_t items : how.items)
    calls.among.push_back({CallKind::message, items * bytes_of_item});
  calls.among.push_back(vote());
  calls.within = {vote_with<Census>()};
  append(calls.within,
         find_splitters(how.ranks_of_node, how.ranks_of_node, Lie::anyhow, how.within));
  calls.within.push_back(reduction(2 * word));
  calls.last = {vote(), {CallKind::gather, bytes_of_part * how.ranks}};
  return calls;
}

Calls move(const Traffic& traffic) {
  Calls calls;
  plan(calls, traffic);
  if (traffic.is_any)
    transfer(calls, traffic);
  else
    calls.push_back(reduction(word * 8));  // the seconds of the stages
  return calls;
}

Calls rebalance(const Calls& placing, const Traffic& traffic) {
  Calls calls = {meeting(), vote_with<RankStatement>(), vote_with<BoundsTally>()};
  append(calls, placing);
  append(calls, move(traffic));
  return calls;
}

}  // namespace evenkeel::scale
