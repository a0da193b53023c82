#include "blocks/expected_work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/weights/work_model.hpp>

namespace evenkeel {

namespace {

constexpr const char* work_stage = "monitor/block_balancer";

// The model of refined patches. In most codes, nearly all of the cost comes from the cells, so this
// is what is expected if all timed blocks have the same size.
WorkModel model_of_sides() {
  constexpr std::size_t remembered = 4096;  // timed blocks of a rank
  WorkModelOptions options;
  options.forgetting = 1;
  options.remembered = remembered;
  options.has_fixed = false;
  WorkModel model(std::vector(SideProducts().size(), WorkModel::Column::feature), options);
  SideProducts expected = {};
  expected.back() = 1;
  model.expect(expected);
  return model;
}

// Collective. Makes the model that fits the timed blocks of all ranks. It is not returned, as
// moving it may allocate.
void fit(const Communicator& ranks, const OwnBlocks::List& blocks,
         std::optional<WorkModel>& model) {
  vote(ranks, attempt(work_stage, [&] {
         model.emplace(model_of_sides());
         for (const OwnBlock& block : blocks)
           if (block.record.is_measured && block.record.has_cells())
             model->observe(products_of(block.record.cells), block.record.work);
       }));
  Status solved;  // a model that was not solved has no further sums
  std::span<double> sums;
  for (int pass = 0; pass < WorkModel::settled_passes; ++pass) {
    if (solved.ok()) sums = model->sums();
    ranks.all_reduce(sums, Reduction::sum);
    if (solved.ok()) solved = attempt(work_stage, [&] { model->solve(); });
  }
  vote(ranks, solved);
}

double expected_for(const OwnBlock& block, const WorkSums& all, const WorkModel* model) {
  const BlockRecord& record = block.record;
  const BlockSource& source = block.source;
  if (record.weight > 0 && all.weight > 0) {
    const bool compares = source.work >= 0 && source.weight > 0;
    return record.weight * (compares ? source.work / source.weight : all.weighed / all.weight);
  }
  if (model != nullptr && record.has_cells()) {
    const double usual = model->predicted(products_of(record.cells));
    const double of_source = source.has_cells ? model->predicted(source.products) : 0;
    return source.work >= 0 && of_source > 0 ? usual * source.work / of_source : usual;
  }
  if (source.work >= 0) return source.work;
  if (all.measured > 0) return all.work / all.measured;
  return (all.known_work + all.taken_over) / (all.known + all.taken);
}

}  // namespace

void WorkSums::add(const OwnBlock& block) noexcept {
  const BlockRecord& record = block.record;
  if (record.weight > 0) ++weights;
  if (record.work < 0) {
    ++unknown;
    if (record.has_cells()) ++to_fit;
    if (block.source.work < 0) return;
    ++taken;
    taken_over += block.source.work;
    return;
  }
  ++known;
  known_work += record.work;
  if (!record.is_measured) return;
  ++measured;
  work += record.work;
  if (record.has_cells()) ++sized;
  if (!(record.weight > 0)) return;
  weight += record.weight;
  weighed += record.work;
}

void WorkSums::add(const WorkSums& other) noexcept {
  known += other.known;
  known_work += other.known_work;
  unknown += other.unknown;
  measured += other.measured;
  work += other.work;
  taken += other.taken;
  taken_over += other.taken_over;
  weight += other.weight;
  weighed += other.weighed;
  weights += other.weights;
  sized += other.sized;
  to_fit += other.to_fit;
}

void expect_work(const Communicator& ranks, OwnBlocks::List& blocks, const WorkSums& all) {
  if (!(all.unknown > 0) || !(all.known + all.taken > 0)) return;
  std::optional<WorkModel> model;
  if (all.sized > 0 && all.to_fit > 0) fit(ranks, blocks, model);
  const WorkModel* const known = model ? &*model : nullptr;
  for (OwnBlock& block : blocks)
    if (block.record.work < 0) block.record.work = expected_for(block, all, known);
}

double relative_work_of(const BlockRecord& block, const WorkSums& all) noexcept {
  if (all.weights > 0) return block.weight > 0 ? block.weight : 1;
  return block.has_cells() ? products_of(block.cells).back() : 1;
}

}  // namespace evenkeel
