#include <new>

#include <brotli/decode.h>

#include "crawl/codec/member_decoder.h"

namespace kith::crawl {
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

}  // namespace kith::crawl
