#include "calls.hpp"

#include <algorithm>
#include <iterator>

namespace evenkeel::scale {

namespace {

template <class Condition>
Calls those_that(const Calls& calls, const Condition& condition) {
  Calls chosen;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(chosen),
               [&](const Call& call) { return condition(call.kind); });
  return chosen;
}

}  // namespace

const char* name_of(CallKind kind) noexcept {
  switch (kind) {
    case CallKind::reduction: return "reduction";
    case CallKind::pending_reduction: return "pending reduction";
    case CallKind::scan: return "scan";
    case CallKind::broadcast: return "broadcast";
    case CallKind::gather: return "gather";
    case CallKind::gather_several: return "gather of several";
    case CallKind::gather_to_root: return "gather to root";
    case CallKind::barrier: return "barrier";
    case CallKind::note: return "note";
    case CallKind::message: return "message";
  }
  return "?";
}

Calls collectives_of(const Calls& calls) { return those_that(calls, &is_collective); }

Calls point_to_point_of(const Calls& calls) {
  return those_that(calls, [](CallKind kind) { return !is_collective(kind); });
}

Calls on_ranks(const Calls& recorded, std::int64_t ranks) {
  Calls calls = recorded;
  for (Call& call : calls)
    if (call.kind == CallKind::gather) call.bytes *= ranks;
  return calls;
}

void append(Calls& into, const Calls& from) { into.insert(into.end(), from.begin(), from.end()); }

std::int64_t bytes_of(const Calls& calls) noexcept {
  std::int64_t bytes = 0;
  for (const Call& call : calls) bytes += call.bytes;
  return bytes;
}

std::string text_of(const Calls& calls) {
  std::string text;
  for (const Call& call : calls) {
    if (!text.empty()) text += ", ";
    text += name_of(call.kind);
    text += ' ';
    text += std::to_string(call.bytes);
  }
  return text;
}

}  // namespace evenkeel::scale
