// Domains before and after a rebalance, on planes through the box.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

#include <algorithm>
#include <map>

namespace evenkeel::tool::report {

namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

std::string name_of(const DomainSections& domains, const DomainSections::Plane& plane) {
  std::string name = std::string(axis_names[plane.across]) + ", " + axis_names[plane.up];
  if (domains.low.size() < 3) return name;
  const int other = std::clamp(3 - plane.across - plane.up, 0, 2);
  return name.append(" at ").append(axis_names[other]).append(" = ").append(short_number(plane.at));
}

// The aspect ratio of the box on this plane, within limits.
std::string shape_of(const DomainSections& domains, const DomainSections::Plane& plane) {
  const auto extent = [&](int axis) {
    const auto a = static_cast<std::size_t>(axis);
    return domains.high[a] - domains.low[a];
  };
  const double ratio = extent(plane.across) / extent(plane.up);
  return "aspect-ratio:" + detail::fixed(ratio > 0 ? std::clamp(ratio, 0.25, 4.0) : 1, 3);
}

std::string canvas_of(const DomainSections& domains, std::size_t number, const char* when) {
  const DomainSections::Plane& plane = domains.planes[number];
  const std::string name = name_of(domains, plane) + ", " + when;
  return element("figure", element("canvas",
                                   {{"data-plane", std::to_string(number)},
                                    {"data-when", when},
                                    {"role", "img"},
                                    {"aria-label", "Owners on the plane " + name + " a rebalance"},
                                    {"style", shape_of(domains, plane)}},
                                   "") +
                               element("figcaption", escaped(name)));
}

std::string choice_of(const std::vector<DomainChange>& changes) {
  std::string options;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Attributes attributes = {{"value", std::to_string(i)}};
    if (i + 1 == changes.size()) attributes.emplace_back("selected", "");
    options += element("option", attributes,
                       "the rebalance after step " + detail::count_of(changes[i].step));
  }
  return element("p", element("label", "Before and after " +
                                           element("select", {{"id", "change"}}, options)) +
                          " " + element("output", {{"id", "owner"}}, "")) +
         '\n';
}

std::string box_text(const DomainSections& domains) {
  std::string text;
  for (std::size_t axis = 0; axis < domains.low.size() && axis < 3; ++axis)
    text += (axis > 0 ? ", " : "") + std::string(axis_names[axis]) + " from " +
            short_number(domains.low[axis]) + " to " + short_number(domains.high[axis]);
  return text;
}

// The number of cells of each owner, on all planes.
std::map<int, std::int64_t> cells_of(const DomainSections& domains) {
  std::map<int, std::int64_t> cells;
  for (const DomainSections::Plane& plane : domains.planes)
    for (const int owner : plane.owners) ++cells[owner];
  return cells;
}

std::int64_t sum_of(const std::map<int, std::int64_t>& cells) {
  std::int64_t sum = 0;
  for (const auto& [owner, count] : cells) sum += count;
  return sum;
}

std::string table_of(const DomainChange& change) {
  constexpr std::size_t most_rows = 256;
  const auto before = cells_of(change.before), after = cells_of(change.after);
  const auto all_before = static_cast<double>(sum_of(before));
  const auto all_after = static_cast<double>(sum_of(after));
  std::map<int, std::int64_t> owners = before;
  owners.insert(after.begin(), after.end());
  HtmlTable table("Share of the planes that each rank owns, before and after the last rebalance",
                  {"rank", "before", "after"});
  std::size_t rows = 0;
  const auto share = [](const auto& cells, int owner, double all) {
    const auto found = cells.find(owner);
    if (!(all > 0)) return std::string("unknown");
    return share_of(found == cells.end() ? 0 : static_cast<double>(found->second), all);
  };
  for (const auto& [owner, count] : owners)
    if (rows++ < most_rows)
      table.add({std::to_string(owner), share(before, owner, all_before),
                 share(after, owner, all_after)});
  return folded(owners.size() > most_rows ? "The first 256 ranks in numbers" : "In numbers",
                table.html());
}

}  // namespace

std::string domains_section(const Model& model) {
  if (model.domain_changes.empty()) return {};
  const DomainChange& last = model.domain_changes.back();
  std::string planes;
  for (std::size_t i = 0; i < last.after.planes.size(); ++i)
    planes += element("div", canvas_of(last.after, i, "before") + '\n' +
                                 canvas_of(last.after, i, "after")) +
              '\n';
  const bool is_flat = last.after.low.size() == 2;
  return section("domains", "Domains",
                 paragraph(std::string(is_flat ? "The box, cut into cells: "
                                               : "Planes through the box, cut into cells: ") +
                           "each cell has the colour of the rank that owns its middle. White lines "
                           "are borders between ranks. The box is " +
                           box_text(last.after) + ".") +
                     choice_of(model.domain_changes) +
                     element("div", {{"class", "planes"}}, planes) + '\n' + table_of(last));
}

}  // namespace evenkeel::tool::report
