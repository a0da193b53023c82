#pragma once

// Reads XML as strictly as a browser does, for tests of what the program writes: every element is
// closed, every attribute is quoted and given once, and there is one root. It knows no comments,
// no CDATA and no references but the five of XML itself.

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;        // within it, without that of elements in it
  std::size_t parent = 0;  // its own number: the root
  std::string operator[](const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

// All elements in the order of their beginnings.
class Xml {
 public:
  explicit Xml(std::string_view text) : text_(text) {
    read_element(0);
    skip_blanks();
    if (at_ != text_.size()) fail("text behind the root");
  }

  const std::vector<Element>& elements() const { return elements_; }
  std::vector<Element> named(const std::string& name) const {
    std::vector<Element> found;
    for (const Element& element : elements_)
      if (element.name == name) found.push_back(element);
    return found;
  }
  // Those that have this word in their class.
  std::vector<Element> of_class(const std::string& word) const {
    std::vector<Element> found;
    for (const Element& element : elements_)
      if ((" " + element["class"] + " ").find(" " + word + " ") != std::string::npos)
        found.push_back(element);
    return found;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + " at byte " + std::to_string(at_) + ": " +
                             std::string(text_.substr(at_, 40)));
  }
  char peek() const {
    if (at_ == text_.size()) fail("the end");
    return text_[at_];
  }
  void take(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) fail("no " + std::string(wanted));
    at_ += wanted.size();
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string read_name() {
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '-' || peek() == ':')
      ++at_;
    if (at_ == begin) fail("no name");
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string read_text(char end) {
    std::string all;
    while (peek() != end) {
      if (peek() == '<') fail("a tag within text");
      if (peek() == '&') read_reference();
      all += text_[at_++];
    }
    return all;
  }
  void read_reference() {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      if (text_.substr(at_, known.size()) == known) return;
    fail("an unknown reference");
  }
  void read_attributes(Element& element) {
    for (;;) {
      const std::size_t before = at_;
      skip_blanks();
      if (peek() == '>' || peek() == '/') return;
      if (at_ == before) fail("no blank before an attribute");
      const std::string key = read_name();
      take("=\"");
      if (!element.attributes.emplace(key, read_text('"')).second) fail("a second " + key);
      take("\"");
    }
  }
  void read_element(std::size_t parent) {
    const std::size_t number = elements_.size();
    take("<");
    elements_.push_back({read_name(), {}, {}, parent});
    Element element = elements_[number];
    read_attributes(element);
    elements_[number] = element;
    if (peek() == '/') return take("/>");
    take(">");
    for (;;) {
      elements_[number].text += read_text('<');
      if (text_.substr(at_, 2) == "</") break;
      read_element(number);
    }
    take("</" + elements_[number].name + ">");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Element> elements_;
};

}  // namespace evenkeel::test
