#include "options/system_memory.hpp"

#include "options/table.hpp"

#include <fstream>
#include <sstream>

#include <unistd.h>

namespace evenkeel {

namespace {

// The first number of a file. A file that does not exist, or begins with another word such as
// `max`, is no limit.
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number && number > 0) return number;
  return std::nullopt;
}

void take_less(std::optional<std::int64_t>& limit, std::optional<std::int64_t> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

std::optional<std::int64_t> memory_in(const std::string& meminfo) {
  std::ifstream file(meminfo);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::int64_t kib = 0;
    if (words >> key >> kib && key == "MemTotal:" && kib > 0) return kib << 10;
  }
  return std::nullopt;
}

// Each group may have a limit, and so may each group that contains it.
void take_limits(std::string group, const std::string& above, const char* file,
                 std::optional<std::int64_t>& limit) {
  while (true) {
    take_less(limit, number_in(above + group + '/' + file));
    if (group.empty()) return;
    group.erase(group.rfind('/'));
  }
}

}  // namespace

// A line of /proc/self/cgroup is "number:controllers:/group". In version 2 there are no
// controllers. In a container, the group may be that of the host, but the limit is at the root.
std::optional<std::int64_t> memory_of_node(const std::string& root) {
  std::optional<std::int64_t> memory = memory_in(root + "/proc/meminfo");
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group.empty() || group.front() != '/') continue;
    if (group == "/") group.clear();
    if (controllers.empty())
      take_limits(group, root + "/sys/fs/cgroup", "memory.max", memory);
    else if (controllers == "memory")
      take_limits(group, root + "/sys/fs/cgroup/memory", "memory.limit_in_bytes", memory);
  }
  return memory;
}

std::uint64_t node_hash() {
  std::array<char, 256> name{};
  static_cast<void>(gethostname(name.data(), name.size() - 1));
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  return std::hash<std::string>()(name.data() + boot);
}

}  // namespace evenkeel
