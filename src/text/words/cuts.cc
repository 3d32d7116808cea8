#include "text/words/cuts.h"

#include <algorithm>
#include <new>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include "base/bytes.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

bool is_utf8_tail(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
}

// The code point before `at` > 0.
CodePoint character_before(std::string_view text, size_t at) {
  size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && is_utf8_tail(text[begin])) --begin;
  const CodePoint found = decode_utf8(text, begin);
  if (begin + found.size == at) return found;
  return {0xfffd, 1};
}

bool is_white_space(char32_t c) {
  return u_isUWhiteSpace(static_cast<UChar32>(c));
}

// Neither a letter nor a digit nor a symbol, which are tokens.
bool is_punctuation(char32_t c) {
  const auto point = static_cast<UChar32>(c);
  return c != 0xfffd && !is_white_space(c) && (u_ispunct(point) || u_iscntrl(point));
}

size_t begin_of_character(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && is_utf8_tail(text[at])) --at;
  return at;
}

// Behind what is not white space from `at` on, and the white space behind it.
size_t next_word(std::string_view text, size_t at, size_t end) {
  bool in_blanks = false;
  while (at < end) {
    const CodePoint c = decode_utf8(text, at);
    const bool blank = is_white_space(c.value);
    if (in_blanks && !blank) return at;
    in_blanks = blank;
    at += c.size;
  }
  return end;
}

// Where the word begins in which `at` lies, not before `least`.
size_t begin_of_word(std::string_view text, size_t at, size_t least) {
  while (at > least) {
    const CodePoint c = character_before(text, at);
    if (is_white_space(c.value)) break;
    at -= c.size;
  }
  return at;
}

}  // namespace

// Boundaries by ICU.
struct TextCuts::Breaks {
  explicit Breaks(UBreakIteratorType type) {
    UErrorCode error = U_ZERO_ERROR;
    iterator = ubrk_open(type, "", nullptr, 0, &error);
    if (U_FAILURE(error)) throw std::bad_alloc();
  }
  ~Breaks() {
    ubrk_close(iterator);
    utext_close(&utext);
  }
  Breaks(const Breaks&) = delete;
  Breaks& operator=(const Breaks&) = delete;

  void set(std::string_view text) {
    UErrorCode error = U_ZERO_ERROR;
    utext_openUTF8(&utext, text.data(), static_cast<int64_t>(text.size()), &error);
    ubrk_setUText(iterator, &utext, &error);
    if (U_FAILURE(error)) throw std::bad_alloc();
  }

  UBreakIterator* iterator = nullptr;
  UText utext = UTEXT_INITIALIZER;
};

TextCuts::TextCuts(bool sentences) : sentences_(sentences) {}
TextCuts::~TextCuts() = default;
TextCuts::TextCuts(TextCuts&&) noexcept = default;

std::vector<ByteRange> TextCuts::between_words(std::string_view text,
                                               const std::vector<ByteRange>& ranges) {
  std::vector<ByteRange> cuts;
  for (const ByteRange& range : ranges) {
    ByteRange cut = whole_words(text, range);
    if (sentences_ && cut.begin < cut.end) cut = whole_sentences(text, cut);
    if (cut.begin >= cut.end) continue;
    if (!cuts.empty() && cuts.back().end == cut.begin) {
      cuts.back().end = cut.end;
    } else {
      cuts.push_back(cut);
    }
  }
  return cuts;
}

// Whether a word of ICU ends at `at`, between two letters of scripts without blanks.
bool TextCuts::is_word_break(std::string_view text, size_t at) {
  constexpr size_t context = 192;  // bytes on either side: a word is far shorter
  size_t begin = at;
  while (begin > 0 && at - begin < context) {
    const CodePoint c = character_before(text, begin);
    if (!is_unspaced(c.value)) break;
    begin -= c.size;
  }
  size_t end = at;
  while (end < text.size() && end - at < context) {
    const CodePoint c = decode_utf8(text, end);
    if (!is_unspaced(c.value)) break;
    end += c.size;
  }
  if (!words_) words_ = std::make_unique<Breaks>(UBRK_WORD);
  words_->set(text.substr(begin, end - begin));
  return ubrk_isBoundary(words_->iterator, static_cast<int32_t>(at - begin)) != 0;
}

ByteRange TextCuts::whole_words(std::string_view text, ByteRange range) {
  const auto is_unspaced_place = [&](size_t at) {
    return is_unspaced(character_before(text, at).value) ||
           (at < text.size() && is_unspaced(decode_utf8(text, at).value));
  };
  // Between two letters of which one at least is of a script without blanks.
  const auto may_cut = [&](size_t at) {
    const bool both =
        is_unspaced(character_before(text, at).value) && is_unspaced(decode_utf8(text, at).value);
    return !both || is_word_break(text, at);
  };
  const auto pass_punctuation = [&](size_t at, size_t least) {
    while (at > least && is_punctuation(character_before(text, at).value))
      at -= character_before(text, at).size;
    return at;
  };
  const auto is_open = [&](size_t at) {
    return at == 0 || is_white_space(character_before(text, at).value);
  };

  size_t begin = range.begin;
  if (const size_t opening = pass_punctuation(begin, 0); is_open(opening)) {
    begin = opening;
  } else if (begin < text.size() && is_unspaced_place(begin)) {
    while (begin < range.end && !may_cut(begin)) begin += decode_utf8(text, begin).size;
  } else {
    begin = next_word(text, begin, range.end);
  }
  if (begin >= range.end) return {};
  size_t end = range.end;
  if (end == text.size()) return {begin, end};
  if (const size_t opening = pass_punctuation(end, begin); is_open(opening)) {
    end = opening;
  } else if (is_unspaced_place(end)) {
    while (end > begin && !may_cut(end)) end -= character_before(text, end).size;
  } else {
    end = begin_of_word(text, end, begin);
  }
  return {begin, end};
}

// The boundaries of a part of the text are those of the whole, but near its ends.
ByteRange TextCuts::whole_sentences(std::string_view text, ByteRange range) {
  constexpr size_t context = 4096;
  size_t from = range.begin - std::min(range.begin, context);
  const size_t line = text.substr(from, range.begin - from).rfind('\n');
  if (line != std::string_view::npos) from += line + 1;
  from = begin_of_character(text, from);
  const size_t to = begin_of_character(text, std::min(text.size(), range.end + context));
  if (to - from > INT32_MAX) return {};
  if (!sentence_breaks_) sentence_breaks_ = std::make_unique<Breaks>(UBRK_SENTENCE);
  sentence_breaks_->set(text.substr(from, to - from));
  ByteRange cut{text.size(), 0};
  for (int32_t at = ubrk_first(sentence_breaks_->iterator); at != UBRK_DONE;
       at = ubrk_next(sentence_breaks_->iterator)) {
    const size_t place = from + static_cast<size_t>(at);
    const bool is_true =
        (place > from || from == 0 || text[from - 1] == '\n') && (place < to || to == text.size());
    if (!is_true) continue;
    if (place >= range.begin) cut.begin = std::min(cut.begin, place);
    if (place > range.end) break;
    cut.end = place;
  }
  return cut;
}

}  // namespace kith::text
