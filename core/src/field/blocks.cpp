#include "field/stage.hpp"

#include <evenkeel/core/field/blocks.hpp>

namespace evenkeel {

Payload::~Payload() = default;
Payload::Staged::~Staged() = default;

namespace detail {

void require_all_used(const char* function, std::int64_t used, std::int64_t bytes) {
  if (used != bytes)
    throw Error(ErrorKind::application, Where{payload_stage},
                std::string("The function ") + function + " of a block used " +
                    std::to_string(used) + " bytes of " + std::to_string(bytes) + '.',
                "Let pack and unpack use as many bytes as the function bytes returns.");
}

void require_blocks(std::int64_t blocks, std::int64_t count, bool functions) {
  if (blocks < count)
    refuse_payload("There are " + std::to_string(blocks) + " blocks for " + std::to_string(count) +
                       " objects.",
                   "Give one block per owned object.");
  if (!functions)
    refuse_payload("Blocks without functions cannot be moved.",
                   "Give the functions bytes, pack and unpack.");
}

}  // namespace detail

}  // namespace evenkeel
