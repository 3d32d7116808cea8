// Template blocks against their twin.
#include "bags/boilerplate/templates.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "support/temp_dir.h"
#include "template_twin.h"

namespace kith::bags {
namespace {

using test::BlockPage;

// Over the pages in any order, by two workers.
ForEachPage visitor(const std::vector<BlockPage>& pages, Rng& rng) {
  return [&pages, &rng](const WantsBlocks& wants_blocks, const VisitPage& visit) -> Status {
    std::vector<const BlockPage*> order;
    for (const BlockPage& page : pages) order.push_back(&page);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    for (const BlockPage* const page : order) {
      PageDigest digest;
      digest.url = page->url;
      if (wants_blocks(page->url))
        for (const uint64_t block : page->blocks) digest.blocks.push_back({0, 0, block});
      if (Status status = visit(static_cast<unsigned>(rng.below(2)), digest); !status)
        return status;
    }
    return Status::ok();
  };
}

RC_GTEST_PROP(Templates, AreThoseOfTheTwin, (uint64_t seed)) {
  Rng rng(seed);
  const std::vector<BlockPage> pages = test::make_block_pages(rng);
  const test::TemplateTwin twin(pages);
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
    pages.back().blocks.push_back(100'000 + i);
    for (uint64_t block = 0; block < 50'000; ++block) pages.back().blocks.push_back(block);
  }
  Rng rng(1);
  const test::TempDir dir;
  ThreadPool pool(2);
  const auto find = [&](uint64_t memory) {
    return find_templates(storage::posix_file_system(), pool, visitor(pages, rng),
                          {.scratch = dir / "templates-", .memory = memory});
  };
  const auto refused = find(1 << 20);
  ASSERT_FALSE(refused.is_ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_NE(refused.error().message.find("boilerplate = keep"), std::string::npos);
  EXPECT_TRUE(find(uint64_t{50'001} * 8 * Templates::bytes_of_entry).is_ok());
}

TEST(Sites, AreTheHostAndTheFirstFolders) {
  EXPECT_EQ(sites_of("https://a.example:8080/b").host(), hash64("a.example"));
  EXPECT_EQ(sites_of("https://a.example:8080/b/c").all().back(), hash64("a.example:8080/b"));
  EXPECT_EQ(sites_of("no url/at/all").all().size(), 0u);
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
