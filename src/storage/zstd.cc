#include "storage/zstd.h"

#include <memory>
#include <new>

#include <zstd.h>

namespace kith::storage {
namespace {

// The library's fastest level; what repeats, as the links of a site do, is found by any.
constexpr int level = 1;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

void pack(std::string_view bytes, std::string& frame) {
  frame.resize(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the only way to fail with so much room
  frame.resize(size);
}

bool unpack(std::string_view frame, std::string& bytes) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  size_t used = 0;
  for (;;) {
    constexpr size_t room = 256u << 10;
    bytes.resize(used + room);
    ZSTD_outBuffer out{bytes.data() + used, room, 0};
    const size_t outcome = ZSTD_decompressStream(context.get(), &out, &in);
    check_zstd_memory(outcome);
    if (ZSTD_isError(outcome) != 0) return false;
    used += out.pos;
    if (outcome == 0) break;
    if (in.pos == in.size && out.pos < room) return false;  // cut short
  }
  bytes.resize(used);
  return in.pos == in.size;
}

}  // namespace kith::storage
