// A code that owns cells of a mesh and moves them itself. Each rank has one domain of a grid. A hot
// spot moves over the mesh, and cells near it take long. evenkeel times the kernel, proposes new
// domains if they are worth it, and lists the cells that move. Compare:
//
//   mpirun -n 2 03_domains --balance off      # lambda=1.91: one rank does nearly all the work
//   mpirun -n 2 03_domains --balance on       # lambda=1.11, and more steps per second
//
// With --balance voronoi or mesh, domains are the cells of a power diagram, or quadrilaterals. Then
// the program also gives the centre of its work, and a domain is not a box of cells.
//
// Lambda is the work of the slowest ranks over the work of the average rank, both added up over all
// steps; 1 is perfect. evenkeel knows one number per rank, its load, so it takes several proposals
// to approach the best borders.
//
// The values of a cell depend only on its place, so the checksum is the same for any number of
// ranks, balanced or not.

#include <evenkeel/evenkeel.hpp>

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace ek = evenkeel;

constexpr ek::CellMesh mesh = {{{0, 0, 0}, {1, 1, 0}}, {96, 96, 1}};
constexpr int steps = 240;

// The cells of a rank: ranges of cells, and the values of a range around them, row by row.
struct Cells {
  std::vector<ek::CellRange> own;
  ek::CellRange range;
  std::vector<double> values;

  explicit Cells(const ek::CellMoves& moves)
      : own(moves.staying), range(moves.after), values(static_cast<std::size_t>(range.count())) {
    for (const ek::CellMoves::Parcel& parcel : moves.entering) own.push_back(parcel.cells);
  }
  double& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>((i - range.begin[0]) * (range.end[1] - range.begin[1]) +
                                           j - range.begin[1])];
  }
};

// Calls visit(i, j) for each cell of a range.
template <class Visit>
void for_each_cell(const ek::CellRange& range, const Visit& visit) {
  for (std::int64_t i = range.begin[0]; i < range.end[0]; ++i)
    for (std::int64_t j = range.begin[1]; j < range.end[1]; ++j) visit(i, j);
}
template <class Visit>
void for_each_cell(const std::vector<ek::CellRange>& ranges, const Visit& visit) {
  for (const ek::CellRange& range : ranges) for_each_cell(range, visit);
}

// Advances all cells by one step. Hotter cells take more sub-steps: 1 far away, about 200 in the
// middle of the spot. Returns the mean place of all sub-steps.
std::array<double, 3> advance(Cells& cells, int step) {
  const double x = 0.15 + 0.7 * step / steps, y = 0.3;
  double all = 0;
  std::array<double, 3> sum = {};
  for_each_cell(cells.own, [&](std::int64_t i, std::int64_t j) {
    const double dx = (static_cast<double>(i) + 0.5) / 96 - x;
    const double dy = (static_cast<double>(j) + 0.5) / 96 - y;
    const int substeps = 1 + static_cast<int>(200 * std::exp(-60 * (dx * dx + dy * dy)));
    double value = cells.at(i, j);
    for (int s = 0; s < substeps; ++s) value += 0.01 * std::sin(value + dx);
    cells.at(i, j) = value;
    all += substeps;
    sum[0] += substeps * (dx + x);
    sum[1] += substeps * (dy + y);
  });
  return {sum[0] / all, sum[1] / all, 0};
}

// Sends the cells that leave, receives those that enter, and keeps the rest.
Cells moved(Cells& old, const ek::CellMoves& moves) {
  Cells now(moves);
  for_each_cell(moves.staying,
                [&](std::int64_t i, std::int64_t j) { now.at(i, j) = old.at(i, j); });
  std::vector<std::vector<double>> parcels;
  std::vector<MPI_Request> requests;
  for (const ek::CellMoves::Parcel& parcel : moves.leaving) {
    std::vector<double>& values = parcels.emplace_back();
    for_each_cell(parcel.cells,
                  [&](std::int64_t i, std::int64_t j) { values.push_back(old.at(i, j)); });
    MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, parcel.rank, 0,
              MPI_COMM_WORLD, &requests.emplace_back());
  }
  for (const ek::CellMoves::Parcel& parcel : moves.entering) {
    std::vector<double> values(static_cast<std::size_t>(parcel.cells.count()));
    MPI_Recv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, parcel.rank, 0,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::size_t next = 0;
    for_each_cell(parcel.cells,
                  [&](std::int64_t i, std::int64_t j) { now.at(i, j) = values[next++]; });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return now;
}

void simulate(const std::string& balance) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  ek::GridBalancerOptions options;
  options.grid.shape = ek::factored(size, 2);
  options.box = mesh.box;
  options.rounds.cell_size = {1.0 / 96, 1.0 / 96, 0};    // put borders between cells
  options.rounds.least_width = {2.0 / 96, 2.0 / 96, 0};  // give each domain at least two cells
  options.monitor.clock = ek::ClockKind::thread_cpu;     // this machine may have other users
  if (balance == "off") options.monitor.trigger = ek::Never{};
  if (balance == "voronoi") options.voronoi.emplace();
  if (balance == "mesh") options.mesh.emplace();
  const bool are_boxes = !options.voronoi && !options.mesh;
  ek::GridBalancer balancer(MPI_COMM_WORLD, options);
  ek::Kernel flow = balancer.kernel("flow");

  Cells cells(ek::cells_between(mesh, balancer.domains(), balancer.domains(), rank));
  for_each_cell(cells.own, [&](std::int64_t i, std::int64_t j) {
    cells.at(i, j) = std::cos(static_cast<double>(7 * i + 3 * j));
  });

  int rebalances = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    std::array<double, 3> centre = {};
    {
      auto timing = flow.time();
      centre = advance(cells, step);
    }
    MPI_Barrier(MPI_COMM_WORLD);  // here a real code would exchange ghost cells
    if (const auto next = are_boxes ? balancer.step() : balancer.step(centre)) {
      cells = moved(cells, ek::cells_between(mesh, balancer.domains(), *next, rank));
      balancer.accept();
      ++rebalances;
    }
  }
  const double seconds = MPI_Wtime() - begin;
  balancer.finish();

  // Sums of integers do not depend on their order.
  std::uint64_t mine = 0, all = 0;
  for_each_cell(cells.own, [&](std::int64_t i, std::int64_t j) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &cells.at(i, j), sizeof bits);
    mine += bits;
  });
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const ek::Account account = balancer.account();
  if (rank == 0)
    std::printf("steps/s=%.1f lambda=%.2f rebalances=%d checksum=%016llx\n", steps / seconds,
                account.actual / account.mean, rebalances, static_cast<unsigned long long>(all));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);  // only --balance voronoi and mesh need it
    simulate(argc > 2 && std::string(argv[1]) == "--balance" ? argv[2] : "on");
  }
  MPI_Finalize();
  return 0;
}
