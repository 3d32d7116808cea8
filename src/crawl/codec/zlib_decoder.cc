#include <algorithm>
#include <new>

#include <zlib.h>

#include "crawl/codec/member_decoder.h"

namespace kith::crawl {
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

}  // namespace kith::crawl
