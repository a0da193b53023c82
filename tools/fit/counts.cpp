#include "fit/counts.hpp"

#include "files/array.hpp"
#include "files/numbers.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <iomanip>
#include <utility>

namespace evenkeel::tool {

namespace {

// Reads all numbers of a file. Refuses negative ones.
std::vector<double> read_numbers(const ArrayFile& file, const std::string& what) {
  std::vector<double> numbers = file.read(0, file.rows());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]) || numbers[i] < 0)
      refuse_fit(joined({"In ", in_quotes(file.name()), ", row ",
                         std::to_string(i / file.columns()), ", column ",
                         std::to_string(i % file.columns()), " is ", text_of(numbers[i]), "."}),
                 "Give " + what + " that are finite and not negative.");
  return numbers;
}

constexpr const char* name_of(FitMethod method) {
  return method == FitMethod::robust ? "robust" : "minimum_norm";
}

// Numbers that are not finite become null.
std::string as_json(const CountTable& table, const WorkEstimate& fit, FitMethod method) {
  const bool is_robust = method == FitMethod::robust;
  nlohmann::ordered_json errors = nlohmann::ordered_json::array(), ratios = errors;
  for (std::size_t t = 0; t < table.types; ++t) {
    errors.push_back(fit.errors[t]);
    ratios.push_back(fit.costs[t] / fit.costs[0]);
  }
  nlohmann::ordered_json json = {{"method", name_of(method)},
                                 {"types", table.types},
                                 {"measurements", table.seconds.size()},
                                 {"lambda", lambda_of(table.seconds)},
                                 {"costs", fit.costs},
                                 {"ratios", ratios}};
  if (is_robust) {
    json["errors"] = errors;
    json["fixed"] = fit.fixed;
    json["noise"] = fit.noise;
    json["condition"] = fit.condition;
    json["frozen"] = fit.frozen;
  }
  return json.dump(2) + '\n';
}

std::string as_text(const CountTable& table, const WorkEstimate& fit, FitMethod method) {
  const bool is_robust = method == FitMethod::robust;
  std::ostringstream text = report_stream();
  text << "method   " << name_of(method) << ", " << table.seconds.size() << " measurements";
  if (is_robust) text << ", noise " << rounded(100 * fit.noise, 2) << " %";
  text << "\ntype     seconds      " << (is_robust ? "+-           " : "") << "ratio\n";
  for (std::size_t t = 0; t < table.types; ++t) {
    text << std::left << std::setw(9) << t << std::setw(13) << rounded(fit.costs[t], 4);
    if (is_robust) text << std::setw(13) << rounded(fit.errors[t], 2);
    text << rounded(fit.costs[t] / fit.costs[0], 4) << '\n';
  }
  if (!is_robust) return text.str();
  text << "fixed    " << rounded(fit.fixed, 4) << "  (of a rank, regardless of its work)\n";
  if (fit.frozen > 0)
    text << "The data cannot determine " << fit.frozen << " of " << table.types + 1
         << " combinations of costs:\nthere, all types are taken to cost the same.\n";
  return text.str();
}

}  // namespace

CountTable read_counts(const std::string& counts_path, const std::string& seconds_path,
                       const ProgressOf& progress) {
  const auto open = [&](const std::string& path) {
    return open_array(path, progress ? progress(path) : Progress());
  };
  const auto counts = open(counts_path), seconds = open(seconds_path);
  if (counts->rows() == 0 || counts->columns() == 0)
    refuse_fit(joined({in_quotes(counts_path), " has no rows."}), "Give a row for each rank.");
  if (counts->columns() >= WorkModel::most_columns)
    refuse_fit(
        joined({in_quotes(counts_path), " has ", std::to_string(counts->columns()), " columns."}),
        "Give " + std::to_string(WorkModel::most_columns - 1) + " types at most.");
  if (seconds->rows() != counts->rows())
    refuse_fit(
        joined({in_quotes(seconds_path), " has ", std::to_string(seconds->rows()), " rows, and ",
                in_quotes(counts_path), " has ", std::to_string(counts->rows()), "."}),
        "Give the seconds of each row of counts.");
  const std::vector<double> amounts = read_numbers(*counts, "counts");
  const std::vector<double> times = read_numbers(*seconds, "seconds");
  CountTable table;
  table.types = static_cast<std::size_t>(counts->columns());
  const auto looks = static_cast<std::size_t>(seconds->columns());
  for (std::size_t row = 0; row < static_cast<std::size_t>(counts->rows()); ++row)
    for (std::size_t look = 0; look < looks; ++look) {
      const auto first = amounts.begin() + static_cast<std::ptrdiff_t>(row * table.types);
      table.counts.insert(table.counts.end(), first,
                          first + static_cast<std::ptrdiff_t>(table.types));
      table.seconds.push_back(times[row * looks + look]);
    }
  return table;
}

FitMethod fit_method_from(const std::string& name) {
  for (const FitMethod method : {FitMethod::robust, FitMethod::minimum_norm})
    if (name == name_of(method)) return method;
  refuse_fit(joined({"There is no method ", in_quotes(name), "."}),
             "Choose robust or minimum_norm.");
}

WorkEstimate fit_counts(const CountTable& table, FitMethod method,
                        const std::function<void(double done)>& progress) {
  if (method == FitMethod::minimum_norm) {
    WorkEstimate plain;
    plain.costs = minimum_norm_costs(table.counts, table.types, table.seconds);
    plain.errors.assign(table.types, 0.0);
    return plain;
  }
  WorkModel model(std::vector<WorkModel::Column>(table.types, WorkModel::Column::type),
                  {.forgetting = 1, .remembered = table.seconds.size()});
  const std::span<const double> counts = table.counts;
  for (std::size_t row = 0; row < table.seconds.size(); ++row)
    model.observe(counts.subspan(row * table.types, table.types), table.seconds[row]);
  if (!model.has_observed())
    refuse_fit("All seconds are 0.", "Give how long each row of counts took.");
  constexpr int passes = 3 * WorkModel::settled_passes;
  for (int pass = 0; pass < passes; ++pass) {
    static_cast<void>(model.sums());
    model.solve();
    if (progress) progress(static_cast<double>(pass + 1) / passes);
  }
  return model.estimate();
}

std::string report_of(const CountTable& table, const WorkEstimate& fit, FitMethod method,
                      bool json) {
  return json ? as_json(table, fit, method) : as_text(table, fit, method);
}

}  // namespace evenkeel::tool
