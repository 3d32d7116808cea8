#include "jobs/contaminated/scan.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/memory.h"

namespace kith::jobs {

std::span<const FoundText> DocumentScan::find(std::string_view document) {
  document_ = document;
  words_.reset();
  hashes_.read(document);
  found_.clear();
  cuts_.clear();
  find_hits();
  find_whole_texts();
  texts_.clear();
  for_each_match([&](uint32_t text, const Match&) {
    if (counts_[text]++ == 0) texts_.push_back(text);
  });
  std::erase_if(texts_, [&](uint32_t text) {
    if (counts_[text] >= index_.needed(text)) return false;
    counts_[text] = 0;
    return true;
  });
  std::ranges::sort(texts_);
  // As many at a time as have not more matches than the document has tokens, and one at least,
  // which never has more.
  for (size_t begin = 0, end = 0; begin < texts_.size(); begin = end) {
    size_t sum = counts_[texts_[end++]];
    while (end < texts_.size() && sum + counts_[texts_[end]] <= hashes_.size()) {
      sum += counts_[texts_[end++]];
    }
    find_matches(std::span(texts_).subspan(begin, end - begin));
  }
  for (const uint32_t text : texts_) counts_[text] = 0;
  std::ranges::sort(found_, {}, &FoundText::text);
  return found_;
}

void DocumentScan::find_hits() {
  hits_.clear();
  hit_ends_.clear();
  whole_.clear();
  for (const ShingleIndex& index : index_.widths()) {
    for_each_shingle(hashes_.hashes(), index.width(), [&](size_t k, uint64_t hash) {
      if (!index.may_have(hash)) return;
      const uint32_t posting = index.find(hash);
      if (posting == ShingleIndex::none) return;
      const auto at = static_cast<uint32_t>(k);
      if (index.is_of_whole()) {
        find_whole(index.from(posting), at);
      } else {
        hits_.push_back({posting, at});
      }
    });
    hit_ends_.push_back(hits_.size());
  }
}

// The first place of each text, or all where they are cut.
void DocumentScan::find_whole(std::span<const Posting> postings, uint32_t at) {
  const TestSets& sets = index_.sets();
  for (const Posting& posting : postings) {
    if (at < posting.position) continue;
    if (counts_[posting.text] > 0 && !makes_cuts_) continue;
    const ItemText& text = sets.texts[posting.text];
    const uint32_t first = at - posting.position;
    if (!has_tokens(sets.tokens_of(text), first)) continue;
    counts_[posting.text] = 1;
    whole_.push_back({posting.text, {first, 0, 1, text.size}});
  }
}

void DocumentScan::find_whole_texts() {
  std::ranges::stable_sort(whole_, {}, &Whole::text);
  for (size_t begin = 0, end = 0; begin < whole_.size(); begin = end) {
    const uint32_t text = whole_[begin].text;
    matches_.clear();
    for (; end < whole_.size() && whole_[end].text == text; ++end) {
      matches_.push_back(whole_[end].match);
    }
    counts_[text] = 0;
    add_text(text, matches_);
  }
}

// By width and place. A text is of one width, so that its matches come by their places.
template <class Take>
void DocumentScan::for_each_match(const Take& take) const {
  size_t at = 0;
  for (size_t i = 0; i < hit_ends_.size(); ++i) {
    const ShingleIndex& index = index_.widths()[i];
    for (; at < hit_ends_[i]; ++at) {
      for (const Posting& posting : index.from(hits_[at].posting)) {
        take(posting.text, Match{hits_[at].at, posting.position, posting.count, index.width()});
      }
    }
  }
}

// Of these texts, and what they say.
void DocumentScan::find_matches(std::span<const uint32_t> texts) {
  uint32_t size = 0;
  for (const uint32_t text : texts) {
    next_[text] = size;
    size += counts_[text];
  }
  matches_.resize(size);
  for_each_match([&](uint32_t text, const Match& match) {
    if (next_[text] != not_now) matches_[next_[text]++] = match;
  });
  for (const uint32_t text : texts) {
    const uint32_t end = std::exchange(next_[text], not_now);
    add_text(text, std::span(matches_).subspan(end - counts_[text], counts_[text]));
  }
}

// Whether the hashes of tokens from `at` on are those of an item.
bool DocumentScan::has_tokens(std::span<const uint32_t> ids, size_t at) const {
  if (ids.size() > hashes_.size() - at) return false;
  const TokenDictionary& dictionary = index_.sets().dictionary;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (dictionary.hash(ids[i]) != hashes_.hashes()[at + i]) return false;
  }
  return true;
}

