#include "text/words/words.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include <unicode/ubrk.h>
#include <unicode/unorm2.h>
#include <unicode/utext.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "text/words/icu_error.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

using namespace std::string_view_literals;

// A run is handed to ICU in pieces of at most this size, which bounds its memory.
constexpr size_t max_run_bytes = 4096;

// Menus bring the same short runs on every page of a site, and ICU takes microseconds for each:
// the segments of runs up to this size are kept, of so many runs.
constexpr size_t max_kept_run_bytes = 64;
constexpr size_t max_kept_runs = 1 << 14;

struct RunHash {
  using is_transparent = void;
  size_t operator()(std::string_view run) const { return hash64(run); }
};

bool is_foreign(char c) {
  return static_cast<uint8_t>(c) >= 0x80;
}

// Bit i of each mask tells about byte i of a block.
struct BlockMasks {
  uint64_t letters = 0;
  uint64_t foreign = 0;
  uint64_t connectors = 0;  // foreign bytes, apostrophes and ASCII digits
};

// Reads 64 bytes and writes them with bit 5 set, which is the lower case of ASCII letters. The
// connectors are one mask because gathering bits is what costs time here.
BlockMasks scan_block(const char* bytes, char* lower) {
  BlockMasks masks;
#ifdef __SSE2__
  const __m128i case_bit = _mm_set1_epi8(0x20);
  const __m128i apostrophe = _mm_set1_epi8('\'');
  // x in ['a', 'z'] moves to the 26 lowest signed values.
  const __m128i to_lowest = _mm_set1_epi8(static_cast<char>(-128 - 'a'));
  const __m128i letter_end = _mm_set1_epi8(-128 + 26);
  const __m128i digits_to_lowest = _mm_set1_epi8(static_cast<char>(-128 - '0'));
  const __m128i digit_end = _mm_set1_epi8(-128 + 10);
  const auto bits = [](__m128i flags) {
    return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(flags)));
  };
  for (int at = 0; at < 64; at += 16) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
    const __m128i lowered = _mm_or_si128(raw, case_bit);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lower + at), lowered);
    const __m128i is_letter = _mm_cmplt_epi8(_mm_add_epi8(lowered, to_lowest), letter_end);
    const __m128i is_digit = _mm_cmplt_epi8(_mm_add_epi8(raw, digits_to_lowest), digit_end);
    masks.letters |= bits(is_letter) << at;
    const __m128i is_connector = _mm_or_si128(_mm_cmpeq_epi8(raw, apostrophe), is_digit);
    masks.foreign |= bits(raw) << at;
    masks.connectors |= bits(_mm_or_si128(raw, is_connector)) << at;
  }
#else
  for (int at = 0; at < 64; ++at) {
    const char c = bytes[at];
    lower[at] = static_cast<char>(c | 0x20);
    masks.letters |= uint64_t{is_ascii_alpha(c)} << at;
    masks.foreign |= uint64_t{is_foreign(c)} << at;
    masks.connectors |= uint64_t{c == '\'' || is_ascii_digit(c)} << at;
  }
  masks.connectors |= masks.foreign;
#endif
  return masks;
}

// A word is written to a buffer of this size; its own size stops at too_long bytes. What folding
// makes a letter takes at most 9 bytes before: a syllable of Hangul in its parts.
constexpr size_t too_long = WordSplitter::max_word_letters * 16 + 1;
using WordBytes = std::array<char, too_long + 4 + WordSplitter::readable_bytes>;

// Both add to the word of `size` bytes and return its new size, which callers keep in a
// register: through memory the loop over the letters would be half as fast.
size_t add_letter(char32_t lower, char* word, size_t size) {
  return std::min(size + encode_utf8(lower, word + size), too_long);
}

