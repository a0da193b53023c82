#include "migrate/messages.hpp"

#include "support/harness.hpp"

namespace evenkeel::messages_test {
namespace {

// The columns of some sets, and the share of one rank in them.
struct Cargo {
  std::vector<MessageColumn> columns;
  std::vector<std::vector<std::int64_t>> sizes;  // of the objects of each column
  std::vector<ColumnShare> shares;

  void add(std::size_t set, std::int64_t bytes, std::int64_t objects,
           MemoryKind memory = MemoryKind::host) {
    columns.push_back({set, columns.size(), memory, bytes});
    shares.push_back({objects, objects * bytes});
    sizes.emplace_back(static_cast<std::size_t>(objects), bytes);
  }
  void add_payload(std::size_t set, const std::vector<std::int64_t>& of_objects,
                   MemoryKind memory = MemoryKind::host, std::int64_t most = MessageSizes().most) {
    std::vector<std::int64_t> begins(4, 1000);  // anywhere except at the first
    for (const std::int64_t size : of_objects) begins.push_back(begins.back() + size);
    columns.push_back({set, columns.size(), memory, any_bytes});
    shares.push_back(share_of_payload(Space::where(MemoryKind::host), begins.data(), 3,
                                      std::ssize(of_objects), most));
    sizes.push_back(of_objects);
  }
  // Sums the bytes of consecutive objects of a column.
  std::int64_t bytes_of(const Piece& piece) const {
    const auto first = sizes[piece.column].begin() + piece.first;
    return std::accumulate(first, first + piece.count, std::int64_t{0});
  }
};

// Expects every object of every column once, in order, without overlap, in messages of at most the
// greatest length.
void expect_cut(const Cargo& cargo, const MessageSizes& sizes) {
  const std::vector<Message> messages = cut_into_messages(cargo.columns, cargo.shares, sizes);
  std::vector<std::int64_t> next(cargo.columns.size());
  for (const Message& message : messages) {
    std::int64_t end = 0;
    for (const Piece& piece : message.pieces) {
      const MessageColumn& column = cargo.columns[piece.column];
      EXPECT_EQ(column.memory, message.memory);
      EXPECT_EQ(piece.first, next[piece.column]);
      EXPECT_GT(piece.count, 0);
      EXPECT_GE(piece.offset, end);
      EXPECT_EQ(piece.offset % 16, 0);
      end = piece.offset + cargo.bytes_of(piece);
      if (column.is_payload()) {
        EXPECT_EQ(piece.begin, 1000 + cargo.bytes_of({piece.column, 0, piece.first, 0}));
        EXPECT_EQ(piece.bytes, cargo.bytes_of(piece));
      }
      next[piece.column] += piece.count;
    }
    EXPECT_EQ(message.bytes, std::max<std::int64_t>(1, end));
    const bool one_object = message.pieces.size() == 1 && message.pieces.front().count == 1;
    EXPECT_TRUE(message.bytes <= sizes.most || one_object) << message.bytes;
  }
  for (std::size_t c = 0; c < cargo.columns.size(); ++c)
    EXPECT_EQ(next[c], cargo.columns[c].bytes_per_object == 0 ? 0 : cargo.shares[c].objects);
}

TEST(Messages, SmallFieldsAreFused) {
  Cargo cargo;
  cargo.add(0, 24, 10);
  cargo.add(0, 8, 10);
  cargo.add(1, 3, 7);
  const std::vector<Message> messages = cut_into_messages(cargo.columns, cargo.shares, {});
  ASSERT_EQ(messages.size(), 1U);
  ASSERT_EQ(messages[0].pieces.size(), 3U);
  EXPECT_EQ(messages[0].pieces[1].offset, 240);
  EXPECT_EQ(messages[0].pieces[2].offset, 320);
  EXPECT_EQ(messages[0].bytes, 341);
}

TEST(Messages, LargeFieldsTravelApart) {
  Cargo cargo;
  cargo.add(0, 8, 32'768);  // 256 KiB
  cargo.add(0, 24, 32'768);
  const std::vector<Message> messages = cut_into_messages(cargo.columns, cargo.shares, {});
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].bytes, 24 * 32'768);
  EXPECT_EQ(messages[1].bytes, 8 * 32'768);
}

TEST(Messages, OneKindOfMemoryEach) {
  Cargo cargo;
  cargo.add(0, 8, 10, MemoryKind::device);
  cargo.add(0, 8, 10);
  cargo.add(1, 8, 10, MemoryKind::shared);
  cargo.add(1, 8, 10, MemoryKind::device);
  EXPECT_EQ(cut_into_messages(cargo.columns, cargo.shares, {}).size(), 3U);
  expect_cut(cargo, {});
}

TEST(Messages, Nothing) {
  Cargo cargo;
  EXPECT_TRUE(cut_into_messages(cargo.columns, cargo.shares, {}).empty());
  cargo.add(0, 8, 0);
  cargo.add(0, 0, 10);
  cargo.add_payload(0, {});
  EXPECT_TRUE(cut_into_messages(cargo.columns, cargo.shares, {}).empty());
}

// Their new owner must learn of them.
TEST(Messages, ObjectsWithoutBytesTravelToo) {
  Cargo cargo;
  cargo.add_payload(0, {0, 0, 0}, MemoryKind::host, 1);
  const std::vector<Message> messages = cut_into_messages(cargo.columns, cargo.shares, {});
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].bytes, 1);
  EXPECT_EQ(messages[0].pieces[0].count, 3);
  expect_cut(cargo, {.apart = 1, .most = 1});
}

TEST(Messages, AnObjectIsNeverCut) {
  Cargo cargo;
  cargo.add(0, 1000, 5);
  cargo.add_payload(0, {0, 5000, 0, 3, 4000, 1, 1, 0}, MemoryKind::host, 100);
  expect_cut(cargo, {.apart = 10, .most = 100});
  EXPECT_EQ(cut_into_messages(cargo.columns, cargo.shares, {.apart = 10, .most = 100}).size(),
            5U + 5U);
}

TEST(Messages, OfAnything) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  for (int round = 0; round < 2000; ++round) {
    Cargo cargo;
    MessageSizes sizes;
    sizes.most = 1 + below(5000);
    sizes.apart = std::min(sizes.most, 1 + below(2000));
    std::vector<std::int64_t> objects;
    for (int set = 0; set < 3; ++set) objects.push_back(below(4) == 0 ? 0 : below(300));
    for (std::int64_t left = below(8); left > 0; --left) {
      const auto set = static_cast<std::size_t>(below(3));
      const auto memory = static_cast<MemoryKind>(below(3));
      if (below(3) > 0) {
        cargo.add(set, below(70), objects[set], memory);
        continue;
      }
      std::vector<std::int64_t> of_objects(static_cast<std::size_t>(objects[set]));
      for (std::int64_t& size : of_objects) size = below(5) == 0 ? below(3000) : below(3);
      cargo.add_payload(set, of_objects, memory, sizes.most);
    }
    expect_cut(cargo, sizes);
  }
}

}  // namespace
}  // namespace evenkeel::messages_test
