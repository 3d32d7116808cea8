#include <algorithm>
#include <cstring>
#include <new>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"
#include "crawl/codec/member_codec.h"
#include "storage/zstd.h"

namespace kith::crawl {
namespace {

constexpr std::string_view kGzipMagic("\x1f\x8b\x08", 3);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);
constexpr std::string_view kBzip2Magic("BZh", 3);
constexpr std::string_view kXzMagic("\xfd\x37\x7a\x58\x5a\x00", 6);
constexpr std::string_view kLz4Magic("\x04\x22\x4d\x18", 4);

unsigned byte_at(std::string_view bytes, size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

bool starts_gzip(std::string_view bytes) {
  return bytes.starts_with(kGzipMagic) && (bytes.size() < 4 || (byte_at(bytes, 3) & 0xe0) == 0);
}

// Skippable frames have the magics 0x184D2A50 to 0x184D2A5F, little-endian.
bool starts_zstd(std::string_view bytes) {
  if (bytes.starts_with(kZstdMagic)) return true;
  return bytes.size() >= 4 && (byte_at(bytes, 0) & 0xf0) == 0x50 &&
         bytes.substr(1, 3) == std::string_view("\x2a\x4d\x18", 3);
}

// The magic, a level, and that of a block or, of a stream without one, of its end.
bool starts_bzip2(std::string_view bytes) {
  constexpr std::string_view block("\x31\x41\x59\x26\x53\x59", 6);
  constexpr std::string_view end("\x17\x72\x45\x38\x50\x90", 6);
  if (!bytes.starts_with(kBzip2Magic) || bytes.size() < 4) return false;
  if (bytes[3] < '1' || bytes[3] > '9') return false;
  const std::string_view rest = bytes.substr(4, block.size());
  return block.starts_with(rest) || end.starts_with(rest);
}

// Extra flags that deflate defines, and an operating system that RFC 1952 lists.
bool is_plausible_gzip(std::string_view bytes) {
  if (bytes.size() < kMemberHeader || !starts_gzip(bytes)) return false;
  const unsigned extra_flags = byte_at(bytes, 8);
  const unsigned system = byte_at(bytes, 9);
  return (extra_flags == 0 || extra_flags == 2 || extra_flags == 4) &&
         (system <= 13 || system == 255);
}

}  // namespace

std::unique_ptr<MemberDecoder> make_decoder(Codec codec) {
  switch (codec) {
    case Codec::gzip:
      if (auto isal = make_isal_gzip_decoder()) return isal;
      return make_zlib_decoder(codec);
    case Codec::zlib:
    case Codec::deflate:
      return make_zlib_decoder(codec);
    case Codec::zstd:
      return make_zstd_decoder(kZstdPayloadWindow);
    case Codec::brotli:
      return make_brotli_decoder();
    case Codec::bzip2:
      return make_bzip2_decoder();
    case Codec::xz:
      return make_xz_decoder();
    case Codec::lz4:
      return make_lz4_decoder();
  }
  KITH_CHECK(false);
  return nullptr;
}

const FileCodec& file_codec(Codec codec) {
  const auto* const found = std::ranges::find(kFileCodecs, codec, &FileCodec::codec);
  KITH_CHECK(found != kFileCodecs.end());
  return *found;
}

bool starts_member(Codec codec, std::string_view bytes) {
  switch (codec) {
    case Codec::zstd:
      return starts_zstd(bytes);
    case Codec::bzip2:
      return starts_bzip2(bytes);
    case Codec::xz:
      return bytes.starts_with(kXzMagic);
    case Codec::lz4:
      return bytes.starts_with(kLz4Magic);
    default:
      return starts_gzip(bytes);
  }
}

namespace {

std::string_view magic_of(Codec codec) {
  switch (codec) {
    case Codec::zstd:
      return kZstdMagic;
    case Codec::bzip2:
      return kBzip2Magic;
    case Codec::xz:
      return kXzMagic;
    case Codec::lz4:
      return kLz4Magic;
    default:
      return kGzipMagic;
  }
}

// Whether a member plausibly begins with the magic at the front of the bytes.
bool is_plausible(Codec codec, std::string_view bytes) {
  if (codec == Codec::gzip) return is_plausible_gzip(bytes);
  return codec != Codec::bzip2 || (bytes.size() >= kMemberHeader && starts_bzip2(bytes));
}

}  // namespace

size_t find_member(Codec codec, std::string_view bytes) {
  const std::string_view magic = magic_of(codec);
  for (size_t at = 0;; ++at) {
    const void* hit = at < bytes.size()
                          ? memmem(bytes.data() + at, bytes.size() - at, magic.data(), magic.size())
                          : nullptr;
    if (hit == nullptr) return bytes.size();
    at = static_cast<size_t>(static_cast<const char*>(hit) - bytes.data());
    if (is_plausible(codec, bytes.substr(at))) return at;
  }
}

namespace {

class BrotliDecoder : public MemberDecoder {
 public:
  ~BrotliDecoder() override { BrotliDecoderDestroyInstance(state_); }
  BrotliDecoder() = default;
  BrotliDecoder(const BrotliDecoder&) = delete;
  BrotliDecoder& operator=(const BrotliDecoder&) = delete;

