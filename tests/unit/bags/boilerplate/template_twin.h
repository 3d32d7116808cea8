// Pages of nothing but blocks, and the definition of their templates: a map from every site to the
// pages of each block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/random.h"

namespace kith::test {

struct BlockPage {
  std::string url;
  std::vector<uint64_t> blocks;
};

// Some hosts of very many pages, some of few; blocks of the host, of the section, and of the page.
inline std::vector<BlockPage> make_block_pages(Rng& rng) {
  std::vector<BlockPage> pages;
  for (uint64_t host = 0; host < 6; ++host) {
    const uint64_t count = 1 + rng.below(host % 2 == 0 ? 12 : 400);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t section = rng.below(3);
      BlockPage page;
      page.url = "https://host" + std::to_string(host) + ".example/";
      if (section > 0) page.url += "section" + std::to_string(section) + "/";
      if (section > 1) page.url += "a/b/c/";
      page.url += std::to_string(i);
      for (uint64_t n = rng.below(6); n > 0; --n) page.blocks.push_back(rng.below(40));
      if (rng.below(5) == 0) page.blocks.push_back(100 + section);
      // A copy, with its blocks in another order.
      if (i > 0 && rng.below(3) == 0) {
        page.blocks.assign(pages.back().blocks.rbegin(), pages.back().blocks.rend());
      }
      pages.push_back(std::move(page));
    }
  }
  return pages;
}

// Its host, and the first three folders.
inline std::vector<std::string> names_of(const std::string& url) {
  std::vector<std::string> names;
  size_t end = url.find('/', 8);
  while (end != std::string::npos && names.size() < 4) {
    names.push_back(url.substr(0, end));
    end = url.find('/', end + 1);
  }
  return names;
}

// By definition: docs/algorithms/boilerplate.md.
class TemplateTwin {
 public:
  explicit TemplateTwin(const std::vector<BlockPage>& pages) {
    std::map<std::string, std::vector<const BlockPage*>> sites;
    for (const BlockPage& page : pages) {
      for (const std::string& site : names_of(page.url)) sites[site].push_back(&page);
    }
    for (auto& [site, members] : sites) {
      std::ranges::sort(members, {}, [](const BlockPage* page) { return hash64(page->url); });
      if (members.size() > 128) members.resize(128);
      if (members.size() < 8) continue;
      known_.insert(site);
      std::map<uint64_t, std::set<const BlockPage*>> pages_of;
      for (const BlockPage* const page : members) {
        for (const uint64_t block : page->blocks) pages_of[block].insert(page);
      }
      for (const auto& [block, on] : pages_of) {
        std::set<std::set<uint64_t>> contents;
        for (const BlockPage* const page : on) {
          contents.emplace(page->blocks.begin(), page->blocks.end());
        }
        const bool is_common = on.size() >= 3 && 5 * on.size() >= members.size();
        if (is_common && contents.size() >= 3) templates_.emplace(site, block);
      }
    }
  }
  bool is_template(const std::string& url, uint64_t block) const {
    return std::ranges::any_of(names_of(url), [&](const std::string& site) {
      return templates_.contains({site, block});
    });
  }
  bool knows(const std::string& url) const { return known_.contains(names_of(url).front()); }
  size_t blocks() const { return templates_.size(); }

 private:
  std::set<std::string> known_;
  std::set<std::pair<std::string, uint64_t>> templates_;
};

}  // namespace kith::test
