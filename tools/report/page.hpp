#pragma once

// The whole report as one HTML file, which needs nothing beside it and loads nothing.

#include "report/model.hpp"

#include <string>

namespace evenkeel::tool::report {

struct PageOptions {
  int refresh_seconds = 0;  // after these the browser asks for the page again; 0: never
};

std::string page_of(const Model& model, const PageOptions& options = {});

}  // namespace evenkeel::tool::report