  void begin() override {  // the library has no reset
    BrotliDecoderDestroyInstance(state_);
    state_ = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
    if (state_ == nullptr) throw std::bad_alloc();
  }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    size_t in_left = in.size();
    size_t out_left = out.size();
    const auto* next_in = reinterpret_cast<const uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<uint8_t*>(out.data());
    const BrotliDecoderResult outcome =
        BrotliDecoderDecompressStream(state_, &in_left, &next_in, &out_left, &next_out, nullptr);
    if (outcome == BROTLI_DECODER_RESULT_ERROR && is_without_memory()) throw std::bad_alloc();
    DecodeStep step{in.size() - in_left, out.size() - out_left, DecodeState::more, ""};
    if (outcome == BROTLI_DECODER_RESULT_SUCCESS) {
      step.state = DecodeState::end;
    } else if (outcome == BROTLI_DECODER_RESULT_ERROR) {
      step.state = DecodeState::bad;
      step.problem = "bad brotli data";
    }
    return step;
  }

 private:
  bool is_without_memory() const {
    const BrotliDecoderErrorCode error = BrotliDecoderGetErrorCode(state_);
    return error <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           error >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
  }

  BrotliDecoderState* state_ = nullptr;
};

}  // namespace

std::unique_ptr<MemberDecoder> make_brotli_decoder() {
  return std::make_unique<BrotliDecoder>();
}

namespace {

// inflateInit2's window bits: 15 for 32 KiB, +16 for the gzip wrapper, negative for none.
int window_bits(Codec codec) {
  switch (codec) {
    case Codec::gzip:
      return 15 + 16;
    case Codec::deflate:
      return -15;
    default:
      return 15;
  }
}

class ZlibDecoder : public MemberDecoder {
 public:
  explicit ZlibDecoder(Codec codec) {
    if (inflateInit2(&stream_, window_bits(codec)) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibDecoder() override { inflateEnd(&stream_); }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;

  void begin() override { inflateReset(&stream_); }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    const auto feed = static_cast<uInt>(std::min<size_t>(in.size(), 1u << 30));
    const auto room = static_cast<uInt>(std::min<size_t>(out.size(), 1u << 30));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = feed;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
    DecodeStep step{feed - stream_.avail_in, room - stream_.avail_out, DecodeState::more, ""};
    if (outcome == Z_STREAM_END) {
      step.state = DecodeState::end;
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      step.state = DecodeState::bad;
      step.problem = stream_.msg != nullptr ? stream_.msg : "bad deflate data";
    }
    return step;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<MemberDecoder> make_zlib_decoder(Codec codec) {
  return std::make_unique<ZlibDecoder>(codec);
}

namespace {

constexpr std::string_view kDictionaryMagic("\x37\xa4\x30\xec", 4);

// One without content (RFC 8878, 3.1.1).
constexpr std::string_view kEmptyFrame("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9);

class ZstdDecoder : public MemberDecoder {
 public:
  ZstdDecoder(int window_log, std::string_view dictionary) : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, window_log);
    storage::check_zstd_memory(
        ZSTD_DCtx_loadDictionary(context_, dictionary.data(), dictionary.size()));
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  // Whether zstd takes this for a dictionary. To load one that it refuses fails as it does without
  // memory; to decode a frame with it tells which.
  bool takes(std::string_view dictionary) {
    const size_t outcome =
        ZSTD_decompress_usingDict(context_, nullptr, 0, kEmptyFrame.data(), kEmptyFrame.size(),
                                  dictionary.data(), dictionary.size());
    storage::check_zstd_memory(outcome);
    return ZSTD_isError(outcome) == 0;
  }

  void begin() override { ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    ZSTD_inBuffer source{in.data(), in.size(), 0};
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    const size_t outcome = ZSTD_decompressStream(context_, &target, &source);
    storage::check_zstd_memory(outcome);
    DecodeStep step{source.pos, target.pos, DecodeState::more, ""};
    if (ZSTD_isError(outcome) != 0) {
      step.state = DecodeState::bad;
      step.problem = ZSTD_getErrorName(outcome);
    } else if (outcome == 0) {
      step.state = DecodeState::end;
    }
    return step;
  }

 private:
  ZSTD_DCtx* context_;
};

}  // namespace

std::unique_ptr<MemberDecoder> make_zstd_decoder(int window_log, std::string_view dictionary) {
  return std::make_unique<ZstdDecoder>(window_log, dictionary);
}

std::optional<std::string> unpack_zstd_dictionary(std::string_view content) {
  if (content.size() > kMaxZstdDictionary) return std::nullopt;
  ZstdDecoder decoder(kZstdPayloadWindow, {});
  if (content.starts_with(kDictionaryMagic)) {
    return decoder.takes(content) ? std::optional<std::string>(content) : std::nullopt;
  }
  std::string dictionary;
  for (;;) {
    constexpr size_t kDictionaryStep = 256u << 10;
    const size_t size = dictionary.size();
    dictionary.resize(size + kDictionaryStep);
    const DecodeStep step = decoder.decode(content, {dictionary.data() + size, kDictionaryStep});
    content.remove_prefix(step.consumed);
    dictionary.resize(size + step.produced);
    if (step.state == DecodeState::end) break;
    const bool waits = step.consumed == 0 && step.produced == 0;
    if (step.state == DecodeState::bad || waits || dictionary.size() > kMaxZstdDictionary) {
      return std::nullopt;
    }
  }
  if (!dictionary.starts_with(kDictionaryMagic) || !decoder.takes(dictionary)) return std::nullopt;
  return dictionary;
}

}  // namespace kith::crawl
