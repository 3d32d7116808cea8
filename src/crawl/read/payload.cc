#include "crawl/read/payload.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/bytes.h"
#include "crawl/read/http.h"

namespace kith::crawl {
namespace {

constexpr size_t kMaxCodings = 4;
int hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// "1a3f; extension" to its size; nothing when the line is none.
std::optional<uint64_t> parse_chunk_size(std::string_view line) {
  uint64_t size = 0;
  const bool has_zeros = line.starts_with('0');
  line.remove_prefix(std::min(line.find_first_not_of('0'), line.size()));
  size_t digits = 0;
  for (; digits < line.size() && hex_digit(line[digits]) >= 0; ++digits) {
    if (digits == 15) return std::nullopt;
    size = size * 16 + static_cast<uint64_t>(hex_digit(line[digits]));
  }
  const std::string_view rest = trim(line.substr(digits));
  if ((digits == 0 && !has_zeros) || !(rest.empty() || rest.front() == ';')) return std::nullopt;
  return size;
}

std::optional<Codec> parse_coding(std::string_view name) {
  if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip")) {
    return Codec::gzip;
  }
  if (equals_ignoring_case(name, "deflate")) return Codec::deflate;
  if (equals_ignoring_case(name, "br")) return Codec::brotli;
  if (equals_ignoring_case(name, "zstd")) return Codec::zstd;
  return std::nullopt;
}

// RFC 1950: method 8, and the two header bytes are a multiple of 31.
bool starts_zlib(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  return (first & 0x0f) == 8 && (first * 256u + second) % 31 == 0;
}

bool looks_like_markup(std::string_view body) {
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  body = trim(body.substr(0, 512));
  return body.starts_with('<');
}

// Text has none but blanks and, in ISO-2022, escapes.
bool has_control_characters(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && !is_ascii_blank(c) && c != 0x1b;
  });
}

// Whether the body begins with a chunk, and what is behind that is the next one, or the end.
bool is_chunked(std::string_view body) {
  std::string_view behind = body;
  const std::optional<uint64_t> size = parse_chunk_size(take_line(behind));
  if (!size) return false;
  if (*size == 0) return true;
  if (*size > behind.size()) {
    // A word that reads as a number, or a first chunk that is cut. Text has no control characters
    // and markup begins as such.
    return looks_like_markup(behind) || has_control_characters(behind.substr(0, 512));
  }
  behind.remove_prefix(*size);
  if (behind.empty()) return true;
  const size_t line_break = empty_line_length(behind);
  if (line_break == 0) return behind == "\r";
  behind.remove_prefix(line_break);
  return behind.empty() || parse_chunk_size(take_line(behind)).has_value();
}

}  // namespace

Dechunked dechunk(std::span<char> body) {
  std::string_view rest(body.data(), body.size());
  if (!is_chunked(rest)) return {body.size(), true};
  size_t size = 0;
  for (;;) {
    std::string_view behind = rest;
    const std::optional<uint64_t> chunk = parse_chunk_size(take_line(behind));
    if (!chunk) return {size, false};
    if (*chunk == 0) return {size, true};
    const size_t n = std::min<size_t>(*chunk, behind.size());
    std::memmove(body.data() + size, behind.data(), n);
    size += n;
    if (n < *chunk) return {size, false};
    behind.remove_prefix(n);
    take_line(behind);  // the line break behind a chunk
    rest = behind;
  }
}

MemberDecoder& PayloadDecoder::decoder(Codec codec) {
  std::unique_ptr<MemberDecoder>& decoder = decoders_[static_cast<size_t>(codec)];
  if (!decoder) decoder = make_decoder(codec);
  return *decoder;
}

DecodedBody PayloadDecoder::undo(Codec codec, std::string_view coded, size_t limit, Arena& out) {
  const bool has_magic = codec == Codec::gzip || codec == Codec::zstd;
  if (coded.empty() || (has_magic && !starts_member(codec, coded))) return {.in_source = true};
  if (codec == Codec::deflate && starts_zlib(coded)) codec = Codec::zlib;
  MemberDecoder& members = decoder(codec);
  members.begin();
  const size_t begin = out.used();
  // Text shrinks to a fourth or so; the room doubles when that is wrong.
  size_t room = std::max<size_t>(4 * coded.size(), 16u << 10);
  DecodedBody result;
  for (;;) {
    const size_t size = out.used() - begin;
    if (size > limit) {
      result.cut = true;
      break;
    }
    // One byte over the limit tells a body that ends there from one that goes on.
    const DecodeStep step = members.decode(coded, out.room(std::min(room, limit + 1 - size)));
    coded.remove_prefix(step.consumed);
    out.take(step.produced);
    room = std::max<size_t>(size, 64u << 10);
    if (step.state == DecodeState::bad) {
      result.problem = step.problem;
      break;
    }
    if (step.state == DecodeState::end) {
      if (!has_magic || !starts_member(codec, coded)) break;
      members.begin();  // a further member continues the body
    } else if (step.consumed == 0 && step.produced == 0) {
      result.short_ = true;
      break;
    }
  }
  result.body = {begin, std::min(out.used() - begin, limit)};
  return result;
}

DecodedBody PayloadDecoder::decode(std::string_view codings, Arena& source, Slice coded,
                                   size_t limit, Arena& out) {
  DecodedBody result{.body = coded, .in_source = true};
  // The coding applied last stands last and is undone first.
  for (size_t undone = 0; !codings.empty(); ++undone) {
    if (undone == kMaxCodings) {
      result.problem = "more than four content codings";
      return result;
    }
    const size_t comma = codings.rfind(',');
    const std::string_view name =
        trim(codings.substr(comma == std::string_view::npos ? 0 : comma + 1));
    codings = codings.substr(0, comma == std::string_view::npos ? 0 : comma);
    const std::optional<Codec> codec = parse_coding(name);
    if (!codec) continue;  // identity, or a charset put here by mistake
    std::string_view input = source.view(coded);
    if (!result.in_source) input = scratch_.assign(out.view(result.body));
    DecodedBody next = undo(*codec, input, limit, out);
    if (next.in_source) continue;
    if (*next.problem != '\0') {
      if (!looks_like_markup(input)) return next;
      out.cut_back(next.body.offset);
      continue;  // stored decoded
    }
    next.cut |= result.cut;
    next.short_ |= result.short_;
    result = next;
  }
  return result;
}

}  // namespace kith::crawl
