#pragma once

// Escapes text for a page. Any content of a journal remains text if it is put between two tags, in
// an attribute in double quotes, or in a block of JSON.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::tool::report {

// The text with character references for & < > " ', and U+FFFD for control characters.
std::string escaped(std::string_view text);

// JSON for a script element: no tag can begin or end in it.
std::string without_tags(std::string_view json);

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

// <name attributes>content</name>. Values of attributes are escaped here; the content is not.
std::string element(std::string_view name, const Attributes& attributes, std::string_view content);
std::string element(std::string_view name, std::string_view content);

// A table. Its first row names the columns, and the first cell of every other row names the row.
// Cells are content, so their text must be escaped already.
class HtmlTable {
 public:
  HtmlTable(std::string_view caption, std::initializer_list<std::string_view> columns);

  // The columns with these numbers contain words, so they are aligned to the left. Other columns
  // hold numbers.
  HtmlTable& words_in(std::initializer_list<std::size_t> columns);
  void add(const std::vector<std::string>& cells);
  bool empty() const noexcept { return rows_.empty(); }
  std::string html() const;

 private:
  std::string cell(std::string_view name, std::size_t column, std::string_view content,
                   std::string_view scope) const;

  std::string caption_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> words_;
  std::string rows_;
};

}  // namespace evenkeel::tool::report
