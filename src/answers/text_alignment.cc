#include "answers/text_alignment.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

#include "base/check.h"

namespace kith::answers {
namespace {

// A chain of one round leaves gaps that shingles of the next may bridge: those that occur several
// times are paired anew inside. Real texts are done after two or three rounds.
constexpr uint32_t max_rounds = 16;

// A shingle and where it begins.
struct Place {
  uint64_t shingle;
  size_t token;
};

struct Anchor {
  size_t a;
  size_t b;
};

// Tokens [a_begin, a_end) of one text and [b_begin, b_end) of the other.
struct Gap {
  size_t a_begin;
  size_t a_end;
  size_t b_begin;
  size_t b_end;
};

std::vector<Place> places_in(const ShingledText& text, size_t begin, size_t end) {
  std::vector<Place> places;
  const size_t width = text.width();
  if (end - begin < width) return places;
  places.reserve(end - begin - width + 1);
  for (size_t k = begin; k + width <= end; ++k) places.push_back({text.shingles[k], k});
  std::ranges::sort(places, {}, [](const Place& p) { return std::tie(p.shingle, p.token); });
  return places;
}

// The k-th occurrence of a shingle in one text with its k-th in the other; ascending in a.
std::vector<Anchor> anchors_of(std::span<const Place> a, std::span<const Place> b) {
  std::vector<Anchor> anchors;
  const auto next_shingle = [](std::span<const Place> places, size_t from) {
    size_t to = from;
    while (to < places.size() && places[to].shingle == places[from].shingle) ++to;
    return to;
  };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].shingle < b[j].shingle) {
      ++i;
    } else if (b[j].shingle < a[i].shingle) {
      ++j;
    } else {
      const size_t i_end = next_shingle(a, i);
      const size_t j_end = next_shingle(b, j);
      for (size_t k = 0; k < std::min(i_end - i, j_end - j); ++k) {
        anchors.push_back({a[i + k].token, b[j + k].token});
      }
      i = i_end;
      j = j_end;
    }
  }
  std::ranges::sort(anchors, {}, &Anchor::a);
  return anchors;
}

