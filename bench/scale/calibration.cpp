#include "calibration.hpp"

#include "stages.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <mpi.h>

#include <random>

namespace evenkeel::scale {

namespace {

// The least of several times. Other programs can only make a time longer.
template <class Function>
double least_seconds(int repetitions, const Function& function) {
  double least = function();
  for (int i = 1; i < repetitions; ++i) least = std::min(least, function());
  return least;
}

// Half the time of a message there and back.
double seconds_of_message(int rank, std::vector<char>& data, int turns) {
  constexpr int tag = 1;
  const int count = static_cast<int>(data.size());
  const Stopwatch watch;
  for (int i = 0; i < turns; ++i) {
    if (rank == 0) MPI_Send(data.data(), count, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    if (rank < 2)
      MPI_Recv(data.data(), count, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data.data(), count, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  }
  return watch.seconds() / (2 * turns);
}

// The processor time for each of many small messages that are sent at once, one way.
double seconds_of_each(int rank, int messages) {
  constexpr int tag = 2;
  std::vector<std::int64_t> words(static_cast<std::size_t>(messages));
  std::vector<MPI_Request> requests(words.size());
  const double began = cpu_seconds();
  for (int i = 0; i < messages && rank < 2; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (rank == 0)
      MPI_Isend(&words[at], 1, MPI_INT64_T, 1, tag, MPI_COMM_WORLD, &requests[at]);
    else
      MPI_Irecv(&words[at], 1, MPI_INT64_T, 0, tag, MPI_COMM_WORLD, &requests[at]);
  }
  if (rank < 2) MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  return (cpu_seconds() - began) / messages;
}

double seconds_of_adding(std::size_t words) {
  std::vector<std::int64_t> sums(words, 1), more(words, 2);
  const auto add = [&] {
    for (std::size_t i = 0; i < words; ++i) sums[i] += more[i];
    volatile std::int64_t seen = sums[words / 2];
    static_cast<void>(seen);
  };
  return least_seconds(7, [&] { return cpu_seconds_of(add); });
}

struct Claim {
  int rank, part;
  std::int64_t objects;
};
double seconds_of_sorting(std::size_t claims) {
  std::mt19937_64 random(1);
  std::vector<Claim> all(claims);
  for (std::size_t i = 0; i < claims; ++i)
    all[i] = {static_cast<int>(i), static_cast<int>(i), static_cast<std::int64_t>(random() % 1000)};
  return cpu_seconds_of([&] {
    std::sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
      return a.objects != b.objects ? a.objects > b.objects : a.part < b.part;
    });
  });
}

}  // namespace

Calibration calibrate(const Communicator& world) {
  Calibration found;
  if (world.size() > 1) {
    std::vector<char> small(8), large(std::size_t{4} << 20);
    found.latency = least_seconds(9, [&] { return seconds_of_message(world.rank(), small, 2000); });
    const double seconds =
        least_seconds(9, [&] { return seconds_of_message(world.rank(), large, 20); });
    found.bytes_per_second = static_cast<double>(large.size()) / seconds;
    found.overhead = least_seconds(9, [&] { return seconds_of_each(world.rank(), 1000); });
  }
  constexpr std::size_t words = std::size_t{1} << 20, claims = 1'000'000;
  found.combined_bytes_per_second = 8.0 * static_cast<double>(words) / seconds_of_adding(words);
  found.sorted_per_second = static_cast<double>(claims) / seconds_of_sorting(claims);
  return found;
}

}  // namespace evenkeel::scale