void DocumentScan::add_text(uint32_t text, std::span<Match> matches) {
  const uint32_t needed = index_.needed(text);
  if (best_passage(text, matches).matched < needed) return;
  matches = verified(text, matches);
  const FoundText found = best_passage(text, matches);
  if (found.matched < needed) return;
  found_.push_back(found);
  if (makes_cuts_) add_cuts(text, matches, needed);
}

// For each match the longest passage that ends with it, of at most twice the tokens of the item and
// with at most so many of its shingles: take(matched, begin, end). Matches are of one text,
// ascending.
template <class Take>
void DocumentScan::for_each_passage(uint32_t text, std::span<const Match> matches, uint32_t most,
                                    const Take& take) {
  const size_t size = index_.sets().texts[text].size;
  inside_.assign(size, 0);
  uint32_t matched = 0;
  size_t first = 0;
  const auto is_surplus = [&](const Match& match) { return inside_[match.position] > match.count; };
  const auto leave = [&] {
    const Match& left = matches[first++];
    if (!is_surplus(left)) --matched;
    --inside_[left.position];
  };
  for (const Match& match : matches) {
    const size_t end = size_t{match.at} + match.width;
    ++inside_[match.position];
    if (!is_surplus(match)) ++matched;
    while (end - matches[first].at > 2 * size || is_surplus(matches[first]) || matched > most) {
      leave();
    }
    take(matched, size_t{matches[first].at}, end);
  }
}

FoundText DocumentScan::best_passage(uint32_t text, std::span<const Match> matches) {
  FoundText best{.text = text};
  for_each_passage(text, matches, UINT32_MAX, [&](uint32_t matched, size_t begin, size_t end) {
    if (matched > best.matched) best = {text, matched, begin, end};
  });
  return best;
}

void DocumentScan::add_cuts(uint32_t text, std::span<const Match> matches, uint32_t needed) {
  const size_t before = cuts_.size();
  for_each_passage(text, matches, needed, [&](uint32_t matched, size_t begin, size_t end) {
    if (matched < needed) return;
    const text::ByteRange cut{hashes_.offset(begin), hashes_.offset(end)};
    if (cuts_.size() > before && cut.begin <= cuts_.back().end) {
      cuts_.back().end = cut.end;
    } else {
      cuts_.push_back(cut);
    }
  });
}

std::span<const text::ByteRange> DocumentScan::cuts() {
  std::ranges::sort(cuts_, {}, &text::ByteRange::begin);
  size_t kept = 0;
  for (const text::ByteRange& cut : cuts_) {
    if (kept > 0 && cut.begin <= cuts_[kept - 1].end) {
      cuts_[kept - 1].end = std::max(cuts_[kept - 1].end, cut.end);
    } else {
      cuts_[kept++] = cut;
    }
  }
  cuts_.resize(kept);
  return cuts_;
}

// Those whose tokens are the same, and not by their hashes alone.
std::span<DocumentScan::Match> DocumentScan::verified(uint32_t text, std::span<Match> matches) {
  if (!words_) words_.emplace().read(document_);
  const TestSets& sets = index_.sets();
  const std::span<const uint32_t> ids = sets.tokens_of(sets.texts[text]);
  const auto is_false = [&](const Match& match) {
    for (size_t i = 0; i < match.width; ++i) {
      if ((*words_)[match.at + i] != sets.dictionary.text(ids[match.position + i])) return true;
    }
    return false;
  };
  const auto end = std::remove_if(matches.begin(), matches.end(), is_false);
  return matches.first(static_cast<size_t>(end - matches.begin()));
}

std::string_view DocumentScan::tokens(size_t begin, size_t end) const {
  std::string_view text =
      document_.substr(hashes_.offset(begin), hashes_.offset(end) - hashes_.offset(begin));
  while (!text.empty() && is_ascii_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view DocumentScan::passage(const FoundText& found) const {
  return tokens(found.begin, found.end);
}

std::string_view DocumentScan::before(const FoundText& found, size_t count) const {
  return tokens(found.begin - std::min(count, found.begin), found.begin);
}

std::string_view DocumentScan::after(const FoundText& found, size_t count) const {
  return tokens(found.end, std::min(found.end + count, hashes_.size()));
}

void DocumentScan::forget_buffers() {
  hashes_.forget_buffers();
  words_.reset();
  free_memory(hits_);
  free_memory(matches_);
  free_memory(inside_);
  free_memory(cuts_);
}

}  // namespace kith::jobs
