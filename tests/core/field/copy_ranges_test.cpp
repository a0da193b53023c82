#include "field/copy_ranges.hpp"

#include "support/harness.hpp"

namespace evenkeel::copy_ranges_test {
namespace {

using Bytes = std::vector<unsigned char>;

// A field of objects with `components` values of `element` bytes each, packed or spread.
struct Field {
  Bytes bytes;
  FieldLayout at;

  Field(std::int64_t count, int element, int components, std::int64_t object_stride,
        std::int64_t component_stride) {
    const std::int64_t reach = count * object_stride + components * component_stride + element;
    bytes.resize(static_cast<std::size_t>(reach), 0xee);
    at.data = bytes.data();
    at.element_bytes = element;
    at.components = components;
    at.count = at.capacity = count;
    at.object_stride_bytes = object_stride;
    at.component_stride_bytes = component_stride;
  }
  unsigned char* value(std::int64_t object, int component) {
    return bytes.data() + object * at.object_stride_bytes + component * at.component_stride_bytes;
  }
  void fill(std::mt19937_64& random) {
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  }
};

enum class Form { packed, by_component, spread };

Field made(Form form, std::int64_t count, int element, int components) {
  switch (form) {
    case Form::packed: return {count, element, components, element * components, element};
    case Form::by_component: return {count, element, components, element, count * element};
    case Form::spread: return {count, element, components, (element + 3) * components, element + 3};
  }
  return {0, 1, 1, 1, 1};
}

// Draws random ranges, whose targets do not overlap.
std::vector<ObjectRange> any_ranges(std::int64_t from, std::int64_t to, std::mt19937_64& random) {
  std::vector<ObjectRange> ranges;
  for (std::int64_t next = 0; next < to;) {
    const std::int64_t count =
        std::min<std::int64_t>({to - next, from, static_cast<std::int64_t>(random() % 9)});
    const auto begin =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(from - count + 1));
    if (random() % 4 != 0) ranges.push_back({begin, next, count});
    next += std::max<std::int64_t>(1, count);
  }
  return ranges;
}

void expect_copied(Field& to, Field& from, Field expected, const std::vector<ObjectRange>& ranges) {
  for (const ObjectRange& range : ranges)
    for (std::int64_t i = 0; i < range.count; ++i)
      for (int c = 0; c < to.at.components; ++c)
        std::memcpy(expected.value(range.to + i, c), from.value(range.from + i, c),
                    static_cast<std::size_t>(to.at.element_bytes));
  copy_object_ranges(to.at, from.at, ranges);
  EXPECT_TRUE(to.bytes == expected.bytes);
}

TEST(CopyObjectRanges, BetweenAllForms) {
  std::mt19937_64 random(1);
  for (const Form form_from : {Form::packed, Form::by_component, Form::spread})
    for (const Form form_to : {Form::packed, Form::by_component, Form::spread})
      for (const int element : {1, 4, 8, 24})
        for (const int components : {1, 3}) {
          Field from = made(form_from, 50, element, components);
          Field to = made(form_to, 70, element, components);
          from.fill(random);
          expect_copied(to, from, made(form_to, 70, element, components),
                        any_ranges(50, 70, random));
        }
}

// Copies enough data for all threads of the host, in few ranges and in many.
TEST(CopyObjectRanges, MuchAtATime) {
  std::mt19937_64 random(2);
  constexpr std::int64_t count = 30'000;
  for (const Form form : {Form::packed, Form::by_component, Form::spread}) {
    Field from = made(form, count, 8, 3);
    from.fill(random);
    for (const bool few : {true, false}) {
      Field to = made(Form::packed, count, 8, 3);
      const std::vector<ObjectRange> ranges =
          few ? std::vector<ObjectRange>{{20'000, 0, 9999}, {0, 10'000, 1}, {5, 10'001, 19'000}}
              : any_ranges(count, count, random);
      expect_copied(to, from, made(Form::packed, count, 8, 3), ranges);
    }
  }
}

TEST(CopyObjectRanges, Nothing) {
  Field from = made(Form::packed, 2, 8, 1), to = made(Form::packed, 2, 8, 1);
  const Bytes before = to.bytes;
  copy_object_ranges(to.at, from.at, {});
  copy_object_ranges(to.at, from.at, std::vector<ObjectRange>{{0, 0, 0}});
  EXPECT_EQ(to.bytes, before);
}

}  // namespace
}  // namespace evenkeel::copy_ranges_test
