#pragma once

#include "place/loads.hpp"
#include "place/stage.hpp"
#include "place/task.hpp"

namespace evenkeel {

// Collective. Returns true, and keeps the last domains in `found`, if they are of type D and divide
// the objects as evenly as the task requires. `status` then holds a failure of this rank, for the
// next vote.
template <class D>
bool keeps(const PlaceTask& task, Status& status, Found& found) {
  const auto* const last = std::get_if<D>(&task.last);
  if (task.fresh != nullptr || !(task.target_lambda() > 0) || last == nullptr ||
      last->parts() != task.communicator.size() || !(last->box() == task.prepared.region.box))
    return false;
  std::vector<double> speeds;  // of the last parts
  status = attempt(stage_name, [&] {
    if (!task.status.ok()) throw Error(*task.status.error());
    found.parts = parts_in(task.prepared, task.last);
    speeds = speeds_of_parts(task.speeds(), rank_of_part(task.last));
  });
  const Loads loads =
      loads_by_object(task.communicator, status, task.prepared, task.weights, found.parts);
  status = Status();
  found.lambda = loads.lambda(speeds);
  if (found.lambda > task.target_lambda()) {
    found = Found();
    return false;
  }
  found.is_kept = true;
  found.status = attempt(stage_name, [&] { found.domains = renumbered(*last, task.generation()); });
  return true;
}

}  // namespace evenkeel
