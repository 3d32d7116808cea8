#include "jobs/contaminated/item_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace kith::jobs {
namespace {

constexpr uint64_t bytes_of_posting = sizeof(Posting) + sizeof(uint32_t) * 2 + 4;

// The hashes of the tokens of a text.
void read_hashes(const TestSets& sets, const ItemText& text, std::vector<uint64_t>& hashes) {
  hashes.clear();
  for (const uint32_t id : sets.tokens_of(text)) hashes.push_back(sets.dictionary.hash(id));
}

// A shingle of fewer different tokens does not count.
size_t min_different_tokens(uint32_t width) {
  constexpr uint32_t most = 8;
  return std::min((width + 1) / 2, most);
}

// How many different tokens the last `width` ones have.
class DifferentTokens {
 public:
  // Begins with the first `width` tokens, or as many as there are.
  DifferentTokens(std::span<const uint32_t> tokens, uint32_t width)
      : tokens_(tokens), width_(width) {
    for (const uint32_t token : tokens.first(std::min<size_t>(width, tokens.size()))) enter(token);
  }
  size_t count() const { return counts_.size(); }
  // From those that begin at k to those that begin at k + 1, if there are such.
  void move_on(size_t k) {
    if (k + width_ >= tokens_.size()) return;
    if (const auto left = counts_.find(tokens_[k]); --left->second == 0) counts_.erase(left);
    enter(tokens_[k + width_]);
  }

 private:
  void enter(uint32_t token) { ++counts_[token]; }

  std::span<const uint32_t> tokens_;
  uint32_t width_;
  boost::unordered_flat_map<uint32_t, uint32_t> counts_;
};

// The shingles of the texts of a suite that count, each once a text.
class SuiteShingles {
 public:
  explicit SuiteShingles(TestSets& sets) : sets_(sets) {}

  // The suite has the texts [begin, end). Adds their numbers of shingles to `shingles`.
  std::vector<Posting> make(ContaminatedSuite& counts, uint32_t begin, uint32_t end,
                            std::vector<uint32_t>& shingles) {
    std::vector<Posting> postings;
    for (uint32_t text = begin; text < end; ++text) {
      read_hashes(sets_, sets_.texts[text], hashes_);
      DifferentTokens different(sets_.tokens_of(sets_.texts[text]), counts.width);
      for_each_shingle(hashes_, counts.width, [&](size_t k, uint64_t hash) {
        if (different.count() >= min_different_tokens(counts.width)) {
          postings.push_back({hash, text, static_cast<uint32_t>(k), 1});
        }
        different.move_on(k);
      });
    }
    std::ranges::sort(postings, {},
                      [](const Posting& p) { return std::tuple(p.hash, p.text, p.position); });
    join_repeated(postings);
    counts.common = drop_common(postings);
    for (const Posting& posting : postings) shingles[posting.text] += posting.count;
    return postings;
  }

 private:
  static void join_repeated(std::vector<Posting>& postings) {
    size_t kept = 0;
    for (const Posting& posting : postings) {
      if (kept > 0 && postings[kept - 1].hash == posting.hash &&
          postings[kept - 1].text == posting.text) {
        ++postings[kept - 1].count;
      } else {
        postings[kept++] = posting;
      }
    }
    postings.resize(kept);
  }

  // Returns how many shingles there were that too many texts have.
  static uint64_t drop_common(std::vector<Posting>& postings) {
    uint64_t dropped = 0;
    size_t kept = 0;
    for (size_t begin = 0, end = 0; begin < postings.size(); begin = end) {
      while (end < postings.size() && postings[end].hash == postings[begin].hash) ++end;
      if (end - begin > max_items_of_shingle) {
        ++dropped;
        continue;
      }
      for (size_t i = begin; i < end; ++i) postings[kept++] = postings[i];
    }
    postings.resize(kept);
    return dropped;
  }

  TestSets& sets_;
  std::vector<uint64_t> hashes_;
};

// Of each of the texts the shingle that the fewest of them have, the first of these.
std::vector<Posting> rarest_shingles(const TestSets& sets, const std::vector<uint32_t>& texts,
                                     uint32_t width) {
  std::vector<uint64_t> hashes;
  std::vector<uint64_t> all;
  for (const uint32_t text : texts) {
    read_hashes(sets, sets.texts[text], hashes);
    for_each_shingle(hashes, width, [&](size_t, uint64_t hash) { all.push_back(hash); });
  }
  std::ranges::sort(all);
  std::vector<Posting> postings;
  for (const uint32_t text : texts) {
    read_hashes(sets, sets.texts[text], hashes);
    Posting rarest{0, text, 0, 0};
    for_each_shingle(hashes, width, [&](size_t k, uint64_t hash) {
      const auto count = static_cast<uint32_t>(std::ranges::upper_bound(all, hash) -
                                               std::ranges::lower_bound(all, hash));
      if (rarest.count == 0 || count < rarest.count) {
        rarest = {hash, text, static_cast<uint32_t>(k), count};
      }
    });
    rarest.count = 1;
    postings.push_back(rarest);
  }
  return postings;
}

}  // namespace

