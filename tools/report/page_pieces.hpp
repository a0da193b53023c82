#pragma once

// The pieces of a page that are the same in every report: page.html, page.css and page.js, which
// the build puts into the program.

#include <string_view>

namespace evenkeel::tool::report {

extern const std::string_view page_html, page_css, page_js;

}  // namespace evenkeel::tool::report
