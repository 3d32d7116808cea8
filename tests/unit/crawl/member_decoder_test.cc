// The gzip back ends against each other, and every codec on its own.
#include <cstring>

#include <gtest/gtest.h>
#include <lzma.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "crawl/codec/member_codec.h"
#include "crawl_testing.h"

namespace kith::crawl::test {
namespace {

struct Outcome {
  std::string bytes;
  size_t consumed = 0;
  DecodeState state = DecodeState::more;
};

// Decodes one member, in steps of `feed` bytes in and `room` bytes out.
Outcome decode(MemberDecoder& decoder, std::string_view in, size_t feed, size_t room) {
  Outcome outcome;
  std::string buffer(room, '\0');
  decoder.begin();
  for (;;) {
    const DecodeStep step = decoder.decode(in.substr(outcome.consumed, feed), buffer);
    outcome.consumed += step.consumed;
    outcome.bytes.append(buffer, 0, step.produced);
    outcome.state = step.state;
    const bool waits = step.consumed == 0 && step.produced == 0;
    if (step.state != DecodeState::more || (waits && outcome.consumed == in.size())) return outcome;
  }
}

std::string text_of(size_t size, uint64_t seed) {
  Rng rng(seed);
  std::string text;
  while (text.size() < size) text += "word" + std::to_string(rng.below(50)) + " ";
  text.resize(size);
  return text;
}

TEST(MemberDecoder, EveryCodecGivesTheBytesBack) {
  for (const size_t size : {1u, 10u, 1000u, 60'000u}) {
    const std::string text = text_of(size, size);
    const std::pair<Codec, std::string> coded[] = {{Codec::gzip, gzip(text)},
                                                   {Codec::zlib, zlib(text)},
                                                   {Codec::deflate, raw_deflate(text)},
                                                   {Codec::zstd, zstd(text)},
                                                   {Codec::brotli, brotli(text)},
                                                   {Codec::bzip2, bzip2(text)},
                                                   {Codec::xz, xz(text)},
                                                   {Codec::lz4, lz4(text)}};
    for (const auto& [codec, bytes] : coded) {
      const auto decoder = make_decoder(codec);
      for (const size_t feed : {size_t{1}, size_t{7}, bytes.size()}) {
        for (const size_t room : {size_t{1}, size_t{100}, size + 100}) {
          const Outcome outcome = decode(*decoder, bytes, feed, room);
          ASSERT_EQ(outcome.state, DecodeState::end) << static_cast<int>(codec);
          ASSERT_EQ(outcome.bytes, text);
          ASSERT_EQ(outcome.consumed, bytes.size());
        }
      }
    }
  }
}

TEST(MemberDecoder, TheByteBehindAMemberIsNotConsumed) {
  const std::string bytes = gzip(text_of(5000, 1));
  for (const auto& decoder : {make_decoder(Codec::gzip), make_zlib_decoder(Codec::gzip)}) {
    const Outcome outcome = decode(*decoder, bytes + gzip("next"), 1u << 20, 1u << 20);
    EXPECT_EQ(outcome.state, DecodeState::end);
    EXPECT_EQ(outcome.consumed, bytes.size());
  }
}

TEST(MemberDecoder, GzipBackEndsAgreeOnDamagedMembers) {
  const auto isal = make_isal_gzip_decoder();
  if (isal == nullptr) GTEST_SKIP() << "built without ISA-L";
  const auto zlib_gzip = make_zlib_decoder(Codec::gzip);
  Rng rng(7);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = gzip(text_of(1 + rng.below(4000), rng()));
    const size_t hits = rng.below(3);
    // Behind the header, whose unused flags the back ends judge differently.
    for (size_t k = 0; k < hits; ++k)
      bytes[10 + rng.below(bytes.size() - 10)] ^= static_cast<char>(1 + rng.below(255));
    if (rng.below(4) == 0) bytes.resize(10 + rng.below(bytes.size() - 10));
    const Outcome a = decode(*isal, bytes, 1u << 20, 1u << 16);
    const Outcome b = decode(*zlib_gzip, bytes, 1u << 20, 1u << 16);
    ASSERT_EQ(a.state == DecodeState::end, b.state == DecodeState::end) << i;
    if (a.state == DecodeState::end) {
      ASSERT_EQ(a.bytes, b.bytes);
    }
  }
}

// Found by fuzz/gzip.cc: a distance too far back in the last bytes that are at hand.
TEST(MemberDecoder, BadDataAtTheEndConsumesNoMoreThanThereIs) {
  const std::string_view bytes(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xb3\x29\xb0\xcb\x00\xc9\xcd\x57\x48\xc9\x93\x00\x6c"
      "\x22"
      "\xde\x7d\x0e\x00\x00\x00",
      30);
  for (const auto& decoder : {make_decoder(Codec::gzip), make_zlib_decoder(Codec::gzip)}) {
    const Outcome outcome = decode(*decoder, bytes, bytes.size(), 1u << 10);
    EXPECT_EQ(outcome.state, DecodeState::bad);
    EXPECT_LE(outcome.consumed, bytes.size());
  }
}

// RFC 8878, 3.1.1: a window of 2^24 bytes, and one raw block of one byte.
TEST(MemberDecoder, ZstdWindowsAreBounded) {
  const std::string frame("\x28\xb5\x2f\xfd\x00\x70\x09\x00\x00x", 10);
  EXPECT_EQ(decode(*make_zstd_decoder(kZstdPayloadWindow), frame, 100, 100).state,
            DecodeState::bad);
  const Outcome outcome = decode(*make_zstd_decoder(kZstdFileWindow), frame, 100, 100);
  EXPECT_EQ(outcome.state, DecodeState::end);
  EXPECT_EQ(outcome.bytes, "x");
}

// A stream whose header asks for a dictionary of 192 MiB.
TEST(MemberDecoder, XzDictionariesAreBounded) {
  std::string bytes = xz(text_of(1000, 1));
  const Outcome sound = decode(*make_xz_decoder(), bytes, 100, 100);
  EXPECT_EQ(sound.state, DecodeState::end);
  constexpr size_t block = 12;  // behind the header of the stream
  const size_t head = (static_cast<unsigned char>(bytes[block]) + 1u) * 4 - 4;  // without checksum
  const size_t filter = bytes.find("\x21\x01", block);  // LZMA2, and the length of its properties
  ASSERT_LT(filter, block + head);
  bytes[filter + 2] = 33;  // 3 << (33 / 2 + 11) bytes: 192 MiB
  const uint32_t crc = lzma_crc32(reinterpret_cast<const uint8_t*>(&bytes[block]), head, 0);
  std::memcpy(&bytes[block + head], &crc, sizeof crc);
  const auto decoder = make_xz_decoder();
  std::string out(100, '\0');
  decoder->begin();
  const DecodeStep step = decoder->decode(bytes, out);
  EXPECT_EQ(step.state, DecodeState::bad);
  EXPECT_EQ(std::string_view(step.problem).substr(0, 33), "its xz dictionary is larger than ");
}

TEST(MemberDecoder, AMemberOfNothing) {
  for (const auto& decoder : {make_decoder(Codec::gzip), make_zlib_decoder(Codec::gzip)}) {
    const Outcome outcome = decode(*decoder, gzip(""), 1u << 20, 10);
    EXPECT_EQ(outcome.state, DecodeState::end);
    EXPECT_EQ(outcome.bytes, "");
  }
}

TEST(FindMember, SkipsWhatOnlyLooksLikeOne) {
  const std::string member = gzip("x");
  EXPECT_EQ(find_member(Codec::gzip, member), 0u);
  EXPECT_EQ(find_member(Codec::gzip, "ab\x1f\x8b\x08\xff" + member), 6u);
  EXPECT_EQ(find_member(Codec::gzip, "abc\x1f\x8b"), 5u);  // nothing: the size
  EXPECT_EQ(find_member(Codec::gzip, ""), 0u);
  EXPECT_EQ(find_member(Codec::zstd, "ab" + zstd("x")), 2u);
  EXPECT_TRUE(starts_member(Codec::zstd, std::string("\x5d\x2a\x4d\x18", 4)));
  EXPECT_FALSE(starts_member(Codec::gzip, "\x1f\x8b"));
  EXPECT_EQ(find_member(Codec::bzip2, "BZh9 " + bzip2("x")), 5u);
  EXPECT_TRUE(starts_member(Codec::bzip2, bzip2("")));
  EXPECT_EQ(find_member(Codec::xz, "ab" + xz("x")), 2u);
  EXPECT_EQ(find_member(Codec::lz4, "abc" + lz4("x")), 3u);
}

}  // namespace
}  // namespace kith::crawl::test
