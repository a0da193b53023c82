#pragma once

// Formats the numbers of a report. In a run without a clock, numbers are weights instead of
// seconds.

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::tool::report {

class Amounts {
 public:
  explicit Amounts(bool is_deterministic) : counts_weight_(is_deterministic) {}

  // Returns text such as "1.25 ms" or "1,250 of weight".
  std::string of(double seconds) const;
  std::string of(const std::optional<double>& seconds) const;  // "unknown" if it is empty
  // The seconds and the name of the unit that suits the greatest value on an axis.
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
// Returns few digits, without a unit, for axes and data.
std::string short_number(double number);

}  // namespace evenkeel::tool::report
