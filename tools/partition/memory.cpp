#include "partition/memory.hpp"

#include "files/refusal.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel::tool {

namespace {

double sum_of_parts(const std::vector<double>& of_parts) {
  return std::accumulate(of_parts.begin(), of_parts.end(), 0.0);
}

struct Tried {
  Partition partition;
  double lambda = 1;
  double all_work = 0, all_bytes = 0;
};

// Cuts by the weights and speeds of `objects`, and measures by those of the task.
Tried try_cut(const Task& task, const FileObjects& objects, const WorkCounter& work,
              const WorkCounter& bytes) {
  const Task next{task.communicator, task.space,  objects,  task.set,
                  task.options,      task.method, task.box, task.progress};
  Tried tried{cut_from_objects(next)};
  Partition& partition = tried.partition;
  const int parts = task.options.parts;
  const Status written = attempt(refuse_partition.stage, [&] { write_parts_of(task, partition); });
  const std::vector<double> works = work.of_parts(written, partition.parts, parts);
  const std::vector<double> sizes = bytes.of_parts(Status(), partition.parts, parts);
  tried.lambda = lambda_of(works, task.objects.speeds);
  tried.all_work = sum_of_parts(works);
  tried.all_bytes = sum_of_parts(sizes);
  partition.greatest_bytes = std::ranges::max(sizes);
  return tried;
}

bool is_better(const Tried& next, const Tried& best, double memory) {
  const double bytes = next.partition.greatest_bytes, least = best.partition.greatest_bytes;
  if ((bytes <= memory) != (least <= memory)) return bytes <= memory;
  return bytes <= memory ? next.lambda < best.lambda : bytes < least;
}

// Objects weigh the greater of their shares of all work and of all bytes, as in place_allowed() of
// the library. Parts get shares between their speeds and equal ones.
void weigh(const FileObjects& objects, double work, double bytes, double by_bytes,
           FileObjects& mixed) {
  const double of_work = work > 0 ? (1 - by_bytes) / work : 0;
  for (std::size_t i = 0; i < mixed.weights.size(); ++i)
    mixed.weights[i] = std::max(of_work * (objects.weights.empty() ? 1 : objects.weights[i]),
                                by_bytes * (objects.bytes[i] / bytes));
  const double speeds = sum_of_parts(objects.speeds);
  for (std::size_t part = 0; part < mixed.speeds.size(); ++part)
    mixed.speeds[part] = (1 - by_bytes) * (objects.speeds[part] / speeds) +
                         by_bytes / static_cast<double>(mixed.speeds.size());
}

}  // namespace

Partition cut_within_memory(const Task& task) {
  const double memory = task.options.memory;
  FileObjects by_bytes, mixed;
  vote(task.communicator, attempt(refuse_partition.stage, [&] {
         by_bytes.dimensions = task.objects.dimensions;
         by_bytes.everywhere = task.objects.everywhere;
         by_bytes.weights = task.objects.bytes;
         mixed = by_bytes;
         mixed.speeds = task.objects.speeds;
       }));
  const WorkCounter work(task.communicator, task.objects), bytes(task.communicator, by_bytes);
  Tried best = try_cut(task, task.objects, work, bytes);
  constexpr int most_cuts = 6;
  double too_little = 0, enough = 1, share = 1;  // of bytes in the mixed
  for (int cut = 0; cut < most_cuts && (cut > 0 || best.partition.greatest_bytes > memory); ++cut) {
    weigh(task.objects, best.all_work, best.all_bytes, share, mixed);
    Tried next = try_cut(task, mixed, work, bytes);
    const bool fits = next.partition.greatest_bytes <= memory;
    if (is_better(next, best, memory)) best = std::move(next);
    if (fits)
      enough = share;
    else if (share < 1)
      too_little = share;
    share = (too_little + enough) / 2;
  }
  if (best.partition.greatest_bytes > memory)
    refuse_partition(
        joined({"No cut fits: the best one has a part of ", text_of(best.partition.greatest_bytes),
                " bytes, and --memory is ", text_of(memory), "."}),
        "Give more memory, or more parts.");
  return std::move(best.partition);
}

}  // namespace evenkeel::tool
