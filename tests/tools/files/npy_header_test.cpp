#include "files/npy_header.hpp"

#include "support/harness.hpp"

namespace evenkeel::tool::npy_header_test {
namespace {

using namespace std::string_literals;
using test::error_of;

// Returns the bytes before the elements. The length in them is that of the text.
std::string with_preamble(std::string_view text, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes.push_back(static_cast<char>(version));
  bytes.push_back(0);
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes.push_back(static_cast<char>(text.size() >> static_cast<unsigned>(8 * i) & 0xFFU));
  return bytes.append(text);
}

NpyHeader header_of(std::string_view bytes) {
  return read_npy_header(MemorySource("points.npy", bytes));
}

constexpr std::string_view write_anew = "Write it again with numpy.save.";

void expect_refused(std::string_view bytes, int byte, std::string_view problem,
                    std::string_view remedy = write_anew) {
  std::string text = "evenkeel: tools/files: Byte ";
  text.append(std::to_string(byte)).append(" of 'points.npy': ").append(problem).append(" ");
  EXPECT_EQ(error_of([&] { header_of(bytes); }), text.append(remedy));
}
void expect_text_refused(std::string_view text, int byte, std::string_view problem,
                         std::string_view remedy = write_anew) {
  expect_refused(with_preamble(text), byte, problem, remedy);
}

TEST(NpyHeader, AsNumPyWritesIt) {
  const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (7, 3), }     \n";
  for (const int version : {1, 2, 3}) {
    const NpyHeader header = header_of(with_preamble(text, version) + "elements");
    EXPECT_EQ(header.type, ElementType::real64);
    EXPECT_EQ(header.swapped, std::endian::native == std::endian::big);
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.shape, (std::vector<std::uint64_t>{7, 3}));
    EXPECT_EQ(header.data, text.size() + (version == 1 ? 10 : 12));
  }
}

TEST(NpyHeader, OtherSpellings) {
  for (const std::string_view text :
       {"{'shape': (18446744073709551615,), 'fortran_order': True, 'descr': 'i4'}",
        "{\"descr\":\"i4\",\"fortran_order\":True,\"shape\":(18446744073709551615L,)}",
        "\n { 'fortran_order' : True ,\t'shape' : ( 18446744073709551615 , ) ,\r\n'descr' : "
        "'=i4' , }"}) {
    const NpyHeader header = header_of(with_preamble(text));
    EXPECT_EQ(header.type, ElementType::integer32) << text;
    EXPECT_FALSE(header.swapped) << text;
    EXPECT_TRUE(header.fortran_order) << text;
    EXPECT_EQ(header.shape, (std::vector<std::uint64_t>{~std::uint64_t{0}})) << text;
  }
}

TEST(NpyHeader, TypesAndByteOrders) {
  const std::vector<std::pair<std::string, ElementType>> types = {{"f4", ElementType::real32},
                                                                  {"f8", ElementType::real64},
                                                                  {"i4", ElementType::integer32},
                                                                  {"i8", ElementType::integer64}};
  const bool little = std::endian::native == std::endian::little;
  const std::vector<std::pair<std::string, bool>> orders = {
      {"", false}, {"=", false}, {"|", false}, {"<", !little}, {">", little}};
  for (const auto& [name, type] : types)
    for (const auto& [order, swapped] : orders) {
      const NpyHeader header = header_of(with_preamble(
          "{'descr': '" + order + name + "', 'fortran_order': False, 'shape': (1,)}"));
      EXPECT_EQ(header.type, type) << order << name;
      EXPECT_EQ(header.swapped, swapped) << order << name;
    }
}

TEST(NpyHeader, Preambles) {
  expect_refused("", 0, "this is not a .npy file, since it does not begin with \\x93NUMPY.");
  expect_refused("\x93NUMP", 0,
                 "this is not a .npy file, since it does not begin with \\x93NUMPY.");
  expect_refused("1,2,3\n4,5,6\n", 0,
                 "this is not a .npy file, since it does not begin with \\x93NUMPY.");
  expect_refused("\x93NUMPY", 6, "the file ends inside its header.");
  expect_refused("\x93NUMPY\1", 7, "the file ends inside its header.");
  expect_refused("\x93NUMPY\1\0\1"s, 9, "the file ends inside its header.");
  expect_refused("\x93NUMPY\2\0\1\0\0"s, 11, "the file ends inside its header.");
  expect_refused("\x93NUMPY\4\0\1\0\0\0"s, 6,
                 "the version of the format is 4.0; 1.0, 2.0 and 3.0 are supported.");
  expect_refused("\x93NUMPY\0\0"s, 6,
                 "the version of the format is 0.0; 1.0, 2.0 and 3.0 are supported.");
  expect_refused("\x93NUMPY\1\1\1\0"s, 6,
                 "the version of the format is 1.1; 1.0, 2.0 and 3.0 are supported.");
}

