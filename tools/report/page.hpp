#pragma once

// The whole report as one HTML file, which needs nothing beside it and loads nothing.

#include "report/model.hpp"

#include <string>

namespace evenkeel::tool::report {

std::string page_of(const Model& model);

}  // namespace evenkeel::tool::report