ShingleIndex::ShingleIndex(uint32_t width, bool is_of_whole, std::vector<Posting> postings)
    : width_(width), is_of_whole_(is_of_whole), postings_(std::move(postings)) {
  std::ranges::sort(postings_, {},
                    [](const Posting& p) { return std::tuple(p.hash, p.text, p.position); });
  const int bits = std::max(6, static_cast<int>(std::bit_width(postings_.size())));
  bucket_shift_ = static_cast<uint32_t>(64 - bits);
  filter_shift_ = bucket_shift_ - 4;
  filter_.resize((size_t{1} << (64 - filter_shift_)) / 64);
  buckets_.resize((size_t{1} << bits) + 1);
  for (const Posting& posting : postings_) {
    const uint64_t bit = posting.hash >> filter_shift_;
    filter_[bit / 64] |= uint64_t{1} << bit % 64;
    ++buckets_[(posting.hash >> bucket_shift_) + 1];
  }
  for (size_t i = 1; i < buckets_.size(); ++i) buckets_[i] += buckets_[i - 1];
}

uint32_t ShingleIndex::find(uint64_t hash) const {
  const uint64_t bucket = hash >> bucket_shift_;
  const auto all =
      std::span(postings_).subspan(buckets_[bucket], buckets_[bucket + 1] - buckets_[bucket]);
  const auto found = std::ranges::lower_bound(all, hash, {}, &Posting::hash);
  if (found == all.end() || found->hash != hash) return none;
  return buckets_[bucket] + static_cast<uint32_t>(found - all.begin());
}

Result<ItemIndex> ItemIndex::make(TestSets& sets, const Budget& memory) {
  // While shingles are sorted, those of a suite and those of all before.
  KITH_TRY(memory.check(sets.bytes() + sets.tokens.size() * bytes_of_posting * 2, "the test sets"));
  ItemIndex index(sets);
  index.shingles_.resize(sets.texts.size());
  std::map<uint32_t, std::vector<Posting>> widths;
  std::vector<uint32_t> whole;
  SuiteShingles shingles(sets);
  uint32_t shortest = 1;
  for (uint32_t begin = 0, end = 0; begin < sets.texts.size(); begin = end) {
    const uint32_t number = sets.texts[begin].suite;
    while (end < sets.texts.size() && sets.texts[end].suite == number) ++end;
    ContaminatedSuite& counts = sets.suites[number].counts;
    const std::vector<Posting> made = shingles.make(counts, begin, end, index.shingles_);
    std::vector<Posting>& all = widths[counts.width];
    all.insert(all.end(), made.begin(), made.end());
    for (uint32_t text = begin; text < end; ++text) {
      if (index.shingles_[text] > 0) continue;
      ++counts.whole;
      shortest = whole.empty() ? sets.texts[text].size : std::min(shortest, sets.texts[text].size);
      whole.push_back(text);
    }
  }
  constexpr uint32_t longest_part = 5;
  if (!whole.empty()) {
    const uint32_t width = std::min(shortest, longest_part);
    index.widths_.emplace_back(width, true, rarest_shingles(sets, whole, width));
  }
  for (auto& [width, postings] : widths) {
    if (!postings.empty()) index.widths_.emplace_back(width, false, std::move(postings));
  }
  index.group_items();
  return index;
}

void ItemIndex::group_items() {
  first_items_.assign(sets_->texts.size() + 1, 0);
  for (const Suite& suite : sets_->suites) {
    for (const Item& item : suite.items) ++first_items_[item.text + 1];
  }
  for (size_t i = 1; i < first_items_.size(); ++i) first_items_[i] += first_items_[i - 1];
  items_.resize(first_items_.back());
  std::vector<uint64_t> next = first_items_;
  for (const Suite& suite : sets_->suites) {
    for (uint32_t i = 0; i < suite.items.size(); ++i) items_[next[suite.items[i].text]++] = i;
  }
}

uint32_t ItemIndex::needed(uint32_t text) const {
  const double containment = sets_->suites[sets_->texts[text].suite].counts.containment;
  constexpr double rounding = 1e-9;  // .7 * 10 is 7
  return std::max(1U, static_cast<uint32_t>(std::ceil(containment * shingles_[text] - rounding)));
}

uint64_t ItemIndex::bytes() const {
  return sets_->bytes() + sets_->tokens.size() * bytes_of_posting +
         sets_->texts.size() * (sizeof(uint32_t) + sizeof(uint64_t)) +
         items_.size() * sizeof(uint32_t);
}

}  // namespace kith::jobs
