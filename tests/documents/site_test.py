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
      template <class Value, int n = 3>
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
    enum class Colour {
      red,  // as fire
      green
    };
    const char* name_of(Colour colour);

    // A comment that stands for itself.

    template <class T>
    concept Sized = requires(T t) {
      { t.size() } -> std::same_as<int>;
    } && !std::is_const_v<T>;

    // Two functions of a `Widget`:
    //   twice(twice(2));
    int twice(int value);
    inline long twice(long value) { return 2 * value; }

    double twice(double value);
    void alone();

    inline void Widget::grow(int by) { size_ += by; }

    }  // namespace evenkeel
    """)


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = headers.Header("evenkeel/core/thing.hpp", "thing.hpp", HEADER)
        cls.reference = headers.Reference([cls.header])
        cls.page = cls.reference.page("evenkeel/core/thing.hpp")

    def test_head(self):
        self.assertEqual(self.header.intro,
                         "What the file holds. More.\n\nA second paragraph names Named.")
        self.assertEqual(stage.first_sentence(self.header.intro), "What the file holds")
        self.assertTrue(self.page.startswith("# core/thing.hpp\n\nWhat the file holds. More."))

    def test_what_users_may_not_use_is_left_out(self):
        for hidden in ("Elsewhere", "Hidden", "size_", "map_"):
            self.assertNotIn(hidden, self.page)

    def test_entries(self):
        for entry in (
                "## Widget\n\n(ek.evenkeel.-widget)=\n\n```cpp\nclass Widget\n```\n\nMany things.",
                "explicit Widget(int size)\nexplicit Widget(MPI_Comm users)\nWidget(Widget&&)",
                "noexcept\n```\n\nMakes one of a size,\nin two lines.",
                "`size`: in bytes\n\n`all`: For each value.",
                "template <class Value, int n = 3>\nrequires (!std::same_as<Value, int>)\n"
                "std::vector<Value> all(const std::function<void(int)>& call, char end = '}') "
                "const",
                "int first = 0\nint last[2]", "`less`: an order",
                "enum class Colour {\n  red,  // as fire\n  green,\n}\nconst char* name_of(",
                "\n\nA comment that stands for itself.\n\n",
                "int twice(int value)\nlong twice(long value)\n```\n\nTwo functions of a "
                "[`Widget`](ek.evenkeel.-widget):\n\n```cpp\ntwice(twice(2));\n```"):
            self.assertIn(entry, self.page)

    def test_names(self):
        self.assertEqual(self.reference.find("ek::Widget::size"), "ek.evenkeel.-widget.size")
        self.assertEqual(self.reference.find("ek::Colour"), "ek.evenkeel.-colour")
        self.assertIsNone(self.reference.find("ek::Hidden"))

    def test_undocumented(self):
        # All others have a comment: Named in the head of the file, name_of and the double as
        # neighbour and overload, and size() behind its line.
        self.assertEqual([line.rpartition(" ")[2]
                          for line in self.reference.undocumented(self.header)],
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
