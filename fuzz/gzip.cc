// The gzip back ends on any bytes: both must come to the same verdict and the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "crawl/codec/member_codec.h"

namespace {

using namespace kith::crawl;

struct Outcome {
  std::string bytes;
  bool sound = false;
};

Outcome decode(MemberDecoder& decoder, std::string_view in) {
  constexpr size_t kMost = 1u << 20;
  static std::string room(8192, '\0');
  Outcome outcome;
  decoder.begin();
  while (outcome.bytes.size() < kMost) {
    const DecodeStep step = decoder.decode(in, room);
    if (step.consumed > in.size() || step.produced > room.size()) __builtin_trap();
    in.remove_prefix(step.consumed);
    outcome.bytes.append(room, 0, step.produced);
    if (step.state == DecodeState::bad) return outcome;
    outcome.sound = step.state == DecodeState::end;
    if (outcome.sound || (step.consumed == 0 && step.produced == 0)) return outcome;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto isal = make_isal_gzip_decoder();
  static const auto zlib = make_zlib_decoder(Codec::gzip);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (find_member(Codec::gzip, bytes) > size) __builtin_trap();
  const Outcome b = decode(*zlib, bytes);
  if (isal == nullptr) return 0;
  const Outcome a = decode(*isal, bytes);
  if (a.sound && b.sound && a.bytes != b.bytes) __builtin_trap();
  // zlib refuses reserved flags and header checksums that ISA-L passes over.
  if (b.sound && !a.sound) __builtin_trap();
  return 0;
}
