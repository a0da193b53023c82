#include "fused_messages.hpp"

#include "migrate/messages.hpp"

namespace evenkeel::scale {

std::vector<std::int64_t> bytes_of_messages(std::int64_t objects,
                                            std::span<const std::int64_t> bytes_of_fields) {
  std::vector<Column> columns;
  std::vector<Share> shares;
  for (std::size_t f = 0; f < bytes_of_fields.size(); ++f) {
    columns.push_back({0, f, MemoryKind::host, bytes_of_fields[f]});
    shares.push_back({objects, objects * bytes_of_fields[f]});
  }
  std::vector<std::int64_t> bytes;
  for (const Message& message : cut_into_messages(columns, shares, {}))
    bytes.push_back(message.bytes);
  return bytes;
}

}  // namespace evenkeel::scale
