#include "options/system_memory.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

namespace evenkeel::system_memory_test {
namespace {

// A system of files.
class System : public test::ScratchDirectory {
 public:
  void has(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(path_of(path)).parent_path());
    with_file(path, content);
  }
  std::optional<std::int64_t> memory() const { return memory_of_node(path_of("")); }
};

constexpr std::int64_t mib = 1 << 20;

TEST(MemoryOfNode, IsUnknownWithoutFiles) {
  const System system;
  EXPECT_FALSE(system.memory());
  system.has("proc/meminfo", "MemFree: 5 kB\nMemTotal: many\n");
  EXPECT_FALSE(system.memory());
}

TEST(MemoryOfNode, IsThatOfTheSystem) {
  const System system;
  system.has("proc/meminfo", "MemTotal:       2048 kB\nMemFree:  1024 kB\n");
  EXPECT_EQ(system.memory(), 2 * mib);
}

TEST(MemoryOfNode, IsTheLeastLimitOfItsGroups) {
  const System system;
  system.has("proc/meminfo", "MemTotal: 1048576 kB\n");
  system.has("proc/self/cgroup", "0::/job/step\n");
  system.has("sys/fs/cgroup/job/step/memory.max", "max\n");
  EXPECT_EQ(system.memory(), 1024 * mib);
  system.has("sys/fs/cgroup/job/memory.max", std::to_string(300 * mib) + '\n');
  EXPECT_EQ(system.memory(), 300 * mib);
  system.has("sys/fs/cgroup/memory.max", std::to_string(200 * mib));
  EXPECT_EQ(system.memory(), 200 * mib);
  system.has("sys/fs/cgroup/job/step/memory.max", std::to_string(400 * mib));
  EXPECT_EQ(system.memory(), 200 * mib);
}

TEST(MemoryOfNode, KnowsTheFirstVersionOfGroups) {
  const System system;
  system.has("proc/meminfo", "MemTotal: 1048576 kB\n");
  system.has("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\nnonsense\n");
  system.has("sys/fs/cgroup/memory/a/memory.limit_in_bytes", std::to_string(100 * mib));
  system.has("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(system.memory(), 100 * mib);
}

TEST(NodeHash, IsTheSameEachTime) { EXPECT_EQ(node_hash(), node_hash()); }

}  // namespace
}  // namespace evenkeel::system_memory_test
