// Balances a droplet in vapour, with all data of its atoms. At first, ranks own equal slabs of its
// box. This is evenkeel's side of the comparison with `balance` of LAMMPS. docs/comparison.md says
// how to read the table, and has the input for LAMMPS.
//
//   mpirun -n 2 bench_droplet [repetitions]
//
// The droplet is cut from a face-centred cubic lattice, whose constant is the unit of length. Times
// are from barrier to barrier on the slowest rank, with a new Balancer for each repetition.

#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel::bench {
namespace {

using Vector = std::array<double, 3>;

constexpr Vector box = {180, 60, 60}, middle_of_drop = {45, 30, 30};
constexpr double radius_of_drop = 28.5;
constexpr int atoms_of_vapour = 80000;

// Atoms of 72 bytes.
struct Atoms {
  std::vector<Vector> position, velocity, force;
  std::size_t count() const { return position.size(); }
};

bool is_in_drop(const Vector& place) {
  double squared = 0;
  for (std::size_t d = 0; d < 3; ++d)
    squared += (place[d] - middle_of_drop[d]) * (place[d] - middle_of_drop[d]);
  return squared <= radius_of_drop * radius_of_drop;
}

// Adds all lattice sites in the droplet. They are the even sites of a lattice that is twice as
// fine.
void add_drop(std::vector<Vector>& places) {
  const auto sites = [](std::size_t d) { return static_cast<int>(2 * box[d]); };
  for (int i = 0; i < sites(0); ++i)
    for (int j = 0; j < sites(1); ++j)
      for (int k = (i + j) % 2; k < sites(2); k += 2) {
        const Vector place = {0.5 * i, 0.5 * j, 0.5 * k};
        if (is_in_drop(place)) places.push_back(place);
      }
}

void add_vapour(std::vector<Vector>& places) {
  std::mt19937_64 random(12345);
  for (int atom = 0; atom < atoms_of_vapour; ++atom) {
    Vector place;
    for (std::size_t d = 0; d < 3; ++d)
      place[d] = std::uniform_real_distribution<double>(0, box[d])(random);
    places.push_back(place);
  }
}

std::vector<Vector> all_places() {
  std::vector<Vector> places;
  add_drop(places);
  add_vapour(places);
  return places;
}

// The atoms in this rank's slab.
Atoms atoms_of(const Communicator& ranks, const std::vector<Vector>& all) {
  Atoms mine;
  const double thickness = box[0] / ranks.size();
  for (const Vector& place : all) {
    const int owner = std::min(static_cast<int>(place[0] / thickness), ranks.size() - 1);
    if (owner == ranks.rank()) mine.position.push_back(place);
  }
  mine.velocity.resize(mine.count());
  mine.force.resize(mine.count());
  return mine;
}

double lambda_of_counts(const Communicator& ranks, const Atoms& atoms) {
  const auto mine = static_cast<double>(atoms.count());
  return lambda_of(ranks.all_gather(mine));
}

struct Row {
  const char* name;
  Method method;
  std::vector<double> milliseconds = {};
  double lambda = 0;
  std::int64_t moved = 0;
};

Options options_for(const Method& method) {
  return {.method = method,
          .trigger = Never{},
          .box = Box{{0, 0, 0}, box},
          .periodic = {true, true, true},
          .log = LogLevel::off};
}

void take(const Communicator& ranks, const std::vector<Vector>& all, bool counts, Row& row) {
  Atoms atoms = atoms_of(ranks, all);
  Balancer balancer(ranks, options_for(row.method));
  const double milliseconds = slowest_milliseconds(ranks, [&] {
    row.moved = balancer.rebalance(atoms.position, carry(atoms.velocity, atoms.force)).objects;
  });
  row.lambda = lambda_of_counts(ranks, atoms);
  if (counts) row.milliseconds.push_back(milliseconds);
  balancer.finish();
}

void print(const std::vector<Row>& rows) {
  std::printf(
      "\n| %-18s | least ms | median | greatest | moved   | lambda |\n"
      "|---|---|---|---|---|---|\n",
      "method");
  for (const Row& row : rows) {
    const auto [least, greatest] = std::ranges::minmax(row.milliseconds);
    std::printf("| %-18s | %8.1f | %6.1f | %8.1f | %7lld | %6.3f |\n", row.name, least,
                median(row.milliseconds), greatest, static_cast<long long>(row.moved), row.lambda);
  }
}

void measure(int repetitions) {
  const Communicator ranks = Communicator::world();
  const std::vector<Vector> all = all_places();
  const double before = lambda_of_counts(ranks, atoms_of(ranks, all));
  std::vector<Row> rows = {{"RecursiveBisection", RecursiveBisection{}}, {"Hilbert", Hilbert{}}};
  for (int repetition = 0; repetition <= repetitions; ++repetition)  // the first is a warm-up
    for (Row& row : rows) take(ranks, all, repetition > 0, row);
  if (ranks.rank() != 0) return;
  std::printf("%zu atoms of a droplet, %d of vapour, on %d ranks; lambda before %.3f\n",
              all.size() - atoms_of_vapour, atoms_of_vapour, ranks.size(), before);
  print(rows);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure(runtime.number(1, 8, 1));
  return 0;
}