// Composes the mark and the letter before it where there is such a letter (NFC). Sets `folds` where
// that takes more than these two.
size_t add_mark(char32_t mark, char* word, size_t size, bool& folds) {
  if (size == too_long) return size;
  size_t last = size;
  while (last > 0 && (static_cast<uint8_t>(word[--last]) & 0xc0) == 0x80) continue;
  static const UNormalizer2* const nfc = nfc_form();
  const char32_t letter = decode_utf8({word, size}, last).value;
  const UChar32 composed =
      unorm2_composePair(nfc, static_cast<UChar32>(letter), static_cast<UChar32>(mark));
  if (composed >= 0) return add_letter(static_cast<char32_t>(composed), word, last);
  folds = folds || may_be_reordered(letter, mark);
  return add_letter(mark, word, size);
}

// Characters that nobody sees between two letters.
bool is_invisible_before(char32_t c, std::string_view text, size_t after) {
  if (c < 0x61c) return false;
  if (c == 0x200b) {
    return after < text.size() && is_joined_over_line_break(decode_utf8(text, after).value);
  }
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || c == 0x2060 ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

// Whether `word`, which stands before an apostrophe, is an article, pronoun or preposition
// without its last vowel (French "l'eau", "qu'il", Italian "dell'acqua", Catalan "d'or").
bool is_elided(std::string_view word) {
  constexpr std::string_view single_letters = "cdjlmnst";
  constexpr std::array longer = {"qu"sv,   "jusqu"sv, "lorsqu"sv, "puisqu"sv, "quoiqu"sv,
                                 "dell"sv, "all"sv,   "nell"sv,   "dall"sv,   "sull"sv,
                                 "un"sv,   "quest"sv, "quell"sv,  "coll"sv};
  if (word.size() == 1) return single_letters.find(word.front()) != std::string_view::npos;
  return std::ranges::find(longer, word) != longer.end();
}

// Whether the joiner between `word` and the byte at `after` is the apostrophe of an elision. A
// single s, t, d or m after it is an English ending ("t's").
bool separates(std::string_view text, CodePoint joiner, size_t after, std::string_view word) {
  if (joiner.value != U'\'' && joiner.value != U'\u2019') return false;
  if (!is_elided(word)) return false;
  if ("stdm"sv.find(ascii_lower(text[after])) == std::string_view::npos) return true;
  if (after + 1 == text.size()) return false;
  const CodePoint next = decode_utf8(text, after + 1);
  return LetterTable::instance()[next.value].kind == LetterKind::letter;
}

// Whether a digit outside ASCII ends at `end`. REQUIRES: end > 0.
bool is_foreign_digit_before(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && end - begin < 4 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80) {
    --begin;
  }
  const CodePoint c = decode_utf8(text.substr(0, end), begin);
  return begin + c.size == end && LetterTable::instance()[c.value].kind == LetterKind::digit;
}

bool is_digit_before(std::string_view text, size_t end) {
  if (end == 0) return false;
  const char before = text[end - 1];
  return is_foreign(before) ? is_foreign_digit_before(text, end) : is_ascii_digit(before);
}

}  // namespace

struct WordSplitter::Impl {
  const LetterTable& letters = LetterTable::instance();
  const FoldedLetters& folded_letters = FoldedLetters::instance();
  WordBytes word;
  std::string folded_word;

  // The run of a script without blanks that is being segmented: its place in the text, its
  // segments, and which of them is next.
  struct Segments {
    std::vector<uint16_t> ends;
    std::unique_ptr<FoldedRun> folded;  // what they are segments of, where that is not the run
  };
  static_assert(3 * max_run_bytes <=
                UINT16_MAX);  // NFC makes no text more than three times as long
  size_t run_begin = 0;
  size_t run_end = 0;
  const Segments* segments = nullptr;
  size_t segment = 0;
  std::unordered_map<std::string, Segments, RunHash, std::equal_to<>> kept_runs;
  Segments long_run;
  UBreakIterator* iterator = nullptr;
  UText run_text = UTEXT_INITIALIZER;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (iterator != nullptr) ubrk_close(iterator);
    utext_close(&run_text);
  }

  void begin_run(std::string_view text, size_t begin);
  void segment_run(std::string_view run, Segments& result);
  bool next_segment(std::string_view text, std::string_view& segment_text, size_t& begin);
  bool folds_as(CodePoint c) const { return c.size > 1 && folded_letters.contains(c.value); }
  size_t fold(size_t size);
  size_t read_word(std::string_view text, size_t begin, size_t& size, bool& is_at_digit);
};

