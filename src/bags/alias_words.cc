#include "bags/alias_words.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

namespace kith::bags {
namespace {

// A URL of the partition for which pages stand.
struct Target {
  Key128 url;
  Key128 first;        // of these pages
  uint64_t bytes = 0;  // of the terms of the page that they are compared with
  bool is_fetched = false;
  std::vector<uint32_t> words;
};

class AliasWords {
 public:
  AliasWords(const ForEachFragment& own, const ForEachFragment& folded,
             const AliasWordOptions& options)
      : own_(own), folded_(folded), options_(options) {}

  Result<std::vector<OtherAlias>> find() {
    KITH_TRY(find_targets());
    KITH_TRY(measure());
    for (size_t begin = 0; begin < targets_.size();) {
      const size_t end = batch_end(begin);
      KITH_TRY(read_words(begin, end));
      KITH_TRY(compare(begin, end));
      begin = end;
    }
    std::ranges::sort(others_, {}, &OtherAlias::url);
    return std::move(others_);
  }

 private:
  Status find_targets() {
    boost::unordered_flat_map<Key128, Key128, Key128Hash> first_of;
    KITH_TRY(folded_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::alias_page) return Status::ok();
      Key128& first = first_of.try_emplace(fragment.url, fragment.alias).first->second;
      first = std::min(first, fragment.alias);
      return Status::ok();
    }));
    for (const auto& [url, first] : first_of) targets_.push_back({url, first, 0, false, {}});
    std::ranges::sort(targets_, {}, &Target::url);
    return Status::ok();
  }

  // Null when the URL is no target of [begin, end).
  Target* find_target(const Key128& url, size_t begin, size_t end) {
    const auto first = targets_.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = targets_.begin() + static_cast<ptrdiff_t>(end);
    const auto found = std::ranges::lower_bound(first, last, url, {}, &Target::url);
    return found == last || found->url != url ? nullptr : &*found;
  }

  // Calls take(target, fragment) for the words that stand for a target of [begin, end).
  template <class Take>
  Status for_words_of_targets(size_t begin, size_t end, const Take& take) {
    if (begin == end) return Status::ok();
    KITH_TRY(own_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::words) return Status::ok();
      Target* const target = find_target(fragment.url, begin, end);
      if (target != nullptr && target->is_fetched) take(*target, fragment);
      return Status::ok();
    }));
    return folded_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::alias_words) return Status::ok();
      Target* const target = find_target(fragment.url, begin, end);
      const bool counts =
          target != nullptr && !target->is_fetched && fragment.alias == target->first;
      if (counts) take(*target, fragment);
      return Status::ok();
    });
  }

  Status measure() {
    if (targets_.empty()) return Status::ok();
    KITH_TRY(own_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::page) return Status::ok();
      Target* const target = find_target(fragment.url, 0, targets_.size());
      if (target != nullptr) target->is_fetched = true;
      return Status::ok();
    }));
    return for_words_of_targets(0, targets_.size(), [](Target& target, const Fragment& fragment) {
      target.bytes += fragment.terms.size();
    });
  }

  // A term takes a byte at least.
  size_t batch_end(size_t begin) const {
    uint64_t bytes = 0;
    size_t end = begin;
    for (; end < targets_.size(); ++end) {
      bytes += targets_[end].bytes * sizeof(uint32_t);
      if (end > begin && bytes > options_.memory) break;
    }
    return end;
  }

  Status read_words(size_t begin, size_t end) {
    KITH_TRY(for_words_of_targets(begin, end, [&](Target& target, const Fragment& fragment) {
      add_words(fragment, target.words);
    }));
    for (size_t i = begin; i < end; ++i) make_set(targets_[i].words);
    return Status::ok();
  }

  Status compare(size_t begin, size_t end) {
    KITH_TRY(folded_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::alias_words) return Status::ok();
      const Target* const target = find_target(fragment.url, begin, end);
      if (target == nullptr) return Status::ok();
      if (!target->is_fetched && fragment.alias == target->first) return Status::ok();
      words_.clear();
      add_words(fragment, words_);
      make_set(words_);
      if (!says_the_same(words_, target->words)) {
        others_.push_back({fragment.alias, target->is_fetched});
      }
      return Status::ok();
    }));
    for (size_t i = begin; i < end; ++i) targets_[i].words = {};
    return Status::ok();
  }

  void add_words(const Fragment& fragment, std::vector<uint32_t>& words) const {
    words.reserve(words.size() + fragment.terms.size());
    for_each_term(fragment, [&](uint32_t term) {
      const std::span<const uint32_t> numbers = options_.numbers;
      words.push_back(term < numbers.size() ? numbers[term] : term);
    });
  }

  static void make_set(std::vector<uint32_t>& words) {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }

  const ForEachFragment& own_;
  const ForEachFragment& folded_;
  AliasWordOptions options_;
  std::vector<Target> targets_;  // by URL
  std::vector<uint32_t> words_;  // of an alias
  std::vector<OtherAlias> others_;
};

}  // namespace

bool says_the_same(std::span<const uint32_t> page, std::span<const uint32_t> target) {
  if (page.size() < min_own_words) return true;
  if (target.size() < min_own_words) return false;
  size_t shared = 0;
  for (auto a = page.begin(), b = target.begin(); a != page.end() && b != target.end();) {
    shared += *a == *b;
    const bool next_a = *a <= *b;
    const bool next_b = *b <= *a;
    a += next_a;
    b += next_b;
  }
  return 2 * shared >= std::min(page.size(), target.size());
}

Result<std::vector<OtherAlias>> find_other_aliases(const ForEachFragment& own,
                                                   const ForEachFragment& folded,
                                                   const AliasWordOptions& options) {
  return AliasWords(own, folded, options).find();
}

}  // namespace kith::bags
