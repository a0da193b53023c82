"""How the site reads headers (docs/site/headers.py) and pages (check.py, stage.py); scripts/docs
--check runs this.
"""

import textwrap
import unittest

import check
import headers
import stage

HEADER = textwrap.dedent("""\
    #pragma once

    // What the file holds. More.

    // A second paragraph names Named.

    #include <evenkeel/backends/error.hpp>
    #include <vector>

    namespace evenkeel {

    class Elsewhere;

    namespace detail {
    struct Hidden {};
    }  // namespace detail

    // Many things.
    class EVENKEEL_API Widget {
     public:
      Widget() = default;
      // Makes one of a size,
      // in two lines.
      explicit Widget(int size) : size_(size), map_{{1, 2}} {}
    #if EVENKEEL_HAS_MPI
      explicit Widget(MPI_Comm users);
    #endif
      Widget(Widget&&) noexcept;
      Widget& operator=(Widget&&) noexcept;

      int size() const noexcept { return size_; }  // in bytes
      void grow(int by);

      // For each value.
      template <class Value, int n = (3 > 2)>
      requires(!std::same_as<Value, int>) std::vector<Value>
          all(const std::function<void(int)>& call, char end = '}') const {
        return {};  // nothing
      }

     private:
      int size_ = 0;
      Map map_;
    };

    struct Named {
      std::function<bool(int, int)> less = {};  // an order
      double (*rule)(double) = nullptr;
      int first = 0, last[2];
      friend bool operator==(const Named&, const Named&) = default;
    };

    // Colours.
    enum class Colour { red, green };
    const char* name_of(Colour colour);

    // A comment that stands for itself.

    template <class T>
    concept Sized = requires(T t) {
      { t.size() } -> std::same_as<int>;
    } && !std::is_const_v<T>;

    // Two functions.
    int twice(int value);
    inline long twice(long value) { return 2 * value; }

    double twice(double value);
    void alone();

    inline void Widget::grow(int by) { size_ += by; }

    }  // namespace evenkeel
    """)


class Headers(unittest.TestCase):
    def setUp(self):
        self.header = headers.read_text(HEADER, "evenkeel/core/thing.hpp", "thing.hpp")
        self.found = {}
        for declaration in headers.all_declarations(self.header.entries):
            self.found.setdefault(declaration.full_name, []).append(declaration)

    def one(self, name):
        self.assertEqual(len(self.found["evenkeel::" + name]), 1)
        return self.found["evenkeel::" + name][0]

    def test_head(self):
        self.assertEqual(self.header.intro,
                         "What the file holds. More.\n\nA second paragraph names Named.")
        self.assertEqual(headers.first_sentence(self.header.intro), "What the file holds")
        self.assertEqual(self.header.includes, ["evenkeel/backends/error.hpp"])

    def test_what_users_may_not_use_is_left_out(self):
        names = " ".join(self.found)
        for hidden in ("Elsewhere", "Hidden", "size_", "map_"):
            self.assertNotIn(hidden, names)

    def test_class(self):
        widget = self.one("Widget")
        self.assertEqual(widget.code, "class Widget")
        self.assertEqual(widget.traits, ["Can be moved, not copied."])
        made = self.found["evenkeel::Widget::Widget"]
        self.assertEqual([d.code for d in made],
                         ["explicit Widget(int size)", "explicit Widget(MPI_Comm users)"])
        self.assertEqual([d.condition for d in made], ["", "EVENKEEL_HAS_MPI"])
        entry = widget.entries[0]
        self.assertEqual(entry.comment, "Makes one of a size,\nin two lines.")
        self.assertEqual(entry.declarations, made)

    def test_members(self):
        self.assertEqual(self.one("Widget::size").trailing, "in bytes")
        self.assertEqual(self.one("Widget::all").code.split("\n"), [
            "template <class Value, int n = (3 > 2)>", "requires(!std::same_as<Value, int>)",
            "std::vector<Value> all(const std::function<void(int)>& call, char end = '}') const"])
        self.assertEqual(self.one("Named::less").kind, "variable")
        self.assertEqual(self.one("Named::rule").kind, "variable")
        self.assertEqual(self.one("Named::first").others, ["last"])
        self.assertEqual(self.one("Named").traits, ["Compares by ==."])

    def test_concept_and_enum(self):
        self.assertTrue(self.one("Sized").code.endswith("&& !std::is_const_v<T>"))
        self.assertEqual([e.declarations[0].name for e in self.one("Colour").entries], ["red"])
        self.assertEqual(self.one("Colour::green").kind, "enumerator")

    def test_comments(self):
        by_comment = {e.comment: e.declarations for e in self.header.entries}
        self.assertEqual(by_comment["A comment that stands for itself."], [])
        self.assertEqual([d.code for d in by_comment["Two functions."]],
                         ["int twice(int value)", "long twice(long value)"])

    def test_undocumented(self):
        # Described: Named in the head, name_of and the double as neighbour and overload; size()
        # behind its line.
        self.assertEqual([line.rpartition(" ")[2] for line in headers.undocumented(self.header)],
                         ["evenkeel::Widget::grow", "evenkeel::Sized", "evenkeel::alone"])


class Pages(unittest.TestCase):
    TEXTS = {"README.md": "# Top\n\n[a](docs/a.md#two-words-here) [b](docs/b.md) [c](docs)\n",
             "docs/a.md": "# A\n\n## Two *words*, `here`\n\n[up](../README.md#top) [x](#none)\n\n"
                          "```cpp\n[](no.md)\n```\n`[](no.md)` <https://example.org/x> "
                          "[y](http:/bad)\n"}

    def test_links(self):
        problems = list(check.check_pages(["README.md", "docs/a.md"], self.TEXTS))
        self.assertEqual(problems, ["README.md:3: there is no docs/b.md",
                                    "docs/a.md:5: docs/a.md has no heading #none",
                                    "docs/a.md:10: http:/bad is no address"])

    def test_headings(self):
        text = "# One\n## One\n```\n# no\n```\n### `std::vector` and [more](x.md)\n"
        self.assertEqual(check.headings_of(text), {"one", "one-1", "stdvector-and-more"})

    def test_one_title(self):
        site = stage.Site.__new__(stage.Site)  # without a checkout
        text = "# One\n## Two\n# Three\n## Four\n```\n# no\n```\n"
        self.assertEqual(site.rewritten(text, "docs/a.md", "a"),
                         "# One\n## Two\n## Three\n### Four\n```\n# no\n```\n")

    def test_documents(self):
        for page, document in (("README.md", "index"), ("docs/howto/halos.md", "howto/halos"),
                               ("core/README.md", "reference/core"),
                               ("CHANGELOG.md", "changelog")):
            self.assertEqual(stage.document_of(page), document)


if __name__ == "__main__":
    unittest.main()
