#include "partition/memory.hpp"

#include "files/refusal.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/bytes.hpp>
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

// Weighs the objects of the task for a cut by both work and bytes.
void weigh(const FileObjects& objects, const ByWorkAndBytes& how, double by_bytes,
           FileObjects& mixed) {
  const WorkAndBytes factors = how.factors(by_bytes);
  for (std::size_t i = 0; i < mixed.weights.size(); ++i)
    mixed.weights[i] = std::max(factors.work * (objects.weights.empty() ? 1 : objects.weights[i]),
                                factors.bytes * objects.bytes[i]);
  if (!objects.speeds.empty()) mixed.speeds = how.shares_of_parts(by_bytes);
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
  if (best.partition.greatest_bytes > memory) {
    const std::vector<double> limits(static_cast<std::size_t>(task.options.parts), memory);
    const ByWorkAndBytes how({best.all_work, best.all_bytes}, task.objects.speeds, limits);
    const auto make = [&](double share) {
      weigh(task.objects, how, share, mixed);
      return try_cut(task, mixed, work, bytes);
    };
    find_cut_that_fits(best, how.can_fit(1), make, [&](const Tried& tried) {
      return TriedCut{tried.lambda, tried.partition.greatest_bytes / memory};
    });
  }
  refuse_if_fuller(best.partition.greatest_bytes, memory);
  return std::move(best.partition);
}

void refuse_if_fuller(double greatest_bytes, double memory) {
  if (greatest_bytes > memory)
    refuse_partition(joined({"No cut fits: the best one has a part of ", text_of(greatest_bytes),
                             " bytes, and --memory is ", text_of(memory), "."}),
                     "Give more memory, or more parts.");
}

}  // namespace evenkeel::tool
