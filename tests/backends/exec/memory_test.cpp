#include "support/harness.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstring>
#include <fstream>
#include <set>

namespace evenkeel::memory_test {
namespace {

std::vector<MemoryKind> kinds_of_this_build() {
  if (!has_device) return {MemoryKind::host, MemoryKind::shared};
  return {MemoryKind::host, MemoryKind::device, MemoryKind::shared};
}

// Copies between any two kinds of memory, on a space that reaches both. The copy is complete when
// the function returns.
void copy_on(void* to, MemoryKind to_kind, const void* from, MemoryKind from_kind,
             std::int64_t bytes) {
  const Space space = Space::where(has_device ? MemoryKind::device : MemoryKind::host);
  copy_bytes(space, to, to_kind, from, from_kind, bytes);
  space.fence("test");
}

std::vector<char> pattern(std::size_t bytes) {
  std::vector<char> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<char>((i * 7 + 3) % 251);
  return values;
}

void write(const Buffer& buffer, const std::vector<char>& values) {
  copy_on(buffer.data(), buffer.kind(), values.data(), MemoryKind::host,
          static_cast<std::int64_t>(values.size()));
}

std::vector<char> read(const Buffer& buffer) {
  std::vector<char> values(static_cast<std::size_t>(buffer.bytes()));
  copy_on(values.data(), MemoryKind::host, buffer.data(), buffer.kind(), buffer.bytes());
  return values;
}

void expect_empty(const Buffer& buffer) {
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.bytes(), 0);
}

void expect_aligned(const Buffer& buffer) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U) << buffer.bytes();
}

TEST(MemoryKind, Names) {
  EXPECT_STREQ(name_of(MemoryKind::host), "host");
  EXPECT_STREQ(name_of(MemoryKind::device), "device");
  EXPECT_STREQ(name_of(MemoryKind::shared), "shared");
}

TEST(Buffer, HoldsBytesOfItsKind) {
  for (const MemoryKind kind : kinds_of_this_build())
    for (const std::size_t bytes : {1U, 63U, 64U, 65U, 1000001U}) {
      const Buffer buffer("evenkeel::test::buffer", kind, static_cast<std::int64_t>(bytes));
      ASSERT_NE(buffer.data(), nullptr);
      EXPECT_EQ(buffer.bytes(), static_cast<std::int64_t>(bytes));
      EXPECT_EQ(buffer.kind(), kind);
      write(buffer, pattern(bytes));
      EXPECT_TRUE(read(buffer) == pattern(bytes)) << name_of(kind) << ' ' << bytes;
    }
}

TEST(Buffer, HostMemoryFitsCacheLines) {
  for (const std::int64_t bytes : {1, 2, 63, 64, 65, 4097, 1000000}) {
    expect_aligned(Buffer("evenkeel::test::buffer", MemoryKind::host, bytes));
    expect_aligned(Buffer::for_staging("evenkeel::test::buffer", bytes));
  }
}

TEST(Buffer, WithoutBytesHasNoMemory) {
  expect_empty(Buffer());
  for (const MemoryKind kind : {MemoryKind::host, MemoryKind::device, MemoryKind::shared}) {
    const Buffer buffer("evenkeel::test::buffer", kind, 0);
    expect_empty(buffer);
    EXPECT_EQ(buffer.kind(), kind);
  }
  expect_empty(Buffer::for_staging("evenkeel::test::buffer", 0));
}

TEST(Buffer, StagingIsHostMemory) {
  const Buffer buffer = Buffer::for_staging("evenkeel::test::staging", 1000);
  EXPECT_EQ(buffer.kind(), MemoryKind::host);
  std::memcpy(buffer.data(), pattern(1000).data(), 1000);  // the host reaches it
  EXPECT_TRUE(read(buffer) == pattern(1000));
}

TEST(Buffer, AMoveTakesTheMemory) {
  for (const MemoryKind kind : kinds_of_this_build()) {
    Buffer source("evenkeel::test::source", kind, 100);
    write(source, pattern(100));
    const std::byte* data = source.data();
    const Buffer target = std::move(source);
    expect_empty(source);
    EXPECT_EQ(target.data(), data);
    EXPECT_EQ(target.kind(), kind);
    EXPECT_TRUE(read(target) == pattern(100));
  }
}

TEST(Buffer, AssignmentLetsTheOldMemoryGo) {
  Buffer target("evenkeel::test::target", MemoryKind::shared, 50);
  Buffer source("evenkeel::test::source", MemoryKind::host, 100);
  const std::byte* data = source.data();
  target = std::move(source);
  expect_empty(source);
  EXPECT_EQ(target.data(), data);
  EXPECT_EQ(target.bytes(), 100);
  EXPECT_EQ(target.kind(), MemoryKind::host);
  target = Buffer();
  expect_empty(target);
}

TEST(Buffer, MayBeUsedAgainAfterAMove) {
  Buffer first("evenkeel::test::first", MemoryKind::host, 10);
  const Buffer second = std::move(first);
  first = Buffer("evenkeel::test::again", MemoryKind::host, 20);
  EXPECT_EQ(first.bytes(), 20);
  EXPECT_EQ(second.bytes(), 10);
}

TEST(Buffer, MovedOntoItselfKeepsItsBytes) {
  Buffer buffer("evenkeel::test::buffer", MemoryKind::host, 100);
  write(buffer, pattern(100));
  Buffer& same = buffer;
  buffer = std::move(same);
  EXPECT_EQ(buffer.bytes(), 100);
  EXPECT_TRUE(read(buffer) == pattern(100));
}

