#pragma once

// The whole report as one HTML file, which needs no other file and loads nothing.

#include "report/model.hpp"

namespace evenkeel::tool::report {

struct PageOptions {
  int refresh_seconds = 0;  // after this time the browser reloads the page; 0 means never
};

std::string page_of(const Model& model, const PageOptions& options = {});

}  // namespace evenkeel::tool::report