// The longest subsequence that ascends in b (patience sorting).
std::vector<Anchor> longest_chain(std::span<const Anchor> anchors) {
  constexpr size_t none = std::numeric_limits<size_t>::max();
  std::vector<size_t> last;  // last[n]: the anchor that ends the chain of n + 1 with the smallest b
  std::vector<size_t> before(anchors.size(), none);
  for (size_t i = 0; i < anchors.size(); ++i) {
    const auto at = std::ranges::lower_bound(last, anchors[i].b, {},
                                             [&](size_t end) { return anchors[end].b; });
    if (at != last.begin()) before[i] = *(at - 1);
    if (at == last.end()) {
      last.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<Anchor> chain;
  for (size_t i = last.empty() ? none : last.back(); i != none; i = before[i]) {
    chain.push_back(anchors[i]);
  }
  std::ranges::reverse(chain);
  return chain;
}

// The tokens of the chain's shingles; where shingles of different diagonals overlap the earlier
// one keeps the tokens.
std::vector<AlignedRun> runs_of(std::span<const Anchor> chain, size_t width) {
  std::vector<AlignedRun> runs;
  size_t a_end = 0;
  size_t b_end = 0;
  for (Anchor anchor : chain) {
    const size_t end = anchor.a + width;
    const size_t taken =
        std::max(a_end > anchor.a ? a_end - anchor.a : 0, b_end > anchor.b ? b_end - anchor.b : 0);
    if (taken >= width) continue;
    anchor.a += taken;
    anchor.b += taken;
    const size_t size = end - anchor.a;
    if (!runs.empty() && a_end == anchor.a && b_end == anchor.b) {
      runs.back().size += size;
    } else {
      runs.push_back({anchor.a, anchor.b, size});
    }
    a_end = anchor.a + size;
    b_end = anchor.b + size;
  }
  return runs;
}

void extend(const ShingledText& a, const ShingledText& b, const Gap& gap,
            std::vector<AlignedRun>& runs) {
  for (size_t i = 0; i < runs.size(); ++i) {
    AlignedRun& run = runs[i];
    const size_t a_before = i == 0 ? gap.a_begin : runs[i - 1].a + runs[i - 1].size;
    const size_t b_before = i == 0 ? gap.b_begin : runs[i - 1].b + runs[i - 1].size;
    while (run.a > a_before && run.b > b_before && a.tokens[run.a - 1] == b.tokens[run.b - 1]) {
      --run.a;
      --run.b;
      ++run.size;
    }
    const bool last = i + 1 == runs.size();
    const size_t a_after = last ? gap.a_end : runs[i + 1].a;
    const size_t b_after = last ? gap.b_end : runs[i + 1].b;
    while (run.a + run.size < a_after && run.b + run.size < b_after &&
           a.tokens[run.a + run.size] == b.tokens[run.b + run.size]) {
      ++run.size;
    }
  }
}

// What lies before, between and behind runs that ascend inside a gap, where there is something on
// both sides.
void add_gaps(const Gap& whole, std::span<const AlignedRun> runs, std::vector<Gap>& gaps) {
  Gap gap = whole;
  const auto add = [&](size_t a_end, size_t b_end) {
    gap.a_end = a_end;
    gap.b_end = b_end;
    if (gap.a_begin < a_end && gap.b_begin < b_end) gaps.push_back(gap);
  };
  for (const AlignedRun& run : runs) {
    add(run.a, run.b);
    gap.a_begin = run.a + run.size;
    gap.b_begin = run.b + run.size;
  }
  add(whole.a_end, whole.b_end);
}

std::vector<AlignedRun> align_gap(const ShingledText& a, const ShingledText& b, const Gap& gap) {
  const std::vector<Place> a_places = places_in(a, gap.a_begin, gap.a_end);
  const std::vector<Place> b_places = places_in(b, gap.b_begin, gap.b_end);
  // Shared shingles are of the same width.
  std::vector<AlignedRun> runs = runs_of(longest_chain(anchors_of(a_places, b_places)), a.width());
  extend(a, b, gap, runs);
  return runs;
}

// Runs that touch in both texts are one.
std::vector<AlignedRun> joined(std::vector<AlignedRun> runs) {
  std::ranges::sort(runs, {}, &AlignedRun::a);
  std::vector<AlignedRun> whole;
  for (const AlignedRun& run : runs) {
    if (!whole.empty() && whole.back().a + whole.back().size == run.a &&
        whole.back().b + whole.back().size == run.b) {
      whole.back().size += run.size;
    } else {
      whole.push_back(run);
    }
  }
  return whole;
}

TextRange range_of(const ShingledText& text, size_t begin, size_t end) {
  // What stands before the first token belongs to it, what stands behind a token as well.
  const auto at = [&](size_t token) -> uint64_t {
    if (token == 0) return 0;
    return token == text.tokens.size() ? text.bytes : text.offsets[token];
  };
  return {at(begin), at(end), end - begin};
}

// For every token of `text` the token of `other` that it is, as part of a shingle of both: of the
// first such shingle, at its first place. `none` where there is no such shingle.
constexpr size_t none = std::numeric_limits<size_t>::max();
std::vector<size_t> places_elsewhere(const ShingledText& text, std::span<const Place> other) {
  std::vector<size_t> elsewhere(text.tokens.size(), none);
  const size_t width = text.width();
  size_t covered = 0;  // tokens before it have what they get
  for (size_t k = 0; k < text.shingles.size(); ++k) {
    const auto found = std::ranges::lower_bound(other, text.shingles[k], {}, &Place::shingle);
    if (found == other.end() || found->shingle != text.shingles[k]) continue;
    for (size_t i = std::max(k, covered); i < k + width; ++i) {
      elsewhere[i] = found->token + (i - k);
    }
    covered = k + width;
  }
  return elsewhere;
}

// The passages of one text in a gap: stretches of tokens that stand in the other text, or do not.
class GapPassages {
 public:
  GapPassages(const ShingledText& text, const ShingledText& other, std::span<const Place> places)
      : text_(text), other_(other), elsewhere_(places_elsewhere(text, places)) {}

  // Calls add(range, is elsewhere, place in the other text).
  template <class Add>
  void for_each(size_t begin, size_t end, size_t other_token, const Add& add) const {
    for (size_t from = begin; from < end;) {
      const bool found = elsewhere_[from] != none;
      size_t to = from + 1;
      while (to < end && (elsewhere_[to] != none) == found) ++to;
      const size_t there = found ? elsewhere_[from] : other_token;
      add(range_of(text_, from, to), found, range_of(other_, there, there));
      from = to;
    }
  }

 private:
  const ShingledText& text_;
  const ShingledText& other_;
  std::vector<size_t> elsewhere_;
};

bool continues_character(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// The characters of a normalized word all have the offset of the word, and so has the blank before
// it. Here every one gets the place of its own: that of the same number in the word. Where
// normalization has composed or dropped characters that is a little too early.
void spread_over_words(std::string_view text, std::vector<uint32_t>& offsets) {
  for (size_t first = 0; first < offsets.size();) {
    size_t last = first + 1;
    while (last < offsets.size() && offsets[last] == offsets[first]) ++last;
    const size_t end = last < offsets.size() ? offsets[last] : text.size();
    size_t at = offsets[first];
    for (size_t i = first + (first == 0 ? 1 : 2); i < last; ++i) {
      if (at < end) ++at;
      while (at < end && continues_character(text, at)) ++at;
      offsets[i] = static_cast<uint32_t>(at);
    }
    first = last;
  }
}

}  // namespace

ShingledText shingle_text(std::string_view text, const text::ShingleOptions& options) {
  ShingledText result;
  result.bytes = text.size();
  text::ShingleOptions single = options;
  single.width = 1;
  text::Shingler(single).read(text, result.tokens);
  text::Shingler(options).read(text, result.shingles, result.offsets);
  if (options.tokens.unit == text::TokenUnit::characters && options.tokens.normalize) {
    spread_over_words(text, result.offsets);
  }
  return result;
}

std::vector<AlignedRun> align(const ShingledText& a, const ShingledText& b) {
  KITH_CHECK(!a.tokens.empty() && !b.tokens.empty());
  std::vector<AlignedRun> runs;
  std::vector<Gap> gaps = {{0, a.tokens.size(), 0, b.tokens.size()}};
  for (uint32_t round = 0; round < max_rounds && !gaps.empty(); ++round) {
    std::vector<Gap> smaller;
    for (const Gap& gap : gaps) {
      const std::vector<AlignedRun> found = align_gap(a, b, gap);
      if (found.empty()) continue;
      add_gaps(gap, found, smaller);
      runs.insert(runs.end(), found.begin(), found.end());
    }
    gaps = std::move(smaller);
  }
  return joined(std::move(runs));
}

std::vector<Passage> passages_of(const ShingledText& a, const ShingledText& b) {
  const GapPassages in_a(a, b, places_in(b, 0, b.tokens.size()));
  const GapPassages in_b(b, a, places_in(a, 0, a.tokens.size()));
  std::vector<Passage> passages;
  size_t a_done = 0;
  size_t b_done = 0;
  const auto add_gap = [&](size_t a_end, size_t b_end) {
    in_a.for_each(a_done, a_end, b_done, [&](TextRange here, bool found, TextRange there) {
      passages.push_back({found ? PassageKind::elsewhere_a : PassageKind::only_a, here, there});
    });
    in_b.for_each(b_done, b_end, a_end, [&](TextRange here, bool found, TextRange there) {
      passages.push_back({found ? PassageKind::elsewhere_b : PassageKind::only_b, there, here});
    });
  };
  for (const AlignedRun& run : align(a, b)) {
    add_gap(run.a, run.b);
    a_done = run.a + run.size;
    b_done = run.b + run.size;
    passages.push_back(
        {PassageKind::shared, range_of(a, run.a, a_done), range_of(b, run.b, b_done)});
  }
  add_gap(a.tokens.size(), b.tokens.size());
  return passages;
}

}  // namespace kith::answers
