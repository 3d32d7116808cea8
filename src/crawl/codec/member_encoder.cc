#include <algorithm>
#include <new>

#include <zlib.h>
#include <zstd.h>

#include "base/check.h"
#include "crawl/codec/member_codec.h"
#include "storage/zstd.h"

namespace kith::crawl {
namespace {

constexpr size_t kRoom = 64u << 10;

class GzipEncoder : public MemberEncoder {
 public:
  GzipEncoder() {
    constexpr int kGzipWrapper = 15 + 16;
    constexpr int kMemory = 8;
    if (deflateInit2(&stream_, 6, Z_DEFLATED, kGzipWrapper, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  void begin(uint64_t) override { deflateReset(&stream_); }

  void encode(std::string_view bytes, std::string& packed) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, 1u << 30);
      bytes.remove_prefix(piece.size());
      deflate_piece(piece, Z_NO_FLUSH, packed);
    }
  }
  void end(std::string& packed) override { deflate_piece({}, Z_FINISH, packed); }

 private:
  void deflate_piece(std::string_view piece, int flush, std::string& packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      const size_t size = packed.size();
      packed.resize(size + kRoom);
      stream_.next_out = reinterpret_cast<Bytef*>(packed.data() + size);
      stream_.avail_out = kRoom;
      KITH_CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR);
      packed.resize(size + kRoom - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class ZstdEncoder : public MemberEncoder {
 public:
  explicit ZstdEncoder(std::string_view dictionary) : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
    // One that is refused is not used: the frame then names none.
    if (is_refused(dictionary)) return;
    storage::check_zstd_memory(
        ZSTD_CCtx_loadDictionary(context_, dictionary.data(), dictionary.size()));
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  void begin(uint64_t size) override {
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(context_, size);
  }
  void encode(std::string_view bytes, std::string& packed) override {
    compress(bytes, ZSTD_e_continue, packed);
  }
  void end(std::string& packed) override { compress({}, ZSTD_e_end, packed); }

 private:
  static constexpr int kLevel = 3;

  // A damaged dictionary that is loaded fails later, as it does without memory; to pack nothing
  // with it tells which.
  bool is_refused(std::string_view dictionary) const {
    char packed[32];
    const size_t outcome = ZSTD_compress_usingDict(context_, packed, sizeof packed, nullptr, 0,
                                                   dictionary.data(), dictionary.size(), kLevel);
    storage::check_zstd_memory(outcome);
    return ZSTD_isError(outcome) != 0;
  }

  void compress(std::string_view bytes, ZSTD_EndDirective directive, std::string& packed) {
    ZSTD_inBuffer source{bytes.data(), bytes.size(), 0};
    for (;;) {
      const size_t size = packed.size();
      packed.resize(size + kRoom);
      ZSTD_outBuffer target{packed.data() + size, kRoom, 0};
      const size_t left = ZSTD_compressStream2(context_, &target, &source, directive);
      storage::check_zstd_memory(left);
      KITH_CHECK(ZSTD_isError(left) == 0);
      packed.resize(size + target.pos);
      const bool is_done = directive == ZSTD_e_end ? left == 0 : source.pos == source.size;
      if (is_done) return;
    }
  }

  ZSTD_CCtx* context_;
};

}  // namespace

std::unique_ptr<MemberEncoder> make_encoder(Codec codec, std::string_view dictionary) {
  KITH_CHECK(codec == Codec::gzip || codec == Codec::zstd);
  if (codec == Codec::gzip) return std::make_unique<GzipEncoder>();
  return std::make_unique<ZstdEncoder>(dictionary);
}

}  // namespace kith::crawl
