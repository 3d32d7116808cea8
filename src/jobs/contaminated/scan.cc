#include "jobs/contaminated/scan.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "base/memory.h"

namespace kith::jobs {

std::span<const FoundText> DocumentScan::find(std::string_view document) {
  document_ = document;
  words_.reset();
  hashes_.read(document);
  found_.clear();
  find_matches();
  if (matches_.empty()) return found_;
  std::ranges::sort(matches_, {}, [](const Match& match) {
    return std::tuple(match.text, match.at, match.position);
  });
  for (size_t begin = 0, end = 0; begin < matches_.size(); begin = end) {
    while (end < matches_.size() && matches_[end].text == matches_[begin].text) ++end;
    add_text(std::span(matches_).subspan(begin, end - begin));
  }
  return found_;
}

void DocumentScan::find_matches() {
  matches_.clear();
  const TestSets& sets = index_.sets();
  for (const ShingleIndex& index : index_.widths()) {
    for_each_shingle(hashes_.hashes(), index.width(), [&](size_t k, uint64_t hash) {
      if (!index.may_have(hash)) return;
      for (const Posting& posting : index.find(hash)) {
        const std::span<const uint32_t> ids = sets.tokens_of(sets.texts[posting.text]);
        if (!index.is_of_whole()) {
          if (!has_tokens(ids.subspan(posting.position, index.width()), k)) continue;
          matches_.push_back({posting.text, posting.position, posting.count, index.width(), k});
        } else if (k >= posting.position && has_tokens(ids, k - posting.position)) {
          matches_.push_back(
              {posting.text, 0, 1, static_cast<uint32_t>(ids.size()), k - posting.position});
        }
      }
    });
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

void DocumentScan::add_text(std::span<Match> matches) {
  const uint32_t needed = index_.needed(matches.front().text);
  if (best_passage(matches).matched < needed) return;
  matches = verified(matches);
  if (matches.empty()) return;
  const FoundText found = best_passage(matches);
  if (found.matched >= needed) found_.push_back(found);
}

// Of all passages of at most twice the tokens of the item. Matches are of one text, ascending.
FoundText DocumentScan::best_passage(std::span<const Match> matches) {
  const uint32_t text = matches.front().text;
  const size_t size = index_.sets().texts[text].size;
  FoundText best{.text = text};
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
    const size_t end = match.at + match.width;
    ++inside_[match.position];
    if (!is_surplus(match)) ++matched;
    while (end - matches[first].at > 2 * size || is_surplus(matches[first])) leave();
    if (matched > best.matched) best = {text, matched, matches[first].at, end};
  }
  return best;
}

// Those whose tokens are the same, and not by their hashes alone.
std::span<DocumentScan::Match> DocumentScan::verified(std::span<Match> matches) {
  if (!words_) words_.emplace().read(document_);
  const TestSets& sets = index_.sets();
  const std::span<const uint32_t> ids = sets.tokens_of(sets.texts[matches.front().text]);
  const auto is_false = [&](const Match& match) {
    for (size_t i = 0; i < match.width; ++i) {
      if ((*words_)[match.at + i] != sets.dictionary.text(ids[match.position + i])) return true;
    }
    return false;
  };
  const auto others = std::ranges::remove_if(matches, is_false);
  return matches.first(matches.size() - others.size());
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
  free_memory(matches_);
  free_memory(inside_);
}

}  // namespace kith::jobs
