// Shards against their twin: the same pages in one builder.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bags/shard/builder.h"
#include "base/random.h"
#include "storage/zstd.h"
#include "support/faulty_file_system.h"
#include "support/memory_file_system.h"
#include "support/temp_dir.h"
#include "unit/bags/parsed_url.h"

namespace kith::bags {
namespace {

using test::parsed;

struct CapturedPage {
  std::string url;
  text::HtmlText text;
  Payload payload;
};
using CrawlFile = std::vector<CapturedPage>;

std::string url_of(uint64_t number) {
  return "https://host" + std::to_string(number % 4) + ".example/" + std::to_string(number);
}

// Few URLs, so that most are captured in several files; words in several forms of a stem.
CapturedPage make_page(Rng& rng) {
  constexpr std::string_view words[] = {"orchard",   "orchards", "ORCHARD", "the",   "harvest",
                                        "harvested", "cider",    "apples",  "apple", "of"};
  CapturedPage page;
  page.url = url_of(rng.below(40));
  page.payload = {rng.below(5000), rng.below(9) == 0, rng.below(11) == 0};
  page.text.title = "title " + std::to_string(rng.below(3));
  page.text.language = "en";
  page.text.links_stand_alone = rng.below(10) == 0;
  if (rng.below(3) > 0) {
    page.text.text = "apples of the harvest ";
    page.text.block_bounds.push_back(static_cast<uint32_t>(page.text.text.size()));
  }
  for (uint64_t count = rng.below(40); count > 0; --count) {
    const auto begin = static_cast<uint32_t>(page.text.text.size());
    page.text.text += words[rng.below(std::size(words))];
    if (rng.below(3) == 0) page.text.text += std::to_string(rng.below(30));
    if (rng.below(4) == 0) {
      const auto at = static_cast<uint32_t>(page.text.hrefs.size());
      page.text.hrefs += rng.below(12) == 0 ? "mailto:someone" : url_of(rng.below(60));
      page.text.links.push_back({begin, static_cast<uint32_t>(page.text.text.size()), at,
                                 static_cast<uint32_t>(page.text.hrefs.size())});
    }
    page.text.text += ' ';
    if (rng.below(5) == 0) {
      page.text.block_bounds.push_back(static_cast<uint32_t>(page.text.text.size()));
    }
  }
  if (rng.below(6) == 0) page.text.canonical = url_of(rng.below(60));
  if (rng.below(9) == 0) page.text.refresh = url_of(rng.below(60));
  return page;
}

std::vector<CrawlFile> make_crawl(uint64_t seed) {
  Rng rng(seed);
  std::vector<CrawlFile> files(1 + rng.below(7));
  for (CrawlFile& file : files) {
    for (uint64_t count = rng.below(25); count > 0; --count) file.push_back(make_page(rng));
  }
  return files;
}

struct BuiltBags {
  std::map<std::string, std::string> files;
  BagCounts counts;
  PageCounts later;
};

BuiltBags finish(BagBuilder& builder, ThreadPool& pool, const test::TempDir& dir) {
  BuiltBags built;
  const auto counts = builder.finish(pool, dir.path(), [](double) {});
  EXPECT_TRUE(counts.is_ok()) << (counts ? "" : counts.error().message);
  built.counts = *counts;
  for (const char* const name : {"urls", "titles", "terms", "bags"}) {
    built.files[name] = test::read_file(dir / (std::string(name) + ".kith"));
  }
  return built;
}

BagBuilderOptions builder_options(const FragmentOptions& fragments, unsigned workers) {
  BagBuilderOptions options;
  options.fragments = fragments;
  options.dictionary.min_df = 1;
  options.urls = UrlScope::seen;
  options.expected_bytes = 1 << 22;
  options.workers = workers;
  return options;
}

BuiltBags build_whole(const std::vector<CrawlFile>& crawl, const FragmentOptions& fragments) {
  const test::TempDir dir;
  auto builder =
      BagBuilder::create(storage::posix_file_system(), dir.path(), builder_options(fragments, 1));
  std::set<std::string> seen;
  for (const CrawlFile& file : crawl) {
    EXPECT_TRUE(builder->worker(0).add_redirect(parsed(url_of(50)), url_of(file.size())).is_ok());
    for (const CapturedPage& page : file) {
      if (!seen.insert(page.url).second) continue;
      EXPECT_TRUE(builder->worker(0).add(parsed(page.url), page.text, "", no_time).is_ok());
    }
  }
  ThreadPool pool(1);
  return finish(*builder, pool, dir);
}

// What the reader does: the share's files in their order, cut into batches, the first capture of a
// URL. The batches come to the workers in any order.
FragmentCounts build_shard(const std::vector<CrawlFile>& crawl, const FragmentOptions& fragments,
                           uint32_t shard, uint32_t shards, const std::string& path,
                           const test::TempDir& dir, Rng& rng, uint64_t memory = 1 << 30) {
  struct Placed {
    PagePlace place;
    const CapturedPage* page;
  };
  constexpr unsigned workers = 3;
  auto builder =
      ShardBuilder::create(storage::posix_file_system(), dir.path(), fragments, workers, memory);
  std::vector<std::vector<Placed>> batches(1);
  std::set<std::string> seen;
  std::vector<std::string> inputs;
  for (uint32_t file = 0; file < crawl.size(); ++file) {
    inputs.push_back("file " + std::to_string(file));
    if (file % shards != shard) continue;
    EXPECT_TRUE(builder->worker(shard % workers)
                    .add_redirect(parsed(url_of(50)), url_of(crawl[file].size()))
                    .is_ok());
    for (const CapturedPage& page : crawl[file]) {
      if (!seen.insert(page.url).second) continue;
      if (rng.below(4) == 0) batches.emplace_back();
      batches.back().push_back({{batches.size() - 1, file}, &page});
    }
  }
  for (size_t i = batches.size(); i > 1; --i) std::swap(batches[i - 1], batches[rng.below(i)]);
  for (const std::vector<Placed>& batch : batches) {
    ShardBuilder::Worker& worker = builder->worker(static_cast<unsigned>(rng.below(workers)));
    for (const Placed& placed : batch) {
      const CapturedPage& page = *placed.page;
      EXPECT_TRUE(
          worker.add(placed.place, page.payload, parsed(page.url), page.text, "", no_time).is_ok());
    }
  }
  ThreadPool pool(2);
  const auto counts = builder->finish(path, inputs, {}, {}, pool);
  EXPECT_TRUE(counts.is_ok());
  return *counts;
}

BuiltBags build_shards(const std::vector<CrawlFile>& crawl, const FragmentOptions& fragments,
                       uint32_t shards, Rng& rng) {
  const test::TempDir dir;
  storage::FileSystem& fs = storage::posix_file_system();
  std::vector<ShardFile> files;
  for (uint32_t shard = 0; shard < shards; ++shard) {
    const std::string path = dir / ("shard-" + std::to_string(shard));
    build_shard(crawl, fragments, shard, shards, path, dir, rng);
    auto file = ShardFile::open(fs, path);
    EXPECT_TRUE(file.is_ok() && file->verify().is_ok());
    EXPECT_EQ(file->inputs().size(), crawl.size());
    files.push_back(std::move(file).value());
  }
  ThreadPool pool(2);
  BagBuilderOptions options = builder_options(fragments, 2);
  options.from_shards = true;
  auto builder = BagBuilder::create(fs, dir.path(), options);
  ShardMerger merger(*builder, 1 << 30);
  const auto is_first = best_captures(files, Captures::first);
  if (fragments.remove_boilerplate) {
    EXPECT_TRUE(merger.find_boilerplate(files, is_first, pool).is_ok());
  }
  PageCounts later;
  for (size_t shard = 0; shard < files.size(); ++shard) {
    const auto more = merger.add(files[shard], is_first[shard], pool);
    EXPECT_TRUE(more.is_ok());
    later += *more;
  }
  BuiltBags built = finish(*builder, pool, dir);
  built.later = later;
  return built;
}

// Of the pages that a shard keeps, those of a URL in an earlier file.
PageCounts later_captures(const std::vector<CrawlFile>& crawl, uint32_t shards) {
  std::set<std::string> seen;
  std::set<std::pair<uint32_t, std::string>> seen_by_shard;
  PageCounts later;
  for (uint32_t file = 0; file < crawl.size(); ++file) {
    for (const CapturedPage& page : crawl[file]) {
      const bool is_kept = seen_by_shard.emplace(file % shards, page.url).second;
      const bool is_first = seen.insert(page.url).second;
      if (!is_kept || is_first) continue;
      later += {.pages = 1,
                .page_bytes = page.payload.bytes,
                .cut_pages = page.payload.is_cut,
                .short_pages = page.payload.ends_early};
    }
  }
  return later;
}

void check_equal(const BuiltBags& merged, const BuiltBags& whole) {
  RC_ASSERT(merged.files == whole.files);
  RC_ASSERT(merged.counts.bags.vocabulary == whole.counts.bags.vocabulary);
  RC_ASSERT(merged.counts.aliases.folded == whole.counts.aliases.folded);
  RC_ASSERT(merged.counts.bags.left_out == whole.counts.bags.left_out);
  RC_ASSERT(merged.counts.bags.copies == whole.counts.bags.copies);
  const FragmentCounts& a = merged.counts.fragments;
  const FragmentCounts& b = whole.counts.fragments;
  RC_ASSERT(a.words == b.words && a.links == b.links && a.bad_links == b.bad_links);
  RC_ASSERT(a.long_words == b.long_words);
  RC_ASSERT(a.self_links == b.self_links && a.windows == b.windows);
  RC_ASSERT(a.text_words == b.text_words && a.left_out == b.left_out);
  RC_ASSERT(a.kept_whole == b.kept_whole);
  RC_ASSERT(merged.counts.boilerplate.blocks == whole.counts.boilerplate.blocks);
  RC_ASSERT(std::ranges::equal(std::span(a.aliases).first(2), std::span(b.aliases).first(2)));
}

RC_GTEST_PROP(Shards, EqualTheWhole, (uint64_t seed)) {
  Rng rng(seed);
  const std::vector<CrawlFile> crawl = make_crawl(seed);
  FragmentOptions fragments;
  fragments.kind = static_cast<BagKind>(rng.below(3));
  fragments.links = rng.below(2) == 0 ? LinkScope::all : LinkScope::external;
  fragments.count_inlinks = rng.below(2) == 0;
  fragments.window = static_cast<uint32_t>(rng.below(5));
  fragments.keep_aliases = rng.below(2) == 0;
  fragments.remove_boilerplate = rng.below(2) == 0;
  fragments.blocks = fragments.remove_boilerplate || fragments.kind == BagKind::both;
  const auto shards = static_cast<uint32_t>(1 + rng.below(6));
  const BuiltBags merged = build_shards(crawl, fragments, shards, rng);
  check_equal(merged, build_whole(crawl, fragments));
  const PageCounts later = later_captures(crawl, shards);
  RC_ASSERT(merged.later.pages == later.pages);
  RC_ASSERT(merged.later.page_bytes == later.page_bytes);
  RC_ASSERT(merged.later.cut_pages == later.cut_pages);
  RC_ASSERT(merged.later.short_pages == later.short_pages);
}

TEST(ShardFile, IsTheSameForAnyOrderOfBatches) {
  const std::vector<CrawlFile> crawl = make_crawl(5);
  const test::TempDir dir;
  FragmentOptions fragments;
  fragments.keep_aliases = true;
  std::set<std::string> contents;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    // The same cuts, other workers: batches of one page each.
    std::vector<CrawlFile> files{crawl.begin(), crawl.end()};
    Rng rng(seed);
    auto builder =
        ShardBuilder::create(storage::posix_file_system(), dir.path(), fragments, 3, 1 << 30);
    std::vector<std::pair<uint64_t, const CapturedPage*>> pages;
    for (const CrawlFile& file : files) {
      for (const CapturedPage& page : file) pages.emplace_back(pages.size(), &page);
    }
    for (size_t i = pages.size(); i > 1; --i) std::swap(pages[i - 1], pages[rng.below(i)]);
    for (const auto& [batch, page] : pages) {
      ShardBuilder::Worker& worker = builder->worker(static_cast<unsigned>(rng.below(3)));
      EXPECT_TRUE(worker.add_redirect(parsed(page->url), url_of(batch)).is_ok());
      ASSERT_TRUE(worker.add({batch, 0}, page->payload, parsed(page->url), page->text, "", no_time)
                      .is_ok());
    }
    ThreadPool pool(2);
    ASSERT_TRUE(
        builder->finish(dir / "shard", std::vector<std::string>{"file"}, {}, {}, pool).is_ok());
    contents.insert(test::read_file(dir / "shard"));
  }
  EXPECT_EQ(contents.size(), 1u);
}

TEST(ShardBuilder, FormsBeyondTheMemoryGiveTheSameFile) {
  const std::vector<CrawlFile> crawl = make_crawl(7);
  std::set<std::string> contents;
  for (const uint64_t memory : {uint64_t{1} << 30, uint64_t{16} << 10}) {
    const test::TempDir dir;
    Rng rng(1);
    build_shard(crawl, {}, 0, 1, dir / "shard", dir, rng, memory);
    contents.insert(test::read_file(dir / "shard"));
  }
  EXPECT_EQ(contents.size(), 1u);
}

TEST(ShardMerger, WhatItNamesAsTheLeastMemoryWillDo) {
  const std::vector<CrawlFile> crawl = make_crawl(7);
  const test::TempDir dir;
  Rng rng(1);
  build_shard(crawl, {}, 0, 1, dir / "shard", dir, rng);
  storage::FileSystem& fs = storage::posix_file_system();
  std::vector<ShardFile> files;
  files.push_back(ShardFile::open(fs, dir / "shard").value());
  const auto is_first = best_captures(files, Captures::first);
  auto builder = BagBuilder::create(fs, dir.path(), builder_options({}, 2));
  ThreadPool pool(2);
  const auto bags = [](uint64_t memory) {
    return Budget(memory).without(Share::program, 28 << 20);
  };
  const auto refused = ShardMerger(*builder, bags(30 << 20)).add(files[0], is_first[0], pool);
  ASSERT_FALSE(refused.is_ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  const std::string& message = refused.error().message;
  const std::string before = "words; memory = ";
  const size_t at = message.find(before);
  ASSERT_NE(at, std::string::npos) << message;
  const uint64_t least = std::stoull(message.substr(at + before.size())) << 20;
  ShardMerger merger(*builder, bags(least));
  EXPECT_TRUE(merger.add(files[0], is_first[0], pool).is_ok());
}

TEST(ShardBuilder, AFullDiskIsAnErrorAndLeavesNoHalfFile) {
  const std::vector<CrawlFile> crawl = make_crawl(11);
  uint64_t failures = 0;
  for (uint64_t capacity = 0; capacity < 20'000; capacity += 499) {
    const test::TempDir dir;
    test::FullDisk fs(capacity);
    auto builder = ShardBuilder::create(fs, dir.path(), {}, 1, 1 << 30);
    ASSERT_TRUE(builder.is_ok());
    Status status;
    uint64_t batch = 0;
    for (const CrawlFile& file : crawl) {
      for (const CapturedPage& page : file) {
        if (!status) break;
        status = builder->worker(0).add({batch++, 0}, page.payload, parsed(page.url), page.text, "",
                                        no_time);
      }
    }
    if (status) {
      ThreadPool pool(1);
      status =
          builder->finish(dir / "shard", std::vector<std::string>{"file"}, {}, {}, pool).status();
    }
    if (!status) {
      ++failures;
      EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
    }
    EXPECT_EQ(fs.exists(dir / "shard"), status.is_ok());
  }
  EXPECT_GT(failures, 5u);
}

}  // namespace
}  // namespace kith::bags
