#include "files/npy_graph.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel::tool {

namespace {

constexpr std::uint64_t elements_at_once = std::uint64_t{1} << 17U;
constexpr std::string_view how_to_write_npy_graph =
    "Write n + 1 offsets, which begin with 0, do not descend and end with the number of "
    "neighbours.";

std::string element_of(const NpyFile& file, std::uint64_t element) {
  return joined({"Element ", std::to_string(element), " of ", in_quotes(file.name())});
}

void require_one_column(const NpyFile& file, std::string_view what) {
  if (file.columns() == 1) return;
  refuse(joined({"The ", what, " in ", in_quotes(file.name()), " have ",
                 std::to_string(file.columns()), " columns."}),
         "Write an array of one dimension.");
}

void require_integers(const NpyFile& file, std::string_view what) {
  require_one_column(file, what);
  if (file.type() == ElementType::integer32 || file.type() == ElementType::integer64) return;
  refuse(joined({"The ", what, " in ", in_quotes(file.name()), " are not integers."}),
         "Convert the array with astype('i8') before you save it.");
}

// Reports the progress of reading the portion. Counts 8 bytes for each element of any type.
class Counter {
 public:
  Counter(const Progress& progress, std::uint64_t of_elements)
      : progress_(progress), of_elements_(of_elements) {}
  void add(std::uint64_t elements) {
    elements_ += elements;
    if (progress_) progress_(elements_ * sizeof(double), of_elements_ * sizeof(double));
  }

 private:
  const Progress& progress_;
  std::uint64_t of_elements_, elements_ = 0;
};

// Calls body(element, number) for the elements [first, last).
template <class Body>
void for_each(const NpyFile& file, std::uint64_t first, std::uint64_t last, Counter& counter,
              const Body& body) {
  while (first < last) {
    const std::uint64_t end = first + std::min(last - first, elements_at_once);
    const std::vector<double> numbers = file.read(first, end);
    for (std::size_t i = 0; i < numbers.size(); ++i) body(first + i, numbers[i]);
    counter.add(end - first);
    first = end;
  }
}

void check_ends(const NpyFile& offsets, const NpyFile& columns) {
  if (offsets.rows() == 0)
    refuse(joined({"There are no offsets in ", in_quotes(offsets.name()), "."}),
           std::string(how_to_write_npy_graph));
  const std::uint64_t last = offsets.rows() - 1;
  const double begin = offsets.read(0, 1)[0], end = offsets.read(last, last + 1)[0];
  if (begin != 0)
    refuse(joined({element_of(offsets, 0), " is ", text_of(begin), ", not 0."}),
           std::string(how_to_write_npy_graph));
  if (end != static_cast<double>(columns.rows()))
    refuse(
        joined({element_of(offsets, last), ", the last offset, is ", text_of(end), ", but ",
                in_quotes(columns.name()), " has ", std::to_string(columns.rows()), " elements."}),
        std::string(how_to_write_npy_graph));
}

// Reads all offsets of the portion into `into`, relative to the first one, which it returns.
std::uint64_t read_offsets(const NpyFile& offsets, const exec::Share& mine, double most,
                           Counter& counter, std::vector<std::int64_t>& into) {
  double before = 0;
  std::int64_t begin = 0;
  const auto first = static_cast<std::uint64_t>(mine.begin);
  into.clear();
  into.reserve(static_cast<std::size_t>(mine.end - mine.begin) + 1);
  for_each(offsets, first, static_cast<std::uint64_t>(mine.end) + 1, counter,
           [&](std::uint64_t element, double offset) {
             if (offset < before || offset > most)
               refuse(joined({element_of(offsets, element), " is ", text_of(offset),
                              offset < before ? ", less than the offset before it."
                                              : ", more than there are neighbours."}),
                      std::string(how_to_write_npy_graph));
             if (element == first) begin = static_cast<std::int64_t>(offset);
             into.push_back(static_cast<std::int64_t>(offset) - begin);
             before = offset;
           });
  return static_cast<std::uint64_t>(begin);
}

void read_columns(const NpyFile& columns, std::uint64_t first, std::uint64_t last,
                  std::int64_t vertices, Counter& counter, std::vector<std::int64_t>& into) {
  const double end = static_cast<double>(vertices);
  into.reserve(last - first);
  for_each(columns, first, last, counter, [&](std::uint64_t element, double column) {
    if (column < 0 || column >= end)
      refuse(joined({element_of(columns, element), " is ", text_of(column), ", but there are ",
                     std::to_string(vertices), " vertices, which are counted from 0."}),
             "Give neighbours that are less than the number of vertices.");
    into.push_back(static_cast<std::int64_t>(column));
  });
}

void read_weights(const NpyFile& weights, std::uint64_t first, std::uint64_t last, Counter& counter,
                  std::vector<double>& into) {
  into.reserve(last - first);
  for_each(weights, first, last, counter, [&](std::uint64_t element, double weight) {
    if (!std::isfinite(weight) || weight <= 0)
      refuse(joined({element_of(weights, element), ", the weight of an edge, is ", text_of(weight),
                     "."}),
             "Give weights that are finite and positive.");
    into.push_back(weight);
  });
}

void check_weights(const NpyFile& weights, const NpyFile& columns) {
  require_one_column(weights, "weights of edges");
  if (weights.rows() == columns.rows()) return;
  refuse(joined({"There are ", std::to_string(weights.rows()), " weights in ",
                 in_quotes(weights.name()), ", but ", std::to_string(columns.rows()),
                 " neighbours in ", in_quotes(columns.name()), "."}),
         "Give a weight for each neighbour.");
}

}  // namespace

GraphFile read_npy_graph(const NpyFile& offsets, const NpyFile& columns, const NpyFile* weights,
                         const GraphPortion& portion, const Progress& progress) {
  require_integers(offsets, "offsets");
  require_integers(columns, "neighbours");
  if (weights != nullptr) check_weights(*weights, columns);
  check_ends(offsets, columns);
  GraphFile graph;
  graph.vertices = static_cast<std::int64_t>(offsets.rows() - 1);
  graph.first_number = 0;
  const exec::Share mine = exec::share_of(graph.vertices, portion.of, portion.index);
  graph.first = mine.begin;

  // The first and the last offset of the portion give the number of elements that will be read.
  const auto begin = static_cast<std::uint64_t>(mine.begin),
             end = static_cast<std::uint64_t>(mine.end);
  const double reach = offsets.read(end, end + 1)[0] - offsets.read(begin, begin + 1)[0];
  const auto entries =
      static_cast<std::uint64_t>(std::clamp(reach, 0.0, static_cast<double>(columns.rows())));
  Counter counter(progress, end - begin + 1 + entries * (weights != nullptr ? 2U : 1U));
  const std::uint64_t first =
      read_offsets(offsets, mine, static_cast<double>(columns.rows()), counter, graph.offsets);
  const std::uint64_t last = first + static_cast<std::uint64_t>(graph.offsets.back());
  read_columns(columns, first, last, graph.vertices, counter, graph.columns);
  if (weights != nullptr) read_weights(*weights, first, last, counter, graph.edge_weights);
  graph.entries = std::ssize(graph.columns);
  return graph;
}

}  // namespace evenkeel::tool
