#pragma once

// The sections of the page, from top to bottom, as HTML. A section is empty if the journal has no
// data for it.

#include "report/chart.hpp"
#include "report/model.hpp"

namespace evenkeel::tool::report {

std::string head_section(const Model& model);
std::string summary_section(const Model& model);
std::string account_section(const Model& model);    // with and without rebalances
std::string time_section(const Model& model);       // per step, over the run
std::string imbalance_section(const Model& model);  // over the run
std::string loads_section(const Model& model);      // of ranks, over the run
std::string decisions_section(const Model& model);
std::string rebalances_section(const Model& model);
std::string stages_section(const Model& model);
std::string domains_section(const Model& model);  // before and after rebalances
std::string kernels_section(const Model& model);
std::string costs_section(const Model& model);
std::string options_section(const Model& model);

// Functions that several sections use.
std::string section(const std::string& id, const std::string& title, const std::string& content);
std::string paragraph(const std::string& text);  // which is escaped
std::string folded(const std::string& title, const std::string& content);
std::string title_of(const Model& model);
ChartAxis steps_axis(const Model& model);
// The name of a column in tables.
std::string steps_text(const TimeColumn& column);
// The means of these values for all columns, in units of `unit` seconds.
std::vector<Plot::Span> spans_of(const Model& model, OverSteps TimeColumn::*values, double unit);
// The steps after which rebalances were made, for the rebalances in the model.
std::vector<double> steps_of_rebalances(const Model& model);

}  // namespace evenkeel::tool::report
