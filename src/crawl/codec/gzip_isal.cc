#include "crawl/codec/member_codec.h"

#if KITH_WITH_ISAL

#include <algorithm>

#include <isa-l/igzip_lib.h>

namespace kith::crawl {
namespace {

// ISA-L 2.30 may overrun its input when avail_in is near 4 GiB; small calls cost nothing.
constexpr size_t kMaxFeed = 1u << 20;

const char* describe(int outcome) {
  switch (outcome) {
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD:
      return "bad gzip header";
    case ISAL_INCORRECT_CHECKSUM:
      return "the gzip checksum does not match";
    default:
      return "bad gzip data";
  }
}

class IsalGzipDecoder : public MemberDecoder {
 public:
  IsalGzipDecoder() : state_(std::make_unique<inflate_state>()) { isal_inflate_init(state_.get()); }

  void begin() override {
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP;  // the reset clears it
  }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    const auto feed = static_cast<uint32_t>(std::min(in.size(), kMaxFeed));
    const auto room = static_cast<uint32_t>(std::min<size_t>(out.size(), 1u << 30));
    state_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    state_->avail_in = feed;
    state_->next_out = reinterpret_cast<uint8_t*>(out.data());
    state_->avail_out = room;
    const int outcome = isal_inflate(state_.get());
    // Where bad data ends the input, ISA-L counts bits it has not been given: avail_in wraps.
    const uint32_t left = state_->avail_in <= feed ? state_->avail_in : 0;
    DecodeStep step{feed - left, room - state_->avail_out, DecodeState::more, ""};
    if (outcome < 0) {
      step.state = DecodeState::bad;
      step.problem = describe(outcome);
    } else if (state_->block_state == ISAL_BLOCK_FINISH) {
      step.state = DecodeState::end;
    }
    return step;
  }

 private:
  std::unique_ptr<inflate_state> state_;
};

}  // namespace

std::unique_ptr<MemberDecoder> make_isal_gzip_decoder() {
  return std::make_unique<IsalGzipDecoder>();
}

}  // namespace kith::crawl

#else

namespace kith::crawl {
std::unique_ptr<MemberDecoder> make_isal_gzip_decoder() {
  return nullptr;
}
}  // namespace kith::crawl

#endif
