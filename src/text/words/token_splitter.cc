#include "text/words/tokens.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>

#include "base/bytes.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

// Bit i of each mask tells about byte i of a block.
struct TokenMasks {
  uint64_t letters = 0;
  uint64_t digits = 0;
  uint64_t symbols = 0;  // $ + < = > | ~: what ASCII has of Sm, Sc and So
  uint64_t apostrophes = 0;
  uint64_t foreign = 0;  // outside ASCII
};

constexpr std::string_view ascii_symbols = "$+<=>|~";

// Reads 64 bytes and writes them with bit 5 set, which is the lower case of ASCII letters and
// changes neither digits nor symbols.
TokenMasks scan_tokens(const char* bytes, char* lower) {
  TokenMasks masks;
#ifdef __SSE2__
  const __m128i case_bit = _mm_set1_epi8(0x20);
  const auto bits = [](__m128i flags) {
    return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(flags)));
  };
  // x in [first, first + count) moves to the lowest signed values.
  const auto is_in_range = [](__m128i x, char first, int count) {
    const __m128i moved = _mm_add_epi8(x, _mm_set1_epi8(static_cast<char>(-128 - first)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(-128 + count)));
  };
  for (int at = 0; at < 64; at += 16) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
    const auto is = [raw](char c) { return _mm_cmpeq_epi8(raw, _mm_set1_epi8(c)); };
    const __m128i lowered = _mm_or_si128(raw, case_bit);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lower + at), lowered);
    masks.letters |= bits(is_in_range(lowered, 'a', 26)) << at;
    masks.digits |= bits(is_in_range(raw, '0', 10)) << at;
    const __m128i in_middle = is_in_range(raw, '<', 3);  // < = >
    const __m128i at_ends =
        _mm_or_si128(_mm_or_si128(is('$'), is('+')), _mm_or_si128(is('|'), is('~')));
    masks.symbols |= bits(_mm_or_si128(in_middle, at_ends)) << at;
    masks.apostrophes |= bits(is('\'')) << at;
    masks.foreign |= bits(raw) << at;
  }
#else
  for (int at = 0; at < 64; ++at) {
    const char c = bytes[at];
    lower[at] = static_cast<char>(c | 0x20);
    masks.letters |= uint64_t{is_ascii_alpha(c)} << at;
    masks.digits |= uint64_t{is_ascii_digit(c)} << at;
    masks.symbols |= uint64_t{c != 0 && ascii_symbols.find(c) != std::string_view::npos} << at;
    masks.apostrophes |= uint64_t{c == '\''} << at;
    masks.foreign |= uint64_t{static_cast<uint8_t>(c) >= 0x80} << at;
  }
#endif
  return masks;
}

bool is_of_run(TokenKind kind) {
  return kind == TokenKind::letter || kind == TokenKind::mark || kind == TokenKind::digit;
}

}  // namespace

void TokenSplitter::reset(std::string_view text) {
  text_ = text;
  in_folded_ = false;
  in_run_ = false;
  load_block(0);
}

void TokenSplitter::load_block(size_t begin) {
  block_begin_ = begin;
  const size_t left = text_.size() - begin;
  const char* bytes = text_.data() + begin;
  std::array<char, block_bytes> padded;
  if (left < block_bytes) {
    padded.fill(0);
    std::copy_n(bytes, left, padded.data());
    bytes = padded.data();
  }
  const TokenMasks masks = scan_tokens(bytes, lower_.data());
  words_ = masks.letters | (numbers_ == Numbers::keep ? masks.digits : 0);
  folded_ = masks.foreign | (numbers_ == Numbers::mask ? masks.digits : 0);
  connect_ = folded_ | masks.apostrophes;
  starts_ = folded_ | masks.symbols | (words_ & ~(words_ << 1));
}

// Goes on at `end`, where it was not read yet.
void TokenSplitter::consume_to(size_t end) {
  if (end - block_begin_ >= block_bytes) {
    load_block(end);
    return;
  }
  starts_ &= ~uint64_t{0} << (end - block_begin_);
}

TokenKind TokenSplitter::kind_of(const FoldedText::Item& item) const {
  const bool is_dropped = item.kind == TokenKind::digit && numbers_ == Numbers::drop;
  return is_dropped ? TokenKind::separator : item.kind;
}

// Leaves what folder_ has not given yet to the masks, where it stands at the beginning of a
// segment.
void TokenSplitter::give_back() {
  const bool is_read = folder_.is_empty();
  in_folded_ = !is_read && !folder_.begins_segment();
  if (in_folded_) return;
  consume_to(is_read ? folder_.segment_end() : folder_.segment_begin());
}

bool TokenSplitter::finish(Token& token, bool continues) {
  token.text = piece_;
  token.continues = continues;
  in_run_ = continues;
  if (continues) {
    in_folded_ = true;
  } else {
    give_back();
  }
  return true;
}

// Reads the line breaks that come next: whether the run goes on behind them.
bool TokenSplitter::passes_line_breaks() {
  const FoldedText::Item* after = folder_.front();
  while (after != nullptr && after->kind == TokenKind::line_break) {
    folder_.pop();
    after = folder_.front();
  }
  if (after == nullptr) return false;
  const TokenKind kind = kind_of(*after);
  return (kind == TokenKind::letter || kind == TokenKind::digit) &&
         is_joined_over_line_break(after->code_point);
}

// Whether the apostrophe that was just read stands between letters.
bool TokenSplitter::joins_letters() {
  const FoldedText::Item* after = folder_.front();
  if (after != nullptr && after->kind == TokenKind::line_break && !passes_line_breaks()) {
    return false;
  }
  after = folder_.front();
  return after != nullptr && after->kind == TokenKind::letter;
}

