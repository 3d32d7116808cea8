// Compression of one gzip member or zstd frame after the other, the counterpart of
// member_decoder.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "crawl/codec/member_decoder.h"

namespace kith::crawl {

// Not thread-safe.
class MemberEncoder {
 public:
  virtual ~MemberEncoder() = default;

  // Begins a member that holds `size` bytes.
  virtual void begin(uint64_t size) = 0;
  // Appends to `packed` what can be told of the member with `bytes` behind those before.
  virtual void encode(std::string_view bytes, std::string& packed) = 0;
  // Appends the rest of the member; all its bytes have been encoded.
  virtual void end(std::string& packed) = 0;
};

// codec: gzip (level 6, as gzip itself) or zstd (level 3, as zstd itself, with a checksum; packed
// with `dictionary`, which may be empty). Throws std::bad_alloc when memory is out.
std::unique_ptr<MemberEncoder> make_encoder(Codec codec, std::string_view dictionary = {});

}  // namespace kith::crawl
