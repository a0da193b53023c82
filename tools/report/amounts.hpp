#pragma once

// Formats the numbers of a report. A run without a clock counts weight where others count seconds.

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::tool::report {

class Amounts {
 public:
  explicit Amounts(bool is_deterministic) : counts_weight_(is_deterministic) {}

  // "1.25 ms", or "1,250 of weight".
  std::string of(double seconds) const;
  std::string of(const std::optional<double>& seconds) const;  // "unknown" if it is empty
  // For axes: the seconds and the name of the unit that suits the greatest value.
  struct Unit {
    double seconds;
    std::string name;
  };
  Unit unit_for(double most_seconds) const;

 private:
  bool counts_weight_;
};

std::string share_of(double part, double whole);  // "12.5 %"
std::string lambda_text(double lambda);
std::string counted(std::int64_t number, const std::string& what);  // "1 look", "3 looks"
// Few digits, without a unit: for axes and data.
std::string short_number(double number);

}  // namespace evenkeel::tool::report
