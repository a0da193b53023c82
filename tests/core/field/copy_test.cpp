#include "field/copy.hpp"

#include "support/harness.hpp"

namespace evenkeel::copy_test {
namespace {

using Bytes = std::vector<unsigned char>;
using List = std::vector<std::int64_t>;

// Objects of `components` values of `element` bytes, with gaps of `gap` bytes. They begin at byte
// `shift` of an array.
struct Field {
  Bytes bytes;
  FieldLayout at;

  Field(std::int64_t count, int element, int components, int gap, int shift, bool by_component) {
    const std::int64_t value = element + gap;
    bytes.resize(static_cast<std::size_t>(shift + count * components * value + 64));
    at.data = bytes.data() + shift;
    at.element_bytes = element;
    at.components = components;
    at.count = at.capacity = count;
    at.object_stride_bytes = by_component ? value : components * value;
    at.component_stride_bytes = by_component ? count * value : value;
  }
  void* value(std::int64_t object, int component) const {
    return static_cast<char*>(at.data) + object * at.object_stride_bytes +
           component * at.component_stride_bytes;
  }
};

void expect_copied(Field& to, const List* to_objects, const Field& from, const List* from_objects,
                   std::int64_t count) {
  Field expected = to;
  expected.at.data =
      expected.bytes.data() + (static_cast<unsigned char*>(to.at.data) - to.bytes.data());
  const auto object = [](const List* list, std::int64_t i) {
    return list == nullptr ? i : (*list)[static_cast<std::size_t>(i)];
  };
  for (std::int64_t i = 0; i < count; ++i)
    for (int c = 0; c < to.at.components; ++c)
      std::memcpy(expected.value(object(to_objects, i), c), from.value(object(from_objects, i), c),
                  static_cast<std::size_t>(to.at.element_bytes));
  const auto data = [](const List* list) { return list == nullptr ? nullptr : list->data(); };
  const Space host = Space::where(MemoryKind::host);
  copy_chosen_objects(host, to.at, data(to_objects), from.at, data(from_objects), count);
  host.fence("test");
  EXPECT_TRUE(to.bytes == expected.bytes);
}

// Objects have any number of words, aligned or not. Copies use lists, or no lists.
TEST(CopyChosenObjects, BetweenAllForms) {
  std::mt19937_64 random(1);
  constexpr std::int64_t objects = 100;
  for (const int element : {1, 2, 4, 8, 12, 16, 24, 40, 56, 64, 72, 80})
    for (const int components : {1, 2, 3, 9})
      for (const int form : {0, 1, 2, 3, 4}) {
        const int gap = form == 1 ? 8 : form == 2 ? 3 : 0;
        Field from(objects, element, components, gap, form == 3 ? 1 : 0, form == 4);
        Field to(objects, element, components, form == 1 ? 0 : gap, 0, form % 2 == 0);
        for (unsigned char& byte : from.bytes) byte = static_cast<unsigned char>(random());
        List some(objects), others(objects);
        std::iota(some.begin(), some.end(), 0);
        std::iota(others.begin(), others.end(), 0);
        std::shuffle(some.begin(), some.end(), random);
        std::shuffle(others.begin(), others.end(), random);
        SCOPED_TRACE(std::to_string(components) + " x " + std::to_string(element) + ", form " +
                     std::to_string(form));
        expect_copied(to, nullptr, from, &some, 70);
        expect_copied(to, &others, from, nullptr, 70);
        expect_copied(to, &others, from, &some, objects);
        expect_copied(to, nullptr, from, nullptr, 1);
        expect_copied(to, nullptr, from, nullptr, 0);
      }
}

}  // namespace
}  // namespace evenkeel::copy_test