TEST(Buffer, SwapExchangesMemory) {
  Buffer a = Buffer::for_staging("evenkeel::test::a", 10);
  Buffer b("evenkeel::test::b", MemoryKind::shared, 20);
  std::swap(a, b);
  EXPECT_EQ(a.bytes(), 20);
  EXPECT_EQ(a.kind(), MemoryKind::shared);
  EXPECT_EQ(b.bytes(), 10);
  EXPECT_EQ(b.kind(), MemoryKind::host);
}

void expect_refused(MemoryKind kind, std::int64_t bytes) {
  const std::string text = test::error_of([&] { Buffer("evenkeel::test::huge", kind, bytes); });
  for (const std::string& part : {std::string("'evenkeel::test::huge'"), std::string(name_of(kind)),
                                  std::to_string(bytes) + " bytes"})
    EXPECT_MENTIONS(text, part);
}

TEST(Buffer, ARefusalNamesTheLabel) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t bytes : {std::int64_t{-1}, Limits::min(), Limits::max()}) {
    for (const MemoryKind kind : kinds_of_this_build()) expect_refused(kind, bytes);
    EXPECT_ERROR(Buffer::for_staging("evenkeel::test::staging", bytes), "evenkeel::test::staging");
  }
}

TEST(Buffer, MoreThanTheMachineHasIsRefused) {
  for (const MemoryKind kind : kinds_of_this_build()) {
    expect_refused(kind, std::int64_t{1} << 60);
    expect_refused(kind, std::numeric_limits<std::int64_t>::max() - 64);
  }
}

#if defined(__linux__) && !defined(EVENKEEL_TEST_SANITIZED)

constexpr std::int64_t mib = std::int64_t{1} << 20;

// Bytes of addresses that this process has.
std::int64_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages;
  return pages * 4096;
}

TEST(Buffer, LargeOnesUseTheMemoryOfFreedOnes) {
  std::set<const std::byte*> blocks;
  for (int round = 0; round < 3; ++round) {
    const Buffer buffer("evenkeel::test::large", MemoryKind::host, 41 * mib + 1000 * round);
    const Buffer beside("evenkeel::test::beside", MemoryKind::host, 41 * mib);
    expect_aligned(buffer);
    std::memset(buffer.data(), 1 + round, static_cast<std::size_t>(buffer.bytes()));
    std::memset(beside.data(), 0, static_cast<std::size_t>(beside.bytes()));
    for (const std::int64_t at : {std::int64_t{0}, 20 * mib, buffer.bytes() - 1})
      EXPECT_EQ(buffer.data()[at], std::byte(1 + round));
    blocks.insert({buffer.data(), beside.data()});
  }
  EXPECT_EQ(blocks.size(), 2U);
  const Buffer larger("evenkeel::test::larger", MemoryKind::host, 60 * mib);
  EXPECT_FALSE(blocks.contains(larger.data()));
}

TEST(Buffer, LittleMemoryIsKept) {
  const std::int64_t before = mapped_bytes();
  for (int round = 0; round < 3; ++round) {
    std::vector<Buffer> all;
    for (int i = 0; i < 50; ++i)
      all.emplace_back("evenkeel::test::kept", MemoryKind::host, (5 + i) * mib);
    EXPECT_GE(mapped_bytes(), before + 1200 * mib);
    all.clear();
    EXPECT_LE(mapped_bytes(), before + 300 * mib);
    const Buffer larger("evenkeel::test::larger", MemoryKind::host, 1000 * mib);
  }
  EXPECT_LE(mapped_bytes(), before + 300 * mib);
}

#endif

TEST(Buffer, DeviceMemoryNeedsADevice) {
  if (has_device) GTEST_SKIP() << "this build has a device";
  expect_refused(MemoryKind::device, 8);
}

TEST(CopyBytes, BetweenAllKinds) {
  const std::size_t bytes = 100001;
  for (const MemoryKind from : kinds_of_this_build())
    for (const MemoryKind to : kinds_of_this_build()) {
      const Buffer source("evenkeel::test::source", from, static_cast<std::int64_t>(bytes));
      const Buffer target("evenkeel::test::target", to, static_cast<std::int64_t>(bytes));
      write(source, pattern(bytes));
      copy_on(target.data(), to, source.data(), from, source.bytes());
      EXPECT_TRUE(read(target) == pattern(bytes)) << name_of(from) << " to " << name_of(to);
    }
}

TEST(CopyBytes, TouchesNothingElse) {
  std::vector<char> target(10, 'x');
  const std::vector<char> source(10, 'y');
  copy_on(target.data() + 3, MemoryKind::host, source.data(), MemoryKind::host, 4);
  EXPECT_EQ(std::string(target.begin(), target.end()), "xxxyyyyxxx");
}

TEST(CopyBytes, OfNothingNeedsNoMemory) {
  for (const MemoryKind from : {MemoryKind::host, MemoryKind::device, MemoryKind::shared})
    for (const MemoryKind to : {MemoryKind::host, MemoryKind::device, MemoryKind::shared})
      EXPECT_NO_THROW(copy_on(nullptr, to, nullptr, from, 0));
}

TEST(CopyBytes, DeviceMemoryNeedsADevice) {
  if (has_device) GTEST_SKIP() << "this build has a device";
  char a = 'a', b = 'b';
  EXPECT_ERROR(copy_on(&a, MemoryKind::device, &b, MemoryKind::host, 1), "without a device");
  EXPECT_ERROR(copy_on(&a, MemoryKind::host, &b, MemoryKind::device, 1), "without a device");
  EXPECT_EQ(a, 'a');
}

}  // namespace
}  // namespace evenkeel::memory_test
