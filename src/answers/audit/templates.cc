#include "answers/audit/templates.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

namespace kith::answers {
namespace {

constexpr uint64_t least_texts = 4;

using Ids = std::span<const std::pair<uint64_t, uint32_t>>;  // host, page

// In how many texts of a host a block stands.
struct BlockCount {
  uint64_t texts = 0;
  uint64_t last_text = 0;  // that has been counted
};

// Whether half of the words of the address were met.
bool agrees(const PageFacts& page, uint32_t met) {
  const int words = std::popcount(page.address_words);
  return words > 0 && std::popcount(page.address_words & met) * 2 >= words;
}

void leave_out(std::vector<PageFacts>& pages, Ids host) {
  boost::unordered_flat_set<uint64_t> texts;
  boost::unordered_flat_map<uint64_t, BlockCount> counts;
  for (const auto& [hash, id] : host) {
    const PageFacts& page = pages[id];
    if (!texts.insert(page.text).second) continue;
    for (const TextBlock& block : page.blocks) {
      BlockCount& count = counts[block.prose];
      if (count.texts > 0 && count.last_text == page.text) continue;
      ++count.texts;
      count.last_text = page.text;
    }
  }
  const uint64_t least = texts.size() < least_texts ? UINT64_MAX : (texts.size() + 1) / 2;
  for (const auto& [hash, id] : host) {
    PageFacts& page = pages[id];
    uint64_t own = 0;
    uint32_t met = page.met_words;
    bool has_template = false;
    for (const TextBlock& block : page.blocks) {
      const auto count = counts.find(block.prose);
      const bool is_template = count != counts.end() && count->second.texts >= least;
      has_template |= is_template;
      if (is_template) {
        page.prose -= block.prose;
        page.prose_words -= std::min<uint32_t>(page.prose_words, block.words);
        continue;
      }
      met |= block.address_words;
      own |= block.claims;
    }
    if (has_template) page.body_claims = claims_of(own);
    page.agrees = agrees(page, met);
  }
}

}  // namespace

void leave_out_templates(std::vector<PageFacts>& pages) {
  std::vector<std::pair<uint64_t, uint32_t>> by_host;
  for (uint32_t id = 0; id < pages.size(); ++id) by_host.emplace_back(pages[id].host, id);
  std::ranges::sort(by_host);
  for (size_t begin = 0; begin < by_host.size();) {
    size_t end = begin;
    while (end < by_host.size() && by_host[end].first == by_host[begin].first) ++end;
    leave_out(pages, Ids(by_host).subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace kith::answers
