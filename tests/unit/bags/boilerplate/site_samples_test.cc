// Templates found by slices of hosts from the pages of many files, beside their twin.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bags/boilerplate/sites.h"
#include "bags/boilerplate/templates.h"
#include "base/random.h"
#include "template_twin.h"

namespace kith::bags {
namespace {

using test::BlockPage;

std::vector<Block> blocks_of(const BlockPage& page) {
  std::vector<Block> blocks;
  for (const uint64_t block : page.blocks) blocks.push_back({0, 0, block});
  return blocks;
}

struct Capture {
  BlockPage page;
  uint32_t rank;
};

// By file its captures; of some URLs there are worse ones, with other blocks, before the page in
// its file, in other files, and as good ones in later files.
std::vector<std::vector<Capture>> spread_over_files(std::span<const BlockPage> pages,
                                                    uint32_t count, Rng& rng) {
  std::vector<std::vector<Capture>> files(count);
  for (const BlockPage& page : pages) {
    const auto first = static_cast<uint32_t>(rng.below(count));
    const auto rank = static_cast<uint32_t>(rng.below(3));
    for (uint32_t other = 0; other < count; ++other) {
      const BlockPage changed{page.url, {7, 100 + other}};
      const bool is_worse = rank > 0 && rng.below(4) == 0;
      if (is_worse) files[other].push_back({changed, rank - 1});
      if (other == first) files[other].push_back({page, rank});
      if (other > first && rng.below(4) == 0) files[other].push_back({changed, rank});
    }
  }
  return files;
}

// The templates of each file, from all slices in any order; nothing for a file without pages.
struct FoundInFiles {
  std::map<uint32_t, Templates> files;
  uint64_t blocks = 0;
};

FoundInFiles find_in_files(const std::vector<std::vector<Capture>>& files, uint32_t slices,
                           Rng& rng) {
  std::vector<std::vector<std::string>> sent(slices);
  for (uint32_t file = 0; file < files.size(); ++file) {
    SiteSamples samples;
    for (const Capture& of : files[file]) samples.add(of.page.url, of.rank, blocks_of(of.page));
    std::vector<std::string> bytes = samples.take(file, slices);
    for (uint32_t slice = 0; slice < slices; ++slice) {
      auto& arrived = sent[slice];
      arrived.insert(arrived.begin() + static_cast<ptrdiff_t>(rng.below(arrived.size() + 1)),
                     std::move(bytes[slice]));
    }
  }
  FoundInFiles found;
  for (const auto& arrived : sent) {
    const auto templates =
        site_templates(std::vector<std::string_view>(arrived.begin(), arrived.end()));
    EXPECT_TRUE(templates);
    found.blocks += templates->blocks;
    for (const FileTemplates& file : templates->files) {
      EXPECT_TRUE(found.files[file.file].add(file.bytes));
    }
  }
  return found;
}

RC_GTEST_PROP(SiteSamples, GiveTheTemplatesOfTheTwin, (uint64_t seed)) {
  Rng rng(seed);
  const std::vector<BlockPage> pages = test::make_block_pages(rng);
  const test::TemplateTwin twin(pages);
  const auto files = spread_over_files(pages, 1 + static_cast<uint32_t>(rng.below(6)), rng);
  const FoundInFiles found = find_in_files(files, 1 + static_cast<uint32_t>(rng.below(4)), rng);
  RC_ASSERT(found.blocks == twin.blocks());
  for (uint32_t file = 0; file < files.size(); ++file) {
    if (files[file].empty()) continue;
    const Templates& templates = found.files.at(file);
    for (const auto& [page, rank] : files[file]) {
      const Sites sites = sites_of(page.url);
      RC_ASSERT(templates.knows(sites) == twin.knows(page.url));
      for (const uint64_t block : page.blocks) {
        RC_ASSERT(templates.is_template(sites, block) == twin.is_template(page.url, block));
      }
    }
  }
}

// Of a host of many pages a file sends a sample, however many pages it has.
TEST(SiteSamples, LeaveOutWhatIsInNoSample) {
  const auto bytes_of = [](uint32_t pages) {
    SiteSamples samples;
    for (uint32_t i = 0; i < pages; ++i) {
      samples.add("https://a.example/b/" + std::to_string(i), 0, std::vector<Block>{{0, 0, i}});
    }
    return samples.take(0, 1).front().size();
  };
  EXPECT_EQ(bytes_of(128), 128 * bytes_of(1));
  EXPECT_EQ(bytes_of(20'000), bytes_of(128));
}

TEST(SiteSamples, TellOtherBytesFromTheirOwn) {
  SiteSamples samples;
  samples.add("https://a.example/b/c", 0, std::vector<Block>{{0, 0, 1}, {3, 0, 2}});
  const std::string bytes = samples.take(3, 1).front();
  for (size_t size = 1; size <= bytes.size(); ++size) {
    const std::string_view cut = std::string_view(bytes).substr(0, size);
    EXPECT_EQ(site_templates(std::span(&cut, 1)).is_ok(), size == bytes.size()) << size;
  }
  std::string host;
  append_host(5, true, std::vector<uint64_t>{1, 2}, host);
  for (size_t size = 1; size <= host.size(); ++size) {
    EXPECT_EQ(Templates().add(std::string_view(host).substr(0, size)), size == host.size()) << size;
  }
}

}  // namespace
}  // namespace kith::bags
