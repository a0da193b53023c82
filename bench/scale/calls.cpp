#include "calls.hpp"

#include <algorithm>
#include <iterator>

namespace evenkeel::scale {

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

Calls collectives_of(const Calls& calls) {
  Calls chosen;
  std::ranges::copy_if(calls, std::back_inserter(chosen), &is_collective, &Call::kind);
  return chosen;
}

Calls on_ranks(const Calls& recorded, std::int64_t ranks) {
  Calls calls = recorded;
  for (Call& call : calls)
    if (call.kind == CallKind::gather) call.bytes *= ranks;
  return calls;
}

void append(Calls& into, const Calls& from) { into.insert(into.end(), from.begin(), from.end()); }

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
