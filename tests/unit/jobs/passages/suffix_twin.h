// Repeated windows by a suffix array: the slow twin of the sorts of windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace kith::test {

using Tokens = std::vector<std::string>;

// Of every document which of its tokens are in a window of `width` tokens that stands in more than
// `most` documents: suffixes of all documents are sorted, and those that share `width` tokens or
// more with their neighbour are a group.
inline std::vector<std::vector<bool>> repeated_tokens(const std::vector<Tokens>& documents,
                                                      size_t width, size_t most) {
  struct Suffix {
    size_t document;
    size_t begin;
  };
  std::vector<Suffix> suffixes;
  for (size_t d = 0; d < documents.size(); ++d) {
    for (size_t i = 0; i < documents[d].size(); ++i) suffixes.push_back({d, i});
  }
  const auto tokens = [&](const Suffix& suffix) {
    const Tokens& all = documents[suffix.document];
    return std::pair(all.begin() + static_cast<ptrdiff_t>(suffix.begin), all.end());
  };
  std::ranges::sort(suffixes, [&](const Suffix& a, const Suffix& b) {
    const auto [a_begin, a_end] = tokens(a);
    const auto [b_begin, b_end] = tokens(b);
    return std::lexicographical_compare(a_begin, a_end, b_begin, b_end);
  });
  const auto shared = [&](const Suffix& a, const Suffix& b) {
    const auto [a_begin, a_end] = tokens(a);
    const auto [b_begin, b_end] = tokens(b);
    return static_cast<size_t>(std::mismatch(a_begin, a_end, b_begin, b_end).first - a_begin);
  };
  std::vector<std::vector<bool>> repeated;
  for (const Tokens& document : documents) repeated.emplace_back(document.size());
  for (size_t begin = 0; begin < suffixes.size();) {
    size_t end = begin + 1;
    while (end < suffixes.size() && shared(suffixes[end - 1], suffixes[end]) >= width) ++end;
    std::set<size_t> in;
    for (size_t i = begin; i < end; ++i) in.insert(suffixes[i].document);
    for (size_t i = begin; i < end && in.size() > most; ++i) {
      const Suffix& suffix = suffixes[i];
      std::fill_n(repeated[suffix.document].begin() + static_cast<ptrdiff_t>(suffix.begin), width,
                  true);
    }
    begin = end;
  }
  return repeated;
}

}  // namespace kith::test