// Finds the end of the run at `begin` and its segments.
void WordSplitter::Impl::begin_run(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && end - begin < max_run_bytes) {
    const CodePoint c = decode_utf8(text, end);
    const LetterKind kind = letters[c.value].kind;
    if (kind != LetterKind::segmented && kind != LetterKind::mark) break;
    end += c.size;
  }
  const std::string_view run = text.substr(begin, end - begin);
  run_begin = begin;
  run_end = end;
  segment = 0;
  if (run.size() > max_kept_run_bytes) {
    segment_run(run, long_run);
    segments = &long_run;
    return;
  }
  auto kept = kept_runs.find(run);
  if (kept == kept_runs.end()) {
    if (kept_runs.size() == max_kept_runs) kept_runs.clear();
    kept = kept_runs.emplace(run, Segments()).first;
    segment_run(run, kept->second);
  }
  segments = &kept->second;
}

void WordSplitter::Impl::segment_run(std::string_view run, Segments& result) {
  UErrorCode error = U_ZERO_ERROR;
  auto folded = std::make_unique<FoldedRun>();
  const bool is_folded = fold_run(run, *folded);
  result.folded = is_folded ? std::move(folded) : nullptr;
  if (is_folded) run = result.folded->text;
  utext_openUTF8(&run_text, run.data(), static_cast<int64_t>(run.size()), &error);
  if (iterator == nullptr) iterator = ubrk_open(UBRK_WORD, "", nullptr, 0, &error);
  check_icu(error);
  ubrk_setUText(iterator, &run_text, &error);
  check_icu(error);
  std::vector<uint16_t>& ends = result.ends;
  ends.clear();
  // Every segment has a place of its own in the text.
  const auto begins_within = [&](int32_t end) {
    if (!is_folded) return false;
    const std::vector<uint16_t>& places = result.folded->places;
    const size_t begin = ends.empty() ? 0 : ends.back();
    return static_cast<size_t>(end) < places.size() &&
           places[static_cast<size_t>(end)] == places[begin];
  };
  for (;;) {
    const int32_t end = ubrk_next(iterator);
    if (end == UBRK_DONE) break;
    if (!begins_within(end)) ends.push_back(static_cast<uint16_t>(end));
  }
  if (ends.empty() || ends.back() != run.size()) {
    ends.push_back(static_cast<uint16_t>(run.size()));
  }
}

// False when the run is at its end. `begin` is a place in the text.
bool WordSplitter::Impl::next_segment(std::string_view text, std::string_view& segment_text,
                                      size_t& begin) {
  if (segment == segments->ends.size()) return false;
  const size_t at = segment == 0 ? 0 : segments->ends[segment - 1];
  const size_t size = std::min(segments->ends[segment++] - at, too_long);
  const FoldedRun* const folded = segments->folded.get();
  begin = run_begin + (folded == nullptr ? at : folded->places[at]);
  const std::string_view source = folded == nullptr ? text.substr(run_begin) : folded->text;
  source.copy(word.data(), size, at);
  segment_text = std::string_view(word.data(), size);
  return true;
}

// Folds the word of `size` bytes and returns its new size.
size_t WordSplitter::Impl::fold(size_t size) {
  if (size == too_long) return size;
  fold_word({word.data(), size}, folded_word);
  return folded_word.copy(word.data(), too_long);
}

