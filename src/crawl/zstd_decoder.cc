#include <new>

#include <zstd.h>

#include "crawl/member_decoder.h"

namespace kith::crawl {
namespace {

// A frame may ask for a window of up to 2^27 bytes, zstd's own bound without --long.
constexpr int kWindowLogMax = 27;

class ZstdDecoder : public MemberDecoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowLogMax);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  void begin() override { ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    ZSTD_inBuffer source{in.data(), in.size(), 0};
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    const size_t outcome = ZSTD_decompressStream(context_, &target, &source);
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

std::unique_ptr<MemberDecoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace kith::crawl
