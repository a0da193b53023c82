// The head of the page: names the run, and reports the parts of its journal that could not be read.

#include "report/amounts.hpp"
#include "report/sections.hpp"

#include <evenkeel/backends/words.hpp>

namespace evenkeel::tool::report {

namespace {

std::string broken_lines(const Reading& reading) {
  std::string items;
  for (const BrokenLine& each : reading.first)
    items += element("li", escaped("Line " + detail::count_of(each.line) + ": " + each.reason));
  const auto more = reading.broken - static_cast<std::int64_t>(reading.first.size());
  if (more > 0) items += element("li", "and " + detail::count_of(more) + " more");
  return paragraph(counted(reading.broken, "line") + " of " + detail::count_of(reading.lines) +
                   " cannot be understood and " + (reading.broken == 1 ? "is" : "are") +
                   " left out:") +
         element("ul", items);
}

std::string warnings(const Model& model) {
  const Reading& reading = model.reading;
  std::string text;
  if (reading.is_cut_off)
    text += paragraph(
        "The last line of the journal is cut off: the run was killed, or is still writing. The "
        "report covers the lines before it.");
  if (reading.is_unfinished)
    text += paragraph(
        "The run ended without finish(). Its last steps, after the last look, are not included.");
  if (!reading.is_cut_off && !reading.is_unfinished && !reading.is_finished)
    text += paragraph(
        "The journal does not say how the run has ended: the run was killed, is still running, or "
        "is of a version of evenkeel that wrote no last line. The report covers the run up to the "
        "last look.");
  if (model.start.version.empty())
    text += paragraph("The journal's first line is missing: version and options are not known.");
  if (reading.left_out_from)
    text += paragraph("From step " + detail::count_of(*reading.left_out_from) +
                      " on the run has left out lines, since its looks came faster than they could "
                      "be written.");
  if (reading.broken > 0) text += broken_lines(reading);
  if (text.empty()) return text;
  return element("div", {{"class", "warning"}, {"role", "note"}},
                 element("strong", "This journal is incomplete.") + '\n' + text) +
         '\n';
}

}  // namespace

std::string head_section(const Model& model) {
  std::string facts = counted(model.ranks, "rank") + ", " +
                      counted(model.last_step - model.first_step, "step") + " in " +
                      counted(model.looks, "look") + ", " + counted(model.changing, "rebalance") +
                      detail::and_unchanged(model.unchanging);
  const auto option = [&](const char* key) {
    const auto found = model.options.find(key);
    return found == model.options.end() ? std::string() : found->second;
  };
  for (const char* key : {"method", "trigger"})
    if (!option(key).empty()) facts.append(", ").append(key).append(" ").append(option(key));
  return element("header", '\n' + element("h1", escaped(title_of(model))) + '\n' +
                               paragraph(facts) + warnings(model)) +
         '\n';
}

}  // namespace evenkeel::tool::report