// Reads the word whose first letter stands at `begin` into `word`, and returns where it ends.
// is_at_digit: a digit stands before or behind it.
size_t WordSplitter::Impl::read_word(std::string_view text, size_t begin, size_t& word_size,
                                     bool& is_at_digit) {
  is_at_digit = is_digit_before(text, begin);
  char* const bytes = word.data();
  size_t size = 0;
  size_t at = begin;
  bool folds = false;
  while (at < text.size()) {
    CodePoint c = decode_utf8(text, at);
    Letter letter = letters[c.value];
    size_t after = at + c.size;
    const bool is_joiner =
        letter.kind == LetterKind::joiner ||
        (letter.kind == LetterKind::none && is_invisible_before(c.value, text, after));
    if (is_joiner && after < text.size()) {
      if (separates(text, c, after, {bytes, size})) break;
      c = decode_utf8(text, after);
      letter = letters[c.value];
      after += c.size;
      if (letter.kind != LetterKind::letter) break;
    }
    if (letter.kind == LetterKind::letter) {
      folds = folds || folds_as(c);
      size = add_letter(letter.lower, bytes, size);
    } else if (letter.kind == LetterKind::mark) {
      folds = folds || folds_as(c);
      size = add_mark(c.value, bytes, size, folds);
    } else {
      if (letter.kind == LetterKind::digit) is_at_digit = true;
      break;
    }
    at = after;
  }
  word_size = folds ? fold(size) : size;
  return at;
}

WordSplitter::WordSplitter() : impl_(std::make_unique<Impl>()) {}
WordSplitter::~WordSplitter() = default;
WordSplitter::WordSplitter(WordSplitter&&) noexcept = default;
WordSplitter& WordSplitter::operator=(WordSplitter&&) noexcept = default;

void WordSplitter::reset(std::string_view text) {
  text_ = text;
  in_segments_ = false;
  long_words_ = 0;
  load_block(0);
}

void WordSplitter::load_block(size_t begin) {
  block_begin_ = begin;
  const size_t left = text_.size() - begin;
  const char* bytes = text_.data() + begin;
  std::array<char, block_bytes> padded;
  if (left < block_bytes) {
    padded.fill(0);
    std::copy_n(bytes, left, padded.data());
    bytes = padded.data();
  }
  const BlockMasks masks = scan_block(bytes, lower_.data());
  const bool is_after_digit = begin > 0 && is_ascii_digit(text_[begin - 1]);
  const uint64_t after_connectors = (masks.connectors & ~masks.foreign) << 1 | is_after_digit;
  letters_ = masks.letters;
  general_ = masks.foreign | (masks.letters & after_connectors);
  connectors_ = masks.connectors;
  starts_ = masks.foreign | (masks.letters & ~(masks.letters << 1));
}

// Goes on at `end`, where it was not read yet.
void WordSplitter::consume_to(size_t end) {
  if (end - block_begin_ >= block_bytes) {
    load_block(end);
    return;
  }
  starts_ &= ~uint64_t{0} << (end - block_begin_);
}

// Counts a word that is too long.
inline bool WordSplitter::is_within_limit(std::string_view word) {
  if (word.size() <= max_word_letters) return true;
  const auto tails =
      std::ranges::count_if(word, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; });
  if (word.size() - static_cast<size_t>(tails) <= max_word_letters) return true;
  ++long_words_;
  return false;
}

// The way of everything but plain ASCII words. `begin` is a letter or a byte outside ASCII;
// false when there is no word in what was passed over.
bool WordSplitter::next_general(size_t begin, std::string_view& word, uint32_t& offset) {
  if (in_segments_) {
    if (impl_->next_segment(text_, word, begin)) {
      offset = static_cast<uint32_t>(begin);
      return is_within_limit(word);
    }
    in_segments_ = false;
    consume_to(impl_->run_end);
    return false;
  }
  const CodePoint first = decode_utf8(text_, begin);
  switch (impl_->letters[first.value].kind) {
    case LetterKind::segmented:
      impl_->begin_run(text_, begin);
      in_segments_ = true;
      return false;
    case LetterKind::letter: {
      size_t size = 0;
      bool is_at_digit = false;
      consume_to(impl_->read_word(text_, begin, size, is_at_digit));
      if (is_at_digit) return false;
      word = std::string_view(impl_->word.data(), size);
      offset = static_cast<uint32_t>(begin);
      return is_within_limit(word);
    }
    case LetterKind::digit: {  // outside ASCII
      const size_t end = begin + first.size;
      consume_to(end);
      general_ |= letters_ & (uint64_t{1} << (end - block_begin_));
      return false;
    }
    default:
      consume_to(begin + first.size);
      return false;
  }
}

}  // namespace kith::text
