#include "fit/patches.hpp"

#include "files/array.hpp"
#include "files/numbers.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <iomanip>

namespace evenkeel::tool {

namespace {

constexpr double most_cells = 9007199254740992.0;  // 2^53: doubles hold all integers up to it
constexpr int percent = 100;

class PatchRows {
 public:
  PatchRows(const ArrayFile& file, std::vector<double> numbers)
      : name_(file.name()), columns_(file.columns()), numbers_(std::move(numbers)) {}

  PatchTiming timing(std::uint64_t row) const {
    PatchTiming timing;
    for (std::uint64_t axis = 0; axis + 1 < columns_; ++axis) {
      const double cells = at(row, axis);
      if (!(cells >= 1 && cells <= most_cells) || cells != std::floor(cells))
        refuse_row(row, axis, "Give whole numbers of cells, 1 or more.");
      timing.size[axis] = static_cast<std::int64_t>(cells);
    }
    timing.seconds = at(row, columns_ - 1);
    if (!(timing.seconds > 0) || !std::isfinite(timing.seconds))
      refuse_row(row, columns_ - 1, "Give seconds that are positive and finite.");
    return timing;
  }

 private:
  double at(std::uint64_t row, std::uint64_t column) const {
    return numbers_[static_cast<std::size_t>(row * columns_ + column)];
  }
  [[noreturn]] void refuse_row(std::uint64_t row, std::uint64_t column, std::string remedy) const {
    refuse_fit(joined({"In ", in_quotes(name_), ", row ", std::to_string(row), ", column ",
                       std::to_string(column), " is ", text_of(at(row, column)), "."}),
               std::move(remedy));
  }

  std::string name_;
  std::uint64_t columns_;
  std::vector<double> numbers_;
};

bool says_nothing(const PatchNumber& number) { return !std::isfinite(number.uncertainty); }

// Numbers that are not finite become null.
std::string as_json(const PatchFit& fit) {
  nlohmann::ordered_json numbers = nlohmann::ordered_json::array();
  nlohmann::ordered_json model = nlohmann::ordered_json::object();
  for (const PatchNumber& number : fit.numbers) {
    model[number.name] = number.value;
    nlohmann::ordered_json one = {{"name", number.name}};
    one["value"] =
        says_nothing(number) ? nlohmann::ordered_json() : nlohmann::ordered_json(number.value);
    one["uncertainty"] = number.uncertainty;
    one["told"] = number.is_told();
    one["verdict"] = text_of(number.doubt);
    numbers.push_back(one);
  }
  const nlohmann::ordered_json json = {
      {"dimensions", fit.model.dimensions},
      {"timings", std::llround(fit.timings)},
      {"outliers", std::llround(fit.outliers)},
      {"noise", fit.noise},
      {"told", fit.is_told()},
      {"numbers", numbers},
      {"fixed", {{"seconds", fit.fixed_seconds}, {"uncertainty", fit.fixed_uncertainty}}},
      {"model", model}};
  return json.dump(2) + '\n';
}

void write_row(std::ostream& text, const PatchNumber& number) {
  const bool nothing = says_nothing(number);
  text << std::left << std::setw(9) << number.name << std::setw(13)
       << (nothing ? "-" : rounded(number.value, 4)) << std::setw(13)
       << (nothing ? "-" : rounded(number.uncertainty, 2));
  text << (number.is_told() ? "" : "the data cannot determine it: ") << text_of(number.doubt)
       << '\n';
}

std::string as_text(const PatchFit& fit) {
  std::ostringstream text = report_stream();
  const bool deep = fit.model.dimensions == 3;
  text << "model    " << (deep ? "a ((mx + B) (my + C) (mz + E) + D)" : "a ((mx + B) (my + C) + D)")
       << " seconds\n";
  text << "timings  " << fit.timings;
  if (std::isfinite(fit.noise)) text << ", noise " << rounded(percent * fit.noise, 3) << " %";
  if (fit.outliers > 0) text << ", " << fit.outliers << " outliers";
  text << "\nnumber   value        +-           verdict\n";
  for (const PatchNumber& number : fit.numbers) write_row(text, number);
  if (std::isfinite(fit.fixed_uncertainty))
    text << "fixed    " << std::left << std::setw(13) << rounded(fit.fixed_seconds, 4)
         << std::setw(13) << rounded(fit.fixed_uncertainty, 2) << "a (B C" << (deep ? " E" : "")
         << " + D) seconds\n";
  return text.str();
}

}  // namespace

PatchTable read_patch_timings(const std::string& path, const Progress& progress) {
  const auto file = open_array(path, progress);
  if (file->columns() != 3 && file->columns() != 4)
    refuse_fit(joined({in_quotes(path), " has ", std::to_string(file->columns()), " columns."}),
               "Give mx, my and seconds, or mx, my, mz and seconds.");
  if (file->rows() == 0)
    refuse_fit(joined({in_quotes(path), " has no timings."}), "Time patches of different sizes.");
  const PatchRows rows(*file, file->read(0, file->rows()));
  PatchTable table{.dimensions = static_cast<int>(file->columns()) - 1, .timings = {}};
  for (std::uint64_t row = 0; row < file->rows(); ++row) table.timings.push_back(rows.timing(row));
  return table;
}

std::string report_of(const PatchFit& fit, bool json) { return json ? as_json(fit) : as_text(fit); }

}  // namespace evenkeel::tool
