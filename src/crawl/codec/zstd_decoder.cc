#include <new>

#include <zstd.h>

#include "crawl/codec/member_decoder.h"
#include "storage/zstd_memory.h"

namespace kith::crawl {
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
