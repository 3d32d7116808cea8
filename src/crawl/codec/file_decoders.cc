// What files are packed with besides gzip and zstd: bzip2, xz and lz4.
#include <algorithm>
#include <new>
#include <string_view>

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>

#include "crawl/codec/member_codec.h"

namespace kith::crawl {
namespace {

class Bzip2Decoder : public MemberDecoder {
 public:
  Bzip2Decoder() { start(); }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;

  void begin() override {  // the library has no reset
    BZ2_bzDecompressEnd(&stream_);
    start();
  }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    const auto feed = static_cast<unsigned>(std::min<size_t>(in.size(), 1u << 30));
    const auto room = static_cast<unsigned>(std::min<size_t>(out.size(), 1u << 30));
    stream_.next_in = const_cast<char*>(in.data());
    stream_.avail_in = feed;
    stream_.next_out = out.data();
    stream_.avail_out = room;
    const int outcome = BZ2_bzDecompress(&stream_);
    if (outcome == BZ_MEM_ERROR) throw std::bad_alloc();
    DecodeStep step{feed - stream_.avail_in, room - stream_.avail_out, DecodeState::more, ""};
    if (outcome == BZ_STREAM_END) {
      step.state = DecodeState::end;
    } else if (outcome != BZ_OK) {
      step.state = DecodeState::bad;
      step.problem = "bad bzip2 data";
    }
    return step;
  }

 private:
  void start() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_{};
};

class XzDecoder : public MemberDecoder {
 public:
  XzDecoder() { XzDecoder::begin(); }
  ~XzDecoder() override { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  void begin() override {
    if (lzma_stream_decoder(&stream_, kXzMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret outcome = lzma_code(&stream_, LZMA_RUN);
    if (outcome == LZMA_MEM_ERROR) throw std::bad_alloc();
    DecodeStep step{in.size() - stream_.avail_in, out.size() - stream_.avail_out, DecodeState::more,
                    ""};
    if (outcome == LZMA_STREAM_END) {
      step.state = DecodeState::end;
    } else if (outcome != LZMA_OK && outcome != LZMA_BUF_ERROR) {
      step.state = DecodeState::bad;
      step.problem = outcome == LZMA_MEMLIMIT_ERROR
                         ? "its xz dictionary is larger than 128 MiB: unpack it with xz first"
                         : "bad xz data";
    }
    return step;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Lz4Decoder : public MemberDecoder {
 public:
  Lz4Decoder() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) {
      throw std::bad_alloc();
    }
  }
  ~Lz4Decoder() override { LZ4F_freeDecompressionContext(context_); }
  Lz4Decoder(const Lz4Decoder&) = delete;
  Lz4Decoder& operator=(const Lz4Decoder&) = delete;

  void begin() override { LZ4F_resetDecompressionContext(context_); }

  DecodeStep decode(std::string_view in, std::span<char> out) override {
    size_t consumed = in.size();
    size_t produced = out.size();
    const size_t outcome =
        LZ4F_decompress(context_, out.data(), &produced, in.data(), &consumed, nullptr);
    if (LZ4F_isError(outcome) == 0) {
      return {consumed, produced, outcome == 0 ? DecodeState::end : DecodeState::more, ""};
    }
    if (LZ4F_getErrorName(outcome) == std::string_view("ERROR_allocation_failed")) {
      throw std::bad_alloc();
    }
    return {0, 0, DecodeState::bad, "bad lz4 data"};
  }

 private:
  LZ4F_dctx* context_ = nullptr;
};

}  // namespace

std::unique_ptr<MemberDecoder> make_bzip2_decoder() {
  return std::make_unique<Bzip2Decoder>();
}

std::unique_ptr<MemberDecoder> make_xz_decoder() {
  return std::make_unique<XzDecoder>();
}

std::unique_ptr<MemberDecoder> make_lz4_decoder() {
  return std::make_unique<Lz4Decoder>();
}

}  // namespace kith::crawl