TEST(NpyHeader, Lengths) {
  expect_refused("\x93NUMPY\1\0\x76\0{'descr'"s, 8,
                 "the header is said to have 118 bytes, but 8 follow.");
  expect_refused("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{}"s, 8,
                 "the header is said to have 4294967295 bytes, but 2 follow.");
  const std::string text(65537, ' ');
  expect_refused(with_preamble(text, 2), 8,
                 "the header is said to have 65537 bytes, which is too long for an array of "
                 "numbers.");
}

TEST(NpyHeader, Dictionaries) {
  expect_text_refused("", 10, "the header should have '{' here.");
  expect_text_refused("  [", 12, "the header should have '{' here.");
  expect_text_refused("{}", 12, "the header lacks the key 'descr'.");
  expect_text_refused("{'descr': '<f8'}", 26, "the header lacks the key 'fortran_order'.");
  expect_text_refused("{'descr': '<f8', 'fortran_order': True}", 49,
                      "the header lacks the key 'shape'.");
  expect_text_refused("{descr: '<f8'}", 11, "the header should have a quoted string here.");
  expect_text_refused("{'descr: ", 11, "a string in the header has no closing quote.");
  expect_text_refused("{'descr' '<f8'}", 19, "the header should have ':' here.");
  expect_text_refused("{'descr': '<f8' 'shape'}", 26, "the header should have ',' or '}' here.");
  expect_text_refused("{'descr': '<f8'\0}"s, 25, "the header should have ',' or '}' here.");
  expect_text_refused("{'descr': '<f8', 'order': 1}", 27, "the header has an unknown key 'order'.");
  expect_text_refused("{'descr': '<f8', 'descr': '<f8'}", 27,
                      "the header has a second key 'descr'.");
  expect_text_refused("{'fortran_order': false}", 28, "fortran_order should be True or False.");
  expect_text_refused("{'descr': 'f8', 'fortran_order': True, 'shape': (1,)} \n x", 66,
                      "the header continues after its end.");
}

TEST(NpyHeader, Types) {
  const std::string remedy =
      "Convert the array with astype('f8'), or astype('i8') for indices, before you save it.";
  for (const std::string type : {"<u8", "<f2", "|b1", "|O", "<c16", "<U3", "f", "", "<", "<<f8"})
    expect_text_refused("{'descr': '" + type + "'}", 20,
                        "the type '" + type + "' is not supported; f4, f8, i4 and i8 are.", remedy);
  expect_text_refused("{'descr': [('x', '<f8')]}", 20, "the array holds records, not numbers.",
                      remedy);
}

TEST(NpyHeader, Shapes) {
  const std::string whole = "the shape should be whole numbers in parentheses.";
  expect_text_refused("{'shape': 3}", 20, whole);
  expect_text_refused("{'shape': (x,)}", 21, whole);
  expect_text_refused("{'shape': (3, 1.5)}", 25, "the shape should have ',' or ')' here.");
  expect_text_refused("{'shape': (3)}", 22, "the shape should have ',' here.");
  expect_text_refused("{'shape': (3, , 4)}", 24, whole);
  expect_text_refused("{'shape': (3,", 23, whole);
  expect_text_refused("{'shape': (-1, 3)}", 21, "an extent of the shape is negative.");
  expect_text_refused("{'shape': (18446744073709551616,)}", 21,
                      "an extent of the shape does not fit in 64 bits.");
  const std::string remedy = "Save an array with a row for each object.";
  expect_text_refused("{'shape': ()}", 21, "the array has 0 dimensions; one or two are supported.",
                      remedy);
  expect_text_refused("{'shape': (1, 2, 3)}", 21,
                      "the array has 3 dimensions; one or two are supported.", remedy);
  std::string many = "{'shape': (";
  for (int i = 0; i < 70; ++i) many.append("1,");
  expect_text_refused(many, 150, "the shape has too many dimensions.");
}

}  // namespace
}  // namespace evenkeel::tool::npy_header_test