// The rest of a run whose first code point is next, or of one of which a piece was given.
bool TokenSplitter::read_run(Token& token) {
  piece_.clear();
  for (const FoldedText::Item* item = folder_.front(); item != nullptr; item = folder_.front()) {
    const TokenKind kind = kind_of(*item);
    if (kind == TokenKind::apostrophe &&
        (before_ == TokenKind::letter || before_ == TokenKind::mark)) {
      folder_.pop();
      if (!joins_letters()) break;
      continue;
    }
    if (kind == TokenKind::line_break) {
      if (!passes_line_breaks()) break;
      continue;
    }
    if (!is_of_run(kind)) break;
    if (piece_.size() + 4 > max_piece_bytes) return finish(token, true);
    const bool is_masked = kind == TokenKind::digit && numbers_ == Numbers::mask;
    if (!is_masked || before_ != TokenKind::digit) {
      std::array<char, 4> bytes = {};
      const char32_t c = is_masked ? U'0' : item->code_point;
      piece_.append(bytes.data(), encode_utf8(c, bytes.data()));
    }
    before_ = kind;
    folder_.pop();
  }
  return finish(token, false);
}

// A symbol or an unspaced letter with its marks.
bool TokenSplitter::read_single(Token& token) {
  piece_.clear();
  const FoldedText::Item* item = folder_.front();
  do {
    std::array<char, 4> bytes = {};
    piece_.append(bytes.data(), encode_utf8(item->code_point, bytes.data()));
    folder_.pop();
    item = folder_.front();
  } while (item != nullptr && item->kind == TokenKind::mark &&
           piece_.size() + 4 <= max_piece_bytes);
  return finish(token, false);
}

// What most texts outside ASCII are made of, without folder_: code points that become one code
// point each, and compose with none. `other`: what begins at `begin` is not so.
TokenSplitter::Plain TokenSplitter::read_plain(size_t begin, Token& token) {
  const CodePoint c = decode_utf8(text_, begin);
  const TokenLetter letter = letters_[c.value];
  if (letter.expands != 0 || !letter.is_boundary()) return Plain::other;
  const size_t end = begin + c.size;
  switch (letter.kind) {
    case TokenKind::separator:
    case TokenKind::line_break:
      consume_to(end);
      return Plain::nothing;
    case TokenKind::letter:
      return read_plain_run(begin, token);
    case TokenKind::unspaced:
    case TokenKind::symbol: {
      if (end < text_.size()) {
        const TokenLetter after = letters_[decode_utf8(text_, end).value];
        if (!after.is_boundary() || after.expands != 0 || after.kind == TokenKind::mark) {
          return Plain::other;
        }
      }
      token.offset = static_cast<uint32_t>(begin);
      token.continues = false;
      token.unspaced = letter.kind == TokenKind::unspaced;
      if (letter.mapping == 0 && text_.size() - begin >= readable_bytes && c.value != 0xfffd) {
        token.text = text_.substr(begin, c.size);  // as it stands
      } else {
        std::array<char, 4> bytes = {};
        const auto value = static_cast<char32_t>(static_cast<int32_t>(c.value) + letter.mapping);
        piece_.assign(bytes.data(), encode_utf8(value, bytes.data()));
        token.text = piece_;
      }
      consume_to(end);
      return Plain::token;
    }
    default:
      return Plain::other;
  }
}

// A run of such code points, and of marks that stand in their order and compose with nothing.
TokenSplitter::Plain TokenSplitter::read_plain_run(size_t begin, Token& token) {
  std::array<char, max_piece_bytes> piece;
  size_t size = 0;
  size_t at = begin;
  uint8_t class_before = 0;
  while (at < text_.size()) {
    const CodePoint c = decode_utf8(text_, at);
    const TokenLetter letter = letters_[c.value];
    const bool is_in_order = letter.combining_class == 0 || class_before <= letter.combining_class;
    const bool is_masked = letter.kind == TokenKind::digit && numbers_ == Numbers::mask;
    if (letter.expands != 0 || letter.combines != 0 || !is_in_order || is_masked ||
        letter.kind == TokenKind::apostrophe || letter.kind == TokenKind::line_break ||
        size + 4 > piece.size()) {
      return Plain::other;
    }
    if (!is_of_run(letter.kind)) break;
    if (letter.kind == TokenKind::digit && numbers_ == Numbers::drop) break;
    const auto value = static_cast<char32_t>(static_cast<int32_t>(c.value) + letter.mapping);
    size += encode_utf8(value, piece.data() + size);
    class_before = letter.combining_class;
    at += c.size;
  }
  piece_.assign(piece.data(), size);
  token = {piece_, static_cast<uint32_t>(begin)};
  consume_to(at);
  return Plain::token;
}

// The way of everything but plain ASCII tokens, from the byte `begin` on where nothing is begun.
// False when there is no token in what was passed over.
bool TokenSplitter::next_folded(size_t begin, Token& token) {
  if (!in_folded_) {
    const Plain plain = read_plain(begin, token);
    if (plain != Plain::other) return plain == Plain::token;
    folder_.reset(text_, begin);
  }
  if (!in_run_) {
    const FoldedText::Item* const item = folder_.front();
    const TokenKind kind = item == nullptr ? TokenKind::separator : kind_of(*item);
    token.offset = static_cast<uint32_t>(folder_.segment_begin());
    token.unspaced = kind == TokenKind::unspaced;
    if (kind == TokenKind::symbol || kind == TokenKind::unspaced) return read_single(token);
    if (!is_of_run(kind)) {
      if (item != nullptr) folder_.pop();
      give_back();
      return false;
    }
    before_ = TokenKind::separator;
  }
  return read_run(token);
}

}  // namespace kith::text
