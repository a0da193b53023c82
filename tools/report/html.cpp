#include "report/html.hpp"

#include <algorithm>

namespace evenkeel::tool::report {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string escaped(std::string_view text) {
  std::string all;
  all.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': all += "&amp;"; break;
      case '<': all += "&lt;"; break;
      case '>': all += "&gt;"; break;
      case '"': all += "&quot;"; break;
      case '\'': all += "&#39;"; break;
      default:
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F)
          all += c == '\n' || c == '\t' ? std::string_view(" ") : replacement;
        else
          all += c;
    }
  }
  return all;
}

std::string without_tags(std::string_view json) {
  std::string all;
  all.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      all += "\\u003c";
    else if (c == '>')
      all += "\\u003e";
    else if (c == '&')
      all += "\\u0026";
    else
      all += c;
  }
  return all;
}

std::string element(std::string_view name, const Attributes& attributes, std::string_view content) {
  std::string all = "<";
  all += name;
  for (const auto& [key, value] : attributes)
    all.append(" ").append(key).append("=\"").append(escaped(value)).append("\"");
  return all.append(">").append(content).append("</").append(name).append(">");
}

std::string element(std::string_view name, std::string_view content) {
  return element(name, {}, content);
}

HtmlTable::HtmlTable(std::string_view caption, std::initializer_list<std::string_view> columns)
    : caption_(caption), columns_(columns.begin(), columns.end()) {}

HtmlTable& HtmlTable::words_in(std::initializer_list<std::size_t> columns) {
  words_ = columns;
  return *this;
}

std::string HtmlTable::cell(std::string_view name, std::size_t column, std::string_view content,
                            std::string_view scope) const {
  Attributes attributes;
  if (!scope.empty()) attributes.emplace_back("scope", scope);
  if (std::find(words_.begin(), words_.end(), column) != words_.end())
    attributes.emplace_back("class", "words");
  return element(name, attributes, content);
}

void HtmlTable::add(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i)
    row += cell(i == 0 ? "th" : "td", i, cells[i], i == 0 ? "row" : "");
  rows_ += element("tr", row) + '\n';
}

std::string HtmlTable::html() const {
  std::string head;
  for (std::size_t i = 0; i < columns_.size(); ++i) head += cell("th", i, columns_[i], "col");
  const std::string table =
      element("table", element("caption", caption_) + element("thead", element("tr", head)) +
                           element("tbody", '\n' + rows_));
  // A wide table scrolls in a region of its own, which the keyboard can reach.
  return element(
      "div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption_}},
      table);
}

}  // namespace evenkeel::tool::report
