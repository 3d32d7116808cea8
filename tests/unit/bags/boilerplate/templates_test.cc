// Template blocks against their twin: a map from every site to the pages of each block.
#include "bags/boilerplate/templates.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "support/temp_dir.h"

namespace kith::bags {
namespace {

struct BlockPage {
  std::string url;
  std::vector<uint64_t> blocks;
};

// Some hosts of very many pages, some of few; blocks of the host, of the section, and of the page.
std::vector<BlockPage> make_block_pages(Rng& rng) {
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
      pages.push_back(std::move(page));
    }
  }
  return pages;
}

// Its host, and the first three folders.
std::vector<std::string> names_of(const std::string& url) {
  std::vector<std::string> names;
  size_t end = url.find('/', 8);
  while (end != std::string::npos && names.size() < 4) {
    names.push_back(url.substr(0, end));
    end = url.find('/', end + 1);
  }
  return names;
}

// By definition: docs/algorithms/boilerplate.md.
class Twin {
 public:
  explicit Twin(const std::vector<BlockPage>& pages) {
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
        if (on.size() >= 3 && 5 * on.size() >= members.size()) templates_.emplace(site, block);
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

// Over the pages in any order, by two workers.
ForEachPage visitor(const std::vector<BlockPage>& pages, Rng& rng) {
  return [&pages, &rng](const VisitPage& visit) -> Status {
    std::vector<const BlockPage*> order;
    for (const BlockPage& page : pages) order.push_back(&page);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    for (const BlockPage* const page : order) {
      PageDigest digest;
      digest.url = page->url;
      for (const uint64_t block : page->blocks) digest.blocks.push_back({0, 0, block});
      if (Status status = visit(static_cast<unsigned>(rng.below(2)), digest); !status)
        return status;
    }
    return Status::ok();
  };
}

RC_GTEST_PROP(Templates, AreThoseOfTheTwin, (uint64_t seed)) {
  Rng rng(seed);
  const std::vector<BlockPage> pages = make_block_pages(rng);
  const Twin twin(pages);
  const test::TempDir dir;
  ThreadPool pool(2);
  // The smaller memory sorts on the disk.
  const uint64_t memory = rng.below(2) == 0 ? 1 << 20 : 1 << 28;
  const auto templates = find_templates(storage::posix_file_system(), pool, visitor(pages, rng),
                                        {.scratch = dir / "templates-", .memory = memory});
  RC_ASSERT(templates.is_ok());
  RC_ASSERT(templates->blocks() == twin.blocks());
  for (const BlockPage& page : pages) {
    const Sites sites = sites_of(page.url);
    RC_ASSERT(templates->knows(sites) == twin.knows(page.url));
    for (const uint64_t block : page.blocks) {
      RC_ASSERT(templates->is_template(sites, block) == twin.is_template(page.url, block));
    }
  }
}

TEST(Templates, ThatDoNotFitTheMemoryAreAnErrorAndTheLeastIsEnough) {
  std::vector<BlockPage> pages;
  for (uint64_t i = 0; i < 10; ++i) {
    pages.push_back({"https://a.example/" + std::to_string(i), {}});
    for (uint64_t block = 0; block < 50'000; ++block) pages.back().blocks.push_back(block);
  }
  Rng rng(1);
  const test::TempDir dir;
  ThreadPool pool(2);
  const auto find = [&](uint64_t memory) {
    return find_templates(storage::posix_file_system(), pool, visitor(pages, rng),
                          {.scratch = dir / "templates-", .memory = memory, .reserved = 5 << 20});
  };
  const auto refused = find(1 << 20);
  ASSERT_FALSE(refused.is_ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_NE(refused.error().message.find("--boilerplate keep"), std::string::npos);
  EXPECT_TRUE(find(uint64_t{50'001} * 8 * Templates::bytes_of_entry).is_ok());
}

TEST(Sites, AreTheHostAndTheFirstFolders) {
  EXPECT_EQ(sites_of("https://a.example:8080/b").host(), hash64("a.example"));
  EXPECT_EQ(sites_of("https://a.example:8080/b/c").all().back(), hash64("a.example:8080/b"));
  EXPECT_EQ(sites_of("no url/at/all").all().size(), 1u);
  const auto all = [](std::string_view url) {
    const Sites sites = sites_of(url);
    return std::vector<uint64_t>(sites.all().begin(), sites.all().end());
  };
  const std::vector<uint64_t> expected{hash64("a.example"), hash64("a.example/b"),
                                       hash64("a.example/b/c"), hash64("a.example/b/c/d")};
  EXPECT_EQ(all("https://a.example/b/c/d/e/f"), expected);
  EXPECT_EQ(all("http://a.example/b/c/d/"), expected);
  for (const char* const url : {"https://a.example/", "https://a.example/b", "https://a.example",
                                "https://a.example/b?c/d/"}) {
    EXPECT_EQ(all(url), std::vector<uint64_t>{hash64("a.example")}) << url;
  }
}

}  // namespace
}  // namespace kith::bags
