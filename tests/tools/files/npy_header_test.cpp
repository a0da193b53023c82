#include "files/npy_header.hpp"

#include "support/harness.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::tool {
namespace {

using namespace std::string_literals;
using test::error_of;

// The bytes before the elements; the length is that of the text.
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

std::string refusal_of(std::string_view bytes) {
  return error_of([&] { header_of(bytes); });
}

std::string refusal_of_text(std::string_view text) { return refusal_of(with_preamble(text)); }

constexpr std::string_view write_anew = "Write it again with numpy.save.";

std::string refusal(int byte, std::string_view problem, std::string_view remedy = write_anew) {
  std::string text = "evenkeel: tools/files: Byte ";
  text.append(std::to_string(byte)).append(" of 'points.npy': ").append(problem).append(" ");
  return text.append(remedy);
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
  EXPECT_EQ(refusal_of(""),
            refusal(0, "this is not a .npy file, since it does not begin with \\x93NUMPY."));
  EXPECT_EQ(refusal_of("\x93NUMP"),
            refusal(0, "this is not a .npy file, since it does not begin with \\x93NUMPY."));
  EXPECT_EQ(refusal_of("1,2,3\n4,5,6\n"),
            refusal(0, "this is not a .npy file, since it does not begin with \\x93NUMPY."));
  EXPECT_EQ(refusal_of("\x93NUMPY"), refusal(6, "the file ends inside its header."));
  EXPECT_EQ(refusal_of("\x93NUMPY\1"), refusal(7, "the file ends inside its header."));
  EXPECT_EQ(refusal_of("\x93NUMPY\1\0\1"s), refusal(9, "the file ends inside its header."));
  EXPECT_EQ(refusal_of("\x93NUMPY\2\0\1\0\0"s), refusal(11, "the file ends inside its header."));
  EXPECT_EQ(refusal_of("\x93NUMPY\4\0\1\0\0\0"s),
            refusal(6, "the version of the format is 4.0; 1.0, 2.0 and 3.0 are supported."));
  EXPECT_EQ(refusal_of("\x93NUMPY\0\0"s),
            refusal(6, "the version of the format is 0.0; 1.0, 2.0 and 3.0 are supported."));
  EXPECT_EQ(refusal_of("\x93NUMPY\1\1\1\0"s),
            refusal(6, "the version of the format is 1.1; 1.0, 2.0 and 3.0 are supported."));
}

TEST(NpyHeader, Lengths) {
  EXPECT_EQ(refusal_of("\x93NUMPY\1\0\x76\0{'descr'"s),
            refusal(8, "the header is said to have 118 bytes, but 8 follow."));
  EXPECT_EQ(refusal_of("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{}"s),
            refusal(8, "the header is said to have 4294967295 bytes, but 2 follow."));
  const std::string text(65537, ' ');
  EXPECT_EQ(refusal_of(with_preamble(text, 2)),
            refusal(8,
                    "the header is said to have 65537 bytes, which is too long for an array of "
                    "numbers."));
}

TEST(NpyHeader, Dictionaries) {
  EXPECT_EQ(refusal_of_text(""), refusal(10, "the header should have '{' here."));
  EXPECT_EQ(refusal_of_text("  ["), refusal(12, "the header should have '{' here."));
  EXPECT_EQ(refusal_of_text("{}"), refusal(12, "the header lacks the key 'descr'."));
  EXPECT_EQ(refusal_of_text("{'descr': '<f8'}"),
            refusal(26, "the header lacks the key 'fortran_order'."));
  EXPECT_EQ(refusal_of_text("{'descr': '<f8', 'fortran_order': True}"),
            refusal(49, "the header lacks the key 'shape'."));
  EXPECT_EQ(refusal_of_text("{descr: '<f8'}"),
            refusal(11, "the header should have a quoted string here."));
  EXPECT_EQ(refusal_of_text("{'descr: "),
            refusal(11, "a string in the header has no closing quote."));
  EXPECT_EQ(refusal_of_text("{'descr' '<f8'}"), refusal(19, "the header should have ':' here."));
  EXPECT_EQ(refusal_of_text("{'descr': '<f8' 'shape'}"),
            refusal(26, "the header should have ',' or '}' here."));
  EXPECT_EQ(refusal_of_text("{'descr': '<f8'\0}"s),
            refusal(25, "the header should have ',' or '}' here."));
  EXPECT_EQ(refusal_of_text("{'descr': '<f8', 'order': 1}"),
            refusal(27, "the header has an unknown key 'order'."));
  EXPECT_EQ(refusal_of_text("{'descr': '<f8', 'descr': '<f8'}"),
            refusal(27, "the header has a second key 'descr'."));
  EXPECT_EQ(refusal_of_text("{'fortran_order': false}"),
            refusal(28, "fortran_order should be True or False."));
  EXPECT_EQ(refusal_of_text("{'descr': 'f8', 'fortran_order': True, 'shape': (1,)} \n x"),
            refusal(66, "the header goes on after its end."));
}

TEST(NpyHeader, Types) {
  const std::string remedy =
      "Convert the array with astype('f8'), or astype('i8') for indices, before you save it.";
  for (const std::string type : {"<u8", "<f2", "|b1", "|O", "<c16", "<U3", "f", "", "<", "<<f8"})
    EXPECT_EQ(
        refusal_of_text("{'descr': '" + type + "'}"),
        refusal(20, "the type '" + type + "' is not supported; f4, f8, i4 and i8 are.", remedy));
  EXPECT_EQ(refusal_of_text("{'descr': [('x', '<f8')]}"),
            refusal(20, "the array holds records, not numbers.", remedy));
}

TEST(NpyHeader, Shapes) {
  const std::string whole = "the shape should be whole numbers in parentheses.";
  EXPECT_EQ(refusal_of_text("{'shape': 3}"), refusal(20, whole));
  EXPECT_EQ(refusal_of_text("{'shape': (x,)}"), refusal(21, whole));
  EXPECT_EQ(refusal_of_text("{'shape': (3, 1.5)}"),
            refusal(25, "the shape should have ',' or ')' here."));
  EXPECT_EQ(refusal_of_text("{'shape': (3)}"), refusal(22, "the shape should have ',' here."));
  EXPECT_EQ(refusal_of_text("{'shape': (3, , 4)}"), refusal(24, whole));
  EXPECT_EQ(refusal_of_text("{'shape': (3,"), refusal(23, whole));
  EXPECT_EQ(refusal_of_text("{'shape': (-1, 3)}"),
            refusal(21, "an extent of the shape is negative."));
  EXPECT_EQ(refusal_of_text("{'shape': (18446744073709551616,)}"),
            refusal(21, "an extent of the shape does not fit in 64 bits."));
  const std::string remedy = "Save an array with a row for each object.";
  EXPECT_EQ(refusal_of_text("{'shape': ()}"),
            refusal(21, "the array has 0 dimensions; one or two are supported.", remedy));
  EXPECT_EQ(refusal_of_text("{'shape': (1, 2, 3)}"),
            refusal(21, "the array has 3 dimensions; one or two are supported.", remedy));
  std::string many = "{'shape': (";
  for (int i = 0; i < 70; ++i) many.append("1,");
  EXPECT_EQ(refusal_of_text(many), refusal(150, "the shape has too many dimensions."));
}

}  // namespace
}  // namespace evenkeel::tool
